#include <copse/formats/hisparse.hpp>

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/csr.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <functional>
#include <map>
#include <runtime/message_of.hpp>
#include <set>
#include <string>
#include <utility>

namespace copse::tests {
namespace {

class hisparse_of_dimension : public testing::TestWithParam<int> {};

TEST_P(hisparse_of_dimension, gives_back_its_entries) {
    cpu const executor(1);
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        csr<double> const rows = to_csr(c.matrix);
        hisparse<double> const a(executor, c.matrix, {.node_dimension = GetParam()});
        EXPECT_EQ(a.entry_count(), rows.entry_count());
        expect_equal(to_coo(a), to_coo(rows));
        expect_equal(to_coo(transposed(a)), to_coo(transpose(rows)));
        EXPECT_EQ(to_csr(a).row_offsets, rows.row_offsets);
        csr<float> const narrow = to_csr(with_values_of<float>(c.matrix));
        expect_equal(to_coo(hisparse<float>(executor, narrow, {.node_dimension = GetParam()})), to_coo(narrow));
    }
}

TEST_P(hisparse_of_dimension, counts_its_nodes) {
    cpu const executor(1);
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        hisparse<double> const a(executor, c.matrix, {.node_dimension = GetParam()});
        // The census, against a walk over the tree.
        node_census walked;
        std::int64_t leaf_entries = 0;
        std::function<void(node)> const visit = [&](node n) {
            std::int64_t const size =
                n.reference.kind() == node_kind::wide ? a.tree().wide_leaf<double>(n).count : n.reference.entries();
            walked.count(n.reference, size);
            if (a.tree().is_leaf(n))
                leaf_entries += size;
            else
                for (int i = 0; i < a.tree().child_count(n); ++i)
                    if (node const child = a.tree().child(n, i)) visit(child);
        };
        if (a.root()) visit(a.root());
        EXPECT_EQ(walked.visits, a.census().visits);
        EXPECT_EQ(walked.entries, a.census().entries);
        EXPECT_EQ(leaf_entries, a.entry_count());
        EXPECT_EQ(a.census().leaf_entries(), a.entry_count());
    }
}

INSTANTIATE_TEST_SUITE_P(dimensions, hisparse_of_dimension, testing::Values(64, 128, 256));

std::int64_t inner_nodes(node_census const& census, node_kind kind) {
    return census.inner_nodes(kind);
}

TEST(hisparse, chooses_the_smallest_kind_of_leaf) {
    cpu const executor(1);
    auto leaf_where = [&](auto keep) {
        return hisparse<double>(executor, matrix_where(64, 64, keep), {.node_dimension = 64});
    };
    // d = 64, double: sparse takes 10 bytes an entry, dense 8 * 4096 bytes and 512 for presence unless full. Every
    // sixth row is empty, so that there are no runs.
    auto leaf_with = [&](int entries) {
        return leaf_where([&](auto i, auto j) { return i % 6 != 5 && (i - i / 6) * 64 + j < entries; });
    };
    EXPECT_EQ(leaf_with(3328).root().reference.kind(), node_kind::sparse);  // 33280 bytes both ways
    EXPECT_EQ(leaf_with(3328).bytes(), 33280);
    EXPECT_EQ(leaf_with(3329).root().reference.kind(), node_kind::dense);
    EXPECT_EQ(leaf_with(3329).bytes(), 33280);
    EXPECT_EQ(leaf_where([](auto, auto) { return true; }).bytes(), 32768);
    // A run: 3 bytes, and 4 for the counts; values start at a multiple of 16.
    auto diagonal = [&](int entries) { return leaf_where([&](auto i, auto j) { return i == j && i < entries; }); };
    EXPECT_EQ(diagonal(5).root().reference.kind(), node_kind::sparse);
    EXPECT_EQ(diagonal(64).root().reference.kind(), node_kind::diagonal);
    EXPECT_EQ(diagonal(64).bytes(), 16 + 512);
    EXPECT_EQ(diagonal(8).root().reference.kind(), node_kind::sparse);  // 80 bytes both ways
    auto tridiagonal = leaf_where([](auto i, auto j) { return i - j < 2 && j - i < 2; });
    EXPECT_EQ(tridiagonal.bytes(), 16 + 190 * 8);
    auto runs = tridiagonal.tree().diagonal_leaf<double>(tridiagonal.root());
    EXPECT_EQ(runs.streaks.count, 3);
    EXPECT_EQ(runs.others.count, 0);
}

