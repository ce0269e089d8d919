// Leaves that two trees do not share, against lists of all leaves, and how often the host waits for copies.
#include <copse/formats/tree/tree_difference.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <formats/distant_memory.hpp>
#include <formats/edits/edit_tools.hpp>
#include <memory>
#include <random>
#include <vector>

namespace copse::tests {
namespace {

struct placed_leaf {
    std::uint32_t row, column;
    child_reference reference;
    void const* arena;
    friend bool operator==(placed_leaf const&, placed_leaf const&) = default;
};

placed_leaf placed(hisparse_content const& content, node n) {
    for (arena const& a : content.arenas)
        if (a.number == n.reference.arena()) return {n.row, n.column, n.reference, a.memory.get()};
    return {};
}

/// In the order of a traversal, the children of a node by row and column.
template <class T>
void list_leaves(hisparse<T> const& a, node n, std::vector<placed_leaf>& leaves) {
    if (!n) return;
    if (n.reference.is_leaf()) return leaves.push_back(placed(*a.content(), n));
    std::vector<node> children;
    for (int i = 0; i < a.tree().child_count(n); ++i) children.push_back(a.tree().child(n, i));
    std::sort(children.begin(), children.end(),
              [](node x, node y) { return std::pair(x.row, x.column) < std::pair(y.row, y.column); });
    for (node child : children) list_leaves(a, child, leaves);
}

std::vector<placed_leaf> placed(hisparse_content const& content, std::vector<node> const& leaves) {
    std::vector<placed_leaf> result;
    for (node n : leaves) result.push_back(placed(content, n));
    return result;
}

std::vector<placed_leaf> without(std::vector<placed_leaf> leaves, std::vector<placed_leaf> const& others) {
    std::erase_if(
        leaves, [&](placed_leaf const& leaf) { return std::find(others.begin(), others.end(), leaf) != others.end(); });
    return leaves;
}

template <class T>
void check_difference(hisparse<T> const& before, hisparse<T> const& after) {
    std::vector<placed_leaf> of_before, of_after;
    list_leaves(before, {before.content()->root, 0, 0}, of_before);
    list_leaves(after, {after.content()->root, 0, 0}, of_after);
    auto const found = detail::difference(*before.content(), *after.content(), sizeof(T));
    EXPECT_EQ(placed(*before.content(), found.removed), without(of_before, of_after));
    EXPECT_EQ(placed(*after.content(), found.added), without(of_after, of_before));
}

/// Entries of a few leaves, or of one in every so many.
template <class T>
edits<T> changes_of(hisparse<T> const& a, std::size_t count) {
    coo<T> const entries = to_coo(a);
    std::mt19937_64 random(3);
    edits<T> changes;
    for (std::size_t k = 0; k < count; ++k) {
        std::size_t const i = random() % entries.values.size();
        k % 2 == 0 ? changes.set(entries.rows[i], entries.columns[i], T(700))
                   : changes.set(entries.columns[i] % a.row_count(), entries.rows[i] % a.column_count(), T(2));
    }
    return changes;
}

std::vector<coo<double>> trees() {
    return {
        matrix_where(60, 50, [](auto i, auto j) { return i % 2 == 0 || j == 3; }),
        matrix_where(300, 300, [](auto i, auto j) { return (i * 7 + j) % 11 == 0; }),
        scattered(4000, 3900, 9000, 8),     // one wide leaf
        scattered(20000, 17000, 30000, 7),  // wide ones below an inner node
        scattered_lists(20000, 17000),      // lists
        empty_matrix(300, 300),
    };
}

TEST(tree_difference, is_what_the_lists_of_leaves_say) {
    for (coo<double> const& entries : trees()) {
        hisparse<double> const a = matrix_of<double>(entries),
                               nothing = matrix_of<double>(empty_matrix(entries.row_count, entries.column_count));
        check_difference(a, a);
        check_difference(a, nothing);
        check_difference(nothing, a);
        if (a.entry_count() == 0) continue;
        hisparse<double> const b = edit(a, changes_of(a, 1)), c = edit(a, changes_of(a, 20));
        check_difference(a, b);
        check_difference(b, a);
        check_difference(b, c);
    }
}

// A wide leaf becomes leaves, and the other way round.
TEST(tree_difference, has_leaves_at_different_levels) {
    hisparse<double> const few = matrix_of<double>(scattered(20000, 17000, 20000, 7));
    hisparse<double> const many = matrix_of<double>(scattered_lists(20000, 17000));
    ASSERT_GT(few.census().wide_leaves(), 0);
    ASSERT_EQ(many.census().wide_leaves(), 0);
    check_difference(few, many);
    check_difference(many, few);
}

TEST(tree_difference, sees_nodes_below_transposed_references) {
    hisparse<double> const part =
        matrix_of<double>(matrix_where(64, 64, [](auto i, auto j) { return i == 2 * j || i == 60; }));
    hisparse<double> const a = mosaic(mosaic(part));
    check_difference(a, edit(a, changes_of(a, 5)));
    check_difference(edit(a, changes_of(a, 40)), a);
}

// The same references, in another arena of the same number.
TEST(tree_difference, tells_apart_what_is_in_different_memory) {
    hisparse<double> const a = matrix_of<double>(four_leaves());
    arena const& memory = a.content()->arenas.front();
    std::vector<std::byte> const nodes = memory.memory->to_host();
    auto content = std::make_shared<hisparse_content>();
    content->dimension_log2 = a.content()->dimension_log2;
    content->root = a.content()->root;
    content->arenas = {
        {memory.number, std::make_shared<buffer<std::byte>>(host_memory(), std::span<std::byte const>(nodes))}};
    detail::make_arena_table(*content, host_memory());
    check_difference(a, hisparse<double>(content));
}

TEST(tree_difference, waits_once_for_each_level_of_either_tree) {
    auto const copies_of = [](std::size_t count) {
        auto const where = std::make_shared<distant_memory>();
        hisparse<double> const a = placed_in(where, matrix_of<double>(scattered_lists(20000, 17000)));
        hisparse<double> const b = edit(a, changes_of(a, count));
        std::int64_t const before = where->copies_to_host();
        auto const found = detail::difference(*a.content(), *b.content(), sizeof(double));
        EXPECT_GE(found.added.size(), count / 2);
        return where->copies_to_host() - before;
    };
    EXPECT_EQ(copies_of(1), 2 * 2);  // three levels, of which leaves are not read
    EXPECT_EQ(copies_of(1000), 2 * 2);
}

}  // namespace
}  // namespace copse::tests
