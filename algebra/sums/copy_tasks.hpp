// What only one operand of a sum has, where C cannot use it as it is: nodes copied, their values times a factor.
#pragma once

#include <algorithm>
#include <array>
#include <copse/algebra/sums/add_leaves.hpp>
#include <copse/algebra/sums/addition.hpp>
#include <copse/algebra/sums/sum_twins.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/tree/node_layout.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>
#include <limits>

namespace copse::detail {

struct node_copy {
    child_reference from;  // as it is stored
    child_reference* result;
    bool of_a;
};

template <class T>
struct copy_leaf;
template <class T>
struct copy_inner_node;

template <class T, class Worker>
COPSE_HOST_DEVICE void push_copy(Worker& w, node_copy const& copy) {
    if (copy.from.is_leaf())
        w.template push<copy_leaf<T>>(copy);
    else
        w.template push<copy_inner_node<T>>(copy);
}
/// What only one operand has. Returns whether C shares it.
template <class T, class Worker>
COPSE_HOST_DEVICE bool take_over(Worker& w, addition<T> const& sum, child_reference from, bool of_a,
                                 child_reference* result) {
    bool const shared = of_a ? sum.a.shared : sum.b.shared;
    if (shared)
        share(w, sum, from, of_a, result);
    else
        push_copy<T>(w, {from, result, of_a});
    return shared;
}

/// A leaf of one operand, its values times the operand's factor.
template <class T>
struct copy_leaf {
    using item = node_copy;
    static constexpr int width = 32;
    static constexpr char const* name = "a leaf of one operand";
    static constexpr int resident_blocks = 7;  // 8 would spill 8 bytes

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& copy, Worker& w) const {
        auto const& side = copy.of_a ? sum.a : sum.b;
        stored_leaf const leaf = stored<T>(side.tree, copy.from);
        child_reference const copied = copy.from.placed(sum.arena, 0);
        auto const* const from = reinterpret_cast<T const*>(side.tree.address(copy.from));
        std::int64_t const entries = copied.is_wide_leaf() ? side.tree.wide_count({copy.from, 0, 0}) : copied.entries();
        auto* const to = reinterpret_cast<T*>(put_leaf(w, sum, copied, entries, leaf.bytes, copy.result));
        copy_scaled(w, leaf, side.factor, from, to);
        clear_others(w, leaf, side.factor, to);
        w.sync();
    }

  private:
    /// What is no entry is zero, whatever the factor: infinity times zero is not, and a negative number times zero is
    /// -0.
    template <class Worker>
    COPSE_HOST_DEVICE static void clear_others(Worker& w, stored_leaf const& leaf, T factor, T* to) {
        if (factor > T(0) && factor <= std::numeric_limits<T>::max()) return;
        w.sync();
        T* const values = to + leaf.values_offset / static_cast<std::int64_t>(sizeof(T));
        for (std::int64_t i = leaf.padding_first + w.rank(); i < leaf.padding_last; i += w.size()) values[i] = T(0);
        if (leaf.presence == nullptr) return;
        std::uint32_t const* const presence = in_global_memory(leaf.presence);
        for (int i = w.rank(); i < static_cast<int>(leaf.values); i += w.size())
            if ((presence[i / 32] >> (i % 32) & 1) == 0) values[i] = T(0);
    }

    /// Copies the leaf's memory in units of a value. Values are multiplied by the factor; coordinates keep their bits.
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE static void copy_scaled(Worker& w, stored_leaf const& leaf, T factor, T const* from, T* to) {
        std::int64_t const size = leaf.bytes / static_cast<std::int64_t>(sizeof(T));
        std::int64_t const first = leaf.values_offset / static_cast<std::int64_t>(sizeof(T));
        std::int64_t const last = first + leaf.values;
        int constexpr values_per_load = static_cast<int>(16 / sizeof(T)), at_once = 4;
        for (std::int64_t k = values_per_load * w.rank(); k < size; k += at_once * values_per_load * w.size()) {
            std::array<T, values_per_load> values[at_once];
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i)
                if (k + i * values_per_load * w.size() < size)
                    values[i] =
                        w.template load_stream_vector<values_per_load>(from + k + i * values_per_load * w.size());
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                std::int64_t const own = k + i * values_per_load * w.size();
                if (own >= size) break;
                COPSE_UNROLL
                for (int j = 0; j < values_per_load; ++j)
                    if (first <= own + j && own + j < last) values[i][static_cast<std::size_t>(j)] *= factor;
                w.store_vector(to + own, values[i]);
            }
        }
    }
    template <core_worker Worker>
    static void copy_scaled(Worker&, stored_leaf const& leaf, T factor, T const* from, T* to) {
        std::int64_t const size = leaf.bytes / static_cast<std::int64_t>(sizeof(T));
        std::int64_t const first = leaf.values_offset / static_cast<std::int64_t>(sizeof(T));
        std::int64_t const last = first + leaf.values;
        std::copy(from, from + first, to);
        for (std::int64_t i = first; i < last; ++i) to[i] = factor * from[i];
        std::copy(from + last, from + size, to + last);
    }
};

/// An inner node, copied to C's own nodes. hand_on(child, place) for each child, whose reference stands at `place`; the
/// lanes share the children. Children that are one node transposed are handed on once. Collective.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void copy_inner(Worker& w, addition<T> const& sum, node_reader const& tree,
                                                     child_reference from, child_reference* result, F hand_on) {
    int const slots = tree.child_count({from, 0, 0});
    std::int64_t const bytes = extent_of_inner(from, tree.dimension()).bytes;
    std::int64_t const padded = from.kind() == node_kind::dense ? slots : padded_entries(slots);
    std::uint64_t const offset = sum.nodes.reserve(w, bytes);
    auto const* const words = reinterpret_cast<std::uint64_t const*>(tree.address(from));
    auto* const to = reinterpret_cast<std::uint64_t*>(sum.nodes.memory + offset);
    for (std::int64_t i = slots + w.rank(); i < bytes / 8; i += w.size()) to[i] = i < padded ? 0 : words[i];
    auto const* const children = reinterpret_cast<child_reference const*>(words);
    auto* const places = reinterpret_cast<child_reference*>(to);
    int twins = 0;
    std::int64_t entries = 0;
    for (int i = w.rank(); i < slots; i += w.size()) {
        child_reference const child = children[i];
        if (child) entries += child.entries();
        child_reference const mark = child ? twin_of_child(tree, from, i) : child_reference();
        places[i] = mark ? mark : child;
        if (child && !mark) hand_on(child, &places[i]);
        twins += mark ? 1 : 0;
    }
    count_twins(w, sum, twins);
    child_reference const copied = from.placed(sum.arena, offset);
    count_copied_inner(w, sum, copied, entries);
    if (w.rank() == 0) *result = copied;
    w.sync();
}

/// An inner node of one operand; its children are copied in turn.
template <class T>
struct copy_inner_node {
    using item = node_copy;
    static constexpr int width = 32;
    static constexpr char const* name = "an inner node of one operand";

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& copy, Worker& w) const {
        copy_inner(w, sum, copy.of_a ? sum.a.tree : sum.b.tree, copy.from, copy.result,
                   [&](child_reference child, child_reference* place) {
                       push_copy<T>(w, {child, place, copy.of_a});
                   });
    }
};

}  // namespace copse::detail
