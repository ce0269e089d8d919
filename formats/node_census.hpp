// How many nodes of each level, kind and size a traversal of a matrix visits: the bounds of the queues follow from
// this. (statistics.hpp says how many bytes nodes take.)
#pragma once

#include <array>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstdint>

namespace copse {

/// Size classes: class c holds nodes with 2^(c-1) < entries <= 2^c; class 0 holds nodes with one entry.
inline constexpr int size_class_count = 21;
inline constexpr int level_count = 8;

COPSE_HOST_DEVICE constexpr int size_class(std::int64_t entries) {
    return detail::bit_width(static_cast<std::uint64_t>(entries - 1));
}

/// The census counts visits, not nodes: a shared sub-tree counts once for every parent.
struct node_census {
    std::array<std::array<std::array<std::int64_t, size_class_count>, node_kind_count>, level_count> visits{};
    std::array<std::array<std::int64_t, node_kind_count>, level_count> entries{};

    /// node_entries: entries of a leaf, children of an inner node.
    void count(child_reference r, std::int64_t node_entries) { add(r, 1, node_entries); }
    /// Takes back a visit that was counted.
    void discount(child_reference r, std::int64_t node_entries) { add(r, -1, -node_entries); }
    /// Entries of all leaves, wide ones included.
    std::int64_t leaf_entries() const {
        std::int64_t sum = 0;
        for (std::int64_t n : entries[0]) sum += n;
        return sum + wide_entries();
    }
    /// All nodes: the bound of a queue that takes every node.
    std::int64_t nodes() const {
        std::int64_t sum = 0;
        for (auto const& level : visits)
            for (auto const& kind : level)
                for (std::int64_t n : kind) sum += n;
        return sum;
    }
    /// Nodes of a kind with more than `above` and at most `up_to` entries (both powers of two, or 0), at levels
    /// first_level .. last_level.
    std::int64_t between(node_kind kind, int first_level, int last_level, std::int64_t above = 0,
                         std::int64_t up_to = child_reference::most_wide_entries) const {
        std::int64_t sum = 0;
        int const from = above == 0 ? 0 : size_class(above) + 1;
        for (int level = first_level; level <= last_level; ++level)
            for (int c = from; c <= size_class(up_to); ++c)
                sum += visits[static_cast<std::size_t>(level)][static_cast<std::size_t>(kind)]
                             [static_cast<std::size_t>(c)];
        return sum;
    }
    std::int64_t leaves(node_kind kind, std::int64_t above = 0,
                        std::int64_t up_to = child_reference::most_wide_entries) const {
        return between(kind, 0, 0, above, up_to);
    }
    /// Leaves of any kind but wide.
    std::int64_t leaves() const {
        std::int64_t sum = 0;
        for (int kind = 0; kind < node_kind_count; ++kind) sum += leaves(static_cast<node_kind>(kind));
        return sum;
    }
    std::int64_t inner_nodes() const { return inner_nodes(node_kind::sparse) + inner_nodes(node_kind::dense); }
    std::int64_t wide_leaves() const { return between(node_kind::wide, 1, 1); }
    std::int64_t wide_entries() const { return entries[1][static_cast<std::size_t>(node_kind::wide)]; }
    std::int64_t inner_nodes(node_kind kind, std::int64_t above = 0,
                             std::int64_t up_to = child_reference::most_wide_entries) const {
        return between(kind, 1, level_count - 1, above, up_to);
    }

  private:
    void add(child_reference r, std::int64_t more_visits, std::int64_t more_entries) {
        auto const level = static_cast<std::size_t>(r.level());
        auto const kind = static_cast<std::size_t>(r.kind());
        visits[level][kind][static_cast<std::size_t>(size_class(r.entries()))] += more_visits;
        entries[level][kind] += more_entries;
    }
};

}  // namespace copse
