// Plans on a GPU: the same suite as for the other executors. Recording uses the executor's controller.
#include <algebra/plans/expect_same_lists.hpp>
#include <algebra/plans/plan_matrices.hpp>
#include <algebra/plans/plan_suite.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/gpu.hpp>
#include <gpu/with_controller.hpp>

namespace copse::tests {
namespace {

class plan_on_gpu : public with_controller {};

TEST_P(plan_on_gpu, agrees_with_the_reference) {
    gpu executor({.controller = GetParam()});
    check_battery<by_plan>(executor, whole_battery());
}

TEST_P(plan_on_gpu, factors_that_are_not_finite_meet_whole_sums) {
    gpu executor({.controller = GetParam()});
    check_all_factors<by_plan>(executor);
    for (battery_case const& c : whole_number_battery()) check_float_matrix_by_factors(executor, c, all_factors());
}

TEST_P(plan_on_gpu, agrees_for_leaves_that_share_a_warp) {
    gpu executor({.controller = GetParam()});
    for (battery_case const& c : {battery_case{"many sizes", leaves_of_many_sizes()},
                                  battery_case{"many sizes, wide", wide_leaves_of_many_sizes()}})
        for (bool transposed : {false, true}) {
            check_product<double, by_plan>(executor, c, {transposed, 2, 0.5, 3, 64});
            check_product<float, by_plan>(executor, c, {transposed, -1, 0, 1, 64});
        }
}

TEST_P(plan_on_gpu, gives_the_same_bits_every_time) {
    gpu executor({.controller = GetParam()});
    spmv_plan<double> const plan(executor, hisparse<double>(executor, mixed_matrix()));
    for (bool turned : {false, true}) {
        auto const op = turned ? transposed(plan) : plan;
        buffer<double> const x(executor, input_vector<double>(op.column_count(), special_values::none));
        std::vector<double> first;
        for (int repeat = 0; repeat < 50; ++repeat) {
            buffer<double> const y(executor, output_before<double>(op.row_count(), 0));
            spmv(executor, 1, op, x, 0, y);
            if (first.empty()) first = y.to_host();
            ASSERT_EQ(y.to_host(), first);
        }
    }
}

TEST_P(plan_on_gpu, has_the_lists_of_the_host) {
    gpu executor({.controller = GetParam()});
    detail::plan_shape streams = detail::replay_shape;
    streams.most_in_streamed_leaf = 32;
    for (coo<double> const& entries : {mixed_matrix(), leaves_of_many_sizes(), wide_leaves_of_many_sizes(),
                                       scattered(60000, 50000, 300000, 3), empty_matrix(700, 900)})
        for (detail::plan_shape const& shape : {detail::replay_shape, streams}) {
            hisparse<double> const a(executor, entries, {.node_dimension = 64});
            pass_arena_numbers_of(*a.content());
            auto const host =
                detail::make_plan<double>(a.content(), leaves_as_stored(a), {true, true}, shape, executor.memory());
            spmv_plan<double> const plan = detail::plan_in_shape(executor, a, shape);
            expect_same_lists(*host->directions[0].made(), detail::direction_content_of(plan), false);
            expect_same_lists(*host->directions[1].made(), detail::direction_content_of(plan.transposed()), false);
        }
}

TEST_P(plan_on_gpu, follows_edits) {
    gpu executor({.controller = GetParam()});
    coo<double> const entries = scattered(6000, 5000, 9000, 3);
    hisparse<double> a(executor, entries, {.node_dimension = 64});
    spmv_plan<double> plan(executor, a);
    for (int round = 0; round < 5; ++round) {
        a = edit(a, edits<double>().set(7 * round, 11 * round, 2).erase(entries.rows[0], entries.columns[0]));
        plan = update(plan, a);
        csr<double> const expected_entries = to_csr(a);
        auto const x = input_vector<double>(a.row_count(), special_values::none);
        std::vector<double> expected(static_cast<std::size_t>(a.column_count()));
        auto const bound = reference::spmv_error_bound<double>(1, expected_entries, true, x, 0, expected);
        reference::spmv<double>(1, expected_entries, true, x, 0, expected);
        buffer<double> const x_there(executor, x), y(executor, a.column_count());
        spmv(executor, 1, transposed(plan), x_there, 0, y);
        EXPECT_LE(reference::max_error<double>(y.to_host(), expected, bound), 1) << "round " << round;
    }
}

TEST_P(plan_on_gpu, takes_a_float_matrix_with_double_vectors) {
    gpu executor({.controller = GetParam()});
    check_float_matrix(executor, mixed_block());
    check_float_matrix(executor, leaves_of_many_sizes());
}

TEST_P(plan_on_gpu, takes_new_values_on_a_structure) {
    gpu executor({.controller = GetParam()});
    for (battery_case const& c : whole_battery()) {
        hisparse<double> const a(executor, c.matrix, {.node_dimension = 64});
        check_new_values(executor, a, c.name);
        check_new_values(executor, transposed(scaled(a, 4.0)), c.name + ", transposed and scaled");
    }
    check_new_values(executor, hisparse<float>(executor, with_values_of<float>(mixed_matrix())), "float");
    check_refused_value(executor);
}

INSTANTIATE_TEST_SUITE_P(controllers, plan_on_gpu, testing::ValuesIn(controllers_here()));

}  // namespace
}  // namespace copse::tests
