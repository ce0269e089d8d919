// What a product of a flat format reads and writes beside the matrix: on every executor, item by item.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// y <- factor * A * x + beta * y, or y += factor * A^T * x. The scale of the matrix is in `factor`.
template <class T>
struct flat_product {
    T const* x;
    T* y;
    T factor;
    T beta;

    /// `sum` is the row's whole sum, or the part of it that the row's owner has: others are added afterwards.
    COPSE_HOST_DEVICE void write(std::int64_t row, T sum) const {
        y[row] = beta == T(0) ? factor * sum : factor * sum + beta * y[row];
    }
    /// For rows without entries.
    COPSE_HOST_DEVICE void write_empty(std::int64_t row) const { y[row] = beta == T(0) ? T(0) : beta * y[row]; }
};

/// What a part's first entries add to a row that begins in an earlier part. No row: -1.
template <class T>
struct row_carry {
    std::int64_t row = -1;
    T sum = T(0);  // without the factor
};

}  // namespace copse::detail
