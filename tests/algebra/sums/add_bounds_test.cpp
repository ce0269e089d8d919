// What a sum reserves suffices for random operands whose nodes over leaves are, and become, wide leaves and inner
// nodes; and is little more than what it can take.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/sums/sum_memory.hpp>
#include <copse/algebra/add.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <formats/either_type.hpp>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

/// Blocks of d x d side by side, row-major, with so many entries in each.
struct stretch {
    int first;
    int blocks;
    int entries;
};

template <class T>
hisparse<T> matrix_of(int d, std::vector<stretch> const& stretches) {
    coo<double> m = empty_matrix(d * d, d * d);
    for (stretch const& s : stretches)
        for (int k = s.first; k < s.first + s.blocks; ++k)
            for (int i = 0; i < s.entries; ++i) {
                int const position = (1237 * (i + s.first) + 611 * k) % (d * d);
                m.rows.push_back(k / d * d + position / d);
                m.columns.push_back(k % d * d + position % d);
                m.values.push_back(1);
            }
    return hisparse<T>(host_memory(), to_csr(with_values_of<T>(m)), {.node_dimension = d});
}

std::vector<stretch> random_stretches() {
    std::vector<stretch> all;
    int const count = *rc::gen::element(1, 1, 2, 3);
    for (int k = 0; k < count; ++k) {
        int const blocks = *rc::gen::element(1, 2, 3, 30, 250);
        all.push_back({*rc::gen::element(0, 1, 2, 100, 300), blocks,
                       *rc::gen::element(1, 2, 5, 8, 9, 15, 16, 17, blocks < 30 ? 3700 : 20)});
    }
    return all;
}

/// Of A + 2 B, shared or not, each operand stored as it is or transposed.
template <class T, class Executor>
void check_random_sum(Executor& executor) {
    int const d = *rc::gen::element(64, 128);
    hisparse<T> a = matrix_of<T>(d, random_stretches()), b = matrix_of<T>(d, random_stretches());
    if (*rc::gen::arbitrary<bool>()) b = b.transposed();
    RC_ASSERT(left_by_sum<T>(executor, *rc::gen::element(T(1), T(2)), a, b).none_missing());
}

RC_GTEST_PROP(add_bounds, suffice, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        check_random_sum<T>(executor);
    });
}

RC_GTEST_PROP(add_bounds, suffice_in_lanes, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        emulated executor({.seed = *rc::gen::arbitrary<std::uint64_t>()});
        check_random_sum<T>(executor);
    });
}

/// A wide leaf whose sum with a crowded leaf is one, with as many entries as the rule allows.
template <class T>
void check_wide_leaf_beside_crowded_one() {
    cpu core(1);
    emulated lanes;
    hisparse<T> const a = matrix_of<T>(64, {{0, 250, 1}}), b = matrix_of<T>(64, {{250, 1, 3765}});
    ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
    ASSERT_EQ(b.root().reference.kind(), node_kind::sparse);
    ASSERT_EQ(add(core, T(1), a, T(1), b).root().reference.kind(), node_kind::wide);
    EXPECT_TRUE(left_by_sum<T>(core, 1, a, b).none_missing());
    EXPECT_TRUE(left_by_sum<T>(lanes, 1, a, b).none_missing());
}

TEST(add_bounds, suffice_for_a_wide_leaf_beside_a_crowded_leaf) {
    check_wide_leaf_beside_crowded_one<double>();
    check_wide_leaf_beside_crowded_one<float>();
}

// Wide leaves alone: what a CPU reserves with two threads, and in lanes tables of 52 bytes for each entry.
TEST(add_bounds, are_little_more_than_hyper_sparse_operands) {
    coo<double> const entries = scattered(100'000, 100'000, 400'000, 4),
                      others = scattered(100'000, 100'000, 400'000, 5);
    hisparse<double> const a(host_memory(), entries, {.node_dimension = 128}),
        b(host_memory(), others, {.node_dimension = 128});
    ASSERT_EQ(a.census().wide_entries(), a.entry_count());
    std::int64_t const nodes = detail::node_bytes_bound<double>(a.census(), b.census());
    EXPECT_LE(nodes, (a.bytes() + b.bytes()) * 11 / 10);
    EXPECT_LE(2 * detail::workspace_bytes_bound<double>(a.census(), b.census(), 128), nodes / 2);
    EXPECT_LE(detail::table_bytes_bound<double>(a.census(), b.census(), 128), 53 * (a.entry_count() + b.entry_count()));
}

// A few entries beside many wide leaves: few of these can fall apart, or need a table.
TEST(add_bounds, know_of_the_smaller_operand) {
    coo<double> const entries = scattered(100'000, 100'000, 400'000, 4), others = scattered(100'000, 100'000, 3, 5);
    hisparse<double> const a(host_memory(), entries, {.node_dimension = 128}),
        b(host_memory(), others, {.node_dimension = 128});
    EXPECT_LE(detail::node_bytes_bound<double>(a.census(), b.census()), a.bytes() * 5 / 4);
    EXPECT_LE(detail::table_bytes_bound<double>(a.census(), b.census(), 128), 10 * a.entry_count());
}

// Wide leaves with many entries in each block: a table has no more blocks than there are, and the sum has two.
TEST(add_bounds, know_how_many_blocks_there_are) {
    emulated lanes;
    hisparse<double> const b = matrix_of<double>(64, {{0, 4096, 16}});
    for (stretch const& of_a : {stretch{4090, 6, 14}, stretch{4090, 2, 2}}) {
        hisparse<double> const a = matrix_of<double>(64, {of_a});
        ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
        ASSERT_EQ(b.root().reference.kind(), node_kind::wide);
        EXPECT_LE(detail::table_bytes_bound<double>(a.census(), b.census(), 64), 120 * 4096);
        EXPECT_TRUE(left_by_sum<double>(lanes, 1, a, b).none_missing());
    }
}

}  // namespace
}  // namespace copse::tests
