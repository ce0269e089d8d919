// Properties of sums, on random matrices: blocks, bands, scattered and hyper-sparse entries laid over each other,
// single rows and columns, dimensions that no node fits. Where sums have to be exact, values are small whole numbers.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algebra/battery.hpp>
#include <copse/algebra/add.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/hisparse_sharing.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstring>
#include <formats/edit_tools.hpp>
#include <formats/either_type.hpp>
#include <utility>

namespace copse::tests {
namespace {

struct shape {
    std::int64_t rows;
    std::int64_t columns;
};

std::ostream& operator<<(std::ostream& out, shape const& s) {
    return out << s.rows << " x " << s.columns;
}

shape random_shape() {
    return *rc::gen::element(shape{1, 700}, shape{500, 1}, shape{130, 200}, shape{300, 290}, shape{70, 5000},
                             shape{9000, 70000});
}

/// Up to three parts, laid over each other; values count up from 1.
coo<double> random_entries(shape s) {
    coo<double> a = empty_matrix(s.rows, s.columns);
    auto const put = [&](std::int64_t row, std::int64_t column) {
        if (row < 0 || column < 0 || row >= s.rows || column >= s.columns) return;
        a.rows.push_back(static_cast<std::int32_t>(row));
        a.columns.push_back(static_cast<std::int32_t>(column));
        a.values.push_back(static_cast<double>(1 + a.values.size() % 97));
    };
    auto const random = [](std::int64_t below) { return *rc::gen::inRange<std::int64_t>(0, below); };
    int const parts = *rc::gen::element(0, 1, 1, 2, 3);
    for (int part = 0; part < parts; ++part) {
        std::int64_t const row = random(s.rows), column = random(s.columns);
        switch (*rc::gen::element(0, 1, 2, 3)) {
            case 0: {  // a leaf of d = 64, full or with holes
                std::int64_t const holes = *rc::gen::element<std::int64_t>(2, 17, 10'000);
                for (std::int64_t k = 0; k < 4096; ++k)
                    if (k % holes != 1) put(row / 64 * 64 + k / 64, column / 64 * 64 + k % 64);
                break;
            }
            case 1:  // a band
                for (std::int64_t k = 0; k < 300; ++k)
                    for (std::int64_t j = 0; j < 3; ++j) put(row + k, column + k + 5 * j);
                break;
            case 2:  // one leaf, scattered
                for (std::int64_t k = 0; k < 60; ++k) put(row + k * 37 % 60, column + k * 29 % 53);
                break;
            default:  // all over the matrix
                for (std::int64_t k = 0; k < 150; ++k) put((row + k * 7919) % s.rows, (column + k * 6007) % s.columns);
        }
    }
    return a;
}

/// In a random state; of d.
template <class T = double>
hisparse<T> random_operand(shape s, int d) {
    bool const transpose = *rc::gen::arbitrary<bool>();
    bool const share = *rc::gen::arbitrary<bool>();
    coo<double> const entries = random_entries(transpose ? shape{s.columns, s.rows} : s);
    hisparse<T> const a(host_memory(), with_small_values<T>(entries), {.node_dimension = d, .share_identical = share});
    return transpose ? a.transposed() : a;
}

int random_dimension() {
    return *rc::gen::element(64, 128, 256);
}

template <class T>
bool same(coo<T> const& a, coo<T> const& b) {
    return a.row_count == b.row_count && a.column_count == b.column_count && a.rows == b.rows &&
           a.columns == b.columns && a.values.size() == b.values.size() &&
           (a.values.empty() ||  // memcmp takes no null
            std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(T)) == 0);
}

coo<double> entries_of(hisparse<double> const& a) {
    check_tree(a);
    return to_coo(a);
}

/// Entries with their positions as numbers, ascending: a list that is quickly merged.
using entry_list = std::vector<std::pair<std::uint64_t, double>>;

template <class T>
entry_list list_of(coo<T> const& a) {
    entry_list list;
    for (std::size_t k = 0; k < a.values.size(); ++k)
        list.emplace_back(static_cast<std::uint64_t>(a.rows[k]) << 32 | static_cast<std::uint32_t>(a.columns[k]),
                          a.values[k]);
    return list;
}
/// Fails where a position occurs twice.
template <class T>
entry_list list_of(hisparse<T> const& a) {
    entry_list list = list_of(to_coo(a));
    for (std::size_t k = 1; k < list.size(); ++k) EXPECT_LT(list[k - 1].first, list[k].first);
    return list;
}
template <class T>
entry_list list_of(entry_map<T> const& a) {
    entry_list list;
    for (auto const& [place, value] : a)
        list.emplace_back(static_cast<std::uint64_t>(place.first) << 32 | static_cast<std::uint64_t>(place.second),
                          value);
    return list;
}

entry_list sum_of(double alpha, entry_list const& a, double beta, entry_list const& b) {
    entry_list sum;
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() || j != b.end()) {
        bool const from_a = j == b.end() || (i != a.end() && i->first <= j->first);
        bool const from_b = i == a.end() || (j != b.end() && j->first <= i->first);
        sum.emplace_back(from_a ? i->first : j->first, 0);
        if (from_a) sum.back().second += alpha * (i++)->second;
        if (from_b) sum.back().second += beta * (j++)->second;
    }
    return sum;
}

/// The sum with everything it promises: each position once, the right kinds of nodes, the census, the bytes.
template <class T, class Executor>
hisparse<T> checked_sum(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                        std::type_identity_t<T> beta, hisparse<T> const& b) {
    hisparse<T> const sum = add(executor, alpha, a, beta, b);
    check_tree(sum);
    RC_ASSERT(list_of(sum) == sum_of(alpha, list_of(a), beta, list_of(b)));
    RC_ASSERT(!testing::Test::HasFailure());
    return sum;
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

/// Leaves of d x d with few entries, up to 40 in each, or runs; 4096 x 4096 and up to 70 leaves at a level-1 block's
/// begin.
template <class T>
coo<T> random_leaves(int d) {
    coo<double> a = empty_matrix(9000, 5000);
    int const leaves = *rc::gen::element(1, 2, 3, 20, 70), most = *rc::gen::element(1, 4, 17, 32, 40);
    auto const turn = *rc::gen::inRange(0, 1000);
    bool const runs = *rc::gen::arbitrary<bool>();
    for (int k = 0; k < leaves; ++k) {
        int const row = (k * 7 + turn) % 19 * d, column = (k * 11 + turn / 7) % 23 * d;
        int const entries = 1 + (k * 31 + turn) % most;
        for (int i = 0; i < entries; ++i) {
            a.rows.push_back(row + i);
            a.columns.push_back(column + (runs ? i + turn % 20 : (i * 37 + turn) % 61));
            a.values.push_back(1);
        }
    }
    a = to_coo(to_csr(a));
    return with_small_values<T>(a);
}

/// Bytes of its nodes, and of those of its conversion.
template <class T>
bool is_hardly_larger_than_its_conversion(hisparse<T> const& a) {
    check_tree(a);
    hisparse<T> const anew(host_memory(), to_coo(a), {.node_dimension = a.node_dimension()});
    return !testing::Test::HasFailure() && 10 * reachable_bytes(a) <= 11 * reachable_bytes(anew);
}

template <class T, class Executor>
void check_nodes_of_sum(Executor& executor) {
    int const d = *rc::gen::element(64, 128);
    hisparse<T> const a(host_memory(), random_leaves<T>(d), {.node_dimension = d});
    hisparse<T> const b(host_memory(), random_leaves<T>(d), {.node_dimension = d});
    bool const transpose = *rc::gen::arbitrary<bool>();
    auto const square = [](hisparse<T> const& m) {  // which may be added to its transpose
        coo<T> entries = to_coo(m);
        entries.row_count = entries.column_count = 9000;
        return hisparse<T>(host_memory(), entries, {.node_dimension = m.node_dimension()});
    };
    hisparse<T> const of_a = square(a), of_b = transpose ? square(b).transposed() : square(b);
    hisparse<T> const sum = checked_sum(executor, 1, of_a, *rc::gen::element(T(1), T(2)), of_b);
    hisparse<T> const anew(host_memory(), to_coo(sum), {.node_dimension = d});
    RC_ASSERT(sum.census().visits == anew.census().visits);
    RC_ASSERT(sum.census().entries == anew.census().entries);
    RC_ASSERT(reachable_bytes(sum) == reachable_bytes(anew));
    RC_ASSERT(sum.content()->reachable_bytes == reachable_bytes(anew));
}

RC_GTEST_PROP(add_properties, sums_have_the_nodes_of_their_conversion, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        check_nodes_of_sum<T>(executor);
    });
}

