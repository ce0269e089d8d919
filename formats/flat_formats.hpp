// The flat formats, in one place: what is compiled, tested and named for each of them comes from this list.
//
//   copse::flat_matrices<double, std::tuple>      // std::tuple<csr_matrix<double>, csr5<double>, ...>
#pragma once

#include <array>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>

namespace copse {

/// List<a matrix of each format...>. CONTRIBUTING.md says what a new one brings.
template <class T, template <class...> class List>
using flat_matrices = List<csr_matrix<T>, csr5<T>, sellp<T>, cmrs<T>>;

template <class... Matrix>
struct names_of_matrices {
    static constexpr std::array<char const*, sizeof...(Matrix)> names{Matrix::name...};
};

/// "csr", "csr5", ...
inline constexpr auto flat_format_names = flat_matrices<double, names_of_matrices>::names;

}  // namespace copse
