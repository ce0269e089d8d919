// Statistics of a matrix: how many entries its rows have, how many bytes COO and CSR take for it; where the bytes of a
// tree are, its nodes by level and kind.
//
//   auto sizes = copse::sizes_of_nodes(a);
//   sizes.of(0, copse::node_kind::diagonal).bytes;      // of all leaves with streaks along diagonals
//   sizes.entries_per_block();                          // how full the leaves are
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

}  // namespace copse
