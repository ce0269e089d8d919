// What the tasks of an addition share: operands, memory for nodes, a thread's outbox for leaves, and the blocks that
// they unite.
#pragma once

#include <array>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/leaves/values_once.hpp>
#include <copse/formats/node.hpp>
#include <copse/formats/tree/census_counters.hpp>
#include <copse/formats/tree/inner_node_writer.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/formats/tree/node_pool.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/stream_copy.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Leaves that one thread of a CPU has made, on their way to the sum's memory: many take their place there at once, so
/// that threads seldom want the counter of that memory, and lie side by side.
class leaf_outbox {
  public:
    static constexpr std::int64_t capacity = 32768;  // bytes

    bool fits(std::int64_t bytes) const { return used_ + bytes <= capacity && count_ < most; }
    bool empty() const { return count_ == 0; }
    std::int64_t used() const { return used_; }

    /// Memory for a leaf, which fits. The reference's offset is set, and it goes to `result`, by send().
    std::byte* add(child_reference leaf, std::int64_t bytes, child_reference* result) {
        std::byte* const place = memory_.data() + used_;
        waiting_[static_cast<std::size_t>(count_++)] = {leaf.moved(static_cast<std::uint64_t>(used_)), result};
        used_ += bytes;
        return place;
    }
    /// The leaf that was added last, and written, stores values that repeat once if that takes less. Word: as large as
    /// a value.
    template <class Word>
    void fold_last(int dimension_log2) {
        if (empty()) return;
        child_reference& leaf = waiting_[static_cast<std::size_t>(count_ - 1)].leaf;
        std::byte* const place = memory_.data() + leaf.offset();
        leaf_with_values_once<Word> const once(leaf, place, dimension_log2);
        if (!once.takes_less()) return;
        once.write(place);
        used_ = static_cast<std::int64_t>(leaf.offset()) + once.bytes();
        leaf = leaf_reference(leaf.arena(), leaf.offset(), once.shape());
    }
    /// All leaves to `offset` of the sum's memory, where used() bytes are free.
    void send(std::byte* memory, std::uint64_t offset) {
        stream_copy(memory + offset, memory_.data(), used_);
        for (int i = 0; i < count_; ++i) {
            auto const& [leaf, result] = waiting_[static_cast<std::size_t>(i)];
            *result = leaf.moved(offset);
        }
        used_ = count_ = 0;
    }

  private:
    struct waiting_leaf {
        child_reference leaf;
        child_reference* result;
    };
    static constexpr int most = 512;

    std::int64_t used_ = 0;
    int count_ = 0;
    std::array<waiting_leaf, most> waiting_;
    alignas(64) std::array<std::byte, capacity> memory_;
};

/// What is counted of C's nodes.
struct node_counts {
    std::int64_t census[census_counters::count] = {};
    std::int64_t shared_bytes = 0;  // of nodes in other arenas than the root's, once for each visit
    std::int64_t wide_bytes = 0;    // of the wide leaves that nodes in the root's arena are to be
};

/// What the tasks of a sum tell. Not in the sum's arena: that is nodes from its beginning, and all of it is written.
struct sum_notes {
    std::uint64_t node_bytes = 0;     // of the pool, in use
    std::uint64_t table_bytes = 0;    // of the temporary memory, handed out
    std::uint64_t taken[2] = {0, 0};  // sub-trees of A and of B that C uses
    std::uint64_t twins = 0;          // marks in C's nodes (sum_twins.hpp)
    child_reference root;
    node_counts counts;
};

/// What all tasks of C = alpha A + beta B share. Factors are those of the operands' values without their scales; a side
/// whose sub-trees C may use as they are is `shared`.
template <class T>
struct addition {
    struct operand {
        node_reader tree;
        T factor;
        bool shared;
    };
    operand a;
    operand b;
    node_pool nodes;                 // of C
    node_pool temporary;             // block tables, until the run ends; on a CPU until a thread's next pair
    int arena;                       // C's
    std::byte const* const* arenas;  // of C, by number
    sum_notes* notes;
    node_counts* counts;               // of those whose tasks count what they make (sum_counts.hpp); null: of none
    leaf_outbox* outboxes = nullptr;   // of a CPU's threads
    std::int64_t workspace_bytes = 0;  // of each of these, in `temporary`

