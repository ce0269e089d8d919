// SELL-P on the CPU's executors, by slices of several shapes.
#include <algebra/flat_suite.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <limits>
#include <runtime/executors.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

struct sellp_shape {
    int slice_rows;
    int row_threads;
    std::int64_t sorting_window;
};

struct makes_sellp {
    sellp_shape shape;
    template <class T, class Executor>
    sellp<T> operator()(Executor& executor, csr<T> const& a) const {
        return {executor,
                a,
                {.slice_rows = shape.slice_rows,
                 .row_threads = shape.row_threads,
                 .sorting_window = shape.sorting_window,
                 .most_padding_bytes = std::int64_t{1} << 40}};
    }
};

std::vector<battery_case> few_rows() {
    std::vector<battery_case> cases = small_battery();
    std::erase_if(cases, [](battery_case const& c) { return c.matrix.row_count > 1000; });
    return cases;
}

class sellp_product : public testing::TestWithParam<sellp_shape> {
  protected:
    makes_sellp const make{GetParam()};
};

TEST_P(sellp_product, on_cpu_agrees_with_the_reference) {
    // The large cases with the defaults alone: seconds each.
    std::vector<battery_case> const cases = GetParam().slice_rows == 0 ? whole_battery() : few_rows();
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_flat_battery(executor, make, cases);
    }
}

TEST_P(sellp_product, explored_agrees_with_the_reference) {
    for (auto controller : {controller::persistent, controller::device, controller::host}) {
        emulated executor({.mode = emulation::explore, .seed = 1, .controller = controller});
        check_flat_battery_briefly(executor, make, few_rows());
    }
}

TEST_P(sellp_product, stressed_agrees_with_the_reference) {
    battery_case const c{"crossing",
                         matrix_where(130, 200, [](auto i, auto j) { return i == 7 || (i > 64 && j < 9) || i == j; })};
    for (auto controller : {controller::persistent, controller::device, controller::host}) {
        emulated executor({.mode = emulation::stress, .controller = controller});
        for (bool transposed : {false, true}) check_flat_product<double>(executor, make, c, {transposed, 2, 0.5});
    }
}

TEST_P(sellp_product, gives_the_same_bits_every_time) {
    battery_case const c{"long row", matrix_of_rows(300, 2000, [](auto i) {
                             return i == 100 ? every(0, 1, 2000) : every(i, 499, 2000);
                         })};
    cpu executor(3);
    check_same_bits(executor, make, c, 10);
    emulated explored({.seed = 5});
    check_same_bits(explored, make, c, 2);
}

TEST_P(sellp_product, does_not_read_x_for_padding) {
    // Rows of 1 to 9 entries; the element in front of x, where padding's column points, is NaN.
    csr<double> const a = to_csr(matrix_where(100, 40, [](auto i, auto j) { return j >= 3 && j < 4 + i * 7 % 9; }));
    std::vector<double> room(41, 2);
    room[0] = std::numeric_limits<double>::quiet_NaN();
    vector_view<double const> const x(room.data() + 1, 40, memory_space::host);
    std::vector<double> expected(100), y(100);
    reference::spmv<double>(1, a, false, std::vector<double>(40, 2), 0, expected);
    std::vector<double> const before(100);
    auto const bound = reference::spmv_error_bound<double>(1, a, false, std::vector<double>(40, 2), 0, before);
    auto const check = [&](auto& executor) {
        spmv(executor, 1, make.template operator()<double>(executor, a), x, 0, y);
        EXPECT_LE(reference::max_error<double>(y, expected, bound), 1);
    };
    cpu threads(2);
    check(threads);
    emulated lanes({.seed = 3});
    check(lanes);
}

std::string name_of(testing::TestParamInfo<sellp_shape> const& info) {
    auto const& s = info.param;
    return "b" + std::to_string(s.slice_rows) + "_t" + std::to_string(s.row_threads) + "_sigma" +
           std::to_string(s.sorting_window);
}
// Fewer rows than a vector, one vector and several; workers of 32, 64 and 128 lanes; sorted in windows of no whole slices.
INSTANTIATE_TEST_SUITE_P(shapes, sellp_product,
                         testing::Values(sellp_shape{0, 0, 1}, sellp_shape{1, 1, 1}, sellp_shape{2, 2, 1},
                                         sellp_shape{8, 1, 1}, sellp_shape{8, 4, 100}, sellp_shape{8, 8, 1},
                                         sellp_shape{32, 1, 1}, sellp_shape{64, 2, 64}, sellp_shape{128, 1, 1}),
                         name_of);

}  // namespace
}  // namespace copse::tests
