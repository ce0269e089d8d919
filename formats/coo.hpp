// Coordinate list: the form in which matrices arrive (files, generators) and leave.
//
//   rows[k], columns[k], values[k]     one entry each, in any order unless a function says otherwise
#pragma once

#include <cstdint>
#include <vector>

namespace copse {

/// An m x n matrix as a list of entries. Indices start at 0 and are below 2^31.
/// Entries may come in any order; the same coordinate may occur more than once until `sum_duplicates`.
template <class T>
struct coo {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    std::vector<T> values;

    std::int64_t entry_count() const noexcept { return static_cast<std::int64_t>(values.size()); }
};

}  // namespace copse
