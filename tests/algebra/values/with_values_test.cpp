// New values on a structure.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/plans/plan_suite.hpp>
#include <copse/algebra/add.hpp>
#include <copse/algebra/with_values.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <functional>
#include <limits>
#include <runtime/message_of.hpp>
#include <string>

namespace copse::tests {
namespace {

TEST(with_values, keeps_the_structure_of_the_whole_battery) {
    cpu executor(2);
    for (battery_case const& c : whole_battery()) {
        hisparse<double> const a(executor, c.matrix, {.node_dimension = 64});
        check_new_values(executor, a, c.name);
        check_new_values(executor, transposed(scaled(a, 4.0)), c.name + ", transposed and scaled");
        check_new_values(executor, hisparse<float>(executor, with_values_of<float>(c.matrix)), c.name + ", float");
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

TEST(with_values, gives_shared_nodes_values_of_their_own) {
    cpu executor(1);
    coo<double> const a = matrix_where(1024, 1024, [](auto i, auto j) { return i == j; });
    coo<double> ones = a;
    for (double& value : ones.values) value = 1;
    hisparse<double> const shared(executor, ones, {.share_identical = true});
    auto const values = other_values<double>(1024);
    EXPECT_EQ(to_csr(with_values(executor, shared, values)).values, values);
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
