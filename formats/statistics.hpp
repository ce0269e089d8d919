// Statistics of a matrix: how many entries its rows have, how many bytes COO and CSR take for it; where the bytes of a
// tree are, its nodes by level and kind.
//
//   auto sizes = copse::sizes_of_nodes(a);
//   sizes.of(0, copse::node_kind::diagonal).bytes;      // of all leaves with streaks along diagonals
//   sizes.entries_per_block();                          // how full the leaves are
//
// And the picture of a matrix, as data: how many entries lie in each cell of a grid, which boxes the nodes of its tree
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
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_census.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace copse {

/// Entries per row over all rows, empty ones included. All zero for a matrix without rows.
struct row_statistics {
    std::int64_t minimum = 0;
    std::int64_t maximum = 0;
    double mean = 0;
    double standard_deviation = 0;  ///< of the whole population: sqrt(mean((entries - mean)^2))
    std::int64_t empty_rows = 0;
};

/// Parallel (OpenMP).
template <class T>
row_statistics count_rows(csr<T> const& a);

/// The same for columns, that is for the rows of A^T. Takes 8 bytes for each column. If columns are more than 16 times
/// as many as entries, it sorts the entries instead and takes 4 bytes for each. Parallel (OpenMP).
template <class T>
row_statistics count_columns(csr<T> const& a);

/// The same for a matrix with few entries for its size, each coordinate once. Takes 4 bytes for each entry. Serial.
template <class T>
row_statistics count_rows(coo<T> const& a);
template <class T>
row_statistics count_columns(coo<T> const& a);

namespace detail {

/// Entries of each column. Takes 8 bytes for each. Parallel (OpenMP).
template <class T>
std::vector<std::int64_t> column_lengths(csr<T> const& a);
/// lengths: entries of each row, `entry_count` in all. Parallel (OpenMP).
row_statistics count_lengths(std::span<std::int64_t const> lengths, std::int64_t entry_count);

/// Whether there is not to be memory for each column.
template <class T>
bool has_few_entries_for_columns(csr<T> const& a) noexcept {
    return a.column_count / 16 > a.entry_count();
}

}  // namespace detail

/// Bytes of a coordinate list with 4-byte indices: entries (8 + value_bytes).
constexpr std::int64_t coo_bytes(std::int64_t entries, std::size_t value_bytes) noexcept {
    return entries * (8 + static_cast<std::int64_t>(value_bytes));
}

/// Bytes of compressed rows with 4-byte column indices: entries (4 + value_bytes) + (rows + 1) offsets of 4 bytes, of 8
/// from 2^31 entries on. (`csr` itself always holds 8-byte offsets.)
constexpr std::int64_t csr_bytes(std::int64_t rows, std::int64_t entries, std::size_t value_bytes) noexcept {
    std::int64_t const offset_bytes = entries >= std::int64_t{1} << 31 ? 8 : 4;
    return entries * (4 + static_cast<std::int64_t>(value_bytes)) + (rows + 1) * offset_bytes;
}

/// "sparse", "dense", "diagonal", "wide".
std::string_view name_of(node_kind kind);

/// The nodes of a tree. Each node is counted once, whatever the number of its parents.
struct node_sizes {
    struct group {
        std::int64_t nodes = 0;
        std::int64_t entries = 0;  // of leaves; of inner nodes: children
        std::int64_t bytes = 0;
        // How many of the nodes
        std::int64_t shared = 0;       // stand at several places
        std::int64_t mirrored = 0;     // stand somewhere as their transpose
        std::int64_t negated = 0;      // stand somewhere as their negative, or that of their transpose
        std::int64_t values_once = 0;  // are leaves that store values once
    };
    std::array<std::array<group, node_kind_count>, level_count> groups{};
    /// Blocks of d x d with entries: a leaf counts as one, a wide leaf as all blocks that its entries lie in.
    std::int64_t blocks = 0;

    group const& of(int level, node_kind kind) const {
        return groups[static_cast<std::size_t>(level)][static_cast<std::size_t>(kind)];
    }
    std::int64_t bytes() const;
    std::int64_t entries() const;  // of all leaves
    std::int64_t wide_entries() const { return of(1, node_kind::wide).entries; }
    /// 0 without entries.
    double entries_per_block() const {
        return blocks == 0 ? 0 : static_cast<double>(entries()) / static_cast<double>(blocks);
    }
};

/// Counts the nodes that a's root leads to. Takes time proportional to their number and to the entries of wide leaves.
/// Content in device memory is copied to the host first. Throws cuda_error.
template <class T>
node_sizes sizes_of_nodes(hisparse<T> const& a);

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
