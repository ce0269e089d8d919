// Where a matrix's bytes are: its nodes by level and kind, found by a walk over the tree.
//
//   auto sizes = copse::sizes_of_nodes(a);
//   sizes.of(0, copse::node_kind::diagonal).bytes;      // of all leaves with streaks along diagonals
//   sizes.entries_per_block();                          // how full the leaves are
#pragma once

#include <array>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_census.hpp>
#include <cstdint>
#include <string_view>

namespace copse {

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
