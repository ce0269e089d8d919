// Addition as per-node functions (hisparse §6). One source for every executor.
//
//   pairs   two nodes at the same place: two leaves, or two nodes above the leaves, whose blocks are paired in turn
//   copies  a node that only one operand has, where C cannot use it as it is
//
// An item carries the place in the parent where the new node's reference goes.
#pragma once

#include <algorithm>
#include <copse/algebra/add_nodes.hpp>
#include <copse/algebra/add_wide.hpp>
#include <copse/algebra/add_wide_cpu.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

struct node_pair {
    child_reference a;  // as op(A) and op(B) see them
    child_reference b;
    child_reference* result;
};

struct node_copy {
    child_reference from;  // as it is stored
    child_reference* result;
    bool of_a;
};

template <class T>
struct add_small_leaves;
template <class T>
struct add_large_leaves;
template <class T>
struct add_blocks;
template <class T>
struct copy_leaf;
template <class T>
struct copy_inner_node;

template <class T, class Worker>
COPSE_HOST_DEVICE void push_pair(Worker& w, node_pair const& pair) {
    if (!pair.a.is_leaf() || !pair.b.is_leaf() || pair.a.level() > 0)
        w.template push<add_blocks<T>>(pair);
    else if (pair.a.entries() + pair.b.entries() <= small_leaf)
        w.template push<add_small_leaves<T>>(pair);
    else
        w.template push<add_large_leaves<T>>(pair);
}
template <class T, class Worker>
COPSE_HOST_DEVICE void push_copy(Worker& w, node_copy const& copy) {
    if (copy.from.is_leaf())
        w.template push<copy_leaf<T>>(copy);
    else
        w.template push<copy_inner_node<T>>(copy);
}
/// What only one operand has.
template <class T, class Worker>
COPSE_HOST_DEVICE void take_over(Worker& w, addition<T> const& run, child_reference from, bool of_a,
                                 child_reference* result) {
    if (of_a ? run.a.shared : run.b.shared) {
        *result = from;
        w.add(&run.taken[of_a ? 0 : 1], 1);
    } else {
        push_copy<T>(w, {from, result, of_a});
    }
}

COPSE_HOST_DEVICE inline leaf_part whole_leaf(child_reference reference) {
    return {reference, 0, reference.entries(), true};
}

/// Two leaves with at most small_leaf entries together.
template <class T>
struct add_small_leaves {
    using item = node_pair;
    static constexpr int width = 32;
    static constexpr char const* name = "two small leaves";
    static constexpr std::size_t scratch_bytes = sizeof(small_union::storage);

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& pair, Worker& w) const {
        auto& memory = *reinterpret_cast<small_union::storage*>(w.template scratch<std::byte>(scratch_bytes).data());
        child_reference const united = unite_small<T>(w, run, whole_leaf(pair.a), whole_leaf(pair.b), memory);
        if (w.rank() == 0) *pair.result = united;
    }
};

template <class T>
struct add_large_leaves {
    using item = node_pair;
    static constexpr int width = 128;
    static constexpr char const* name = "two leaves";
    static constexpr std::size_t scratch_bytes = large_union::bytes(256);
    static constexpr int resident_blocks = 6;  // 78 registers; 72, for 7 blocks, spill 16 bytes

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& pair, Worker& w) const {
        child_reference const united = unite_large<T>(w, run, whole_leaf(pair.a), whole_leaf(pair.b),
                                                      w.template scratch<std::byte>(scratch_bytes).data());
        if (w.rank() == 0) *pair.result = united;
    }
};

COPSE_HOST_DEVICE inline bool is_part(leaf_part const& p) {
    return p.count > 0 && !p.whole;
}

/// The union of two parts where one at least is of a wide leaf. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE void unite_parts(Worker& w, addition<T> const& run, leaf_part const& a, leaf_part const& b,
                                   child_reference* result, std::byte* memory) {
    child_reference const united = a.count + b.count <= small_leaf
                                       ? unite_small<T>(w, run, a, b, *reinterpret_cast<small_union::storage*>(memory))
                                       : unite_large<T>(w, run, a, b, memory);
    if (w.rank() == 0) *result = united;
}

