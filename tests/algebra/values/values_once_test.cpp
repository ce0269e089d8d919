#include <algebra/instruction_sets.hpp>
#include <algebra/values/values_once_suite.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/edits/edit_tools.hpp>
#include <some_cases.hpp>

namespace copse::tests {
namespace {

auto const all_repeated = {repeated::all, repeated::along_diagonals, repeated::in_blocks, repeated::nearly_all,
                           repeated::none};

TEST(values_once, say_the_same_on_a_cpu) {
    cpu executor(2);
    int turn = 0;
    for (pattern_case const& c : some_of(pattern_cases()))
        for (repeated which : all_repeated) {
            bool const wide = turn++ % 2 == 0;
            if (takes_all_cases || wide) check_values_once<double>(executor, c, which);
            if (takes_all_cases || !wide) check_values_once<float>(executor, c, which);
        }
}

TEST(values_once, say_the_same_in_lanes) {
    emulated executor;
    repeated const kinds[] = {repeated::all, repeated::along_diagonals, repeated::nearly_all};
    std::size_t k = 0;
    for (pattern_case const& c : some_of(pattern_cases())) {  // of each kind with all of one value, and others in turn
        check_values_once<double>(executor, c, repeated::all);
        check_values_once<float>(executor, c, kinds[++k % 3]);
    }
}

hisparse<double> stored_once(coo<double> const& a) {
    return {host_memory(), a, {.node_dimension = 64, .values = stored_values::once}};
}
hisparse<double> stored_each(coo<double> const& a) {
    return {host_memory(), a, {.node_dimension = 64, .values = stored_values::each}};
}
coo<double> list_of(double value) {
    coo<double> a = matrix_where(64, 64, [](auto i, auto j) { return (7 * i + 13 * j) % 31 == 0; });
    std::fill(a.values.begin(), a.values.end(), value);
    return a;
}
coo<double> diagonal_of(double value) {
    coo<double> a = matrix_where(64, 64, [](auto i, auto j) { return i == j; });
    std::fill(a.values.begin(), a.values.end(), value);
    return a;
}

TEST(values_once, are_of_equal_bits) {
    for (auto const& of : {list_of, diagonal_of}) {
        for (double value :
             {0.0, -0.0, 1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
            EXPECT_EQ(leaves_with_values_once(stored_once(of(value))), 1) << value;
        coo<double> zeros = of(0.0);
        zeros.values[17] = -0.0;
        EXPECT_EQ(leaves_with_values_once(stored_once(zeros)), 0);
        coo<double> nans = of(std::numeric_limits<double>::quiet_NaN());
        nans.values[17] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(nans.values[17]) + 1);
        EXPECT_EQ(leaves_with_values_once(stored_once(nans)), 0);
        EXPECT_EQ(bits_of(to_coo(stored_once(nans)).values), bits_of(nans.values));
        coo<double> last = of(1.0);
        last.values.back() = 2;
        EXPECT_EQ(leaves_with_values_once(stored_once(last)), 0);
    }
}

/// A value for each streak needs equal values in a streak, not in the leaf; the others are looked at apart.
TEST(values_once, are_those_of_streaks_and_of_others) {
    auto const pattern =
        matrix_where(64, 64, [](auto i, auto j) { return i == j || i == j + 20 || (5 * i + 3 * j) % 41 == 0; });
    std::int64_t const each = reachable_bytes(stored_each(pattern));
    auto const bytes = [&](auto value_of) {
        coo<double> a = pattern;
        for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = value_of(a.rows[k], a.columns[k]);
        expect_same_bits(stored_once(a), stored_each(a), "there and back");
        return reachable_bytes(stored_once(a));
    };
    auto const is_other = [](std::int64_t i, std::int64_t j) { return i != j && i != j + 20; };
    std::int64_t const all = bytes([](auto, auto) { return 1.0; });
    EXPECT_EQ(bytes([](auto i, auto j) { return i == j ? 4.0 : -1.0; }), all);
    std::int64_t const streaks = bytes([&](auto i, auto j) { return is_other(i, j) ? 1.0 * i + j : 1.0; });
    std::int64_t const others = bytes([&](auto i, auto j) { return is_other(i, j) ? 1.0 : 1.0 * i + j; });
    EXPECT_LT(all, streaks);
    EXPECT_LT(streaks, others);
    EXPECT_LT(others, each);
    EXPECT_EQ(bytes([](auto i, auto j) { return 1.0 * i * i + j; }), each);
    // One of the two streaks alone has a value: that saves too little.
    EXPECT_EQ(bytes([](auto i, auto j) { return i == j ? 1.0 : 1.0 * i * i + j; }), each);
}

/// Without being asked where the CPU converts; a GPU's code, and with it the emulated executor, has to be asked.
TEST(values_once, are_stored_so_by_default) {
    coo<double> const a = list_of(1.5);
    cpu executor(1);
    emulated lanes;
    EXPECT_EQ(leaves_with_values_once(hisparse<double>(executor, a)), 1);
    EXPECT_EQ(leaves_with_values_once(hisparse<double>(executor, to_csr(a))), 1);
    EXPECT_EQ(leaves_with_values_once(hisparse<double>(host_memory(), a)), 1);
    EXPECT_EQ(leaves_with_values_once(hisparse<double>(executor, a, {.values = stored_values::each})), 0);
    EXPECT_EQ(leaves_with_values_once(hisparse<double>(lanes, a)), 0);
}

/// Where both operands' leaves do.
TEST(values_once, are_stored_so_in_sums_on_a_cpu) {
    cpu executor(2);
    for (pattern_case const& c : pattern_cases()) {
        SCOPED_TRACE(c.name);
        coo<double> entries = with_repeated_values(in_order(c.pattern), repeated::all, c.node_dimension);
        auto const a = stored_both_ways<double>(executor, entries, c.node_dimension);
        auto const sum = add(executor, 1.0, a.once, 2.0, a.once);
        for (double& value : entries.values) value *= 3;
        auto const expected = stored_both_ways<double>(executor, entries, c.node_dimension);
        expect_same_bits(sum, expected.once, "a sum");
        if (c.leaves == node_kind::dense || c.leaves == node_kind::wide)
            EXPECT_LE(reachable_bytes(sum), reachable_bytes(expected.each));
        else
            EXPECT_EQ(reachable_bytes(sum), reachable_bytes(expected.once));
    }
}

TEST(values_once, follow_edits) {
    for (pattern_case const& c : pattern_cases()) {
        SCOPED_TRACE(c.name);
        if (c.node_dimension != 64) continue;
        coo<double> const entries = with_repeated_values(in_order(c.pattern), repeated::all, 64);
        auto a = hisparse<double>(host_memory(), entries, {.node_dimension = 64, .values = stored_values::once});
        std::int64_t const last = entries.row_count - 1;
        auto const k = entries.values.size() / 2;
        a = checked_edit(a, edits<double>().set(entries.rows[k], entries.columns[k], 7));
        a = checked_edit(a, edits<double>().erase(entries.rows[0], entries.columns[0]).add(last, last, 3));
        a = checked_edit(transposed(a), edits<double>().set(last, 0, 1).set(0, last, 2));
        expect_same_bits(compact(a, {.values_once = true}), a, "compacted");
    }
}

TEST(values_once, are_shared_where_trees_are) {
    coo<double> const entries = with_repeated_values(
        in_order(matrix_where(1024, 1024, [](auto i, auto j) { return j == i || j == i + 1 || i == j + 5; })),
        repeated::along_diagonals, 64);
    hisparse<double> const each = stored_each(entries);
    hisparse_options options{.node_dimension = 64, .share_identical = true, .values = stored_values::each};
    hisparse<double> const shared(host_memory(), entries, options);
    options.values = stored_values::once;
    hisparse<double> const both(host_memory(), entries, options);
    expect_same_bits(both, each, "shared");
    EXPECT_LT(reachable_bytes(both), reachable_bytes(shared));
}

/// Once: with other values it has a structure that the next ones keep, whatever they are.
TEST(values_once, become_values_of_each_entry) {
    cpu executor(1);
    coo<double> const entries = with_repeated_values(
        in_order(matrix_where(512, 512, [](auto i, auto j) { return i % 64 == j % 64 && i / 128 == j / 128; })),
        repeated::all, 64);
    auto const a = stored_both_ways<double>(executor, entries, 64);
    std::vector<double> const values(entries.values.size(), 2.0);
    hisparse<double> const made = with_values(executor, a.once, values), again = with_values(executor, made, values);
    EXPECT_EQ(reachable_bytes(made), reachable_bytes(a.each));
    EXPECT_EQ(again.content()->notes, made.content()->notes);
}

TEST(values_once, keep_plans_right) {
    cpu executor(2);
    for (pattern_case const& c : pattern_cases()) {
        SCOPED_TRACE(c.name);
        coo<double> const entries = with_repeated_values(in_order(c.pattern), repeated::all, c.node_dimension);
        auto const a = stored_both_ways<double>(executor, entries, c.node_dimension);
        std::vector<double> x(static_cast<std::size_t>(entries.column_count));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
        auto const product = [&](spmv_plan<double> const& plan) {
            std::vector<double> y(static_cast<std::size_t>(entries.row_count), 0.0);
            spmv(executor, 1.0, plan, x, 0.0, y);
            return y;
        };
        spmv_plan<double> const plan(executor, a.once);
        auto const edited = edit(a.once, edits<double>().set(entries.rows[0], entries.columns[0], 9));
        EXPECT_EQ(product(update(plan, edited)), product(spmv_plan<double>(executor, edited)));
        EXPECT_EQ(product(update(plan, a.each)), product(spmv_plan<double>(executor, a.each)));
        EXPECT_EQ(bits_of(product(plan)), bits_of(product(plan)));
    }
}

/// y <- op(A) x, x of small whole numbers: with such values a product is exact in any order.
template <class T, class V>
std::vector<V> exact_product(cpu& executor, hisparse<T> const& a) {
    spmv_plan<T> const plan(executor, a);
    std::vector<V> x(static_cast<std::size_t>(a.column_count())), y(static_cast<std::size_t>(a.row_count()), V(7));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(i % 11) - V(5);
    spmv(executor, V(1), plan, x, V(0), y);
    return y;
}

/// Streaks go on in the next leaf, and in the next block of rows of a part; others stand between them; a value changes
/// along a diagonal; rows begin and end at any place in a vector.
TEST(values_once, go_through_leaves_in_a_plan) {
    cpu executor(2);
    auto const stencil = matrix_where(1100, 1100, [](auto i, auto j) {
        return (j == i && i % 300 != 299) || (j == i + 1 && i % 37 != 36) || (i == j + 1 && j % 37 != 36) ||
               j == i + 120 || i == j + 333 || (i > 900 && j < 20);
    });
    for (repeated which : {repeated::all, repeated::along_diagonals, repeated::in_blocks, repeated::nearly_all}) {
        SCOPED_TRACE(static_cast<int>(which));
        coo<double> const entries = with_repeated_values(in_order(stencil), which, 128);
        auto const a = stored_both_ways<double>(executor, entries, 128);
        auto const b = stored_both_ways<float>(executor, entries, 128);
        on_every_instruction_set([&] {
            for (auto const& [once, each] : {std::pair{a.once, a.each}, {transposed(a.once), transposed(a.each)}})
                EXPECT_EQ((exact_product<double, double>(executor, once)),
                          (exact_product<double, double>(executor, each)));
            EXPECT_EQ((exact_product<float, float>(executor, b.once)), (exact_product<float, float>(executor, b.each)));
            EXPECT_EQ((exact_product<float, double>(executor, transposed(b.once))),
                      (exact_product<float, double>(executor, transposed(b.each))));
        });
        if (which != repeated::all) continue;
        EXPECT_LT(4 * spmv_plan<double>(executor, a.once).list_bytes(), 3 * a.once.bytes());
    }
}

/// What is not finite meets stored entries alone, also where streaks begin and end: within a vector, at the ends of x
/// and away from them.
TEST(values_once, that_are_not_finite_meet_their_rows) {
    cpu executor(1);
    double const infinity = std::numeric_limits<double>::infinity();
    for (auto const& rows : {std::pair{10, 200}, {101, 299}, {198, 391}}) {
        coo<double> a = matrix_where(400, 400, [](auto i, auto j) { return j == i + 3 && i > 9 && i < 391; });
        auto const is_infinite = [&](std::int64_t i) { return i >= rows.first && i < rows.second; };
        for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = is_infinite(a.rows[k]) ? infinity : 2.0;
        hisparse<double> const once(executor, a, {.node_dimension = 128, .values = stored_values::once});
        std::vector<double> x(400, 1.0), y(400, 0.0);
        x[5] = x[12] = x[397] = std::numeric_limits<double>::quiet_NaN();
        on_every_instruction_set([&] {
            spmv(executor, 1.0, spmv_plan<double>(executor, once), x, 0.0, y);
            for (std::size_t i = 0; i < y.size(); ++i) {
                auto const row = static_cast<std::int64_t>(i);
                double const expected = row <= 9 || row >= 391 ? 0.0 : is_infinite(row) ? infinity : 2.0;
                EXPECT_EQ(y[i], expected) << i;
            }
        });
    }
}

}  // namespace
}  // namespace copse::tests
