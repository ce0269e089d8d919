// Coordinate list: the form in which matrices arrive (files, generators) and leave.
//
//   rows[k], columns[k], values[k]     one entry each, in any order unless a function says otherwise
#pragma once

#include <copse/formats/views.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse {

/// An m x n matrix as a list of entries. Indices start at 0 and are below 2^31.
/// Entries may come in any order; the same place may occur more than once: conversions sum its values.
/// A list that was moved from is an empty 0 x 0 one.
template <class T>
struct coo {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    std::vector<T> values;

    coo() = default;
    coo(std::int64_t m, std::int64_t n, std::vector<std::int32_t> row_indices = {},
        std::vector<std::int32_t> column_indices = {}, std::vector<T> entry_values = {})
        : row_count(m),
          column_count(n),
          rows(std::move(row_indices)),
          columns(std::move(column_indices)),
          values(std::move(entry_values)) {}
    coo(coo const&) = default;
    coo(coo&& other) noexcept { swap(other); }
    coo& operator=(coo const&) = default;
    coo& operator=(coo&& other) noexcept {
        coo(std::move(other)).swap(*this);
        return *this;
    }
    ~coo() = default;

    std::int64_t entry_count() const noexcept { return static_cast<std::int64_t>(values.size()); }
    operator coo_view<T>() const { return {row_count, column_count, rows, columns, values}; }

  private:
    void swap(coo& other) noexcept {
        std::swap(row_count, other.row_count);
        std::swap(column_count, other.column_count);
        rows.swap(other.rows);
        columns.swap(other.columns);
        values.swap(other.values);
    }
};

/// An n x n matrix of which a list holds one half, or, if `symmetry` is general, any matrix. As a coo_view it says so.
template <class T>
struct symmetric_coo {
    coo<T> entries;
    matrix_symmetry symmetry = matrix_symmetry::general;

    operator coo_view<T>() const {
        coo_view<T> view = entries;
        view.options.symmetry = symmetry;
        return view;
    }
};

/// All entries: those of the list, then the mirror images of those off the diagonal, in the same order. Parallel
/// (OpenMP).
template <class T>
coo<T> all_entries(symmetric_coo<T> a);

}  // namespace copse
