// Sub-trees that a new matrix takes over from others (tree_writer::try_share): entries, census and bytes are those of a
// matrix that was made without sharing.
#pragma once

#include <gtest/gtest.h>

#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <formats/edits/edit_tools.hpp>
#include <formats/visit_entries_suite.hpp>
#include <vector>

namespace copse::tests {

/// Copies of A's children below each other, `distance` rows apart; of leaves with more than `most` entries none.
template <class T>
struct take_over {
    using item = node_source<node>;
    static constexpr int width = 64;
    static constexpr std::size_t scratch_bytes = tree_writer<T>::leaf_scratch_bytes;
    shared_tree<T> a;
    int copies;
    std::uint32_t distance;
    int share_up_to;  // level of nodes that are shared where they can be
    int most;
    std::int64_t* shared;
    tree_writer<T> out;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        tree_view<T> const& tree = a.tree;
        bool const is_root = i.to.parent() == node_place::no_parent;
        if (i.to.level() == 0 && i.from.reference.entries() > most) return out.leave_out(w, i.to);
        if (i.to.level() <= share_up_to && out.try_share(w, i.to, a, i.from)) {
            if (w.rank() == 0) w.add(shared, 1);
            return;
        }
        if (i.to.level() == 0) return out.copy_leaf(w, i.to, tree, i.from);
        if (!is_root) return out.template push_children<take_over>(w, i.to, tree, i.from);
        out.template open<take_over>(w, i.to, [&](auto child) {
            for (int k = w.rank(); k < tree.child_count(i.from); k += w.size())
                if (node const n = tree.child(i.from, k))
                    for (int copy = 0; copy < copies; ++copy)
                        child(n.row + static_cast<std::uint32_t>(copy) * distance, n.column, n);
        });
    }
};

struct sharing_case {
    int copies = 1;
    std::uint32_t distance = 0;
    int share_up_to = 0;
    int most = 1 << 16;
};

template <class T>
struct taken_over {
    hisparse<T> made;
    std::int64_t shared;
};
template <class T, class Executor>
taken_over<T> take(Executor& executor, hisparse<T> const& a, sharing_case const& c) {
    building_bound bound = building_bound::of(a);
    bound = {c.copies * bound.leaves, c.copies * (bound.inner_nodes + 1), c.copies * bound.entries};
    tree_building<T> made(executor, "take_over", a.row_count() + (c.copies - 1) * std::int64_t{c.distance},
                          a.column_count(), a.node_dimension(), bound);
    shared_tree<T> const whole = made.share_nodes_of(a);
    buffer<std::int64_t> const shared(executor, std::vector<std::int64_t>{0});
    using task = take_over<T>;
    run(executor, made.template seed<task>(a.root()),
        task{whole, c.copies, c.distance, c.share_up_to, c.most, shared.data(), made.writer()});
    return {made.finish(), shared.to_host().front()};
}

/// The same without sharing must be the same matrix; and it shares nothing.
template <class T, class Executor>
std::int64_t check_taken(Executor& executor, hisparse<T> const& a, sharing_case const& c) {
    taken_over<T> const with = take(executor, a, c);
    sharing_case copied = c;
    copied.share_up_to = -1;
    taken_over<T> const without = take(executor, a, copied);
    EXPECT_EQ(without.shared, 0);
    EXPECT_EQ(shared_bytes(without.made, a), 0);
    auto const found = to_coo(with.made), expected = to_coo(without.made);
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_EQ(with.made.entry_count(), expected.entry_count());
    EXPECT_EQ(with.made.census().visits, without.made.census().visits);
    EXPECT_EQ(with.made.census().entries, without.made.census().entries);
    check_tree_anywhere(with.made);
    if (c.copies == 1) {
        EXPECT_EQ(with.made.content()->reachable_bytes, reachable_bytes(with.made));
        EXPECT_EQ(reachable_bytes(with.made), reachable_bytes(without.made));
    } else {
        EXPECT_GE(with.made.content()->reachable_bytes, reachable_bytes(with.made));
        EXPECT_LE(with.made.content()->reachable_bytes, reachable_bytes(without.made));
    }
    auto const compacted = to_coo(compact(with.made));
    EXPECT_EQ(compacted.rows, expected.rows);
    EXPECT_EQ(compacted.columns, expected.columns);
    EXPECT_EQ(compacted.values, expected.values);
    return with.shared;
}

template <class T, class Executor>
void check_sharing(Executor& executor, bool all_cases = true) {
    hisparse<T> const a(executor.memory(), leaves_of_all_kinds<T>(), {.node_dimension = 64});
    // Levels of the nodes: the root 2; an inner node and a wide leaf 1; leaves of all kinds 0.
    EXPECT_EQ(check_taken(executor, a, {.copies = 3, .distance = 8192, .share_up_to = 1}), 6);
    EXPECT_EQ(check_taken(executor, transposed(a), {.share_up_to = 2}), 2) << "a transposed root is not shared";
    if (!all_cases) return;
    EXPECT_EQ(check_taken(executor, a, {.share_up_to = 2}), 1);
    EXPECT_EQ(shared_bytes(take(executor, a, {.share_up_to = 2}).made, a), reachable_bytes(a));
    EXPECT_EQ(check_taken(executor, a, {.share_up_to = 1}), 2);
    EXPECT_EQ(check_taken(executor, a, {.share_up_to = 0}), a.census().leaves()) << "blocks of wide leaves are copied";
    EXPECT_EQ(check_taken(executor, transposed(a), {.share_up_to = 0}), a.census().leaves());
    EXPECT_EQ(check_taken(executor, scaled(a, T(2)), {.share_up_to = 2}), 0) << "values that differ are not shared";
}

/// Leaves of few entries, some shared ones among them: the node above them becomes a wide leaf, which takes them in.
template <class T, class Executor>
void check_wide_of_shared(Executor& executor) {
    coo<T> entries{4096 * 2, 4096, {}, {}, {}};
    for (int block = 0; block < 64; ++block)
        for (int k = 0; k < (block < 60 ? 60 : block == 60 ? 20 : 1); ++k) {
            entries.rows.push_back(block * 64 + k);
            entries.columns.push_back(block * 64 + (k * 13) % 64);
            entries.values.push_back(static_cast<T>(block * 64 + k + 1));
        }
    entries.rows.push_back(5000);
    entries.columns.push_back(77);
    entries.values.push_back(T(1));
    hisparse<T> const a(executor.memory(), entries, {.node_dimension = 64});
    ASSERT_EQ(a.census().wide_leaves(), 0);
    EXPECT_EQ(check_taken(executor, a, {.share_up_to = 0, .most = 30}), 5);
    EXPECT_EQ(check_taken(executor, transposed(a), {.share_up_to = 0, .most = 30}), 5);
    EXPECT_EQ(take(executor, a, {.share_up_to = 0, .most = 30}).made.census().wide_leaves(), 1);
}

}  // namespace copse::tests
