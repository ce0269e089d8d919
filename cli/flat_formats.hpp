// The flat formats by their names: a new one is a name and a line, and its options.
#pragma once

#include <array>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace copse::measure {

inline constexpr std::array flat_formats{"csr", "csr5", "sellp", "cmrs"};

/// f(std::type_identity<Matrix>()): Matrix(executor, csr<T>) makes a matrix of the format. Throws argument_error for a
/// name that is none of flat_formats.
template <class T, class F>
auto with_flat_format(std::string const& name, F f) {
    if (name == "csr") return f(std::type_identity<csr_matrix<T>>());
    if (name == "csr5") return f(std::type_identity<csr5<T>>());
    if (name == "sellp") return f(std::type_identity<sellp<T>>());
    if (name == "cmrs") return f(std::type_identity<cmrs<T>>());
    throw argument_error("'" + name + "' is no flat format");
}

/// How matrices are made, by format.
struct flat_options {
    csr_matrix_options of_csr;
    csr5_options of_csr5;
    sellp_options of_sellp;
    cmrs_options of_cmrs;
};

/// Matrix(executor, a), with the options that belong to it.
template <class Matrix, class Executor>
Matrix make_flat(Executor& executor, csr<typename Matrix::value_type> const& a, flat_options const& options) {
    using T = typename Matrix::value_type;
    if constexpr (std::is_same_v<Matrix, csr5<T>>)
        return {executor, a, options.of_csr5};
    else if constexpr (std::is_same_v<Matrix, sellp<T>>)
        return {executor, a, options.of_sellp};
    else if constexpr (std::is_same_v<Matrix, cmrs<T>>)
        return {executor, a, options.of_cmrs};
    else
        return {executor, a, options.of_csr};
}

}  // namespace copse::measure
