// Two wide leaves that have more entries together than a wide leaf can have.
#include <algebra/add_suite.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse::tests {
namespace {

/// 4096 x 4096, d = 64: in each block 16 entries in each of the first `rows` rows, all in one wide leaf, of sums.
hisparse<double> filled_wide_leaf(cpu& executor, int rows) {
    auto const one_row = [](int row) {
        coo<double> const entries = matrix_of_rows(
            4096, 4096, [=](auto i) { return i % 64 == row ? every(0, 4, 4096) : std::vector<std::int64_t>(); });
        return hisparse<double>(host_memory(), entries, {.node_dimension = 64});
    };
    hisparse<double> all = one_row(0);
    for (int row = 1; row < rows; ++row) all = add(executor, 1.0, all, 1.0, one_row(row));
    return all;
}

template <class Executor>
void check_limit(Executor& executor, hisparse<double> const& a) {
    constexpr std::int64_t most = child_reference::most_wide_entries;
    ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
    ASSERT_EQ(a.entry_count(), 9 * 65536);
    ASSERT_GT(2 * a.entry_count(), most);

    hisparse<double> const same = add(executor, 1.0, a, 2.0, a);
    EXPECT_EQ(same.root().reference.kind(), node_kind::wide);
    coo<double> const tripled = to_coo(scaled(a, 3.0)), found = to_coo(same);
    EXPECT_EQ(found.rows, tripled.rows);
    EXPECT_EQ(found.columns, tripled.columns);
    EXPECT_EQ(found.values, tripled.values);

    hisparse<double> const more = add(executor, 1.0, a, 2.0, transposed(a));
    EXPECT_GT(more.entry_count(), most);
    EXPECT_EQ(more.root().reference.kind(), node_kind::dense);
    EXPECT_EQ(more.census().wide_leaves(), 0);
    csr<double> const entries = to_csr(a);
    expect_sum<double>(more, 1, entries, 2, transpose(entries), "too many");
}

TEST(add_wide, keeps_a_leaf_while_the_entries_fit_and_splits_it_when_they_do_not) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_limit(executor, filled_wide_leaf(executor, 9));
    }
}

TEST(add_wide, keeps_and_splits_a_leaf_in_lanes) {
    cpu executor(1);
    emulated lanes({.mode = emulation::explore, .seed = 13});
    check_limit(lanes, filled_wide_leaf(executor, 9));
}

}  // namespace
}  // namespace copse::tests
