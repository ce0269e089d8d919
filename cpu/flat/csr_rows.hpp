// Rows of CSR times a vector, on one core, with the widest vectors that it has.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <cstdint>

namespace copse::detail {

/// y[i] <- alpha * (A x)[i] + beta * y[i], first <= i < last. beta == 0 does not read y. Instantiated for float,
/// double.
template <class T>
void multiply_rows(csr_matrix_view<T> const& a, std::int64_t first, std::int64_t last, T alpha, T const* x, T beta,
                   T* y);

/// The sum of values[k] * x[columns[k]], k < count: a part of a row. Instantiated for float, double.
template <class T>
T multiply_entries(T const* values, std::int32_t const* columns, std::int64_t count, T const* x);

}  // namespace copse::detail
