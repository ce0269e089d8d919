// Slices of SELL-P times a vector, on one core, with the widest vectors that it has.
#pragma once

#include <copse/formats/sellp_view.hpp>
#include <cstdint>

namespace copse::detail {

/// y[i] <- factor * (A x)[i] + beta * y[i] for the rows i in slices first .. last - 1. beta == 0 does not read y.
/// Padding is not multiplied. Instantiated for float, double.
template <class T>
void multiply_slices(sellp_view<T> const& a, std::int64_t first, std::int64_t last, T factor, T const* x, T beta, T* y);

/// Elements of T in the widest vectors of this machine: b of a slice whose rows stand in lanes.
template <class T>
int vector_lanes();

}  // namespace copse::detail
