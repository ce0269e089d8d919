// Nodes of a sum over leaves that the rule wants as wide leaves, found once all leaves are there: an inner node that
// meets another, or a wide leaf, may have few entries in each of many blocks. It is seldom that one does, and then C's
// own nodes move to memory of their own, where these are wide leaves.
//
//   C   [ root | node | leaf | leaf | ... | free ]      before
//   C   [ root | wide leaf ]                            after
#pragma once

#include <copse/algebra/sums/add_tasks.hpp>
#include <copse/algebra/sums/finished_sum.hpp>
#include <copse/algebra/sums/sum_twins.hpp>
#include <copse/formats/leaves/wide_from_leaves.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

struct node_move {
    child_reference from;
    child_reference* to;
};

/// An inner node of C's own, to `sum.nodes`; or, where the rule wants it, the wide leaf for its leaves. Children that
/// are others' stay where they are, or come along. `sum`: both operands are C, where it was.
template <class T>
struct move_nodes {
    using item = node_move;
    static constexpr int width = 128;
    static constexpr char const* name = "an inner node, or a wide leaf in its place";
    static constexpr int resident_blocks = 4;  // 5 would spill 20 bytes

    addition<T> sum;
    bool of_all;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& move, Worker& w) const {
        std::int64_t const entries = is_own(move.from) ? entries_as_wide(w, sum.a.tree, move.from) : 0;
        if (entries > 0)
            make_wide(w, move, static_cast<int>(entries));
        else
            copy_node(w, move);
    }

  private:
    COPSE_HOST_DEVICE bool is_own(child_reference r) const { return r.arena() == sum.arena; }

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void make_wide(Worker& w, item const& move, int entries) const {
        node_reader const& tree = sum.a.tree;
        node const from{move.from.as_stored(), 0, 0};
        std::uint64_t const offset = sum.nodes.reserve(w, wide_leaf::bytes(entries, sizeof(T)));
        write_wide_of_leaves<T>(
            w, sum.nodes.memory + offset, entries, tree.order(), tree.child_count(from),
            [&](int slot) { return child_of_sum(tree, from, slot); },
            [&](child_reference leaf) { return tree.address(leaf); });
        if (w.rank() == 0) *move.to = sum.reference(offset, wide_leaf::shape(entries)).seen_through(move.from);
        w.sync();
    }

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void copy_node(Worker& w, item const& move) const {
        copy_inner(w, sum, sum.a.tree, move.from, move.to, [&](child_reference child, child_reference* place) {
            if (!of_all && !is_own(child)) return;
            if (child.is_leaf())
                w.template push<copy_leaf<T>>(node_copy{child, place, true});
            else
                w.template push<move_nodes<T>>(node_move{child, place});
        });
    }
};

template <class T, template <class...> class List>
using move_tasks = List<move_nodes<T>, copy_leaf<T>>;

}  // namespace copse::detail
