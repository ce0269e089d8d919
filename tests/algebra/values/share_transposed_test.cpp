// Sub-trees that are each other's transpose, stored once: the bytes, every operation, and plans that read a leaf once
// for both of its places.
#include <algebra/instruction_sets.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/edits/edit_tools.hpp>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

coo<double> whole_numbers(coo<double> a) {
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<double>(k % 13);
    return a;
}
/// [A B^T; B 0]
coo<double> saddle_point(coo<double> const& a, coo<double> const& b) {
    std::int64_t const n = a.row_count;
    coo<double> all{n + b.row_count, n + b.row_count, a.rows, a.columns, a.values};
    for (std::size_t k = 0; k < b.rows.size(); ++k)
        for (bool const below : {true, false}) {
            auto const i = static_cast<std::int32_t>(b.rows[k] + n), j = b.columns[k];
            all.rows.push_back(below ? i : j);
            all.columns.push_back(below ? j : i);
            all.values.push_back(b.values[k]);
        }
    return in_order(all);
}
template <class T = double>
both_ways<T> stored(coo<double> const& entries, int d) {
    cpu executor(2);
    return stored_both_ways<T>(executor, entries, shared_by(d));
}

coo<double> stencil(std::int64_t n) {
    return symmetric(matrix_where(n, n, [](auto i, auto j) {
        return i == j || (j == i + 1 && i % 37 != 36) || (j == i + 120 && i % 300 < 290) || j == i + 333 ||
               (i < 400 && j > i && (i * j) % 97 == 5);
    }));
}

TEST(share_transposed, stores_half_of_a_symmetric_matrix) {
    for (pattern_case const& c : pattern_cases()) {
        SCOPED_TRACE(c.name);
        auto const a = stored(symmetric(c.pattern), c.node_dimension);
        expect_same_bits(a.once, a.each, "symmetric");
        EXPECT_LE(reachable_bytes(a.once), reachable_bytes(a.each));
        EXPECT_EQ(a.once.content()->reachable_bytes, reachable_bytes(a.once));
        EXPECT_EQ(a.once.census().visits, a.each.census().visits);
    }
    auto const a = stored(stencil(4000), 64);
    EXPECT_LT(100 * reachable_bytes(a.once), 65 * reachable_bytes(a.each));
}

TEST(share_transposed, stores_a_block_of_a_saddle_point_matrix_once) {
    coo<double> const a = stencil(700);
    auto const whole = stored(saddle_point(a, whole_numbers(scattered(300, 700, 9000, 7))), 64);
    expect_same_bits(whole.once, whole.each, "a saddle point");
    // Rows of B begin within a block: of B and of B^T blocks are images all the same.
    EXPECT_LT(100 * reachable_bytes(whole.once), 65 * reachable_bytes(whole.each));
}

TEST(share_transposed, stores_blocks_that_are_their_own_transpose_once) {
    auto const a = stored(symmetric(matrix_where(1024, 1024, [](auto i, auto j) { return j == i + 256; })), 64);
    expect_same_bits(a.once, a.each, "diagonals");
    EXPECT_LT(100 * reachable_bytes(a.once), 60 * reachable_bytes(a.each));
}

/// One bit, in a list, a streak, a dense and a wide leaf: these leaves are not shared, the others are.
TEST(share_transposed, tells_apart_what_differs_in_a_bit) {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    double const other_nan = std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) + 1);
    for (pattern_case const& c : pattern_cases()) {
        SCOPED_TRACE(c.name);
        coo<double> entries = symmetric(c.pattern);
        std::size_t const last = entries.values.size() - 1;
        std::size_t k = 0;  // off the diagonal
        while (k < last && entries.rows[k] / c.node_dimension == entries.columns[k] / c.node_dimension) ++k;
        std::size_t image = 0;
        while (entries.rows[image] != entries.columns[k] || entries.columns[image] != entries.rows[k]) ++image;
        for (auto const& [one, other] : {std::pair{2.0, 3.0}, {0.0, -0.0}, {nan, other_nan}}) {
            entries.values[k] = entries.values[image] = one;
            std::int64_t const shared = reachable_bytes(stored(entries, c.node_dimension).once);
            if (k == image) continue;
            entries.values[image] = other;
            auto const a = stored(entries, c.node_dimension);
            EXPECT_GE(reachable_bytes(a.once), shared);
            expect_same_bits(a.once, a.each, "one bit");
        }
    }
    coo<double> list = symmetric(matrix_where(128, 128, [](auto i, auto j) { return j == i + 70 && i % 2 == 0; }));
    auto const bytes = [&] { return reachable_bytes(stored(list, 64).once); };
    list.values[3] = 0.0;
    std::int64_t const apart = bytes();
    std::size_t const half = list.values.size() / 2;
    for (std::size_t k = 0; k < half; ++k) list.values[k] = list.values[half + k] = 1;
    EXPECT_LT(bytes(), apart);
    std::int64_t const shared = bytes();
    list.values[half] = std::nextafter(1.0, 2.0);
    EXPECT_GT(bytes(), shared);
}