RC_GTEST_PROP(add_properties, sums_have_the_nodes_of_their_conversion_in_lanes, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        emulated executor(
            {.seed = *rc::gen::arbitrary<std::uint64_t>(),
             .controller = *rc::gen::element(controller::persistent, controller::device, controller::host)});
        check_nodes_of_sum<T>(executor);
    });
}

/// Some entries erased, each one of so many; others set beside those that are left.
template <class T>
hisparse<T> randomly_edited(hisparse<T> const& a) {
    coo<T> const entries = to_coo(a);
    edits<T> changes;
    auto const one_of = *rc::gen::element<std::size_t>(1, 2, 5, 100), turn = *rc::gen::inRange<std::size_t>(0, 100);
    bool const erases = *rc::gen::arbitrary<bool>();
    for (std::size_t k = turn % one_of; k < entries.values.size(); k += one_of)
        if (erases)
            changes.erase(entries.rows[k], entries.columns[k]);
        else
            changes.set(entries.rows[k] / 64 * 64 + static_cast<int>((k + turn) % 64) % 40, entries.columns[k], T(3));
    if (*rc::gen::arbitrary<bool>()) changes.set(static_cast<std::int64_t>(turn) * 40, 2000, T(5));
    return edit(a, changes);
}

template <class T, class Executor>
void check_bytes_of_edited_and_summed(Executor& executor) {
    int const d = *rc::gen::element(64, 128);
    hisparse<T> a(host_memory(), random_leaves<T>(d), {.node_dimension = d});
    int const rounds = *rc::gen::inRange(1, 6);
    for (int round = 0; round < rounds; ++round) {
        if (*rc::gen::arbitrary<bool>())
            a = randomly_edited(a);
        else
            a = add(executor, *rc::gen::element(T(1), T(2)), a, 1,
                    hisparse<T>(host_memory(), random_leaves<T>(d), {.node_dimension = d}));
        RC_ASSERT(is_hardly_larger_than_its_conversion(a));
    }
}

