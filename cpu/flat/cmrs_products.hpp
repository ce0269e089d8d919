// Strips of CMRS times a vector, on one core.
#pragma once

#include <copse/cpu/flat/operands.hpp>
#include <copse/cpu/flat/scattered_output.hpp>
#include <copse/formats/cmrs/layout.hpp>
#include <cstdint>

namespace copse::detail {

/// y <- factor * A * x + beta * y for the rows in strips first .. last - 1. beta == 0 does not read y. Padding is not
/// multiplied. Instantiated for float, double.
template <class T>
void multiply_strips(cmrs_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p);

/// out += factor * A^T * x for the entries of strips first .. last - 1.
template <class T>
void scatter_strips(cmrs_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
                    scattered_output<T>& out);

}  // namespace copse::detail
