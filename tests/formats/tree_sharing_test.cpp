// Sub-trees that a new matrix takes over from others (tree_writer::try_share): entries, census and bytes are those of a
// matrix that was made without sharing, and what cannot be shared is said or copied.
#include <gtest/gtest.h>

#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/hisparse_sharing.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <formats/visit_entries_suite.hpp>
#include <runtime/message_of.hpp>
#include <vector>

namespace copse::tests {
namespace {

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
    check_tree(with.made);
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
    EXPECT_EQ(check_taken(executor, a, {.share_up_to = 0}), a.census().leaves()) << "parts of wide leaves are copied";
    EXPECT_EQ(check_taken(executor, transposed(a), {.share_up_to = 0}), 0) << "a transposed leaf is not shared";
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
    EXPECT_EQ(take(executor, a, {.share_up_to = 0, .most = 30}).made.census().wide_leaves(), 1);
}

TEST(tree_sharing, makes_what_copies_make) {
    cpu threads(3);
    check_sharing<double>(threads);
    check_sharing<float>(threads);
    check_wide_of_shared<float>(threads);
}

TEST(tree_sharing, makes_what_copies_make_in_lanes) {
    emulated lanes;
    check_sharing<double>(lanes, false);
    check_wide_of_shared<double>(lanes);
}

TEST(tree_sharing, keeps_the_memory_of_what_is_shared_alive) {
    cpu executor(2);
    auto a = std::make_unique<hisparse<double>>(executor, leaves_of_all_kinds<double>(),
                                                hisparse_options{.node_dimension = 64});
    hisparse<double> const edited = edit(*a, edits<double>().set(1, 1, 5).erase(4100, (4100 * 1237) % 4096));
    ASSERT_GT(edited.content()->arenas.size(), 1u);
    auto const expected = map_of(edited);
    a.reset();
    hisparse<double> made = take(executor, edited, {.share_up_to = 1}).made;
    EXPECT_EQ(made.content()->arenas.size(), edited.content()->arenas.size() + 1);
    made = take(executor, made, {.share_up_to = 2}).made;  // and once more: of several arenas, none of its own
    EXPECT_EQ(made.content()->arenas.size(), edited.content()->arenas.size() + 1);
    EXPECT_EQ(map_of(made), expected);
    EXPECT_EQ(map_of(edit(made, edits<double>().set(0, 0, 7))).at({0, 0}), 7);
    check_tree(made);
}

/// An arena's number that another matrix has, too: nodes are copied then.
TEST(tree_sharing, copies_where_numbers_clash) {
    cpu executor(1);
    hisparse<double> const a(executor, leaves_of_all_kinds<double>(), {.node_dimension = 64});
    auto clashing = std::make_shared<hisparse_content>();
    clashing->row_count = clashing->column_count = 64;
    clashing->dimension_log2 = 6;
    clashing->arenas.push_back(
        {a.content()->arenas.front().number, std::make_shared<buffer<std::byte>>(executor.memory(), std::int64_t{64})});
    tree_building<double> made(executor, "clash", 64, 64, 64, {});
    EXPECT_EQ(made.share_nodes_of(hisparse<double>(clashing)).source, 0);
    EXPECT_EQ(made.share_nodes_of(a).source, -1);
    EXPECT_EQ(made.share_nodes_of(hisparse<double>(clashing)).source, 0) << "the same once more";
}

TEST(tree_sharing, refuses_what_does_not_fit) {
    cpu executor(1);
    hisparse<double> const a(executor, leaves_of_all_kinds<double>(), {.node_dimension = 64});
    tree_building<double> made(executor, "other", 4396, 4096, 128, {});
    EXPECT_NE(message_of<argument_error>([&] { made.share_nodes_of(a); }).find("other: the nodes of the matrix"),
              std::string::npos);
    tree_building<double> there(executor, "there", 4396, 4096, 64, {});
    EXPECT_THROW(there.share_nodes_of(placed_in(std::make_shared<distant_memory>(), a)), argument_error);
    // A node of another level, and one that has more rows than the new matrix at its place.
    tree_building<double> small(executor, "small", 64, 64, 64, {});
    shared_tree<double> const whole = small.share_nodes_of(a);
    using task = take_over<double>;
    std::int64_t shared = 0;
    EXPECT_NE(message_of<argument_error>([&] {
                  run(executor, small.seed<task>(a.root()), task{whole, 1, 0, 0, 1 << 16, &shared, small.writer()});
              }).find("a node of level 2, at row 0, column 0, cannot go to a place of level 0"),
              std::string::npos);
    tree_building<double> lower(executor, "lower", 4196, 4096, 64, building_bound::of(a));
    shared_tree<double> const all = lower.share_nodes_of(a);
    EXPECT_THROW(  // the wide leaf has rows to 4396: it is not shared, and its parts do not fit
        run(executor, lower.seed<task>(a.root()), task{all, 1, 0, 1, 1 << 16, &shared, lower.writer()}),
        argument_error);
}

}  // namespace
}  // namespace copse::tests
