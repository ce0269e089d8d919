// Sums on a GPU, with every controller that is linked: the same suite as for the other executors.
#include <algebra/sums/sum_twins_suite.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class add_on_gpu : public with_controller {};

TEST_P(add_on_gpu, unites_the_entries) {
    gpu executor({.controller = GetParam()});
    check_sums(executor, whole_battery());
}

TEST_P(add_on_gpu, unites_all_kinds_of_nodes) {
    gpu executor({.controller = GetParam()});
    check_pairs(executor, all_pairs());
    check_pairs<float>(executor, all_pairs());
}

TEST_P(add_on_gpu, factors_that_are_not_finite_meet_entries_only) {
    gpu executor({.controller = GetParam()});
    check_factors_of_pairs<double>(executor, all_pairs());
    check_factors_of_pairs<float>(executor, pairs_of_leaves());
}

TEST_P(add_on_gpu, unites_in_every_state) {
    gpu executor({.controller = GetParam()});
    check_all_sums(executor, {"scattered", scattered(30000, 20000, 100000, 11)});
}

TEST_P(add_on_gpu, leaves_out_zeros_where_asked) {
    gpu executor({.controller = GetParam()});
    csr<double> a = to_csr(scattered(3000, 2000, 10000, 12));
    for (double& value : a.values)
        if (value == 0) value = 1;
    hisparse<double> const stored(executor, a);
    EXPECT_EQ(add(executor, 1.0, stored, -1.0, stored).entry_count(), a.entry_count());
    EXPECT_EQ(add(executor, 1.0, stored, -1.0, stored, {.prune = true}).entry_count(), 0);
    hisparse<double> const kept = add(executor, 1.0, stored, 1.0, stored, {.prune = true});
    expect_sum<double>(kept, 1, a, 1, a, "pruned");
}

TEST_P(add_on_gpu, assembles_a_matrix_with_the_nodes_of_its_conversion) {
    gpu executor({.controller = GetParam()});
    check_assembled<double>(executor, 20, 30, 64);
    check_assembled<float>(executor, 30, 40, 128);
}

TEST_P(add_on_gpu, adds_one_entry_in_the_largest_matrix) {
    gpu executor({.controller = GetParam()});
    std::int64_t const most = std::int64_t{1} << 31;
    auto const entry = [&](std::int32_t row, std::int32_t column) {
        return hisparse<double>(executor, coo<double>{most, most, {row}, {column}, {2.0}});
    };
    coo<double> const sum = to_coo(add(executor, 1.0, entry(static_cast<std::int32_t>(most - 1), 5), 2.0,
                                       transposed(entry(5, static_cast<std::int32_t>(most - 1)))));
    EXPECT_EQ(sum.rows, std::vector<std::int32_t>{static_cast<std::int32_t>(most - 1)});
    EXPECT_EQ(sum.columns, std::vector<std::int32_t>{5});
    EXPECT_EQ(sum.values, std::vector<double>{6.0});
}

TEST_P(add_on_gpu, copies_the_little_that_it_would_share) {
    gpu executor({.controller = GetParam()});
    check_gathered_sum<double>(executor);
    check_gathered_sum<float>(executor);
}

TEST_P(add_on_gpu, stores_twins_once) {
    gpu executor({.controller = GetParam()});
    check_pairs_of_twins(executor, static_cast<int>(sum_cases().size()), true);
}

INSTANTIATE_TEST_SUITE_P(controllers, add_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
