// What tasks read a matrix by: ranges, the scale, and what is refused (formats/tree_view.hpp).
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstddef>
#include <formats/refused_nodes_suite.hpp>
#include <type_traits>
#include <vector>

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

template <class View>
void visit_blank(View const& view, int log2, int count) {
    auto const is_zero = [](int, int row, int column, double value) {
        EXPECT_EQ(row, 0);
        EXPECT_EQ(column, 0);
        EXPECT_EQ(value, 0);
    };
    detail::visit_alone<detail::visited::entries>(view, 0, count, is_zero);
    if constexpr (std::is_same_v<View, dense_leaf_view<double>>)
        for (int i = 0; i < 1 << (2 * log2); ++i) {
            EXPECT_FALSE(view.is_entry(i));
            EXPECT_EQ(view.values[i], 0);
        }
}
/// A lane of a GPU goes on with such a view in the place of a leaf of another kind: it stays within zeros.
template <class Leaf>
void check_blank() {
    std::vector<std::byte> const zeros(detail::blank_leaf_bytes);
    for (int log2 : {6, 7, 8}) {
        auto const view = detail::view_of_blank<Leaf, double>(zeros.data(), log2);
        int count = 0;
        if constexpr (requires { view.count; }) count = view.count;
        visit_blank(view, log2, count);
    }
}
TEST(tree_view, of_nothing_has_no_values_beyond_zeros) {
    check_blank<detail::sparse_leaf>();
    check_blank<detail::dense_leaf>();
    check_blank<detail::diagonal_leaf>();
    check_blank<detail::wide_leaf>();
}

TEST(tree_view, refuses_nodes_of_another_kind) {
    cpu threads(2);
    check_refused_nodes(threads);
    emulated lanes;
    check_refused_nodes(lanes);
}

}  // namespace
}  // namespace copse::tests
