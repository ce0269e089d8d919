// `auto` as a format: the library's rule, with what it needs to know of a matrix.
#pragma once

#include <copse/formats/suitable_format.hpp>
#include <string_view>

namespace copse::bench::measure {

/// For op(A) = A, or A^T when `transpose`, in products from a plan, or one by one, on the executor of this name.
/// a: csr or coo.
template <class Matrix>
format_choice choose_format(Matrix const& a, bool transpose, bool by_plan, std::string_view on) {
    format_use const use{by_plan, transpose, on != "cpu"};
    return suitable_format(by_plan && transpose ? count_columns(a) : count_rows(a), use);
}

/// What auto takes where SELL-P refuses: without padding.
inline constexpr std::string_view instead_of_sellp(std::string_view on) {
    return on == "cpu" ? "hisparse" : "csr5";
}

}  // namespace copse::bench::measure
