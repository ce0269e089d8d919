// The union of two leaves with few streaks and few other entries, by intervals (formats/leaves/interval_union.hpp): a
// choice beside unite_large() (add_leaves.hpp), which does all other pairs.
#pragma once

#include <copse/algebra/sums/add_leaves.hpp>
#include <copse/algebra/sums/add_leaves_cpu.hpp>
#include <copse/algebra/sums/addition.hpp>
#include <copse/formats/leaves/interval_union.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <type_traits>

namespace copse::detail {

/// A list counts as a leaf with streaks that has none.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE diagonal_leaf_view<T> streaks_and_others(node_reader const& tree,
                                                                        child_reference reference) {
    return with_leaf<T, leaf_kinds::diagonal>(tree, {reference, 0, 0}, [](auto const& leaf) -> diagonal_leaf_view<T> {
        if constexpr (requires { leaf.streaks; })
            return leaf;
        else
            return {leaf, {}, {}};
    });
}

/// The union of two leaves, lists or with streaks, if it is a leaf with streaks and they have few enough intervals.
/// Otherwise nothing is written. Returns whether this is done. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE bool try_unite_intervals(Worker& w, addition<T> const& sum, child_reference a,
                                                              child_reference b, interval_union::storage& memory,
                                                              child_reference* result) {
    diagonal_leaf_view<T> const of_a = streaks_and_others<T>(sum.a.tree, a),
                                of_b = streaks_and_others<T>(sum.b.tree, b);
    if (!interval_union::fits(w, of_a, of_b)) return false;
    leaf_order const order = sum.order();
    interval_union leaf(memory, order);
    leaf_shape const shape = leaf.shape(w, of_a, of_b);
    if (shape.kind == diagonal_leaf::kind) {
        leaf_writer<T> const writer(put_leaf(w, sum, shape, result), shape, order);
        writer.prepare(w);
        leaf.write_streaks(w, writer);
        leaf.write_values(w, writer, of_a, sum.factor_of(0, a), of_b, sum.factor_of(1, b));
    }
    w.sync();  // the memory is what comes next's
    return shape.kind == diagonal_leaf::kind;
}

/// The union of two leaves, whole, lists or with streaks. `memory`: large_union::bytes(256). Collective.
template <class T, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_by_intervals(Worker& w, addition<T> const& sum, leaf_operand const& a,
                                                             leaf_operand const& b, std::byte* memory,
                                                             child_reference* result) {
    static_assert(sizeof(interval_union::storage) <= large_union::bytes(256));
    if (try_unite_intervals(w, sum, a.reference, b.reference, *reinterpret_cast<interval_union::storage*>(memory),
                            result))
        return;
    unite_large<T, leaf_kinds::diagonal, streak_bits_by::words>(w, sum, a, b, memory, result);
}
template <class T, core_worker Worker>
void unite_by_intervals(Worker& w, addition<T> const& sum, leaf_operand const& a, leaf_operand const& b,
                        std::byte* memory, child_reference* result) {
    unite_large<T, leaf_kinds::diagonal, streak_bits_by::words>(w, sum, a, b, memory, result);
}

}  // namespace copse::detail
