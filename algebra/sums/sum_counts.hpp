// Tasks of a sum in lanes count the nodes that they make. What is not known yet when an inner node is made is left to
// count_nodes, which runs behind all of them (finished_sum.hpp): what C shares below the node, and whether the rule
// wants a wide leaf in its place. (On a CPU threads would wait for each other's counters: count_nodes counts all.)
#pragma once

#include <copse/algebra/sums/addition.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/tree/census_counters.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>

namespace copse::detail {

struct count_nodes;

/// One lane has made this node of C's own. entries: of a leaf; children of an inner node.
template <class T, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_INLINE void count_node(Worker& w, addition<T> const& sum, child_reference made,
                                               std::int64_t entries) {
    if (sum.counts == nullptr) return;
    w.add(&sum.counts->census[census_counters::visits_of(made)], std::int64_t{1});
    w.add(&sum.counts->census[census_counters::visits + census_counters::entries_of(made)], entries);
}
template <class T, core_worker Worker>
constexpr void count_node(Worker&, addition<T> const&, child_reference, std::int64_t) {}

/// An inner node over what two operands have. Each lane's own: whether C shares a child; entries that the leaves below
/// have together at least. Collective.
template <class T, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_INLINE void count_inner(Worker& w, addition<T> const& sum, child_reference made, bool shares,
                                                std::int64_t least) {
    if (sum.counts == nullptr) return;
    bool is_left = w.any(shares);
    if (made.level() == 1)
        is_left |= is_wide(w.reduce(least, [](std::int64_t x, std::int64_t y) { return x + y; }), made.entries());
    if (w.rank() != 0) return;
    count_node(w, sum, made, made.entries());
    if (is_left) w.template push<count_nodes>(node{made, 0, 0});
}
template <class T, core_worker Worker>
constexpr void count_inner(Worker&, addition<T> const&, child_reference, bool, std::int64_t) {}

/// The copy of an inner node; `entries`, each lane's own: of the leaves below it. Collective.
template <class T, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_INLINE void count_copied_inner(Worker& w, addition<T> const& sum, child_reference made,
                                                       std::int64_t entries) {
    if (sum.counts == nullptr) return;
    std::int64_t const all = w.reduce(entries, [](std::int64_t x, std::int64_t y) { return x + y; });
    if (w.rank() != 0) return;
    count_node(w, sum, made, made.entries());
    if (made.level() == 1 && is_wide(all, made.entries()))
        w.add(&sum.counts->wide_bytes, wide_leaf::bytes(all, sizeof(T)));
}
template <class T, core_worker Worker>
constexpr void count_copied_inner(Worker&, addition<T> const&, child_reference, std::int64_t) {}

}  // namespace copse::detail
