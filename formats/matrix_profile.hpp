// What decides in which format a matrix is multiplied fastest: how long its rows are, how even, where entries stand.
//
//   copse::matrix_profile const p = copse::profile_of(a);
//   p.rows.mean, p.row_places, p.entries_per_block, p.diagonal_share
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/statistics.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

struct matrix_profile {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    std::size_t value_bytes = sizeof(double);
    row_statistics rows;
    row_statistics columns;
    /// Places that SELL-P takes for an entry of A, and of A^T: slices of rows in their order, of the cpu's size.
    double row_places = 1;
    double column_places = 1;
    /// The same of sorted_sellp: rows, or columns, sorted by length.
    double sorted_row_places = 1;
    double sorted_column_places = 1;
    /// Of the blocks of 128 rows and columns that have any.
    double entries_per_block = 0;
    /// The share of the entries a_ij for which a_(i-1)(j-1) is an entry, too: those of long diagonals have it.
    double diagonal_share = 0;
    /// The share of the entries that have the same value, in bits, as that one.
    double constant_share = 0;

    /// What a product reads and writes: CSR with offsets of 4 bytes, x and y.
    std::int64_t product_bytes() const noexcept {
        return csr_bytes(row_count, entry_count, value_bytes) +
               (row_count + column_count) * static_cast<std::int64_t>(value_bytes);
    }
};

/// One pass over the entries; takes 8 bytes for each column, and for each thread 4 bytes for 128 columns. Parallel
/// (OpenMP); any number of threads gives the same result.
template <class T>
matrix_profile profile_of(csr<T> const& a);
/// Of a matrix with so few entries for its size that there is no memory for its rows: each entry is taken to have a
/// block and a slice of its own. Takes 4 bytes for each entry. Serial.
template <class T>
matrix_profile profile_of(coo<T> const& a);

/// Of A^T.
matrix_profile transposed(matrix_profile const& a) noexcept;

}  // namespace copse
