// Plans that read a leaf once for both of its places: (row, column), and its transpose or the negative of that at
// (column, row).
#include <algebra/instruction_sets.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdlib>
#include <functional>
#include <limits>
#include <some_cases.hpp>

namespace copse::tests {
namespace {

/// y <- alpha op(A) x + beta y. Whole numbers: exact in any order.
template <class T, class V>
std::vector<V> product(cpu& executor, spmv_plan<T> const& plan, V alpha, V beta) {
    std::vector<V> x(static_cast<std::size_t>(plan.column_count())), y(static_cast<std::size_t>(plan.row_count()));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(i % 11) - V(5);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = beta == V(0) ? std::numeric_limits<V>::quiet_NaN() : static_cast<V>(i % 5);
    spmv(executor, alpha, plan, x, beta, y);
    return y;
}
template <class T>
detail::mirrored_lists const& mirrored(spmv_plan<T> const& plan) {
    return detail::direction_of(plan).mirrored;
}

template <class T>
struct plan_pair {
    spmv_plan<T> of_once;
    spmv_plan<T> of_each;
};
/// Plans of the matrix with twins, and of the one that stores all.
template <class T>
plan_pair<T> plans_of(cpu& executor, hisparse<T> const& once, hisparse<T> const& each) {
    plan_pair<T> const plans{{executor, once}, {executor, each}};
    EXPECT_FALSE(mirrored(plans.of_once).groups.empty());
    EXPECT_LE(std::ssize(mirrored(plans.of_once).groups), executor.threads() + 1);
    EXPECT_TRUE(mirrored(plans.of_each).groups.empty());
    return plans;
}

/// Groups with halos over one group's rows and over several; leaves of each kind on both sides of a group's end; rows
/// that are no multiple of d, or of a vector.
TEST(mirrored_plan, multiplies_as_any_other) {
    std::vector<std::pair<coo<double>, int>> cases;
    cases.emplace_back(stencil(3001), 64);
    cases.emplace_back(symmetric(matrix_where(2900, 2900, [](auto i, auto j) { return j > i && j < i + 200; })), 256);
    cases.emplace_back(symmetric(matrix_where(700, 700, [](auto i, auto j) { return j > i && j < i + 90; })), 64);
    cases.emplace_back(symmetric(matrix_where(900, 900, [](auto i, auto j) { return i / 80 != j / 80; })), 64);
    cases.emplace_back(saddle_point(stencil(1500), whole_numbers(scattered(700, 1500, 20000, 3))), 64);
    cases.emplace_back(symmetric(scattered(1000, 1000, 30000, 5)), 64);
    cases.emplace_back(stencil(3001, -1), 64);
    cases.emplace_back(skew(matrix_where(2900, 2900, [](auto i, auto j) { return j > i && j < i + 200; })), 256);
    cases.emplace_back(skew(matrix_where(900, 900, [](auto i, auto j) { return i / 80 != j / 80; })), 64);
    cases.emplace_back(saddle_point(stencil(1500), whole_numbers(scattered(700, 1500, 20000, 3)), -1), 64);
    cases.emplace_back(symmetric(scattered(1000, 1000, 30000, 5), -1), 64);
    bool has_halos = false;
    int turn = 0;
    for (auto const& [entries, d] : some_of(cases, 2)) {
        SCOPED_TRACE(entries.row_count);
        auto const a = twins_of(entries, d);
        auto const b = twins_of<float>(entries, d);
        std::vector<int> const numbers = takes_all_cases ? std::vector{1, 2, 5} : std::vector{turn++ % 3 == 1 ? 5 : 2};
        for (int const threads : numbers) {
            cpu executor(threads);
            auto const check = [&]<class T, class V>(plan_pair<T> const& plans, V alpha, V beta) {
                EXPECT_EQ(product(executor, plans.of_once, alpha, beta), product(executor, plans.of_each, alpha, beta));
            };
            auto const doubles = plans_of(executor, a.once, a.each);
            auto const negative = plans_of(executor, scaled(a.once, -1.0), scaled(a.each, -1.0));
            auto const floats = plans_of(executor, b.once, b.each);
            auto const turned = plans_of(executor, transposed(b.once), transposed(b.each));
            has_halos = has_halos || mirrored(doubles.of_once).groups.back().first_halo > 0;
            for (double const alpha : some_of(std::vector{1.0, -1.0, 2.0, 0.0}))
                for (double const beta : {0.0, 1.0, -2.0}) check(doubles, alpha, beta);
            on_every_instruction_set([&] {
                check(doubles, 1.0, 0.0);
                check(floats, -1.0F, 1.0F);
                check(turned, 1.0, 3.0);
            });
            check(negative, 1.0, 2.0);
        }
    }
    EXPECT_TRUE(has_halos);
}

/// Which rows are whose does not depend on who works: the same plan gives the same bits.
TEST(mirrored_plan, gives_the_same_bits_every_time) {
    cpu executor(3), other(2);
    for (double const below : {1.0, -1.0}) {
        coo<double> const entries =
            symmetric(matrix_where(3001, 3001, [](auto i, auto j) { return j > i && j < i + 90; }), below);
        spmv_plan<double> const plan(executor, twins_of(entries, 64).once);
        ASSERT_GT(mirrored(plan).groups.back().first_halo, 0);
        std::vector<double> x(3001), first(3001), y(3001);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
        spmv(executor, 1.0, plan, x, 0.0, first);
        for (int i = 0; i < 20; ++i) {
            spmv(i % 2 == 0 ? executor : other, 1.0, plan, x, 0.0, y);
            EXPECT_EQ(bits_of(y), bits_of(first));
        }
    }
}

TEST(mirrored_plan, ends_with_the_epilogue) {
    for (auto const& [threads, below] : {std::pair{1, 1.0}, {3, 1.0}, {3, -1.0}}) {
        cpu executor(threads);
        auto const a = twins_of(stencil(3001, below), 64);
        std::vector<double> x(3001), y(3001, 1.0), expected(3001, 1.0);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 7) - 3;
        auto const epilogue = [](std::int64_t i, double& yi) {
            yi += static_cast<double>(i);
            return yi * 2;
        };
        for (double const alpha : {1.0, 3.0}) {
            double const of_once = spmv(executor, alpha, spmv_plan<double>(executor, a.once), x, 1.0, y, epilogue);
            double const of_each =
                spmv(executor, alpha, spmv_plan<double>(executor, a.each), x, 1.0, expected, epilogue);
            EXPECT_EQ(y, expected);
            EXPECT_EQ(of_once, of_each);
        }
    }
}

/// What is not finite meets stored entries alone, in leaves of every kind.
TEST(mirrored_plan, keeps_what_is_not_finite_where_it_is) {
    cpu executor(2);
    double turn_of_sign = 1;
    for (auto const &keep : std::vector<std::function<bool(std::int64_t, std::int64_t)>>{
             [](auto i, auto j) { return j == i + 70 && i % 41 != 3; },
             [](auto i, auto j) { return j > i && (i + j) % 7 != 2; },
             [](auto i, auto j) { return j > i && (i * j) % 31 == 2; }}) {
        turn_of_sign = -turn_of_sign;
        auto const a = twins_of(symmetric(matrix_where(500, 500, keep), turn_of_sign), 64);
        spmv_plan<double> const plan(executor, a.once), plain(executor, a.each);
        ASSERT_FALSE(mirrored(plan).groups.empty());
        on_every_instruction_set([&] {
            for (std::size_t const bad : {0u, 63u, 64u, 100u, 250u, 499u}) {
                std::vector<double> x(500, 1.0), y(500), expected(500);
                x[bad] = std::numeric_limits<double>::infinity();
                spmv(executor, 1.0, plan, x, 0.0, y);
                spmv(executor, 1.0, plain, x, 0.0, expected);
                for (std::size_t i = 0; i < y.size(); ++i)
                    EXPECT_TRUE(y[i] == expected[i] || (std::isnan(y[i]) && std::isnan(expected[i]))) << i;
            }
        });
    }
}

void check_updates(cpu& executor, both_ways<double> const& a) {
    spmv_plan<double> const plan(executor, a.once);
    auto const check = [&](hisparse<double> const& changed) {
        spmv_plan<double> const updated = update(plan, changed);
        EXPECT_EQ(product(executor, updated, 1.0, 0.0),
                  product(executor, spmv_plan<double>(executor, changed), 1.0, 0.0));
        EXPECT_EQ(product(executor, transposed(updated), 1.0, 0.0),
                  product(executor, spmv_plan<double>(executor, transposed(changed)), 1.0, 0.0));
        return updated;
    };
    hisparse<double> const edited = edit(a.once, edits<double>().set(3, 123, 99).erase(700, 699));
    EXPECT_EQ(mirrored(check(edited)).groups.empty(), mirrored(plan).groups.empty());
    std::vector<double> values(static_cast<std::size_t>(a.once.entry_count()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 17);
    check(with_values(executor, a.once, values));
    EXPECT_TRUE(mirrored(check(a.each)).groups.empty());
    // Values that keep what is shared.
    values = to_csr(a.once).values;
    for (double& value : values) value *= 3;
    hisparse<double> const tripled = with_values(executor, a.once, values);
    EXPECT_EQ(tripled.content()->notes, a.once.content()->notes);
    EXPECT_EQ(product(executor, check(tripled), 1.0, 0.0), product(executor, plan, 3.0, 0.0));
}
TEST(mirrored_plan, follows_edits_and_new_values) {
    cpu executor(2);
    for (double const below : {1.0, -1.0}) {
        auto const a = twins_of(stencil(2000, below), 64);
        EXPECT_FALSE(mirrored(spmv_plan<double>(executor, a.once)).groups.empty());
        check_updates(executor, a);
        // Wide leaves, of which a direction has turned copies.
        auto const wide = twins_of(symmetric(scattered(9000, 9000, 3000, 5), below), 64);
        ASSERT_GT(wide.once.census().wide_leaves(), 1);
        check_updates(executor, wide);
    }
}

/// Blocks that are their own transposes are stored once, untransposed; with other values they may be so no more.
TEST(mirrored_plan, follows_new_values_of_blocks_that_were_symmetric) {
    cpu executor(2);
    coo<double> entries = matrix_where(1024, 1024, [](auto i, auto j) { return i / 64 != j / 64 && (i + j) % 5 != 0; });
    auto const give = [&](auto value) {
        for (std::size_t k = 0; k < entries.values.size(); ++k) {
            std::int64_t const i = entries.rows[k], j = entries.columns[k];
            bool const is_own =
                i / 128 == j / 128;  // the block at (j, i) is the one at (i, j); others are its transpose
            entries.values[k] = is_own || i < j ? value(i % 64, j % 64, is_own) : value(j % 64, i % 64, is_own);
        }
        return buffer<double>(executor, entries.values);
    };
    give([](auto i, auto j, bool is_own) {
        return static_cast<double>(is_own ? (i + j) % 7 + i * j % 3 : (3 * i + j) % 11);
    });
    hisparse<double> const a(executor, entries, shared_by(64));
    spmv_plan<double> const plan(executor, a);
    ASSERT_FALSE(mirrored(plan).groups.empty());
    buffer<double> const others = give([](auto i, auto j, bool) { return static_cast<double>((5 * i + 2 * j) % 13); });
    hisparse<double> const b = with_values(executor, a, others);
    ASSERT_EQ(b.content()->notes, a.content()->notes);
    EXPECT_EQ(product(executor, update(plan, b), 1.0, 0.0),
              product(executor, spmv_plan<double>(executor, hisparse<double>(executor, entries)), 1.0, 0.0));
}

/// The same block at mirrored places, seen in the same way at both: its own transpose, or not.
void check_equal_blocks(double below) {
    cpu executor(2);
    coo<double> entries =
        matrix_where(256, 256, [](auto i, auto j) { return i / 64 != j / 64 && (i % 64 + 2 * (j % 64)) % 5 == 0; });
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        std::int64_t const i = entries.rows[k] % 64, j = entries.columns[k] % 64;
        bool const is_own = entries.rows[k] / 64 + entries.columns[k] / 64 == 3;
        entries.values[k] = is_own && i == j && below < 0 ? 0.0
                            : is_own                      ? symmetric_value(i, j, below)
                                                          : static_cast<double>((3 * i + j) % 7 - 3);
    }
    entries = saddle_point(entries, whole_numbers(scattered(64, 256, 3000, 4)), below);
    hisparse<double> const each(executor, entries, {.node_dimension = 64});
    hisparse<double> const shared(executor, entries,
                                  {.node_dimension = 64, .share_identical = true, .share_transposed = true});
    expect_same_bits(shared, each, "identical and transposed");
    spmv_plan<double> const plan(executor, shared);
    EXPECT_FALSE(mirrored(plan).groups.empty());
    EXPECT_EQ(product(executor, plan, 1.0, 0.0), product(executor, spmv_plan<double>(executor, each), 1.0, 0.0));
}
TEST(mirrored_plan, knows_images_from_equal_blocks) {
    check_equal_blocks(1);
    check_equal_blocks(-1);
}

/// Blocks that are the negative of their transpose, at mirrored places with the same sign and with both.
TEST(mirrored_plan, knows_images_from_signed_blocks) {
    cpu executor(1);
    for (signed_blocks const& c : signed_block_cases()) {
        SCOPED_TRACE(c.name);
        hisparse_options options = shared_by(c.node_dimension);
        options.share_identical = true;
        std::int64_t const n = c.block.row_count;
        // With blocks that are transposed somewhere: else nothing is gained.
        coo<double> const entries = saddle_point(mosaic_of(c), whole_numbers(scattered(n, 3 * n, 20 * n, 4)), -1);
        auto const a = stored_both_ways<double>(executor, entries, options);
        spmv_plan<double> const plan(executor, a.once);
        EXPECT_EQ(mirrored(plan).groups.empty(), n > 1000);  // wide leaves are read twice
        EXPECT_EQ(product(executor, plan, 1.0, 0.0), product(executor, spmv_plan<double>(executor, a.each), 1.0, 0.0));
    }
}

/// Of a skew stencil: parts have copies of its streaks, with their signs; and leaves whose other entries are all one.
TEST(mirrored_plan, takes_values_that_are_stored_once) {
    coo<double> entries = matrix_where(900, 900, [](auto i, auto j) {
        auto const apart = i < j ? j - i : i - j;
        return apart == 1 || apart == 70 || (apart > 600 && apart < 620 && (i * j) % 7 == 0);
    });
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        int const apart = entries.columns[k] - entries.rows[k];
        entries.values[k] = (apart < 0 ? -1.0 : 1.0) * (std::abs(apart) == 1 ? 2 : std::abs(apart) == 70 ? 3 : 5);
    }
    for (int const threads : {1, 3}) {
        cpu executor(threads);
        hisparse<double> const each(executor, entries, {.node_dimension = 64, .values = stored_values::each});
        hisparse<double> const once(executor, entries, {.node_dimension = 64, .share_transposed = true});
        EXPECT_GT(leaves_with_values_once(once), 0);
        EXPECT_GT(detail::direction_of(spmv_plan<double>(executor, once)).streaks.size(), 0);
        check_walks_of(executor, both_ways<double>{each, once});
        on_every_instruction_set([&] {
            for (double const alpha : {1.0, -1.0, 3.0})
                EXPECT_EQ(product(executor, spmv_plan<double>(executor, once), alpha, 1.0),
                          product(executor, spmv_plan<double>(executor, each), alpha, 1.0));
        });
    }
}

/// A group whose images all lie far behind its rows reads twice: its halo would cost more.
TEST(mirrored_plan, has_no_halo_that_costs_more_than_it_saves) {
    cpu executor(4), alone(1);
    auto const a =
        twins_of(symmetric(matrix_where(4096, 4096, [](auto i, auto j) { return j > i + 2048 && j < i + 2060; })), 64);
    spmv_plan<double> const plan(executor, a.once), whole(alone, a.once);
    EXPECT_GT(std::ssize(mirrored(plan).groups), 2);
    EXPECT_EQ(mirrored(plan).groups.back().first_halo, 0);
    EXPECT_LT(10 * std::ssize(mirrored(whole).items), 6 * detail::direction_of(whole).item_count);
    EXPECT_GT(10 * std::ssize(mirrored(plan).items), 7 * detail::direction_of(plan).item_count);
}

}  // namespace
}  // namespace copse::tests
