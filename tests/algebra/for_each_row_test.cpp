// A value for each row, on the executors of the host; reduce_leaves_gpu_test.cu has the GPU.
#include <algebra/for_each_row_suite.hpp>
#include <copse/algebra/replay_emulated.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

TEST(for_each_row, has_each_row_once_on_a_cpu) {
    cpu one(1), three(3);
    check_rows(one);
    check_rows_of(three, mixed_matrix());  // with a split on a cpu, too
}

TEST(for_each_row, has_each_row_once_in_lanes) {
    emulated executor;
    check_rows(executor);
}

TEST(for_each_row, has_each_row_once_in_lanes_that_are_threads) {
    emulated executor({.mode = emulation::stress});
    check_rows_of(executor, matrix_with_a_split());
}

TEST(for_each_row, gives_the_same_bits_every_time) {
    cpu one(1), three(3);
    spmv_plan<double> const plan(three, hisparse<double>(three, mixed_matrix(), {.node_dimension = 64}));
    EXPECT_EQ(rounded_sums(one, plan), rounded_sums(three, plan));
}

TEST(for_each_row, gives_the_same_bits_every_time_in_lanes) {
    cpu three(3);
    emulated first({.seed = 1}), second({.seed = 2});
    spmv_plan<double> const lanes(first,
                                  hisparse<double>(host_memory(), matrix_with_a_split(), {.node_dimension = 64}));
    EXPECT_EQ(rounded_sums(first, lanes), rounded_sums(second, lanes));
    EXPECT_EQ(rounded_sums(three, lanes).size(), 200u);  // a cpu takes the lanes' plans, too
}

TEST(for_each_row, refuses_a_plan_whose_parts_are_too_large_for_lanes) {
    cpu executor(1);
    emulated lanes;
    spmv_plan<double> const plan(executor, hisparse<double>(executor, mixed_matrix()));
    std::string const expected =
        ": the plan was made by a cpu, in parts of up to 644 rows, but the executor's lanes have room for 256; make a "
        "plan with the same executor";
    EXPECT_EQ(message_of<argument_error>([&] { rounded_sums(lanes, plan); }), "for_each_row" + expected);
    std::vector<double> const x(2300, 1.0);
    std::vector<double> y(900);
    EXPECT_EQ(message_of<argument_error>([&] { spmv(lanes, 1.0, plan, x, 0.0, y); }), "spmv" + expected);
}

}  // namespace
}  // namespace copse::tests
