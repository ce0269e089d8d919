// Compressed sparse rows: the baseline, and the input of every other format's conversion.
//
//   row_offsets      [m + 1]   entries of row i are row_offsets[i] .. row_offsets[i + 1] - 1
//   column_indices   [nnz]     ascending within a row, each at most once
//   values           [nnz]
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/views.hpp>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace copse {

/// A matrix that was moved from is an empty 0 x 0 one.
template <class T>
struct csr {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::vector<std::int64_t> row_offsets{0};
    std::vector<std::int32_t> column_indices;
    std::vector<T> values;

    csr() = default;
    csr(std::int64_t m, std::int64_t n, std::vector<std::int64_t> offsets = {0}, std::vector<std::int32_t> columns = {},
        std::vector<T> entry_values = {})
        : row_count(m),
          column_count(n),
          row_offsets(std::move(offsets)),
          column_indices(std::move(columns)),
          values(std::move(entry_values)) {}
    csr(csr const&) = default;
    csr(csr&& other) noexcept
        : row_count(std::exchange(other.row_count, 0)),
          column_count(std::exchange(other.column_count, 0)),
          row_offsets(std::move(other.row_offsets)),
          column_indices(std::move(other.column_indices)),
          values(std::move(other.values)) {
        try {
            other.row_offsets.assign(1, 0);
        } catch (std::bad_alloc const&) {  // then there are none, which counts as {0}
        }
    }
    csr& operator=(csr const&) = default;
    csr& operator=(csr&& other) noexcept {
        csr taken(std::move(other));
        std::swap(row_count, taken.row_count);
        std::swap(column_count, taken.column_count);
        row_offsets.swap(taken.row_offsets);
        column_indices.swap(taken.column_indices);
        values.swap(taken.values);
        return *this;
    }
    ~csr() = default;

    std::int64_t entry_count() const noexcept { return static_cast<std::int64_t>(values.size()); }
    operator csr_view<T>() const {
        return {row_count, column_count, row_offsets, column_indices, values, {.ascending = true}};
    }
};

/// Sorts by row and column and sums entries of equal coordinates (in the order given). Explicit zeros stay.
/// Parallel (OpenMP). Throws shape_error when an index lies outside the matrix or the arrays differ in length.
template <class T>
csr<T> to_csr(coo_view<T> const& a);
template <class T>
csr<T> to_csr(coo<T> const& a) {
    return to_csr(coo_view<T>(a));
}

/// A copy of the rows, columns ascending; views.hpp says what is sorted and what is refused. Throws shape_error,
/// argument_error for arrays in device memory.
template <class T>
csr<T> to_csr(csr_view<T> const& a);

/// Entries in row-major order, each coordinate once.
template <class T>
coo<T> to_coo(csr<T> const& a);

/// A^T, by counting sort.
template <class T>
csr<T> transpose(csr<T> const& a);

/// Throws shape_error, which names the first offence, if `a` breaks the contract above. whose: the function or class
/// that `a` was given to, for the message.
template <class T>
void check(csr<T> const& a, std::string_view whose = "csr");

}  // namespace copse
