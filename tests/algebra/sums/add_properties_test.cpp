// Properties of sums, on random matrices: blocks, bands, scattered and hyper-sparse entries laid over each other,
// single rows and columns, dimensions that no node fits. Where sums have to be exact, values are small whole numbers.
// (Of their nodes: add_nodes_properties_test.cpp.)
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algebra/sums/random_sums.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/either_type.hpp>
#include <utility>

namespace copse::tests {
namespace {

coo<double> entries_of(hisparse<double> const& a) {
    check_tree(a);
    return to_coo(a);
}

RC_GTEST_PROP(add_properties, transposing_twice_changes_nothing, ()) {
    hisparse<double> const a = random_operand(random_shape(), random_dimension());
    coo<double> const entries = to_coo(a);
    coo<double> swapped = to_coo(a.transposed());
    RC_ASSERT(same(to_coo(a.transposed().transposed()), entries));
    std::swap(swapped.rows, swapped.columns);
    std::swap(swapped.row_count, swapped.column_count);
    RC_ASSERT(same(to_coo(to_csr(swapped)), entries));
}

RC_GTEST_PROP(add_properties, the_transpose_of_a_sum_is_the_sum_of_transposes, ()) {
    cpu executor(1);
    shape const s = random_shape();
    int const d = random_dimension();
    hisparse<double> const a = random_operand(s, d), b = random_operand(s, d);
    hisparse<double> const sum = checked_sum(executor, 1, a, 1, b);
    hisparse<double> const of_transposes = add(executor, 1, a.transposed(), 1, b.transposed());
    RC_ASSERT(same(entries_of(sum.transposed()), entries_of(of_transposes)));
}

RC_GTEST_PROP(add_properties, the_order_of_operands_does_not_matter, ()) {
    cpu executor(1);
    shape const s = random_shape();
    int const d = random_dimension();
    // Values of mixed magnitude: bit for bit, rounding included. One third is in both, and cancels.
    coo<double> entries = random_entries(s);
    coo<double> others = random_entries(s);
    value_source value(*rc::gen::arbitrary<std::uint64_t>());
    for (coo<double>* m : {&entries, &others})
        for (double& v : m->values) v = value();
    entries = to_coo(hisparse<double>(host_memory(), entries));
    for (std::size_t k = 0; k < entries.values.size(); k += 3) {
        others.rows.push_back(entries.rows[k]);
        others.columns.push_back(entries.columns[k]);
        others.values.push_back(-entries.values[k]);
    }
    hisparse<double> const a(host_memory(), entries, {.node_dimension = d});
    hisparse<double> const b(host_memory(), others, {.node_dimension = d});
    double const factor = *rc::gen::element(1.0, -1.0, 0.1);
    RC_ASSERT(same(entries_of(add(executor, factor, a, factor, b)), entries_of(add(executor, factor, b, factor, a))));
    RC_ASSERT(!testing::Test::HasFailure());
}

RC_GTEST_PROP(add_properties, what_is_added_can_be_taken_away, ()) {
    cpu executor(1);
    shape const s = random_shape();
    int const d = random_dimension();
    hisparse<double> const a = random_operand(s, d), b = random_operand(s, d);
    double const factor = *rc::gen::element(1.0, 3.0);
    hisparse<double> const back = checked_sum(executor, 1, checked_sum(executor, 1, a, factor, b), -factor, b);
    RC_ASSERT(list_of(back) == sum_of(1, list_of(a), 0, list_of(b)));
    coo<double> const pruned = to_coo(add(executor, 1, back, 0, b, {.prune = true}));
    RC_ASSERT(same(pruned, to_coo(a)));  // which has no zeros
}

RC_GTEST_PROP(add_properties, edited_matrices_add_up, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        shape const s = random_shape();
        int const d = random_dimension();
        hisparse<T> const a = random_operand<T>(s, d), b = random_operand<T>(s, d);
        edits<T> changes;
        int const count = *rc::gen::inRange(1, 6);
        for (int k = 0; k < count; ++k) {
            auto const row = *rc::gen::inRange<std::int64_t>(0, s.rows);
            auto const column = *rc::gen::inRange<std::int64_t>(0, s.columns);
            if (k % 3 == 2)
                changes.erase(row, column);
            else
                changes.add(row, column, static_cast<T>(k + 1));
        }
        hisparse<T> const sum = checked_sum(executor, 2, edit(a, changes), 1, b);
        hisparse<T> const edited = edit(sum, changes);
        check_tree(edited);
        hisparse<T> const twice = checked_sum(executor, 1, edited, -1, edit(a, changes));
        entry_map<T> expected = map_of(a);
        apply_to(expected, changes);
        entry_map<T> total = map_of(b);
        for (auto const& [place, value] : expected) total[place] += 2 * value;
        apply_to(total, changes);
        RC_ASSERT(list_of(twice) == sum_of(1, list_of(total), -1, list_of(expected)));
    });
}

