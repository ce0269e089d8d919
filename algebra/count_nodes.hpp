// The census of a tree that tasks have built, and how many bytes of it are other trees'.
#pragma once

#include <copse/algebra/node_bins.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/formats/node_layout.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// An inner node counts its children.
struct count_nodes {
    using item = node;
    static constexpr int width = 32;
    static constexpr char const* name = "count nodes";
    static constexpr int visit_counters = level_count * node_kind_count * size_class_count;
    static constexpr int counters = visit_counters + level_count * node_kind_count;
    static constexpr std::size_t scratch_bytes = counters * sizeof(std::uint32_t);

    tree_view tree;
    int arena;  // of the nodes that the tree does not share
    std::int64_t value_bytes;
    std::int64_t* counts;  // [counters + 1]: visits by level, kind, size class; entries by level, kind; shared bytes

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        auto* const mine = w.template scratch<std::uint32_t>(counters).data();
        for (int i = w.rank(); i < counters; i += w.size()) mine[i] = 0;
        w.sync();
        std::int64_t shared = 0;
        int const slots = tree.child_count(n);
        for (int i = w.rank(); i < slots; i += w.size()) {
            node const child = tree.child(n, i);
            if (!child) continue;
            int const place = child.reference.level() * node_kind_count + static_cast<int>(child.reference.kind());
            w.add(&mine[place * size_class_count + size_class(child.reference.entries())], 1u);
            w.add(&mine[visit_counters + place], static_cast<std::uint32_t>(entries_of(tree, child)));
            if (child.reference.arena() != arena)
                shared +=
                    extent_of(child.reference, tree.address(child.reference), {tree.dimension_log2(), value_bytes})
                        .bytes;
            if (!child.reference.is_leaf()) w.template push<count_nodes>(child);
        }
        w.sync();
        shared = w.reduce(shared, [](std::int64_t a, std::int64_t b) { return a + b; });
        if (w.rank() == 0 && shared != 0) w.add(&counts[counters], shared);
        for (int i = w.rank(); i < counters; i += w.size())
            if (mine[i] != 0) w.add(&counts[i], static_cast<std::int64_t>(mine[i]));
        w.sync();
    }

    /// Entries of a leaf, children of an inner node.
    COPSE_HOST_DEVICE static std::int64_t entries_of(tree_view const& tree, node n) {
        return n.reference.kind() == node_kind::wide ? tree.wide_count(n) : n.reference.entries();
    }
};

}  // namespace copse::detail
