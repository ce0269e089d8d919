// One call for all leaves, on the executors of the host; reduce_leaves_gpu_test.cu has the GPU.
#include <algebra/reduce_leaves_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <formats/distant_memory.hpp>
#include <memory>

namespace copse::tests {
namespace {

TEST(reduce_leaves, adds_up_entries_and_pairs_on_a_cpu) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_reductions(executor);
    }
}

TEST(reduce_leaves, adds_up_entries_and_pairs_in_lanes) {
    emulated executor;
    check_reductions(executor);
}

TEST(reduce_leaves, adds_up_entries_and_pairs_in_lanes_that_are_threads) {
    emulated executor({.mode = emulation::stress});
    check_reductions(executor, false);
}

template <class Executor>
void check_matrices_elsewhere(Executor& executor) {
    hisparse<double> const a(std::make_shared<distant_memory>(), leaves_of_all_kinds<double>(), {.node_dimension = 64});
    EXPECT_THROW(for_each_leaf(executor, a, [](auto&, tree_view<double> const&, node) {}), argument_error);
    EXPECT_THROW(
        (for_each_leaf_pair<pairs::both>(executor, a, a, [](auto&, tree_pair<double> const&, node_pair const&) {})),
        argument_error);
    EXPECT_THROW(reduce_leaves(executor, a, 0.0, take_value(), take_larger()), argument_error);
    EXPECT_THROW(reduce_leaves(executor, a, a, 0.0, multiply_values(), take_larger()), argument_error);
}

TEST(reduce_leaves, refuses_matrices_in_another_memory) {
    cpu threads(2);
    check_matrices_elsewhere(threads);
    emulated lanes;
    check_matrices_elsewhere(lanes);
}

/// Lambdas in the place of named functions.
template <class Executor>
void check_local_lambdas(Executor& executor) {
    hisparse<double> const a(executor, leaves_of_all_kinds<double>(), {.node_dimension = 64});
    coo<double> const entries = to_coo(a);
    std::int64_t places = 0;
    for (std::size_t k = 0; k < entries.rows.size(); ++k)
        places += take_place()(entries.rows[k], entries.columns[k], 0);

    buffer<std::int64_t> const sum(executor, std::vector<std::int64_t>{0});
    for_each_leaf(executor, a, [to = sum.data()](auto& w, tree_view<double> const& tree, node leaf) {
        for_each_entry(w, tree, leaf,
                       [&](std::int64_t i, std::int64_t j, double v) { w.add(to, take_place()(i, j, v)); });
    });
    EXPECT_EQ(sum.to_host().front(), places);
    for_each_leaf_pair<pairs::both>(
        executor, a, a, [to = sum.data()](auto& w, auto const& trees, node_pair const& pair) {
            for_each_pair<pairs::both>(w, trees, pair, [&](std::int64_t i, std::int64_t j, double v, double same) {
                w.add(to, v == same ? -take_place()(i, j, v) : 0);
            });
        });
    EXPECT_EQ(sum.to_host().front(), 0);
    EXPECT_EQ(reduce_leaves(
                  executor, a, std::int64_t{0}, [](std::int64_t i, std::int64_t, double) { return i; },
                  [](std::int64_t x, std::int64_t y) { return x > y ? x : y; }),
              a.row_count() - 1);
}
TEST(reduce_leaves, takes_local_lambdas) {
    cpu executor(2);
    check_local_lambdas(executor);
}

TEST(reduce_leaves, takes_local_lambdas_in_lanes) {
    emulated executor;
    check_local_lambdas(executor);
}

TEST(reduce_leaves, wants_two_matrices_of_one_shape) {
    cpu executor(1);
    hisparse<double> const a(executor, empty_matrix(3, 4)), b(executor, empty_matrix(4, 3));
    EXPECT_THROW(reduce_leaves(executor, a, b, 0.0, multiply_values(), add_numbers()), shape_error);
    EXPECT_THROW(for_each_leaf_pair<pairs::both>(executor, a, b, count_pairs()), shape_error);
}

}  // namespace
}  // namespace copse::tests