TEST(share_transposed, says_the_same_on_a_cpu) {
    cpu executor(2);
    for (pattern_case const& c : pattern_cases()) {
        check_share_transposed<double>(executor, c, 1);
        check_share_transposed<float>(executor, c, 1);
        check_share_transposed<double>(executor, c, -1);
    }
}

TEST(share_transposed, says_the_same_in_lanes) {
    emulated executor;
    bool narrow = false;
    for (pattern_case const& c : pattern_cases()) {
        if (narrow)
            check_share_transposed<float>(executor, c, 1);
        else
            check_share_transposed<double>(executor, c, 1);
        narrow = !narrow;
    }
}

TEST(share_transposed, ends_where_an_edit_changes_one_side) {
    coo<double> const entries = stencil(1000);
    auto const a = stored(entries, 64);
    edits<double> changes;
    changes.set(3, 123, 99).set(700, 1, 5).erase(334, 1);
    hisparse<double> const edited = edit(a.once, changes);
    expect_same_bits(edited, edit(a.each, changes), "edited");
    expect_same_bits(a.once, a.each, "and what it was");
    EXPECT_LT(shared_bytes(a.once, edited), reachable_bytes(edited));
}

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
    bool has_halos = false;
    for (auto const& [entries, d] : cases) {
        SCOPED_TRACE(entries.row_count);
        auto const a = stored(entries, d);
        auto const b = stored<float>(entries, d);
        for (int const threads : {1, 2, 5}) {
            cpu executor(threads);
            auto const check = [&]<class T, class V>(hisparse<T> const& once, hisparse<T> const& each, V alpha,
                                                     V beta) {
                spmv_plan<T> const plan(executor, once);
                EXPECT_FALSE(mirrored(plan).groups.empty());
                EXPECT_LE(std::ssize(mirrored(plan).groups), threads + 1);
                EXPECT_TRUE(mirrored(spmv_plan<T>(executor, each)).groups.empty());
                EXPECT_EQ(product(executor, plan, alpha, beta),
                          product(executor, spmv_plan<T>(executor, each), alpha, beta));
            };
            has_halos = has_halos || mirrored(spmv_plan<double>(executor, a.once)).groups.back().first_halo > 0;
            for (double const alpha : {1.0, -1.0, 2.0, 0.0})
                for (double const beta : {0.0, 1.0, -2.0})
                    check.operator()<double, double>(a.once, a.each, alpha, beta);
            on_every_instruction_set([&] {
                check.operator()<double, double>(a.once, a.each, 1, 0);
                check.operator()<float, float>(b.once, b.each, -1, 1);
                check.operator()<float, double>(transposed(b.once), transposed(b.each), 1, 3);
            });
            check.operator()<double, double>(scaled(a.once, -1.0), scaled(a.each, -1.0), 1, 2);
        }
    }
    EXPECT_TRUE(has_halos);
}

/// Which rows are whose does not depend on who works: the same plan gives the same bits.
TEST(mirrored_plan, gives_the_same_bits_every_time) {
    cpu executor(3), other(2);
    coo<double> const entries = symmetric(matrix_where(3001, 3001, [](auto i, auto j) { return j > i && j < i + 90; }));
    spmv_plan<double> const plan(executor, stored(entries, 64).once);
    ASSERT_GT(mirrored(plan).groups.back().first_halo, 0);
    std::vector<double> x(3001), first(3001), y(3001);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
    spmv(executor, 1.0, plan, x, 0.0, first);
    for (int i = 0; i < 20; ++i) {
        spmv(i % 2 == 0 ? executor : other, 1.0, plan, x, 0.0, y);
        EXPECT_EQ(bits_of(y), bits_of(first));
    }
}

