// Arrays of another library, of any types of indices, and views of them.
#pragma once

#include <algebra/battery.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/views.hpp>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace copse::tests {

/// Compressed rows: the offsets and the indices have types of their own.
template <class T, class Offset, class Index>
struct foreign_rows {
    std::int64_t row_count;
    std::int64_t column_count;
    std::vector<Offset> offsets;
    std::vector<Index> columns;
    std::vector<T> values;
    int base;

    foreign_rows(csr<T> const& a, int index_base)
        : row_count(a.row_count), column_count(a.column_count), values(a.values), base(index_base) {
        for (std::int64_t const offset : a.row_offsets) offsets.push_back(static_cast<Offset>(offset + base));
        for (std::int32_t const column : a.column_indices) columns.push_back(static_cast<Index>(column + base));
    }
    csr_view<T> view() const {
        return csr_view(row_count, column_count, offsets, columns, values, {.index_base = base});
    }
    /// The same entries in an order within each row that no sort has seen.
    void shuffle_rows() {
        std::mt19937_64 engine(values.size());
        for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
            auto const first = static_cast<std::size_t>(offsets[row]) - static_cast<std::size_t>(base);
            auto const count = static_cast<std::size_t>(offsets[row + 1]) - static_cast<std::size_t>(offsets[row]);
            for (std::size_t i = count; i > 1; --i) {
                std::size_t const j = engine() % i;
                std::swap(columns[first + i - 1], columns[first + j]);
                std::swap(values[first + i - 1], values[first + j]);
            }
        }
    }
};

/// A list of entries.
template <class T, class Index>
struct foreign_entries {
    std::int64_t row_count;
    std::int64_t column_count;
    std::vector<Index> rows;
    std::vector<Index> columns;
    std::vector<T> values;
    int base;

    foreign_entries(coo<T> const& a, int index_base)
        : row_count(a.row_count), column_count(a.column_count), values(a.values), base(index_base) {
        for (std::int32_t const row : a.rows) rows.push_back(static_cast<Index>(row + base));
        for (std::int32_t const column : a.columns) columns.push_back(static_cast<Index>(column + base));
    }
    coo_view<T> view() const { return coo_view(row_count, column_count, rows, columns, values, {.index_base = base}); }
};

}  // namespace copse::tests