TEST(hisparse, makes_hyper_sparse_blocks_wide) {
    cpu const executor(1);
    auto kind_with = [&](int in_leaf) {
        return hisparse<double>(
                   executor,
                   matrix_where(64, 256, [&](auto i, auto j) { return i < in_leaf && i % 6 != 5 && j % 64 == i; }),
                   {.node_dimension = 64})
            .root()
            .reference.kind();
    };
    EXPECT_EQ(kind_with(1), node_kind::wide);
    EXPECT_EQ(kind_with(19), node_kind::wide);    // 16 in each of four leaves
    EXPECT_EQ(kind_with(20), node_kind::sparse);  // 17
    auto one_leaf = hisparse<double>(executor, matrix_where(100, 100, [](auto i, auto j) { return i == 7 && j == 9; }),
                                     {.node_dimension = 64});
    EXPECT_EQ(one_leaf.root().reference.kind(), node_kind::sparse);
}

struct listed_nodes {
    int level;
    node_kind kind;
    std::int64_t above, up_to;  // entries
    char const* where;
    int only_d = 0;
};

// Which case of the battery has which nodes: leaves (level 0) of every size class of the queues, and nodes above them.
// Dense nodes at other levels and dimensions, and sparse ones at levels 4 and 5: tests/algebra/node_kinds_suite.hpp.
constexpr std::int64_t any = child_reference::most_wide_entries;
listed_nodes const all_nodes[] = {
    {0, node_kind::sparse, 0, 1, "leaf of 1"},
    {0, node_kind::sparse, 1, 2, "leaf of 2"},
    {0, node_kind::sparse, 2, 4, "leaf of 3"},
    {0, node_kind::sparse, 4, 32, "leaf of 31"},
    {0, node_kind::sparse, 32, 64, "leaf of 33"},
    {0, node_kind::sparse, 64, 512, "leaf of 65"},
    {0, node_kind::sparse, 512, 1 << 16, "leaf of 700"},
    {0, node_kind::diagonal, 4, 32, "runs, leaf of 31"},
    {0, node_kind::diagonal, 32, 64, "runs, leaf of 33"},
    {0, node_kind::diagonal, 64, 512, "runs, leaf of 65"},
    {0, node_kind::diagonal, 512, 1 << 16, "runs, leaf of 700"},
    {0, node_kind::dense, 0, any, "dense, full leaves"},
    {1, node_kind::sparse, 0, any, "dense, full leaves"},
    {1, node_kind::wide, 0, any, "two leaves of one wide leaf"},
    {1, node_kind::dense, 0, any, "dense inner node for d = 64", 64},
    {2, node_kind::sparse, 0, any, "three levels of nodes"},
    {3, node_kind::sparse, 0, any, "three levels of nodes", 64},
};

// The list is right, and has every kind that is anywhere in the battery.
TEST(hisparse, has_every_kind_of_node_in_the_battery) {
    cpu const executor(1);
    std::vector<battery_case> const cases = every_case();
    for (int d : {64, 128, 256}) {
        SCOPED_TRACE(d);
        std::map<std::string, node_census> found;
        for (battery_case const& c : cases)
            found[c.name] = hisparse<double>(executor, c.matrix, {.node_dimension = d}).census();
        std::set<std::pair<int, node_kind>> listed;
        for (listed_nodes const& n : all_nodes) {
            if (n.only_d != 0 && n.only_d != d) continue;
            listed.insert({n.level, n.kind});
            EXPECT_GT(found[n.where].between(n.kind, n.level, n.level, n.above, n.up_to), 0)
                << n.where << ": level " << n.level << ", kind " << static_cast<int>(n.kind) << ", " << n.up_to;
        }
        for (auto const& [name, census] : found)
            for (int level = 0; level < level_count; ++level)
                for (node_kind kind : {node_kind::sparse, node_kind::dense, node_kind::diagonal, node_kind::wide})
                    EXPECT_TRUE(census.between(kind, level, level) == 0 || listed.contains({level, kind}))
                        << name << ": level " << level << ", kind " << static_cast<int>(kind);
    }
}

TEST(hisparse, stores_small_nodes_without_a_header) {
    cpu const executor(1);
    auto bytes_with = [&](int entries) {
        return hisparse<double>(executor, matrix_where(1, 64, [&](auto, auto j) { return j < entries; })).bytes();
    };
    EXPECT_EQ(bytes_with(1), 16);  // 8 + 2, in 16-byte units
    EXPECT_EQ(bytes_with(2), 32);  // 16 + 4
    EXPECT_EQ(bytes_with(3), 48);  // as 4: 32 + 8
    EXPECT_EQ(bytes_with(4), 48);
    EXPECT_EQ(bytes_with(64), 640);
}

TEST(hisparse, makes_crowded_inner_nodes_dense) {
    cpu const executor(1);
    for (battery_case const& c : large_battery()) {
        if (c.name.find("dense inner node") == std::string::npos) continue;
        hisparse<double> const a(executor, c.matrix, {.node_dimension = 64});
        EXPECT_EQ(inner_nodes(a.census(), node_kind::dense), 1) << c.name;
    }
}