RC_GTEST_PROP(add_properties, sums_and_edits_take_at_most_a_tenth_more_than_conversions, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        check_bytes_of_edited_and_summed<T>(executor);
    });
}

RC_GTEST_PROP(add_properties, sums_in_lanes_and_edits_take_at_most_a_tenth_more_than_conversions, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        emulated executor({.seed = *rc::gen::arbitrary<std::uint64_t>()});
        check_bytes_of_edited_and_summed<T>(executor);
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

/// Nodes of converted matrices have one parent each: what a sum keeps of them is counted exactly.
RC_GTEST_PROP(add_properties, the_bytes_of_a_sum_are_counted, ()) {
    in_either_type([]<class T>(std::type_identity<T>) {
        cpu executor(1);
        shape const s = random_shape();
        int const d = random_dimension();
        hisparse<T> const a(host_memory(), with_small_values<T>(random_entries(s)), {.node_dimension = d});
        hisparse<T> const b(host_memory(), with_small_values<T>(random_entries(s)), {.node_dimension = d});
        hisparse<T> sum = add(executor, 1, a, *rc::gen::element(T(1), T(2)), b);
        RC_ASSERT(sum.content()->reachable_bytes == reachable_bytes(sum));
        sum = add(executor, 1, sum, 1,
                  hisparse<T>(host_memory(), with_small_values<T>(random_entries(s)), {.node_dimension = d}));
        RC_ASSERT(sum.content()->reachable_bytes == reachable_bytes(sum));
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
    hisparse<double> const ha(executor, a, {.node_dimension = d}), hb(executor, b, {.node_dimension = d});
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