/// Blocks of tables that are parts of wide leaves, to be leaves of the result. By tasks of their own: with the rest of
/// add_blocks they want 115 registers, and one block makes them one after the other.
template <class T>
struct add_parts {
    using item = std::int64_t;  // the table's place in temporary memory, the block's number: neighbours are one range
    static constexpr int width = 128;
    static constexpr char const* name = "parts of wide leaves";
    static constexpr std::size_t scratch_bytes = std::max(large_union::bytes(256), sizeof(small_union::storage));
    static constexpr int resident_blocks = 5;  // 90 registers; 80, for 6 blocks, spill 24 bytes
    static constexpr int number_bits = 17;

    addition<T> run;

    /// The first block's.
    COPSE_HOST_DEVICE static item first_of(addition<T> const& run, block_table const& table) {
        return (reinterpret_cast<std::byte const*>(table.head) - run.temporary.memory) / 16 << number_bits;
    }

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        auto const* const head =
            reinterpret_cast<block_table::header const*>(run.temporary.memory + (which >> number_bits) * 16);
        auto const* const parts = reinterpret_cast<leaf_part const*>(head + 1);
        auto const index = static_cast<int>(which & ((1 << number_bits) - 1));
        leaf_part const a = parts[index], b = parts[head->count + index];
        if (!is_part(a) && !is_part(b)) return;
        unite_parts(w, run, a, b, slot_of(run.nodes.memory, head->inner, index, a.count > 0 ? a.position : b.position),
                    w.template scratch<std::byte>(scratch_bytes).data());
        w.sync();  // the memory is the next item's
    }
};

/// Two nodes above the leaves: inner nodes, wide leaves, or one of each.
template <class T>
struct add_blocks {
    using item = node_pair;
    static constexpr int width = 128;
    static constexpr char const* name = "two inner nodes or wide leaves";
    static constexpr std::size_t table_bytes = position_set::bytes(256);
    static constexpr std::size_t leaf_memory_bytes = std::max(large_union::bytes(256), sizeof(small_union::storage));
    static constexpr std::size_t scratch_bytes = table_bytes + leaf_memory_bytes;
    // 96 registers, for 5 blocks, suffice for it alone, but the resident kernel of all tasks spills 284 bytes then.
    static constexpr int resident_blocks = 4;

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& pair, Worker& w) const {
        bool const both_wide = pair.a.kind() == node_kind::wide && pair.b.kind() == node_kind::wide;
        if constexpr (Worker::on_cpu)
            if (both_wide)
                if (child_reference const united = unite_wide_on_cpu(w, run, pair.a, pair.b)) {
                    *pair.result = united;
                    return;
                }
        std::byte* const memory = w.template scratch<std::byte>(scratch_bytes).data();
        block_table const table = tabulate<T>(w, run, pair.a, pair.b, memory);
        if (both_wide) {
            child_reference const united = unite_wide<T>(w, run, table, memory + table_bytes);
            if (united) {
                if (w.rank() == 0) *pair.result = united;
                w.sync();
                return;
            }
        }
        child_reference const inner = begin_inner_node(w, run, table, pair.a.level());
        if (w.rank() == 0) *pair.result = inner;
        if (pair.a.kind() == node_kind::wide || pair.b.kind() == node_kind::wide)
            begin_parts(w, table, inner, memory + table_bytes);
        for_each_block(w, table, [&](int index, int position) {
            if (has_part(table, index)) return;
            child_reference* const slot = slot_of(run.nodes.memory, inner, index, position);
            child_reference const a = table.a[index].reference;
            child_reference const b = table.b[index].reference;
            if (a && b)
                push_pair<T>(w, {a, b, slot});
            else
                take_over<T>(w, run, a ? a : b, static_cast<bool>(a), slot);
        });
        w.sync();
    }

  private:
    COPSE_HOST_DEVICE static bool has_part(block_table const& table, int index) {
        return is_part(table.a[index]) || is_part(table.b[index]);
    }
    /// Parts of wide leaves become leaves of the result.
    template <class Worker>
    COPSE_HOST_DEVICE void begin_parts(Worker& w, block_table const& table, child_reference inner,
                                       std::byte* memory) const {
        if constexpr (Worker::on_cpu) {
            for (int i = 0; i < table.count; ++i) {
                leaf_part const a = table.a[i], b = table.b[i];
                if (has_part(table, i))
                    unite_parts(w, run, a, b,
                                slot_of(run.nodes.memory, inner, i, a.count > 0 ? a.position : b.position), memory);
            }
        } else {
            if (w.rank() == 0) table.head->inner = inner;
            w.sync();
            if (w.rank() == 0) w.template push_range<add_parts<T>>(add_parts<T>::first_of(run, table), table.count);
        }
    }
};