TEST(mirrored_plan, ends_with_the_epilogue) {
    for (int const threads : {1, 3}) {
        cpu executor(threads);
        auto const a = stored(stencil(3001), 64);
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
    for (auto const &keep : std::vector<std::function<bool(std::int64_t, std::int64_t)>>{
             [](auto i, auto j) { return j == i + 70 && i % 41 != 3; },
             [](auto i, auto j) { return j > i && (i + j) % 7 != 2; },
             [](auto i, auto j) { return j > i && (i * j) % 31 == 2; }}) {
        auto const a = stored(symmetric(matrix_where(500, 500, keep)), 64);
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

TEST(mirrored_plan, follows_edits_and_new_values) {
    cpu executor(2);
    auto const a = stored(stencil(2000), 64);
    spmv_plan<double> const plan(executor, a.once);
    auto const check = [&](hisparse<double> const& changed) {
        spmv_plan<double> const updated = update(plan, changed);
        EXPECT_EQ(product(executor, updated, 1.0, 0.0),
                  product(executor, spmv_plan<double>(executor, changed), 1.0, 0.0));
        EXPECT_EQ(product(executor, transposed(updated), 1.0, 0.0),
                  product(executor, spmv_plan<double>(executor, transposed(changed)), 1.0, 0.0));
    };
    hisparse<double> const edited = edit(a.once, edits<double>().set(3, 123, 99).erase(700, 699));
    check(edited);
    EXPECT_FALSE(mirrored(update(plan, edited)).groups.empty());
    std::vector<double> values(static_cast<std::size_t>(a.once.entry_count()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 17);
    check(with_values(executor, a.once, values));
    check(a.each);
    EXPECT_TRUE(mirrored(update(plan, a.each)).groups.empty());
}

/// The same block at mirrored places is no mirror image, unless it is its own transpose: both are stored once here.
TEST(mirrored_plan, knows_images_from_equal_blocks) {
    cpu executor(2);
    coo<double> entries =
        matrix_where(256, 256, [](auto i, auto j) { return i / 64 != j / 64 && (i % 64 + 2 * (j % 64)) % 5 == 0; });
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        std::int64_t const i = entries.rows[k] % 64, j = entries.columns[k] % 64;
        bool const is_own = entries.rows[k] / 64 + entries.columns[k] / 64 == 3;
        entries.values[k] = is_own ? symmetric_value(i, j, 1) : static_cast<double>((3 * i + j) % 7 - 3);
    }
    entries = saddle_point(entries, whole_numbers(scattered(64, 256, 3000, 4)));
    hisparse<double> const each(executor, entries, {.node_dimension = 64});
    hisparse<double> const shared(executor, entries,
                                  {.node_dimension = 64, .share_identical = true, .share_transposed = true});
    expect_same_bits(shared, each, "identical and transposed");
    spmv_plan<double> const plan(executor, shared);
    EXPECT_FALSE(mirrored(plan).groups.empty());
    EXPECT_EQ(product(executor, plan, 1.0, 0.0), product(executor, spmv_plan<double>(executor, each), 1.0, 0.0));
}

/// A group whose images all lie far behind its rows reads twice: its halo would cost more.
TEST(mirrored_plan, has_no_halo_that_costs_more_than_it_saves) {
    cpu executor(4), alone(1);
    auto const a =
        stored(symmetric(matrix_where(4096, 4096, [](auto i, auto j) { return j > i + 2048 && j < i + 2060; })), 64);
    spmv_plan<double> const plan(executor, a.once), whole(alone, a.once);
    EXPECT_GT(std::ssize(mirrored(plan).groups), 2);
    EXPECT_EQ(mirrored(plan).groups.back().first_halo, 0);
    EXPECT_LT(10 * std::ssize(mirrored(whole).items), 6 * detail::direction_of(whole).item_count);
    EXPECT_GT(10 * std::ssize(mirrored(plan).items), 7 * detail::direction_of(plan).item_count);
}

}  // namespace
}  // namespace copse::tests
