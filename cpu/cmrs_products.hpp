// Strips of CMRS times a vector, on one core.
#pragma once

#include <copse/formats/cmrs_view.hpp>
#include <cstdint>

namespace copse::detail {

/// y[i] <- factor * (A x)[i] + beta * y[i] for the rows i in strips first .. last - 1. beta == 0 does not read y.
/// Padding is not multiplied. Instantiated for float, double.
template <class T>
void multiply_strips(cmrs_view<T> const& a, std::int64_t first, std::int64_t last, T factor, T const* x, T beta, T* y);

}  // namespace copse::detail