/// A leaf of one operand, its values times the operand's factor.
template <class T>
struct copy_leaf {
    using item = node_copy;
    static constexpr int width = 32;
    static constexpr char const* name = "a leaf of one operand";

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& copy, Worker& w) const {
        auto const& side = copy.of_a ? run.a : run.b;
        stored_leaf const leaf = stored<T>(side.tree, copy.from);
        std::uint64_t const offset = run.nodes.reserve(w, leaf.bytes);
        auto const* const from = reinterpret_cast<std::uint32_t const*>(side.tree.address(copy.from));
        auto* const to = reinterpret_cast<std::uint32_t*>(run.nodes.memory + offset);
        std::int64_t const values_end = leaf.values_offset + leaf.values * static_cast<std::int64_t>(sizeof(T));
        for (std::int64_t i = w.rank(); i < leaf.values_offset / 4; i += w.size()) to[i] = from[i];
        for (std::int64_t i = values_end / 4 + w.rank(); i < leaf.bytes / 4; i += w.size()) to[i] = from[i];
        auto const* const values = reinterpret_cast<T const*>(from + leaf.values_offset / 4);
        auto* const scaled = reinterpret_cast<T*>(to + leaf.values_offset / 4);
        for (std::int64_t i = w.rank(); i < leaf.values; i += w.size()) scaled[i] = side.factor * values[i];
        if (w.rank() == 0)
            *copy.result = run.reference(offset, copy.from.entries(), copy.from.kind(), copy.from.level())
                               .transposed_if(copy.from.transposed());
        w.sync();
    }
};

/// An inner node of one operand; its children are copied in turn.
template <class T>
struct copy_inner_node {
    using item = node_copy;
    static constexpr int width = 32;
    static constexpr char const* name = "an inner node of one operand";

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& copy, Worker& w) const {
        tree_view const& tree = copy.of_a ? run.a.tree : run.b.tree;
        bool const dense = copy.from.kind() == node_kind::dense;
        std::int64_t const bytes = dense ? dense_inner_bytes(tree.dimension())
                                         : sparse_node_bytes(copy.from.entries(), sizeof(child_reference));
        std::uint64_t const offset = run.nodes.reserve(w, bytes);
        int const slots = tree.child_count({copy.from, 0, 0});
        std::int64_t const padded = dense ? slots : padded_entries(slots);
        auto const* const from = reinterpret_cast<std::uint64_t const*>(tree.address(copy.from));
        auto* const to = reinterpret_cast<std::uint64_t*>(run.nodes.memory + offset);
        for (std::int64_t i = slots + w.rank(); i < padded; i += w.size()) to[i] = 0;
        for (std::int64_t i = padded + w.rank(); i < bytes / 8; i += w.size()) to[i] = from[i];
        auto const* const children = reinterpret_cast<child_reference const*>(from);
        auto* const results = reinterpret_cast<child_reference*>(to);
        for (int i = w.rank(); i < slots; i += w.size()) {
            results[i] = child_reference();
            if (children[i]) push_copy<T>(w, {children[i], &results[i], copy.of_a});
        }
        if (w.rank() == 0)
            *copy.result = run.reference(offset, copy.from.entries(), copy.from.kind(), copy.from.level())
                               .transposed_if(copy.from.transposed());
        w.sync();
    }
};

/// In the order that run() gets them: the first that has items is preferred on the CPU.
template <class T, template <class...> class List>
using add_tasks =
    List<add_blocks<T>, copy_inner_node<T>, add_parts<T>, add_large_leaves<T>, add_small_leaves<T>, copy_leaf<T>>;

}  // namespace copse::detail