RC_GTEST_PROP(add_properties, shared_and_compacted_matrices_add_up, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        int const d = random_dimension();
        coo<double> entries = random_entries({d, d});
        entries.rows.push_back(d - 1);  // a mosaic needs a root
        entries.columns.push_back(0);
        entries.values.push_back(1);
        hisparse<T> const part(host_memory(), with_small_values<T>(entries), {.node_dimension = d});
        hisparse<T> const a = mosaic(part), b = random_operand<T>({2 * d, 2 * d}, d);
        hisparse<T> const sum = checked_sum(executor, 1, a, *rc::gen::element(T(1), T(2)), b);
        RC_ASSERT(sum.content()->reachable_bytes >= reachable_bytes(sum));
        hisparse<T> const compacted = compact(sum);
        RC_ASSERT(same(to_coo(compacted), to_coo(sum)));
        RC_ASSERT(compacted.bytes() == reachable_bytes(sum));
        checked_sum(executor, 1, compacted, 1, sum.transposed());
    });
}

template <class T>
bool are_equal(hisparse<T> const& a, hisparse<T> const& b) {
    check_tree(a);
    check_tree(b);
    coo<T> const x = to_coo(a), y = to_coo(b);
    return x.row_count == y.row_count && x.column_count == y.column_count && x.rows == y.rows &&
           x.columns == y.columns && x.values == y.values;
}

/// A + B = B + A and (A + B)^T = A^T + B^T.
template <class T, class Executor>
void check_identities(Executor& executor, coo<double> const& entries, coo<double> const& others, int d) {
    hisparse<T> const a(host_memory(), with_values_of<T>(entries), {.node_dimension = d});
    hisparse<T> const b(host_memory(), with_values_of<T>(others), {.node_dimension = d});
    hisparse<T> const sum = add(executor, T(1), a, T(1), b);
    RC_ASSERT(are_equal(sum, add(executor, T(1), b, T(1), a)));
    RC_ASSERT(are_equal(sum.transposed(), add(executor, T(1), a.transposed(), T(1), b.transposed())));
    RC_ASSERT(!testing::Test::HasFailure());
}

RC_GTEST_PROP(add_properties, hold_in_float, ()) {
    cpu executor(1);
    shape const s = random_shape();
    coo<double> const entries = random_entries(s), others = random_entries(s);
    check_identities<float>(executor, entries, others, random_dimension());
}

/// Tiny ones: every lane is a fiber.
RC_GTEST_PROP(add_properties, hold_lane_by_lane, ()) {
    shape const s = *rc::gen::element(shape{1, 90}, shape{80, 1}, shape{70, 66});
    auto const tiny = [&](int holes) {
        coo<double> a = empty_matrix(s.rows, s.columns);
        auto const kept = *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::arbitrary<std::uint16_t>());
        for (std::uint16_t k : kept) {
            a.rows.push_back(static_cast<std::int32_t>(k / holes % s.rows));
            a.columns.push_back(static_cast<std::int32_t>(k % s.columns));
            a.values.push_back(1 + k % 97);
        }
        return to_coo(to_csr(a));
    };
    coo<double> const entries = tiny(*rc::gen::element(1, 300)), others = tiny(*rc::gen::element(1, 300));
    hisparse<double> const a(host_memory(), entries, {.node_dimension = 64});
    hisparse<double> const b(host_memory(), others, {.node_dimension = 64});
    emulated executor({.mode = emulation::explore, .seed = *rc::gen::arbitrary<std::uint64_t>()});
    checked_sum(executor, 1, a, 1, b);
    check_identities<double>(executor, entries, others, 64);
    check_identities<float>(executor, entries, others, 64);
}

/// The largest matrices there are: few entries, at the borders, in the corners and side by side.
template <class Executor>
void check_largest(Executor& executor, int d) {
    constexpr std::int64_t n = std::int64_t{1} << 31;
    constexpr std::int32_t last = 0x7fffffff;
    coo<double> const a{n, n, {0, 0, last, last, 1, 1 << 30}, {0, last, 0, last, 2, 77}, {1, 2, 3, 4, 5, 6}};
    coo<double> const b{n, n, {0, last, last, 2, 77, last}, {0, 0, last - 1, 1, 1 << 30, last}, {7, 8, 9, 10, 11, 12}};
    hisparse<double> const ha(executor.memory(), a, {.node_dimension = d}),
        hb(executor.memory(), b, {.node_dimension = d});
    hisparse<double> const plain = add(executor, 1.0, ha, 1.0, hb),
                           mixed = add(executor, 1.0, ha, 2.0, hb.transposed());
    check_tree(plain);
    check_tree(mixed);
    coo<double> flipped = b;
    std::swap(flipped.rows, flipped.columns);
    auto const in_order = [](coo<double> const& m) { return list_of(map_of(m)); };
    EXPECT_EQ(list_of(plain), sum_of(1, in_order(a), 1, in_order(b)));
    EXPECT_EQ(list_of(mixed), sum_of(1, in_order(a), 2, in_order(flipped)));
}

TEST(add_properties, hold_for_the_largest_dimensions) {
    cpu executor(1);
    for (int d : {64, 128, 256}) check_largest(executor, d);
    emulated lanes({.mode = emulation::explore, .seed = 5});
    check_largest(lanes, 128);
}

}  // namespace
}  // namespace copse::tests
