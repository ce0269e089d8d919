// The flat formats: their list, and the contract that all of them meet.
//
//   copse::flat_matrices<double, std::tuple>      // std::tuple<csr_matrix<double>, csr5<double>, ...>
//
// Instances, tests and names for each format are made from the list; CMake reads it, too
// (cmake/copse_flat_formats.cmake). CONTRIBUTING.md says how to add a format.
//
// What a flat format brings, in files of these names, of which the compiler checks a part for every format of the list.
// `name`: of the class and of its files.
//
//   formats/<name>.hpp               options: an aggregate, {} leaves all open. View: plain pointers. Content: arrays
//                                    in an executor's memory (below). The class: derived from flat_matrix, which has
//                                    the constructors; `name`, by which the command calls it.
//   formats/<name>/conversion.cpp    Content::make(), to_rows(): the conversion on the host, and back
//   formats/<name>/steps.hpp         the same by parallel steps, for a GPU:
//                                      content_on(where, csr_matrix, options, steps)  a shared pointer to its content
//                                      rows_by_steps(content, steps)                  and to that of a csr_matrix
//                                      rows_in_place_by_steps(content, steps)         optional: in the content's arrays
//   cpu/flat/<name>_product.cpp      products on one core by vectors: cpu/flat/cpu_product.hpp
//   algebra/flat/<name>_tasks.hpp    products by many lanes: algebra/flat/flat_product.hpp
//   tests/formats/<name>/<name>_test.cpp    arrays worked by hand. The suites take every format of the list.
//
// A Content, derived from flat_content_of<Content>, with make() and to_rows() compiled for float and double:
//
//   make(where, csr_view, options, many_lanes)
//                                            in the memory `where`. Parallel; any number of threads gives the same
//                                            arrays. many_lanes: what options leave open is chosen for a GPU. Throws
//                                            shape_error where csr breaks its contract, argument_error for options out
//                                            of range.
//   to_rows()                                what it was made from, from any memory
//   bytes(), view()
//   options                                  what like() makes another matrix with
//
// and, in formats that keep the arrays of rows: takes_arrays_of_rows(options), make_in_place(csr_content&&, options,
// many_lanes), has_arrays_of_rows(), to_rows_in_place().
#pragma once

#include <array>
#include <concepts>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/memory.hpp>
#include <memory>
#include <type_traits>

namespace copse {

/// List<a matrix of each format...>.
template <class T, template <class...> class List>
using flat_matrices = List<csr_matrix<T>, csr5<T>, sellp<T>, cmrs<T>>;

template <class Content>
concept flat_content_contract = std::derived_from<Content, flat_content_of<Content>> &&
    requires(Content const& content, std::shared_ptr<memory> const& where, typename Content::options_type options) {
    { Content::empty() } -> std::same_as<std::shared_ptr<Content const> const&>;
    { content.bytes() } -> std::same_as<std::int64_t>;
    requires std::is_trivially_copyable_v<decltype(content.view())>;
    { content.options } -> std::convertible_to<typename Content::options_type>;
    { Content::takes_arrays_of_rows(options) } -> std::same_as<bool>;
    { content.has_arrays_of_rows() } -> std::same_as<bool>;
};

/// What is declared; conversions, and products on each executor, are missed by the linker and by the suites.
template <class Matrix>
concept meets_format_contract = flat_format<Matrix> && flat_content_contract<typename Matrix::content_type> &&
    std::is_constructible_v<Matrix, std::shared_ptr<memory>, csr<typename Matrix::value_type>> &&
    std::is_constructible_v<Matrix, std::shared_ptr<typename Matrix::content_type const>> &&
    requires(std::shared_ptr<memory> const& where, csr<typename Matrix::value_type> const& a,
             typename Matrix::options_type const& options, typename Matrix::content_type const& content) {
    { Matrix::name } -> std::convertible_to<char const*>;
    {
        Matrix::content_type::make(where, a, options, true)
        } -> std::same_as<std::shared_ptr<typename Matrix::content_type const>>;
    { content.to_rows() } -> std::same_as<csr<typename Matrix::value_type>>;
};

template <class... Matrix>
struct names_of_matrices {
    static_assert((meets_format_contract<Matrix> && ...));
    static constexpr std::array<char const*, sizeof...(Matrix)> names{Matrix::name...};
};

/// "csr", "csr5", ...
inline constexpr auto flat_format_names = flat_matrices<double, names_of_matrices>::names;

}  // namespace copse