TEST(hisparse, holds_one_entry_in_the_largest_matrix) {
    cpu const executor(1);
    std::int64_t const n = std::int64_t{1} << 31;
    std::int32_t const last = 2147483647;
    for (int d : {64, 128, 256}) {
        hisparse<double> const a(executor, coo<double>{n, n, {last}, {last - 5}, {2.5}}, {.node_dimension = d});
        expect_equal(to_coo(a), {n, n, {last}, {last - 5}, {2.5}});
        expect_equal(to_coo(transposed(scaled(a, 2.0))), {n, n, {last - 5}, {last}, {5}});
        // A node per level and 16 bytes each (hisparse §3.3: "an inner node for each level").
        int const levels = d == 64 ? 6 : d == 128 ? 5 : 4;
        EXPECT_EQ(a.bytes(), 16 * levels);
    }
}

TEST(hisparse, sums_duplicates_of_far_scattered_entries) {
    cpu const executor(1);
    coo<double> const a{1 << 30, 1 << 30, {9, 1 << 29, 9}, {8, 7, 8}, {1, 4, 2}};
    expect_equal(to_coo(hisparse<double>(executor, a)), {1 << 30, 1 << 30, {9, 1 << 29}, {8, 7}, {3, 4}});
}

// What goes back in one stretch ends within some of these block rows, and rows without entries are before, between and
// behind them.
TEST(hisparse, gives_back_many_block_rows) {
    cpu const executor(1);
    std::int64_t const m = 64 * 100 + 7;
    coo<double> const matrix = matrix_of_rows(m, m, [&](std::int64_t row) {
        std::int64_t const block = row / 64;
        bool const empty = block < 2 || block > 96 || block % 5 == 0 || row % 64 == 63;
        return empty ? std::vector<std::int64_t>{} : every(row % 64, block == 7 ? 1 : 61, block == 8 ? 500 : m);
    });
    ASSERT_GT(matrix.values.size(), std::size_t{20} << 14);
    csr<double> const rows = to_csr(matrix);
    for (int d : {64, 128, 256}) {
        hisparse<double> const a(executor, rows, {.node_dimension = d});
        csr<double> const back = to_csr(scaled(a, -2.0)), turned = to_csr(transposed(a));
        EXPECT_EQ(back.row_offsets, rows.row_offsets);
        EXPECT_EQ(back.column_indices, rows.column_indices);
        for (std::size_t i = 0; i < rows.values.size(); ++i) ASSERT_EQ(back.values[i], -2 * rows.values[i]);
        csr<double> const expected = transpose(rows);
        EXPECT_EQ(turned.row_offsets, expected.row_offsets);
        EXPECT_EQ(turned.column_indices, expected.column_indices);
        EXPECT_EQ(turned.values, expected.values);
        expect_equal(to_coo(a), to_coo(rows));
    }
}

TEST(hisparse, shares_content_between_states) {
    cpu const executor(1);
    hisparse<double> const a(executor, matrix_where(9, 5, [](auto, auto) { return true; }));
    hisparse<double> const b = scaled(transposed(a), -2.0);
    EXPECT_EQ(a.content(), b.content());
    EXPECT_EQ(b.row_count(), 5);
    EXPECT_EQ(b.column_count(), 9);
    EXPECT_EQ(b.scale(), -2.0);
    EXPECT_FALSE(transposed(b).is_transposed());
}

TEST(hisparse, outlives_the_matrix_it_was_made_from) {
    cpu const executor(1);
    auto a = std::make_unique<hisparse<double>>(executor, matrix_where(9, 5, [](auto, auto) { return true; }));
    hisparse<double> const b = transposed(*a);
    coo<double> const entries = to_coo(*a);
    a.reset();
    expect_equal(to_coo(transposed(b)), entries);
}

