// The picture of a matrix, as data: how many entries lie in each cell of a grid, which boxes the nodes of its tree
// cover, and where its bytes are. `copse spy` draws it.
//
//   copse::spy_picture const p = copse::spy(a);                     // a: a copse::hisparse, transposed or not
//   p.entries_in(2, 5);                                             // of the cell in row 2, column 5 of the grid
//   for (copse::spy_box const& box : p.boxes) ...                   // parents before their children
//
//        column 0   cell      2 cell              A cell covers `cell` x `cell` elements; those of the last row and
//      row 0 +--------+--------+---               column of cells may cover fewer that are in the matrix. A matrix of
//            |        |        |                  at most `most_cells` rows and columns has a cell for each element:
//       cell +--------+--------+---               its grid is the pattern.
#pragma once

#include <array>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/statistics.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse {

struct spy_options {
    int most_cells = 480;    // along the longer side of the matrix
    double least_cells = 4;  // the least side of a node's box that is listed, in cells
};

/// The part of the matrix that a node covers, cut off where the matrix ends.
struct spy_box {
    std::int64_t row;  // the first row and column
    std::int64_t column;
    std::int64_t rows;  // how many
    std::int64_t columns;
    int level;
    node_kind kind;
    std::int64_t entries;  // of a leaf; of an inner node: children. A wide leaf's number is rounded up, by less than 16
    bool is_leaf;
    bool operator==(spy_box const&) const = default;
};

struct spy_picture {
    std::int64_t row_count = 0;
    std::int64_t column_count = 0;
    std::int64_t entry_count = 0;
    int node_dimension = 0;

    std::int64_t cell = 1;  // rows, and columns, of a cell
    int grid_rows = 0;
    int grid_columns = 0;
    /// Entries by cell, the grid's rows one after another, of each kind of leaf: entries_by_kind[kind][row *
    /// grid_columns + column].
    std::array<std::vector<std::int64_t>, node_kind_count> entries_by_kind;

    /// The nodes whose boxes are large enough to be seen, once for each place where the matrix has them. Boxes of one
    /// level do not overlap: there are at most (most_cells / least_cells + 1)^2 of each level.
    std::vector<spy_box> boxes;
    /// Levels below this one have nodes, but none in `boxes`: they are too small. 0: none is left out.
    int first_listed_level = 0;

    /// All nodes by level and kind, with their bytes; each counts once, whatever the number of its places.
    node_sizes nodes;

    std::int64_t entries_in(int row, int column) const {
        std::int64_t sum = 0;
        for (auto const& of_kind : entries_by_kind) sum += of_kind[place(row, column)];
        return sum;
    }
    std::size_t place(int row, int column) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(grid_columns) +
               static_cast<std::size_t>(column);
    }
    /// The bytes of all nodes of a kind, leaves and inner nodes.
    std::int64_t bytes_of(node_kind kind) const {
        std::int64_t sum = 0;
        for (int level = 0; level < level_count; ++level) sum += nodes.of(level, kind).bytes;
        return sum;
    }
};

/// The picture of op(A), the state of `a` included; explicit zeros are entries. Waits. Takes time proportional to the
/// nodes, and to the entries of leaves that lie in several cells. Content in device memory is copied to the host first.
/// Throws argument_error if most_cells is not 1 .. 4096, or least_cells is below 0 or no number; cuda_error.
template <class T>
spy_picture spy(hisparse<T> const& a, spy_options const& options = {});

}  // namespace copse
