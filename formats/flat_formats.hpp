// The flat formats, in one place: what is compiled, tested and named for each of them comes from this list, and from
// the lines of it that CMake reads (cmake/copse_flat_formats.cmake).
//
//   copse::flat_matrices<double, std::tuple>      // std::tuple<csr_matrix<double>, csr5<double>, ...>
#pragma once

#include <array>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat/format_contract.hpp>
#include <copse/formats/sellp.hpp>

namespace copse {

/// List<a matrix of each format...>. flat/format_contract.hpp says what a format has; CONTRIBUTING.md, how to add one.
template <class T, template <class...> class List>
using flat_matrices = List<csr_matrix<T>, csr5<T>, sellp<T>, cmrs<T>>;

template <class... Matrix>
struct names_of_matrices {
    static_assert((meets_format_contract<Matrix> && ...));
    static constexpr std::array<char const*, sizeof...(Matrix)> names{Matrix::name...};
};

/// "csr", "csr5", ...
inline constexpr auto flat_format_names = flat_matrices<double, names_of_matrices>::names;

}  // namespace copse