// What is in order is read as it is. Each list here has something that might pass for that, beyond the entries that one
// thread looks at.
TEST(hisparse, takes_lists_in_order_and_in_none) {
    auto const n = static_cast<std::int32_t>(50'000);
    coo<double> in_order{n + 3, n, {}, {}, {}};  // rows without entries in front, between and behind
    for (std::int32_t i = 1; i < n; ++i)
        for (std::int32_t j : {i - 1, i}) {
            if (i % 7 == 3) continue;
            in_order.rows.push_back(i);
            in_order.columns.push_back(j);
            in_order.values.push_back(i + 0.5 * (i - j));
        }
    std::size_t const late = in_order.values.size() - 6;
    for (int threads : {1, 3}) {
        cpu const executor(threads);
        expect_equal(to_coo(hisparse<double>(executor, in_order)), in_order);
        coo<double> columns = in_order, rows = in_order, twice = in_order, broken = in_order;
        for (coo<double>* list : {&columns, &rows}) {
            std::size_t const other = list == &columns ? late + 1 : late + 3;
            ASSERT_EQ(list->rows[late] == list->rows[other], list == &columns);
            std::swap(list->rows[late], list->rows[other]);
            std::swap(list->columns[late], list->columns[other]);
            std::swap(list->values[late], list->values[other]);
            expect_equal(to_coo(hisparse<double>(executor, *list)), in_order);
        }
        twice.rows.insert(twice.rows.begin() + static_cast<std::ptrdiff_t>(late), twice.rows[late]);
        twice.columns.insert(twice.columns.begin() + static_cast<std::ptrdiff_t>(late), twice.columns[late]);
        twice.values.insert(twice.values.begin() + static_cast<std::ptrdiff_t>(late), 1.0);
        expect_equal(to_coo(hisparse<double>(executor, twice)), to_coo(to_csr(twice)));
        broken.rows.back() = n + 3;
        EXPECT_THROW(hisparse<double>(executor, broken), shape_error);
        broken = in_order;
        broken.columns.back() = n;
        EXPECT_THROW(hisparse<double>(executor, broken), shape_error);
        broken = in_order;
        broken.columns.pop_back();
        EXPECT_THROW(hisparse<double>(executor, broken), shape_error);
    }
}

template <class Executor>
void check_rows_there_and_back(Executor&& executor, std::vector<battery_case> const& cases) {
    for (battery_case const& c : cases) {
        SCOPED_TRACE(c.name);
        csr<double> const rows = to_csr(c.matrix);
        hisparse<double> const expected(host_memory(), rows);
        csr_matrix<double> const there = csr_matrix<double>(executor, rows).transposed().scaled(2);
        hisparse<double> const a(executor, there);
        EXPECT_EQ(a.bytes(), expected.bytes());
        expect_equal(to_coo(a), to_coo(expected.transposed().scaled(2)));
        expect_equal(to_coo(hisparse<double>(executor, c.matrix)), to_coo(expected));
        if constexpr (requires { to_csr_matrix(executor, a); }) {
            csr<double> const back = to_csr(to_csr_matrix(executor, a)), wanted = to_csr(a);
            EXPECT_EQ(back.row_offsets, wanted.row_offsets);
            EXPECT_EQ(back.column_indices, wanted.column_indices);
            EXPECT_EQ(back.values, wanted.values);
        }
    }
}

TEST(hisparse, takes_rows_of_a_matrix_in_its_memory) {
    check_rows_there_and_back(cpu(2), whole_battery());
    check_rows_there_and_back(emulated(), {{"scattered", scattered(300, 200, 900, 2)},
                                           {"one row", scattered(1, 20000, 100, 3)},
                                           {"no entry", {7, 5, {}, {}, {}}}});
}

TEST(hisparse, is_made_by_tasks_on_the_emulated_executor) {
    emulated lanes;
    hisparse<double> const a(lanes, scattered(300, 300, 900, 2));
    detail::emulated_trace const there = last_trace(lanes);
    EXPECT_GT(there.steps, 0u);
    to_csr_matrix(lanes, a);
    EXPECT_NE(last_trace(lanes), there);
}

TEST(hisparse, refuses_what_it_cannot_hold) {
    cpu const executor(1);
    coo<double> const fine = empty_matrix(4, 4);
    EXPECT_EQ(message_of<argument_error>([&] { hisparse<double>(executor, fine, {.node_dimension = 100}); }),
              "hisparse: node_dimension is 100; it must be 64, 128 or 256");
    EXPECT_EQ(message_of<shape_error>([&] { hisparse<double>(executor, empty_matrix(-1, 4)); }),
              "hisparse: the matrix is -1 x 4; dimensions must be from 0 to 2^31");
    std::int64_t const beyond = (std::int64_t{1} << 31) + 1;
    EXPECT_THROW(hisparse<double>(executor, empty_matrix(beyond, 4)), shape_error);
    // Hyper-sparse matrices take another way in: the same check.
    EXPECT_EQ(message_of<shape_error>([&] {
                  hisparse<double>(executor, coo<double>{100, 100, {-1}, {0}, {1}});
              }),
              "hisparse: an entry has row -1; the matrix has rows 0 to 99");
    EXPECT_THROW(hisparse<double>(executor, coo<double>{100, 100, {1}, {100}, {1}}), shape_error);
    EXPECT_THROW(hisparse<double>(executor, coo<double>{2, 2, {2}, {0}, {1}}), shape_error);
}

}  // namespace
}  // namespace copse::tests
