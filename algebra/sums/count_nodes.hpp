// The census of a tree that tasks have built, how many bytes of it are other trees', and what of it the rule wants as
// wide leaves.
#pragma once

#include <copse/algebra/node_bins.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Entries in the leaves of a node at level 1 that the rule wants as a wide leaf; 0 of others. Collective.
template <class Worker>
COPSE_HOST_DEVICE COPSE_INLINE std::int64_t entries_as_wide(Worker& w, tree_view const& tree, child_reference inner) {
    if (inner.level() != 1) return 0;
    int const slots = tree.child_count({inner, 0, 0});
    std::int64_t entries = 0;
    for (int i = w.rank(); i < slots; i += w.size())
        if (node const leaf = tree.child({inner, 0, 0}, i)) entries += leaf.reference.entries();
    entries = w.reduce(entries, [](std::int64_t a, std::int64_t b) { return a + b; });
    return is_wide(entries, inner.entries()) ? entries : 0;
}

/// An inner node counts its children.
struct count_nodes {
    using item = node;
    static constexpr int width = 32;
    static constexpr char const* name = "count nodes";
    static constexpr int resident_blocks = 7;  // 8 would spill 16 bytes for the device controller
    static constexpr int visit_counters = level_count * node_kind_count * size_class_count;
    static constexpr int entry_counters = level_count * node_kind_count;
    static constexpr int counters = visit_counters + entry_counters;
    /// Children of one node are 2^16 at most, entries below it more than 2^32.
    static constexpr std::size_t scratch_bytes =
        entry_counters * sizeof(std::int64_t) + visit_counters * sizeof(std::uint32_t);

    tree_view tree;
    int arena;  // of the nodes that the tree does not share
    std::int64_t value_bytes;
    /// [counters + 2]: visits by level, kind, size class; entries by level, kind; shared bytes; bytes of wide leaves
    /// that nodes of the arena are to be
    std::int64_t* counts;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        auto* const entries = reinterpret_cast<std::int64_t*>(w.template scratch<std::byte>(scratch_bytes).data());
        auto* const visits = reinterpret_cast<std::uint32_t*>(entries + entry_counters);
        for (int i = w.rank(); i < entry_counters; i += w.size()) entries[i] = 0;
        for (int i = w.rank(); i < visit_counters; i += w.size()) visits[i] = 0;
        w.sync();
        std::int64_t shared = 0;
        int const slots = tree.child_count(n);
        for (int i = w.rank(); i < slots; i += w.size()) {
            node const child = tree.child(n, i);
            if (!child) continue;
            int const place = child.reference.level() * node_kind_count + static_cast<int>(child.reference.kind());
            w.add(&visits[place * size_class_count + size_class(child.reference.entries())], 1u);
            w.add(&entries[place], entries_of(tree, child));
            if (child.reference.arena() != arena)
                shared +=
                    extent_of(child.reference, tree.address(child.reference), {tree.dimension_log2(), value_bytes})
                        .bytes;
            if (!child.reference.is_leaf()) w.template push<count_nodes>(child);
        }
        w.sync();
        shared = w.reduce(shared, [](std::int64_t a, std::int64_t b) { return a + b; });
        if (w.rank() == 0 && shared != 0) w.add(&counts[counters], shared);
        std::int64_t const as_wide = n.reference.arena() == arena ? entries_as_wide(w, tree, n.reference) : 0;
        if (w.rank() == 0 && as_wide > 0) w.add(&counts[counters + 1], wide_leaf::bytes(as_wide, value_bytes));
        for (int i = w.rank(); i < visit_counters; i += w.size())
            if (visits[i] != 0) w.add(&counts[i], static_cast<std::int64_t>(visits[i]));
        for (int i = w.rank(); i < entry_counters; i += w.size())
            if (entries[i] != 0) w.add(&counts[visit_counters + i], entries[i]);
        w.sync();
    }

    /// Entries of a leaf, children of an inner node.
    COPSE_HOST_DEVICE static std::int64_t entries_of(tree_view const& tree, node n) {
        return n.reference.is_wide_leaf() ? tree.wide_count(n) : n.reference.entries();
    }
};

}  // namespace copse::detail
