// What is asked of a sum, and done to it, once its nodes are there: by tasks that walk C's own nodes.
//
//   count_nodes     the census, how many bytes are other trees', and what the rule wants as wide leaves; in lanes only
//                   what the tasks that made C's nodes could not count (sum_counts.hpp), behind these in their run
//   find_overflow   whether values are not finite: where both operands' factors are C's scale, and that is below 1,
//                   stored values may be too large for their sum where C's are not
//   gather_shared   what C shares with others, copied to its own nodes where it is too little for all of theirs to be
//                   kept:
//
//     C   [ own | own | own | free ]      before: some references lead to A and to B, and keep all of their memory
//     C   [ own | own | own | copies ]    after
#pragma once

#include <copse/algebra/sums/add_tasks.hpp>
#include <copse/algebra/sums/sum_twins.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/formats/tree/census_counters.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Entries in the leaves of a node at level 1 that the rule wants as a wide leaf; 0 of others. Collective.
template <class Worker>
COPSE_HOST_DEVICE COPSE_INLINE std::int64_t entries_as_wide(Worker& w, node_reader const& tree, child_reference inner) {
    if (inner.level() != 1) return 0;
    int const slots = tree.child_count({inner, 0, 0});
    std::int64_t entries = 0;
    for (int i = w.rank(); i < slots; i += w.size())
        if (node const leaf = child_of_sum(tree, {inner, 0, 0}, i)) entries += leaf.reference.entries();
    entries = w.reduce(entries, [](std::int64_t a, std::int64_t b) { return a + b; });
    return is_wide(entries, inner.entries()) ? entries : 0;
}

/// For an inner node: counts its children. If `all` is false, counts only children that C shares with an operand.
struct count_nodes {
    using item = node;
    static constexpr int phase = 1;  // nodes are complete
    static constexpr int width = 32;
    static constexpr char const* name = "count nodes";
    static constexpr int resident_blocks = 7;  // 8 would spill 16 bytes for the device controller
    static constexpr std::size_t scratch_bytes = census_on_chip::bytes;

    node_reader tree;
    int arena;  // of the nodes that the tree does not share
    std::int64_t value_bytes;
    node_counts* counts;
    bool all = true;  // of C's own nodes, too: nobody has counted them

    /// Behind the tasks of a sum.
    template <class T>
    static count_nodes of(addition<T> const& sum) {
        return {sum.tree(), sum.arena, sizeof(T), sum.counts, false};
    }

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        census_on_chip const census(w.template scratch<std::byte>(scratch_bytes).data());
        census.clear(w);
        std::int64_t shared = 0;
        int const slots = tree.child_count(n);
        running_census<std::uint32_t> counted;
        for (int i = w.rank(); i < slots; i += w.size()) {
            node const child = child_of_sum(tree, n, i);
            bool const is_own = child.reference.arena() == arena;
            if (!child || (is_own && !all)) continue;
            counted.add(w, census.visits(), census.entries(), child.reference,
                        child.reference.is_wide_leaf() ? tree.wide_count(child) : child.reference.entries());
            if (!is_own)
                shared +=
                    extent_of(child.reference, tree.address(child.reference), {tree.dimension_log2(), value_bytes})
                        .bytes;
            if (!child.reference.is_leaf()) w.template push<count_nodes>(child);
        }
        counted.hand_on(w, census.visits(), census.entries());
        shared = w.reduce(shared, [](std::int64_t a, std::int64_t b) { return a + b; });
        if (w.rank() == 0 && shared != 0) w.add(&counts->shared_bytes, shared);
        std::int64_t const as_wide = n.reference.arena() == arena ? entries_as_wide(w, tree, n.reference) : 0;
        if (w.rank() == 0 && as_wide > 0) w.add(&counts->wide_bytes, wide_leaf::bytes(as_wide, value_bytes));
        census.add_to(w, counts->census);
    }
};

/// A node of C's own; an inner node looks for others below.
template <class T>
struct find_overflow {
    using item = node;
    static constexpr int width = 32;
    static constexpr char const* name = "values that are not finite";

    node_reader tree;
    int arena;
    std::int64_t* found;  // how many lanes have one

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        if (n.reference.is_leaf()) {
            if (has_one(w, n.reference)) w.add(found, std::int64_t{1});
        } else {
            for (int i = w.rank(); i < tree.child_count(n); i += w.size())
                if (node const child = tree.child(n, i);
                    child && child.reference.arena() == arena && !is_twin_mark(child.reference))
                    w.template push<find_overflow>(child);
        }
        w.sync();
    }

  private:
    /// This lane's share of the values; padding is zero.
    template <class Worker>
    COPSE_HOST_DEVICE bool has_one(Worker& w, child_reference leaf) const {
        stored_leaf const shape = stored<T>(tree, leaf);
        auto const* const values = reinterpret_cast<T const*>(tree.address(leaf) + shape.values_offset);
        bool some = false;
        for (std::int64_t i = w.rank(); i < shape.values; i += w.size()) some |= values[i] - values[i] != T(0);
        return some;
    }
};

/// An inner node of C's own: children that are others' are copied. `sum`: both operands are C.
template <class T>
struct gather_shared {
    using item = child_reference;  // as it is stored
    static constexpr int width = 32;
    static constexpr char const* name = "what an inner node shares";

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item inner, Worker& w) const {
        auto* const slots = reinterpret_cast<child_reference*>(sum.nodes.memory + inner.offset());
        int const count = sum.a.tree.child_count({inner, 0, 0});
        for (int i = w.rank(); i < count; i += w.size()) {
            child_reference const child = slots[i];
            if (!child || is_twin_mark(child)) continue;
            if (child.arena() != sum.arena)
                push_copy<T>(w, {child, slots + i, true});
            else if (!child.is_leaf())
                w.template push<gather_shared<T>>(child);
        }
        w.sync();
    }
};

template <class T, template <class...> class List>
using gather_tasks = List<gather_shared<T>, copy_inner_node<T>, copy_leaf<T>>;

}  // namespace copse::detail
