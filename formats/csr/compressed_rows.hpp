// Compressed rows in host memory as conversions on the host read them: offsets of 64 bits, columns of 32 bits from 0,
// ascending in each row, none twice. Somebody else owns the arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace copse::detail {

/// Rows that have entries, in order. Every row, or the few rows of a hyper-sparse matrix.
template <class T>
struct compressed_rows {
    std::int64_t row_count;
    std::int64_t column_count;
    std::span<std::int32_t const> row_ids;  // empty: row i is the i-th
    std::span<std::int64_t const> offsets;
    std::span<std::int32_t const> column_indices;
    std::span<T const> values;

    std::int64_t entry_count() const { return std::ssize(values); }
    std::int64_t stored_rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
    std::int64_t row_id(std::int64_t k) const { return row_ids.empty() ? k : row_ids[static_cast<std::size_t>(k)]; }
};

}  // namespace copse::detail