    COPSE_HOST_DEVICE operand const& side(int i) const { return i == 0 ? a : b; }
    /// Of what a leaf of this side stores.
    COPSE_HOST_DEVICE T factor_of(int i, child_reference leaf) const { return signed_factor(leaf, side(i).factor); }
    COPSE_HOST_DEVICE leaf_order order() const { return a.tree.order(); }
    /// Reads C.
    COPSE_HOST_DEVICE node_reader tree() const { return {arena, nodes.memory, arenas, a.tree.dimension_log2()}; }
    /// Temporary memory for a pair. Collective.
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE COPSE_INLINE std::byte* begin_temporary(Worker& w, std::int64_t bytes) const {
        return temporary.memory + temporary.reserve(w, bytes);
    }
    /// A CPU's thread has all of its own for one pair at a time.
    template <core_worker Worker>
    std::byte* begin_temporary(Worker& w, std::int64_t) const {
        return temporary.memory + w.thread() * workspace_bytes;
    }
    /// To a leaf of C.
    COPSE_HOST_DEVICE child_reference reference(std::uint64_t offset, leaf_shape const& shape) const {
        return leaf_reference(arena, offset, shape);
    }
    /// Writes an inner node of C.
    COPSE_HOST_DEVICE inner_node_writer writer_of(child_reference inner) const {
        return {nodes.memory, inner, a.tree.dimension_log2()};
    }
    /// To an inner node of C.
    COPSE_HOST_DEVICE child_reference reference(std::uint64_t offset, std::int64_t children, node_kind kind,
                                                int level) const {
        return {arena, offset, children, kind, level};
    }
};

struct sum_pair {
    child_reference a;  // as op(A) and op(B) see them
    child_reference b;
    child_reference* result;
};

/// A node of one operand becomes C's as it is.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void share(Worker& w, addition<T> const& sum, child_reference from, bool of_a,
                                          child_reference* result) {
    *result = from;
    w.add(&sum.notes->taken[of_a ? 0 : 1], std::uint64_t{1});
}

/// A block of d x d of one operand: a leaf, or what a wide leaf has in the block.
struct leaf_operand {
    child_reference reference;  // false: no entries
    std::int32_t first;
    std::int32_t count;
    std::int32_t position = 0;  // of the block in its node, row-major, where the operand is in a table
};

/// The side's of two operands. Member by member: a choice between structures goes through local memory.
COPSE_HOST_DEVICE inline leaf_operand operand_of(int side, leaf_operand const& a, leaf_operand const& b) {
    bool const first = side == 0;
    return {first ? a.reference : b.reference, first ? a.first : b.first, first ? a.count : b.count};
}

/// Values are given as they are stored: for those with the factor_of() the leaf.
template <class T, leaf_kinds Kinds, visited What = visited::entries, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_stored_entries(Worker& w, node_reader const& tree,
                                                         leaf_operand const& operand, F f) {
    if (operand.count == 0) return;
    int const mask = tree.dimension() - 1;  // of a block, not of all that a wide leaf covers
    visit_stored_entries<T, What, Kinds>(
        w, tree, node{operand.reference, 0, 0}, operand.first, operand.count,
        [&](int i, int row, int column, auto... value) { f(i, row & mask, column & mask, value...); });
}
/// f(i, row, column, value) with the value's sign.
template <class T, leaf_kinds Kinds, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_operand(Worker& w, node_reader const& tree, leaf_operand const& operand,
                                                  F f) {
    value_sign<T> const sign(operand.reference);
    visit_stored_entries<T, Kinds>(w, tree, operand,
                                   [&](int i, int row, int column, T value) { f(i, row, column, sign(value)); });
}

}  // namespace copse::detail
