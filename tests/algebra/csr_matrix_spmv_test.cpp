// Compressed rows on the CPU's executors, by each kernel.
#include <algebra/flat_suite.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <runtime/executors.hpp>
#include <runtime/message_of.hpp>
#include <string>

namespace copse::tests {
namespace {

struct makes_csr {
    csr_kernel kernel;
    template <class T, class Executor>
    csr_matrix<T> operator()(Executor& executor, csr<T> const& a) const {
        return {executor, a, {.kernel = kernel}};
    }
};

class csr_matrix_product : public testing::TestWithParam<csr_kernel> {
  protected:
    makes_csr const make{GetParam()};
};

TEST_P(csr_matrix_product, on_cpu_agrees_with_the_reference) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_flat_battery(executor, make, whole_battery());
    }
}

TEST_P(csr_matrix_product, explored_agrees_with_the_reference) {
    for (auto controller : {controller::persistent, controller::device, controller::host}) {
        emulated executor({.mode = emulation::explore, .seed = 1, .controller = controller});
        std::vector<battery_case> cases = small_battery();
        std::erase_if(cases, [](battery_case const& c) { return c.matrix.row_count > 1000; });
        check_flat_battery_briefly(executor, make, cases);
    }
}

TEST_P(csr_matrix_product, stressed_agrees_with_the_reference) {
    battery_case const c{"crossing",
                         matrix_where(130, 200, [](auto i, auto j) { return i == 7 || (i > 64 && j < 9) || i == j; })};
    for (auto controller : {controller::persistent, controller::device, controller::host}) {
        emulated executor({.mode = emulation::stress, .controller = controller});
        for (bool transposed : {false, true}) check_flat_product<double>(executor, make, c, {transposed, 2, 0.5});
    }
}

TEST_P(csr_matrix_product, gives_the_same_bits_every_time) {
    // A row of 40 shares of the merge path, and many short ones.
    battery_case const c{"long row", matrix_of_rows(300, 20000, [](auto i) {
                             return i == 100 ? every(0, 1, 20000) : every(i, 4999, 20000);
                         })};
    cpu executor(3);
    check_same_bits(executor, make, c, 10);
    emulated explored({.seed = 5});
    check_same_bits(explored, make, c, 2);
}

std::string kernel_name(testing::TestParamInfo<csr_kernel> const& info) {
    return info.param == csr_kernel::row_split ? "row_split"
           : info.param == csr_kernel::vector  ? "vector"
                                               : "merge_path";
}
INSTANTIATE_TEST_SUITE_P(kernels, csr_matrix_product,
                         testing::Values(csr_kernel::row_split, csr_kernel::vector, csr_kernel::merge_path),
                         kernel_name);

TEST(csr_matrix_kernel, is_chosen_by_the_rows) {
    cpu executor(1);
    auto const chosen = [&](coo<double> const& a) { return csr_matrix<double>(executor, to_csr(a)).kernel(); };
    EXPECT_EQ(chosen(matrix_where(100, 100, [](auto i, auto j) { return i == j; })), csr_kernel::row_split);
    EXPECT_EQ(chosen(matrix_where(100, 100, [](auto i, auto j) { return (i + j) % 25 == 0; })), csr_kernel::vector);
    auto const one_long_row = [](std::int64_t length) {
        return matrix_of_rows(500, 2000, [=](auto i) { return i == 9 ? every(0, 1, length) : every(i, 500, 2000); });
    };
    EXPECT_EQ(chosen(one_long_row(1024)), csr_kernel::merge_path);
    EXPECT_EQ(chosen(one_long_row(1023)), csr_kernel::vector);
}

TEST(csr_matrix, round_trip_and_state) {
    cpu executor(2);
    check_flat_round_trip(executor, makes_csr{csr_kernel::automatic}, small_battery());
}

TEST(csr_matrix, refuses_what_does_not_fit) {
    cpu executor(1);
    csr_matrix<double> const a(executor, to_csr(empty_matrix(3, 2)));
    std::vector<double> two(2), three(3), four(4);
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, a, four, 0, three); }),
              "spmv: op(A) is 3 x 2, so x must have 2 elements; it has 4");
    EXPECT_EQ(message_of<shape_error>([&] { spmv(executor, 1, transposed(a), three, 0, four); }),
              "spmv: op(A) is 2 x 3, so y must have 2 elements; it has 4");
}

}  // namespace
}  // namespace copse::tests
