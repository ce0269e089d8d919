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
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Entries in leaves side by side, in the order of a wide leaf, into one. `from`: a node over leaves, as it is stored.
template <class T>
class leaves_as_wide {
  public:
    /// Lists of up to so many entries are copied by a lane each, side by side; other leaves by all, with a set of bits.
    static constexpr int most_by_a_lane = 64;

    COPSE_HOST_DEVICE leaves_as_wide(node_reader const& tree, child_reference from, std::byte* memory, std::byte* node,
                                     int entries)
        : tree_(tree), from_{from, 0, 0}, memory_(memory), writer_(node, entries) {}

    /// Collective.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void write(Worker& w) const {
        int const slots = tree_.child_count(from_);
        int first = 0;
        COPSE_NO_UNROLL
        for (int begin = 0; begin < slots; begin += w.size()) {
            int const slot = begin + w.rank();
            node const leaf = slot < slots ? child_of_sum(tree_, from_, slot) : node{};
            int const count = leaf ? leaf.reference.entries() : 0;
            int const through = first + w.inclusive_scan(count, [](int a, int b) { return a + b; });
            bool const alone = count > 0 && is_for_a_lane(leaf.reference);
            if (alone) copy(leaf, through - count);
            if (w.any(count > 0 && !alone)) write_others(w, begin, slots, first);
            first = w.shuffle(through, w.size() - 1);
        }
    }

  private:
    COPSE_HOST_DEVICE static bool is_for_a_lane(child_reference leaf) {
        return leaf.kind() == sparse_leaf::kind && leaf.entries() <= most_by_a_lane;
    }

    /// The entries of a transposed list come in another order.
    COPSE_HOST_DEVICE void copy(node const& leaf, int first) const {
        auto const list = tree_.template sparse_leaf<T>(leaf);
        value_sign<T> const sign(leaf.reference);
        leaf_order const order = tree_.order();
        COPSE_NO_UNROLL
        for (int i = 0; i < list.count; ++i) {
            int place = i;
            if (leaf.reference.transposed()) {
                int const position = order.position(list.rows[i], list.columns[i]);
                place = 0;
                for (int j = 0; j < list.count; ++j)
                    place += order.position(list.rows[j], list.columns[j]) < position ? 1 : 0;
            }
            put(leaf, first + place, list.rows[i], list.columns[i], sign(list.values[i]));
        }
    }

    /// Those of w.size() leaves that no lane has copied.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void write_others(Worker& w, int begin, int slots, int first) const {
        COPSE_NO_UNROLL
        for (int slot = begin; slot < slots && slot < begin + w.size(); ++slot) {
            node const leaf = child_of_sum(tree_, from_, slot);
            if (!leaf) continue;
            if (!is_for_a_lane(leaf.reference)) write_one(w, leaf, first);
            first += leaf.reference.entries();
        }
    }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void write_one(Worker& w, node const& leaf, int first) const {
        leaf_order const order = tree_.order();
        position_set const all(memory_, order.dimension_log2);
        leaf_operand const whole = whole_leaf(leaf.reference);
        all.clear(w);
        visit_stored_part<T, leaf_kinds::dense, visited::positions>(
            w, tree_, whole, [&](int, int row, int column) { all.insert(w, order.position(row, column)); });
        w.sync();
        all.count(w);
        visit_part<T, leaf_kinds::dense>(w, tree_, whole, [&](int, int row, int column, T value) {
            put(leaf, first + all.index_of(order.position(row, column)), row, column, value);
        });
        w.sync();
    }

    COPSE_HOST_DEVICE COPSE_INLINE void put(node const& leaf, int i, int row, int column, T value) const {
        writer_.put(i, static_cast<int>(leaf.row) | row, static_cast<int>(leaf.column) | column, value);
    }

    node_reader const& tree_;
    node from_;
    std::byte* memory_;
    wide_leaf_writer<T> writer_;
};

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
    static constexpr std::size_t scratch_bytes = position_set::bytes(256);
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
        auto* const memory = w.template scratch<std::byte>(scratch_bytes).data();
        std::uint64_t const offset = sum.nodes.reserve(w, wide_leaf::bytes(entries, sizeof(T)));
        std::byte* const leaf = sum.nodes.memory + offset;
        if (w.rank() == 0) wide_leaf_writer<T>::prepare(leaf, entries);
        leaves_as_wide<T>(sum.a.tree, move.from.as_stored(), memory, leaf, entries).write(w);
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
