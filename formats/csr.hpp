// Compressed sparse rows: the baseline, and the input of every other format's conversion.
//
//   row_offsets      [m + 1]   entries of row i are row_offsets[i] .. row_offsets[i + 1] - 1
//   column_indices   [nnz]     ascending within a row, each at most once
//   values           [nnz]
#pragma once

#include <copse/formats/coo.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace copse {

template <class T>
struct csr {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::vector<std::int64_t> row_offsets{0};
    std::vector<std::int32_t> column_indices;
    std::vector<T> values;

    std::int64_t entry_count() const noexcept { return static_cast<std::int64_t>(values.size()); }
};

/// Sorts by row and column and sums entries of equal coordinates (in the order given). Explicit zeros stay.
/// Parallel (OpenMP). Throws shape_error when an index lies outside the matrix or the arrays differ in length.
template <class T>
csr<T> to_csr(coo<T> const& a);

/// Entries in row-major order, each coordinate once.
template <class T>
coo<T> to_coo(csr<T> const& a);

/// A^T, by counting sort.
template <class T>
csr<T> transpose(csr<T> const& a);

/// Throws shape_error, which names the first offence, unless `a` keeps the contract above. whose: what `a` was given
/// to, for the message.
template <class T>
void check(csr<T> const& a, std::string_view whose = "csr");

}  // namespace copse
