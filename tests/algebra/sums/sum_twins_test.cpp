// Sums of matrices that store sub-trees and their transposes once: which of C's are, and what it says.
#include <algebra/sums/sum_twins_suite.hpp>
#include <cmath>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/edits/edit_tools.hpp>

namespace copse::tests {
namespace {

TEST(sum_twins, are_stored_once_on_a_cpu) {
    cpu executor(2);
    check_pairs_of_twins(executor, 3, true);
}
TEST(sum_twins, are_stored_once_in_lanes) {
    emulated executor;
    check_pairs_of_twins(executor, 1, false);
}

/// Every operation says the same of C as of a conversion of its entries.
template <class T, class Executor>
void check_operations_with_sum(Executor& executor, pattern_case const& c, matrix_symmetry kind) {
    SCOPED_TRACE(c.name);
    int const d = c.node_dimension;
    coo<double> const pattern = with_symmetry(c.pattern, kind);
    std::int64_t const n = pattern.row_count;
    auto const a = by_half<T>(executor, pattern, kind, d);
    auto const b = by_half<T>(executor, with_symmetry(scattered(n, n, 900, 11), kind), kind, d);
    hisparse<T> const c_once = add(executor, T(2), a.once, T(-3), b.once);
    coo<T> const found = to_coo(c_once);
    coo<double> entries{n, n, found.rows, found.columns, {}};
    for (T const value : found.values) entries.values.push_back(static_cast<double>(value));
    hisparse_options const options{.node_dimension = d, .values = stored_values::each};
    both_ways<T> const sum{hisparse<T>(executor.memory(), found, options), c_once};
    check_every_operation(executor, sum, b, entries, {.share_transposed = true});
    check_walks_of(executor, sum);
}
TEST(sum_twins, are_taken_by_every_operation) {
    cpu executor(2);
    for (matrix_symmetry const kind : {matrix_symmetry::symmetric, matrix_symmetry::skew})
        for (pattern_case const& c : some_of(pattern_cases())) check_operations_with_sum<double>(executor, c, kind);
}
TEST(sum_twins, are_taken_by_every_operation_in_lanes) {
    emulated executor({.step_limit = 100'000'000});  // several columns of a leaf
    for (pattern_case const& c : one_of(pattern_cases()))
        if (!takes_all_cases || c.leaves == node_kind::diagonal)
            check_operations_with_sum<float>(executor, c, matrix_symmetry::skew);
}

TEST(sum_twins, are_edited_on_one_side) {
    cpu executor(2);
    auto const a = twins_of(stencil(1000), 64), b = twins_of(symmetric(scattered(1000, 1000, 5000, 3)), 64);
    hisparse<double> const c = add(executor, 1, a.once, 2, b.once), each = add(executor, 1, a.each, 2, b.each);
    edits<double> changes;
    changes.set(3, 123, 99).set(700, 1, 5).add(124, 4, 0.5).erase(334, 1);
    hisparse<double> const edited = edit(c, changes);
    check_tree(edited);
    expect_same_bits(edited, edit(each, changes), "edited");
    expect_same_bits(c, each, "and what it was");
}

template <class Executor>
void check_gathered_twins(Executor& executor) {
    pair_case const p = pair_with_some_alone().operands;
    auto const a = twins_of(symmetric(p.a), 64), b = twins_of(symmetric(p.b), 64);
    hisparse<double> const c = add(executor, 1, a.once, 1, b.once);
    EXPECT_EQ(c.content()->arenas.size(), 1u);
    expect_twins_once(executor, c);
}
/// Beside what both have, C has sub-trees of A and of B, copied because they are few, each twin once.
TEST(sum_twins, are_copied_once) {
    cpu core(2);
    check_gathered_twins(core);
    emulated lanes;
    check_gathered_twins(lanes);
}

/// The same where a node of C's own becomes a wide leaf: then C's nodes move, and only then are there twins among them.
template <class Executor>
void check_twins_beside_a_new_wide_leaf(Executor& executor) {
    coo<double> of_a = empty_matrix(3 * 4096, 3 * 4096), of_b = of_a;
    auto const put = [](coo<double>& m, std::int32_t row, std::int32_t column) {
        m.rows.push_back(row);
        m.columns.push_back(column);
        m.values.push_back(1 + row % 7);
    };
    for (std::int32_t i = 0; i < 1600; ++i)
        for (coo<double>* both : {&of_a, &of_b}) put(*both, i / 40, i % 40);
    for (std::int32_t k = 0; k < 20; ++k) {
        std::int32_t const row = 4096 + k, column = 4096 + 64 + k * 7 % 64;
        put(of_a, row, column);
        put(of_a, column, row);
        of_a.values.back() = of_a.values.end()[-2];
    }
    put(of_a, 8192 + 5, 8192 + 200);
    put(of_b, 8192 + 500, 8192 + 200);
    auto const a = twins_of(of_a, 64), b = twins_of(of_b, 64);
    ASSERT_LT(reachable_bytes(a.once), reachable_bytes(a.each));
    hisparse<double> const c = add(executor, 1, a.once, 1, b.once);
    EXPECT_EQ(c.content()->arenas.size(), 1u);
    EXPECT_EQ(c.census().wide_leaves(), 1);
    check_tree(c);
    expect_same_bits(c, add(executor, 1, a.each, 1, b.each), "twins once");
}
TEST(sum_twins, move_with_a_new_wide_leaf) {
    cpu core(2);
    check_twins_beside_a_new_wide_leaf(core);
    emulated lanes;
    check_twins_beside_a_new_wide_leaf(lanes);
}

/// A has all, B a block on the diagonal: C has A's twins where they are.
TEST(sum_twins, are_shared_with_an_operand) {
    cpu executor(2);
    coo<double> const corner = matrix_where(64, 64, [](auto i, auto j) { return (i + j) % 3 == 0; });
    auto const a = twins_of(stencil(2000), 64);
    auto const b = twins_of(symmetric(coo<double>{2000, 2000, corner.rows, corner.columns, corner.values}), 64);
    hisparse<double> const c = add(executor, 1, a.once, 2, b.once);
    EXPECT_GT(10 * shared_bytes(a.once, c), 9 * reachable_bytes(a.once));
    expect_twins_once(executor, c);
}

/// Where A's blocks are each other's transposes, B's are the negatives of these: C's are neither.
TEST(sum_twins, are_none_where_operands_differ_in_sense) {
    cpu core(2);
    emulated lanes;
    coo<double> const pattern = matrix_where(256, 256, [](auto i, auto j) { return j > i && (i + 2 * j) % 3 == 0; });
    auto const a = twins_of(symmetric(pattern), 64), b = twins_of(skew(pattern), 64);
    ASSERT_LT(reachable_bytes(a.once), reachable_bytes(a.each));
    ASSERT_LT(reachable_bytes(b.once), reachable_bytes(b.each));
    hisparse<double> const each = add(core, 2, a.each, 3, b.each);
    for (hisparse<double> const& c : {add(core, 2, a.once, 3, b.once), add(lanes, 2, a.once, 3, b.once)}) {
        expect_same_bits(c, each, "neither");
        EXPECT_EQ(reachable_bytes(c), reachable_bytes(each));
    }
    // Only one operand has these blocks. A block without an image across the diagonal has no twin.
    hisparse<double> const above(core, pattern, {.node_dimension = 64, .values = stored_values::each});
    expect_same_bits(add(core, 2, a.once, 3, above), add(core, 2, a.each, 3, above), "one side");
}

/// Blocks that are their own transposes, or the negatives of these: references to them are not transposed.
TEST(sum_twins, are_found_where_they_are_one_node_untransposed) {
    cpu executor(2);
    for (signed_blocks const& c : signed_block_cases()) {
        SCOPED_TRACE(c.name);
        std::int64_t const n = c.block.row_count;
        for (double const sign : {1.0, -1.0}) {
            coo<double> both{2 * n, 2 * n, {}, {}, {}};
            for (std::size_t k = 0; k < c.block.rows.size(); ++k)
                for (bool const below : {false, true}) {
                    both.rows.push_back(static_cast<std::int32_t>(c.block.rows[k] + (below ? n : 0)));
                    both.columns.push_back(static_cast<std::int32_t>(c.block.columns[k] + (below ? 0 : n)));
                    both.values.push_back(below ? sign * c.block.values[k] : c.block.values[k]);
                }
            auto const a = twins_of(both, c.node_dimension);
            hisparse<double> const sum = add(executor, 2, a.once, 3, a.once);
            expect_same_bits(sum, add(executor, 2, a.each, 3, a.each), "own twins", zeros::of_any_sign);
            EXPECT_EQ(reachable_bytes(sum), reachable_bytes(a.once));
            EXPECT_LT(reachable_bytes(sum), reachable_bytes(a.each));
        }
    }
}

/// Stored values whose sum is not finite although C's entries are: it is made once more, without a scale.
TEST(sum_twins, are_found_where_stored_sums_overflow) {
    coo<double> entries = symmetric(matrix_where(256, 256, [](auto i, auto j) { return (i + j) % 9 == 0; }));
    for (double& value : entries.values) value = (value + 5) * 1e306;
    auto const check = [&](auto& executor, double largest) {
        entries.values.front() = largest;
        auto const a = twins_of(entries, 64);
        hisparse<double> const c = add(executor, 0.5, a.once, 0.5, a.once);
        expect_same_bits(c, a.each, "the mean");
        expect_twins_once(executor, c);
        EXPECT_EQ(c.scale(), largest > 1e308 ? 1 : 0.5);
    };
    cpu core(2);
    emulated lanes;
    for (double const largest : {1e306, 1.7e308}) {
        check(core, largest);
        check(lanes, largest);
    }
}

/// Entries that cancel are zeros of opposite signs, in blocks that are each other's negatives.
TEST(sum_twins, have_zeros_of_opposite_signs_in_skew_sums) {
    cpu executor(1);
    auto const a = twins_of(skew(matrix_where(128, 128, [](auto i, auto j) { return j == i + 64; })), 64);
    coo<double> const none = to_coo(add(executor, 2, a.once, -2, a.once));
    ASSERT_EQ(none.entry_count(), a.each.entry_count());
    for (std::size_t k = 0; k < none.values.size(); ++k) {
        EXPECT_EQ(none.values[k], 0);
        EXPECT_EQ(std::signbit(none.values[k]), none.rows[k] > none.columns[k]);
    }
    EXPECT_EQ(add(executor, 2, a.once, -2, a.once, {.prune = true}).entry_count(), 0);
}

}  // namespace
}  // namespace copse::tests
