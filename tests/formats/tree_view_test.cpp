// What tasks read a matrix by: ranges, the scale, and what is refused (formats/tree_view.hpp).
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/formats/wide_parts.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/seed.hpp>
#include <string>
#include <type_traits>

namespace copse::tests {
namespace {

static_assert(std::is_trivially_copyable_v<tree_view<float>>);

hisparse<double> diagonal_matrix(std::int64_t m, std::int64_t n) {
    return {host_memory(), matrix_where(m, n, [](auto i, auto j) { return i == j; }), {.node_dimension = 64}};
}

TEST(tree_view, knows_shape_scale_and_transposition) {
    auto const a = diagonal_matrix(200, 100);
    auto const tree = scaled(transposed(a), 3).tree();
    EXPECT_EQ(a.tree().row_count(), 200);
    EXPECT_EQ(tree.row_count(), 100);
    EXPECT_EQ(tree.column_count(), 200);
    EXPECT_EQ(tree.scale(), 3);
    EXPECT_TRUE(tree.is_transposed());
    EXPECT_FALSE(a.tree().is_transposed());
    EXPECT_EQ(tree.dimension(), 64);
    EXPECT_EQ(hisparse<float>(host_memory(), coo<float>()).tree().row_count(), 0);
}

TEST(tree_view, clips_ranges_at_the_edge) {
    auto const a = transposed(diagonal_matrix(150, 200));  // 200 x 150
    auto const tree = a.tree();
    auto const all = tree.rows_of(a.root());
    EXPECT_EQ(all.first, 0);
    EXPECT_EQ(all.count, 200);
    EXPECT_EQ(tree.columns_of(a.root()).count, 150);
    int leaves = 0;
    for (int i = 0; i < tree.child_count(a.root()); ++i)
        if (node const leaf = tree.child(a.root(), i)) {
            ++leaves;
            auto const rows = tree.rows_of(leaf), columns = tree.columns_of(leaf);
            EXPECT_EQ(rows.first, leaf.row);
            EXPECT_EQ(rows.count, 64);
            EXPECT_EQ(columns.count, leaf.column == 128 ? 22 : 64);
        }
    EXPECT_EQ(leaves, 3);
}

/// f asked of the root by a task.
template <class F>
struct ask {
    using item = node;
    static constexpr int width = 4;
    tree_view<double> tree;
    F f;
    template <class Worker>
    void operator()(node n, Worker& w) const {
        f(w, tree, n);
    }
};
template <class Executor, class F>
void expect_refusal(Executor& executor, hisparse<double> const& a, node n, std::string const& with, F f) {
    SCOPED_TRACE(with);
    try {
        run(executor, seed<ask<F>>(n), ask<F>{a.tree(), f});
        ADD_FAILURE() << "no error";
    } catch (argument_error const& e) {
        EXPECT_NE(std::string(e.what()).find(with), std::string::npos) << e.what();
    }
}

template <class Executor>
void check_refused_calls(Executor& executor) {
    auto const a = diagonal_matrix(200, 200);
    node const root = a.root(), leaf = a.tree().child(root, 1);
    auto const refuses = [&](node n, std::string const& with, auto f) { expect_refusal(executor, a, n, with, f); };
    refuses(leaf, "sparse_leaf() wants a node that is: sparse leaf; it was given a diagonal leaf at row 64, column 64",
            [](auto&, auto const& tree, node n) { tree.sparse_leaf(n); });
    refuses(leaf, "dense_leaf() wants a node that is: dense leaf; it was given a diagonal leaf",
            [](auto&, auto const& tree, node n) { tree.dense_leaf(n); });
    refuses(leaf, "wide_leaf() wants a node that is: wide leaf; it was given a diagonal leaf",
            [](auto&, auto const& tree, node n) { tree.wide_leaf(n); });
    refuses(root, "diagonal_leaf() wants a node that is: diagonal leaf; it was given an inner node at row 0",
            [](auto&, auto const& tree, node n) { tree.diagonal_leaf(n); });
    refuses(leaf, "child_count() wants a node that is: inner node; it was given a diagonal leaf",
            [](auto&, auto const& tree, node n) { tree.child_count(n); });
    refuses(leaf, "child() wants a node that is: inner node; it was given a diagonal leaf",
            [](auto&, auto const& tree, node n) { tree.child(n, 0); });
    refuses(root, "for_each_entry() wants a node that is: leaf; it was given an inner node",
            [](auto& w, auto const& tree, node n) {
                for_each_entry(w, tree, n, [](std::int64_t, std::int64_t, double) {});
            });
    refuses(node{}, "for_each_entry() wants a node that is: leaf; it was given no node",
            [](auto& w, auto const& tree, node n) {
                for_each_entry(w, tree, n, [](std::int64_t, std::int64_t, double) {});
            });
    refuses(root, "for_each_entry_together() wants a node that is: leaf; it was given an inner node",
            [](auto& w, auto const& tree, node n) {
                for_each_entry_together(w, tree, n, [](tree_entry<double> const&) {});
            });
    refuses(root, "for_each_part() wants a node that is: leaf; it was given an inner node",
            [](auto& w, auto const& tree, node n) { for_each_part(w, tree, n, [](node) {}); });
}

TEST(tree_view, refuses_nodes_of_another_kind) {
    cpu threads(2);
    check_refused_calls(threads);
    emulated lanes;
    check_refused_calls(lanes);
}

}  // namespace
}  // namespace copse::tests
