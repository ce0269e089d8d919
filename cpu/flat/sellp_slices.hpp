// Slices of SELL-P times a vector, on one core.
#pragma once

#include <copse/cpu/flat/operands.hpp>
#include <copse/cpu/flat/scattered_output.hpp>
#include <copse/formats/sellp/layout.hpp>
#include <cstdint>

namespace copse::detail {

/// y <- factor * A * x + beta * y for the rows in slices first .. last - 1, with the widest vectors that the core has.
/// beta == 0 does not read y. Padding is not multiplied. Instantiated for float, double.
template <class T>
void multiply_slices(sellp_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p);

/// out += factor * A^T * x for the entries of slices first .. last - 1.
template <class T>
void scatter_slices(sellp_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
                    scattered_output<T>& out);

}  // namespace copse::detail
