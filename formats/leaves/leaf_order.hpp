// The order of entries in a leaf: along diagonals.
//
//   diagonal   (column - row) mod d      0, 1, ..., d - 1: each is a diagonal above the main one and, from row
//                                        d - diagonal on, one below it
//   position   diagonal * d + row        entries ascend by it
//
// Neighbours along a diagonal differ in row and in column, so that additions to y do not wait for one another, and
// streaks are what a stencil's leaf consists of. Measured on one CPU thread (bench/results/leaves.md): A x
// over row-major lists takes 1.1 to 1.7 times as long, A^T x over column-major ones 1.1 to 1.6 times, and merging
// row-major lists for A + B 1.0 to 1.7 times. In the library as a whole neither order gained more than 3 % anywhere.
#pragma once

#include <copse/runtime/config.hpp>

namespace copse {

struct leaf_order {
    int dimension_log2;

    COPSE_HOST_DEVICE COPSE_INLINE int mask() const { return (1 << dimension_log2) - 1; }
    COPSE_HOST_DEVICE COPSE_INLINE int position(int row, int column) const {
        return ((column - row) & mask()) << dimension_log2 | row;
    }
    COPSE_HOST_DEVICE COPSE_INLINE int row(int position) const { return position & mask(); }
    COPSE_HOST_DEVICE COPSE_INLINE int column(int position) const {
        return (position + (position >> dimension_log2)) & mask();
    }
    /// Whether a diagonal of the node begins at `position`: position - 1, if there is one, is on another.
    COPSE_HOST_DEVICE COPSE_INLINE bool begins_diagonal(int position) const {
        return row(position) == 0 || column(position) == 0;
    }
};

}  // namespace copse
