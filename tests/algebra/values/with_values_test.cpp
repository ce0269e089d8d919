// New values on a structure.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/plans/plan_suite.hpp>
#include <algebra/values/share_transposed_suite.hpp>
#include <copse/algebra/add.hpp>
#include <copse/algebra/new_matrices.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdlib>
#include <functional>
#include <limits>
#include <runtime/message_of.hpp>
#include <string>

namespace copse::tests {
namespace {

TEST(with_values, keeps_the_structure_of_the_whole_battery) {
    cpu executor(2);
    for (battery_case const& c : whole_battery()) {
        hisparse<double> const a(executor, c.matrix, {.node_dimension = 64, .values = stored_values::each});
        check_new_values(executor, a, c.name);
        check_new_values(executor, transposed(scaled(a, 4.0)), c.name + ", transposed and scaled");
        hisparse<float> const b(executor, with_values_of<float>(c.matrix), {.values = stored_values::each});
        check_new_values(executor, b, c.name + ", float");
    }
}

TEST(with_values, works_lane_by_lane) {
    emulated executor({.mode = emulation::explore, .seed = 3});
    check_new_values(executor, hisparse<double>(executor, scattered(700, 900, 3000, 4)), "scattered");
}

TEST(with_values, reaches_all_arenas_of_an_edited_matrix) {
    cpu executor(2);
    hisparse<double> const a(executor, scattered(3000, 2000, 30000, 4));
    auto const edited = edit(a, edits<double>().set(5, 5, 1).set(2999, 1999, 2));
    ASSERT_EQ(edited.content()->arenas.size(), 2u);
    check_new_values(executor, edited, "edited");
}

/// a: whose leaves stand for several parts of it. alike: values that let them.
template <class Executor>
void check_shared_nodes(Executor& executor, hisparse<double> const& a, std::vector<double> alike) {
    hisparse<double> const kept = with_values(executor, a, alike);
    EXPECT_EQ(to_csr(kept).values, alike);
    EXPECT_EQ(kept.content()->notes, a.content()->notes);
    EXPECT_EQ(reachable_bytes(kept), reachable_bytes(a));
    // One that differs from its twin, wherever it is: its leaf has a twin away from the diagonal.
    coo<double> const entries = to_coo(a);
    std::size_t k = 0;
    for (std::size_t i = 0; i < alike.size(); ++i)
        if (std::abs(entries.rows[i] - entries.columns[i]) >= std::abs(entries.rows[k] - entries.columns[k])) k = i;
    for (std::size_t i = 3; i < alike.size(); i += alike.size() / 5) {
        std::vector<double> values = alike;
        values[i] += 1;
        EXPECT_EQ(to_csr(with_values(executor, a, values)).values, values) << i;
    }
    alike[k] = -alike[k];
    hisparse<double> const apart = with_values(executor, kept, alike);
    EXPECT_EQ(to_csr(apart).values, alike);
    EXPECT_NE(apart.content()->notes, a.content()->notes);
    EXPECT_GT(reachable_bytes(apart), reachable_bytes(a));
    hisparse<double> const again = with_values(executor, apart, alike);
    EXPECT_EQ(again.content()->notes, apart.content()->notes);
    EXPECT_EQ(to_csr(again).values, alike);
}
template <class Executor>
void check_shared_nodes(Executor& executor) {
    coo<double> a = matrix_where(1024, 1024, [](auto i, auto j) { return i == j; });
    std::vector<double> alike(1024);
    for (std::size_t i = 0; i < alike.size(); ++i) {
        a.values[i] = static_cast<double>(i % 128 + 1);
        alike[i] = i % 128 == 127 ? 0.0 : static_cast<double>(i % 128);  // 0 and -0 are not alike
    }
    hisparse_options options{.share_identical = true, .values = stored_values::each};
    check_shared_nodes(executor, hisparse<double>(executor, a, options), alike);
    check_shared_nodes(executor, scaled(hisparse<double>(executor, a, options), 2.0), alike);

    // Leaves of each kind, and their transposes, or the negatives of these.
    for (double const below : {1.0, -1.0}) {
        a = symmetric(matrix_where(700, 700,
                                   [](auto i, auto j) {
                                       return j == i + 70 || (j > i + 130 && (i + j) % 7 == 2 && j < 260) ||
                                              (i < 60 && j > 600) || (i > 300 && j > i && (i * j) % 97 == 5);
                                   }),
                      below);
        options = {.node_dimension = 64, .values = stored_values::each, .share_transposed = true};
        hisparse<double> const twins(executor, a, options);
        alike.clear();
        for (std::size_t k = 0; k < a.values.size(); ++k)
            alike.push_back((10 + symmetric_value(2 * a.rows[k], 2 * a.columns[k], 1)) *
                            (a.rows[k] > a.columns[k] ? below : 1.0));
        check_shared_nodes(executor, twins, alike);
        check_shared_nodes(
            executor, scaled(transposed(twins), -2.0),
            to_csr(transposed(hisparse<double>(executor, coo<double>{700, 700, a.rows, a.columns, alike}))).values);
        coo<double> const wide = symmetric(scattered(9000, 9000, 3000, 5), below);
        check_shared_nodes(executor, transposed(hisparse<double>(executor, wide, options)),
                           to_csr(transposed(hisparse<double>(executor, wide))).values);
    }
}

TEST(with_values, keeps_shared_nodes_where_the_values_are_alike) {
    cpu executor(2);
    check_shared_nodes(executor);
    if (COPSE_THREAD_SANITIZER) return;  // one thread has nobody to race with
    emulated lanes;
    check_shared_nodes(lanes);
}

TEST(with_values, refuses_what_does_not_fit) {
    cpu executor(1);
    hisparse<double> const a(executor, matrix_where(3, 3, [](auto i, auto j) { return i == j; }));
    std::vector<double> const two(2), three(3);
    EXPECT_EQ(message_of<shape_error>([&] { with_values(executor, a, two); }),
              "with_values: A has 3 entries, but there are 2 values");
    EXPECT_THROW(with_values(executor, scaled(a, std::numeric_limits<double>::infinity()), three), argument_error);
    EXPECT_EQ(message_of<argument_error>([&] { with_values(executor, scaled(a, 0.0), three); }),
              "with_values: the matrix's scale is 0, so every entry reads as 0; give values to the matrix before it "
              "is scaled");
    vector_view<double const> const elsewhere(three.data(), 3, memory_space::device);
    EXPECT_EQ(
        message_of<argument_error>([&] { with_values<double>(executor, a, elsewhere); }),
        "with_values: the list of values is in device memory, but the executor works in host memory; make it with the "
        "same executor (copse::buffer, copse::hisparse)");
}

TEST(with_values, refuses_values_that_it_would_lose) {
    cpu executor(2);
    check_refused_value(executor);
    emulated lanes({.mode = emulation::explore, .seed = 3});
    check_refused_value(lanes);
}

TEST(with_values, leave_edits_what_they_know_of_arenas) {
    cpu executor(2);
    hisparse<double> a(executor, scattered(3000, 2000, 300000, 4));
    for (int k = 1; k <= 40; ++k) {
        a = edit(a, edits<double>().set(k, k, k));
        auto const values = to_csr(a).values;
        a = with_values(executor, a, values);
        EXPECT_EQ(a.content()->arenas.size(), 1u + static_cast<std::size_t>(k < 32 ? k : k - 31));
        EXPECT_EQ(to_csr(a).values, values);
    }
}

}  // namespace
}  // namespace copse::tests
