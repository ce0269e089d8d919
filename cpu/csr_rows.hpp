// Rows of CSR times a vector, on one core, with the widest vectors that it has.
#pragma once

#include <copse/formats/csr.hpp>
#include <cstdint>

namespace copse::detail {

/// y[i] <- alpha * (A x)[i] + beta * y[i], first <= i < last. beta == 0 does not read y. Instantiated for float, double.
template <class T>
void multiply_rows(csr<T> const& a, std::int64_t first, std::int64_t last, T alpha, T const* x, T beta, T* y);

}  // namespace copse::detail
