// A x and A^T w together, and A^T f(A x): beside two products of one plan.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/instruction_sets.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/spmv_both.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <runtime/message_of.hpp>
#include <some_cases.hpp>

namespace copse::tests {
namespace {

template <class V>
std::vector<V> whole(std::int64_t n, int seed) {
    std::vector<V> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<V>((i * 7919 + static_cast<std::size_t>(seed)) % 11) - 5;
    return x;
}

/// With whole numbers sums are exact in any order. Results are NaN before, where they are not read.
template <class V, class T, class Executor>
void check_both(Executor& executor, hisparse<T> const& a, std::string const& name) {
    SCOPED_TRACE(name);
    spmv_plan<T> const plan(executor, a);
    std::int64_t const m = a.row_count(), n = a.column_count();
    auto const x = whole<V>(n, 1), w = whole<V>(m, 2);
    for (auto const& [alpha, beta, gamma, delta] :
         {std::array<V, 4>{1, 0, 1, 0}, {2, 1, -3, 1}, {0, 1, 1, -2}, {1, -1, 0, 2}, {-1, 2, 4, 0}}) {
        auto const poisoned = [&](std::int64_t size, V factor) {
            return factor == V(0) ? std::vector<V>(static_cast<std::size_t>(size), std::numeric_limits<V>::quiet_NaN())
                                  : whole<V>(size, 3);
        };
        auto y = poisoned(m, beta), z = poisoned(n, delta), expected_y = y, expected_z = z;
        spmv(executor, alpha, plan, x, beta, expected_y);
        spmv(executor, gamma, transposed(plan), w, delta, expected_z);
        // What stands behind a vector stays, also -0, which 0 may not be added to.
        auto const with_guard = [](std::vector<V> v) {
            v.resize(v.size() + 300, V(-0.0));
            return v;
        };
        auto guarded_y = with_guard(y), guarded_z = with_guard(z);
        spmv_both(executor, plan, alpha, x, beta, std::span(guarded_y).first(y.size()), gamma, w, delta,
                  std::span(guarded_z).first(z.size()));
        EXPECT_EQ(bits_of(guarded_y), bits_of(with_guard(expected_y)));
        EXPECT_EQ(bits_of(guarded_z), bits_of(with_guard(expected_z)));
    }
}

/// Whole numbers, of which neighbours differ.
coo<double> whole_values(coo<double> a) {
    for (std::size_t k = 0; k < a.values.size(); ++k) a.values[k] = static_cast<double>(k * 5 % 13) - 6;
    return a;
}

template <class Executor>
void check_both_types(Executor& executor, coo<double> const& entries, hisparse_options const& options,
                      std::string const& name) {
    static int turn = 0;  // in which a sanitizer's build takes one of the four
    auto const takes = [which = turn++ % 4](int one) { return takes_all_cases || one == which; };
    hisparse<double> const a(executor, entries, options);
    if (takes(0)) check_both<double>(executor, a, name);
    if (takes(1)) check_both<double>(executor, scaled(transposed(a), 2.0), name + ", transposed and scaled");
    hisparse<float> const b(executor, with_values_of<float>(entries), options);
    if (takes(2)) check_both<float>(executor, b, name + ", float");
    if (takes(3)) check_both<double>(executor, b, name + ", mixed");
}

TEST(spmv_both, gives_what_two_products_give_for_the_whole_battery) {
    cpu executor(2);
    for (battery_case const& c : some_of(whole_battery()))
        check_both_types(executor, whole_values(c.matrix), {.node_dimension = 64}, c.name);
    if (COPSE_THREAD_SANITIZER) return;  // one thread has nobody to race with
    emulated lanes;
    for (battery_case const& c : small_battery())
        check_both<double>(lanes, hisparse<double>(lanes, whole_values(c.matrix), {.node_dimension = 64}), c.name);
}

/// Rows enough for several parts and threads; leaves of all kinds.
coo<double> band(std::int64_t m, std::int64_t n, bool with_others) {
    coo<double> a{m, n, {}, {}, {}};
    for (std::int64_t i = 0; i < m; ++i) {
        bool const scattered = with_others && i % 511 == 5;
        std::int64_t const middle = i * n / m,
                           first = scattered ? 0 : std::max<std::int64_t>(std::min(i, middle) - 70, 0),
                           end = scattered ? n : std::min(std::max(i, middle) + 701, n);
        for (std::int64_t j = first; j < end; ++j) {
            std::int64_t const k = j * m / n;  // about i along the diagonal
            if (j == i || j == i + 1 || j == i + 700 || (k > i - 30 && k < i + 30 && (i * j) % 5 == 3) ||
                (scattered && j % 97 == 3) || (i / 64 == j / 64 && i % 640 < 64)) {
                a.rows.push_back(static_cast<std::int32_t>(i));
                a.columns.push_back(static_cast<std::int32_t>(j));
                a.values.push_back(1);
            }
        }
    }
    return a;
}
detail::column_groups const& groups_of(spmv_plan<double> const& plan) {
    return detail::direction_of(plan).columns;
}

TEST(spmv_both, reads_a_band_once) {
    for (int threads : some_of(std::vector{3, 1, 2, 5})) {
        cpu executor(threads);
        std::vector<std::pair<std::int64_t, std::int64_t>> const shapes{{9000, 9000}, {9000, 7013}, {6001, 9000}};
        for (auto const& [m, n] : some_of(shapes)) {
            coo<double> const entries = whole_values(band(m, n, false));
            hisparse<double> const a(executor, entries, {.node_dimension = 64});
            spmv_plan<double> const plan(executor, a);
            ASSERT_FALSE(groups_of(plan).groups.empty());
            EXPECT_EQ(std::ssize(groups_of(plan).groups), threads + 1);
            std::string const name = std::to_string(m) + " x " + std::to_string(n) + " on " + std::to_string(threads);
            on_every_instruction_set([&] { check_both_types(executor, entries, {.node_dimension = 64}, name); });
        }
    }
}

/// Streaks of one value each that go through leaves, cut where a group's own columns begin and end.
TEST(spmv_both, takes_streaks_of_one_value) {
    cpu executor(3);
    coo<double> entries = whole_values(band(9000, 9000, false));
    for (std::size_t k = 0; k < entries.values.size(); ++k)
        if (entries.columns[k] - entries.rows[k] == 700 || entries.columns[k] == entries.rows[k]) entries.values[k] = 3;
    for (int d : {64, 128}) {
        spmv_plan<double> const plan(executor, hisparse<double>(executor, entries, {.node_dimension = d}));
        ASSERT_FALSE(groups_of(plan).groups.empty());
        EXPECT_GT(detail::direction_of(plan).streaks.size(), 0);
        on_every_instruction_set([&] { check_both_types(executor, entries, {.node_dimension = d}, "streaks"); });
    }
}

TEST(spmv_both, takes_what_is_stored_once_for_two_places) {
    cpu executor(2);
    for (double const below : {1.0, -1.0}) {
        coo<double> const entries = symmetric(band(9000, 9000, false), below);
        check_both_types(executor, entries, {.node_dimension = 64, .share_transposed = true}, "twins");
        check_both_types(executor, symmetric(scattered(9000, 9000, 3000, 5), below),
                         {.node_dimension = 64, .share_transposed = true}, "wide twins");
    }
}

/// Of what is scattered each thread meets all columns: two products.
TEST(spmv_both, multiplies_twice_where_that_moves_no_more) {
    cpu executor(2);
    coo<double> const entries = whole_values(scattered(9000, 9000, 40000, 4));
    spmv_plan<double> const plan(executor, hisparse<double>(executor, entries));
    EXPECT_TRUE(groups_of(plan).groups.empty());
    check_both_types(executor, entries, {}, "scattered");
    check_both_types(executor, whole_values(band(9000, 9000, true)), {.node_dimension = 64}, "a band and others");
    check_both_types(executor, whole_values(matrix_where(3, 90000, [](auto, auto) { return true; })), {}, "long rows");
}

/// What is not finite stays where it is; a factor that is not finite meets whole sums.
TEST(spmv_both, keeps_what_is_not_finite_where_it_is) {
    cpu executor(2);
    double const infinity = std::numeric_limits<double>::infinity();
    coo<double> const entries = whole_values(band(5000, 5000, false));
    spmv_plan<double> const plan(executor, hisparse<double>(executor, entries, {.node_dimension = 64}));
    ASSERT_FALSE(groups_of(plan).groups.empty());
    auto const same = [](std::vector<double> const& a, std::vector<double> const& b) {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
        return true;
    };
    for (double const gamma : {1.0, infinity})
        for (std::size_t const bad : {0u, 63u, 2500u, 4999u}) {
            auto x = whole<double>(5000, 1), w = whole<double>(5000, 2);
            x[bad] = w[4999 - bad] = infinity;
            std::vector<double> y(5000), z(5000), expected_y(5000), expected_z(5000);
            spmv(executor, 1.0, plan, x, 0.0, expected_y);
            spmv(executor, gamma, transposed(plan), w, 0.0, expected_z);
            spmv_both(executor, plan, 1.0, x, 0.0, y, gamma, w, 0.0, z);
            EXPECT_TRUE(same(y, expected_y)) << bad;
            EXPECT_TRUE(same(z, expected_z)) << bad;
        }
}

TEST(spmv_both, gives_the_same_bits_every_time) {
    cpu executor(3);
    coo<double> entries = band(9000, 9000, false);
    for (std::size_t k = 0; k < entries.values.size(); ++k) entries.values[k] = 1.0 / static_cast<double>(k % 1009 + 1);
    spmv_plan<double> const plan(executor, hisparse<double>(executor, entries, {.node_dimension = 64}));
    std::vector<double> x(9000), first_z(9000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 / static_cast<double>(i + 1);
    cpu other(2);
    for (int k = 0; k < 20; ++k) {
        std::vector<double> y(9000), z(9000);
        spmv_both(k % 2 == 0 ? executor : other, plan, 1.0, x, 0.0, y, 0.3, x, 0.0, z);
        if (k == 0) first_z = z;
        EXPECT_EQ(bits_of(z), bits_of(first_z));
    }
}

/// Each element once, when it is done; sums in one order; what an epilogue throws is passed on.
TEST(spmv_both, gives_elements_to_epilogues) {
    cpu executor(3);
    for (bool const once : {true, false}) {
        coo<double> const entries = whole_values(once ? band(9000, 7013, false) : scattered(9000, 7013, 40000, 4));
        spmv_plan<double> const plan(executor, hisparse<double>(executor, entries, {.node_dimension = 64}));
        EXPECT_EQ(groups_of(plan).groups.empty(), !once);
        auto const x = whole<double>(7013, 1), w = whole<double>(9000, 2);
        std::vector<double> y(9000), z(7013), expected_y(9000), expected_z(7013);
        spmv(executor, 1.0, plan, x, 0.0, expected_y);
        spmv(executor, 1.0, transposed(plan), w, 0.0, expected_z);
        std::vector<int> rows(9000), columns(7013);
        auto const [of_y, of_z] = spmv_both(
            executor, plan, 1.0, x, 0.0, y, 1.0, w, 0.0, z,
            [&](std::int64_t i, double& y_i) {
                ++rows[static_cast<std::size_t>(i)];
                double const before = y_i;
                y_i += 1;
                return before;
            },
            [&](std::int64_t j, double z_j) {
                ++columns[static_cast<std::size_t>(j)];
                return z_j;
            });
        double sum_y = 0, sum_z = 0;
        for (double& v : expected_y) sum_y += std::exchange(v, v + 1);
        for (double v : expected_z) sum_z += v;
        EXPECT_EQ(y, expected_y);
        EXPECT_EQ(z, expected_z);
        EXPECT_EQ(of_y, sum_y);
        EXPECT_EQ(of_z, sum_z);
        EXPECT_EQ(rows, std::vector<int>(9000, 1));
        EXPECT_EQ(columns, std::vector<int>(7013, 1));
        auto const [nothing, some] = spmv_both(
            executor, plan, 1.0, x, 0.0, y, 1.0, w, 0.0, z, [](std::int64_t, double) {},
            [](std::int64_t, double) { return 1; });
        EXPECT_TRUE((std::is_same_v<decltype(nothing), std::monostate const>));
        EXPECT_EQ(some, 7013);
        EXPECT_THROW(spmv_both(
                         executor, plan, 1.0, x, 0.0, y, 1.0, w, 0.0, z,
                         [](std::int64_t i, double) {
                             if (i == 4000) throw std::runtime_error("row 4000");
                         },
                         [](std::int64_t, double) {}),
                     std::runtime_error);
    }
}

/// T: of the matrix; vectors are double.
template <class T, class Executor>
void check_normal(Executor& executor, coo<double> const& entries) {
    hisparse<T> const a = scaled(hisparse<T>(executor, with_values_of<T>(entries), {.node_dimension = 64}), T(2));
    spmv_plan<T> const plan(executor, a);
    std::size_t const m = static_cast<std::size_t>(a.row_count()), n = static_cast<std::size_t>(a.column_count());
    auto const x = whole<double>(a.column_count(), 1), d = whole<double>(a.row_count(), 2);
    for (double const beta : {0.0, 3.0}) {
        std::vector<double> z = beta == 0.0 ? std::vector<double>(n, std::nan("")) : whole<double>(a.column_count(), 3),
                            expected = z, t(m), stored(m);
        spmv(executor, 1.0, plan, x, 0.0, t);
        double expected_sum = 0;
        for (std::size_t i = 0; i < m; ++i) {
            expected_sum += t[i];
            t[i] *= d[i];
        }
        spmv(executor, 1.0, transposed(plan), t, beta, expected);
        double const* const factors = d.data();
        double* const there = stored.data();
        double const sum = normal_product(
            executor, plan, x,
            [=](std::int64_t i, double& t_i) {
                double const before = t_i;
                t_i *= factors[i];
                there[i] = t_i;
                return before;
            },
            beta, z);
        EXPECT_EQ(z, expected);
        EXPECT_EQ(stored, t);
        EXPECT_EQ(sum, expected_sum);
        auto const nothing = normal_product(
            executor, plan, x, [=](std::int64_t i, double& t_i) { t_i *= factors[i]; }, 0.0, z);
        EXPECT_TRUE((std::is_same_v<decltype(nothing), std::monostate const>));
        std::vector<double> again(n);
        spmv(executor, 1.0, transposed(plan), t, 0.0, again);
        EXPECT_EQ(z, again);
    }
}

template <class T>
void check_normal_products() {
    cpu executor(3);
    check_normal<T>(executor, whole_values(band(9000, 7013, false)));
    check_normal<T>(executor, whole_values(scattered(900, 700, 9000, 4)));
    check_normal<T>(executor, empty_matrix(7, 0));
    check_normal<T>(executor, empty_matrix(0, 7));
    check_normal<T>(executor, empty_matrix(5, 7));
    emulated lanes;
    check_normal<T>(lanes, whole_values(scattered(300, 200, 1000, 4)));
}
TEST(normal_product, gives_what_two_products_give) {
    check_normal_products<double>();
    check_normal_products<float>();
}

/// T: of the matrix; vectors are double.
template <class T, class Executor>
void check_sums_of_both(Executor& executor) {
    coo<double> const entries = whole_values(scattered(300, 200, 1000, 4));
    spmv_plan<T> const plan(executor, hisparse<T>(executor, with_values_of<T>(entries), {.node_dimension = 64}));
    auto const x = whole<double>(200, 1), w = whole<double>(300, 2);
    std::vector<double> y(300), z(200), expected_y(300), expected_z(200);
    spmv(executor, 2.0, plan, x, 0.0, expected_y);
    spmv(executor, -3.0, transposed(plan), w, 0.0, expected_z);
    double expected = 0;
    for (std::size_t i = 0; i < y.size(); ++i) expected += static_cast<double>(i) * expected_y[i];
    for (double& z_j : expected_z) z_j += 1;
    auto const [sum, nothing] = spmv_both(
        executor, plan, 2.0, x, 0.0, y, -3.0, w, 0.0, z,
        [](std::int64_t i, double& y_i) { return static_cast<double>(i) * y_i; },
        [](std::int64_t, double& z_j) { z_j += 1; });
    EXPECT_EQ(sum, expected);
    EXPECT_TRUE((std::is_same_v<decltype(nothing), std::monostate const>));
    EXPECT_EQ(y, expected_y);
    EXPECT_EQ(z, expected_z);
}
TEST(spmv_both, calls_epilogues_on_each_executor) {
    cpu executor(2);
    emulated lanes;
    check_sums_of_both<double>(executor);
    check_sums_of_both<float>(executor);
    check_sums_of_both<double>(lanes);
    check_sums_of_both<float>(lanes);
}

TEST(spmv_both, follows_edits) {
    cpu executor(2);
    hisparse<double> const a(executor, whole_values(band(9000, 9000, false)), {.node_dimension = 64});
    spmv_plan<double> const plan(executor, a);
    auto const edited = edit(a, edits<double>().set(17, 8900, 4).set(8800, 3, 5).erase(500, 500));
    spmv_plan<double> const updated = update(plan, edited);
    auto const x = whole<double>(9000, 1);
    std::vector<double> y(9000), z(9000), expected(9000);
    spmv_both(executor, updated, 1.0, x, 0.0, y, 1.0, x, 0.0, z);
    spmv(executor, 1.0, spmv_plan<double>(executor, transposed(edited)), x, 0.0, expected);
    EXPECT_EQ(z, expected);
}

TEST(spmv_both, refuses_what_does_not_fit) {
    cpu executor(1);
    spmv_plan<double> const plan(executor,
                                 hisparse<double>(executor, matrix_where(3, 5, [](auto i, auto j) { return i == j; })));
    std::vector<double> three(3), other_three(3), five(5), other_five(5);
    auto const message = [&](auto& x, auto& y, auto& w, auto& z) {
        return message_of<error>([&] { spmv_both(executor, plan, 1.0, x, 0.0, y, 1.0, w, 0.0, z); });
    };
    EXPECT_EQ(message(three, three, other_three, five),
              "spmv_both: op(A) is 3 x 5, so x must have 5 elements; it has 3");
    EXPECT_EQ(message(five, five, other_three, other_five),
              "spmv_both: op(A) is 3 x 5, so y must have 3 elements; it has 5");
    EXPECT_EQ(message(five, three, five, other_five), "spmv_both: op(A) is 3 x 5, so w must have 3 elements; it has 5");
    EXPECT_EQ(message(five, three, other_three, three),
              "spmv_both: op(A) is 3 x 5, so z must have 5 elements; it has 3");
    EXPECT_EQ(message(five, three, other_three, five), "spmv_both: x and z overlap; give z memory of its own");
    EXPECT_EQ(message(five, three, three, other_five), "spmv_both: w and y overlap; give y memory of its own");
    vector_view<double> const elsewhere(three.data(), 3, memory_space::device);
    EXPECT_EQ(message(five, elsewhere, other_three, other_five),
              "spmv_both: y is in device memory, but the executor works in host memory; make it with the same executor "
              "(copse::buffer, copse::hisparse)");
    EXPECT_EQ(message_of<error>([&] {
                  normal_product(
                      executor, plan, five, [](std::int64_t, double) {}, 0.0, three);
              }),
              "normal_product: op(A) is 3 x 5, so z must have 5 elements; it has 3");
    spmv_plan<double> moved = plan;
    spmv_plan<double> const there = std::move(moved);
    EXPECT_THROW(spmv_both(executor, moved, 1.0, five, 0.0, three, 1.0, other_three, 0.0, other_five), argument_error);
    std::vector<double> square(3);
    spmv_plan<double> const same(executor,
                                 hisparse<double>(executor, matrix_where(3, 3, [](auto i, auto j) { return i == j; })));
    spmv_both(executor, same, 1.0, square, 0.0, three, 1.0, square, 0.0, other_three);  // x and w may be one
}

}  // namespace
}  // namespace copse::tests
