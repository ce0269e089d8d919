// CMRS on the CPU's executors, by strips of several heights, sorted and padded.
#include <algebra/flat_suite.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <runtime/executors.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

struct strip_form {
    int height;
    bool sorted;
    int per_row;
};

struct makes_cmrs {
    strip_form form;
    template <class T, class Executor>
    cmrs<T> operator()(Executor& executor, csr<T> const& a) const {
        return {executor,
                a,
                {.height = form.height,
                 .sorted = form.sorted,
                 .per_row = form.per_row,
                 .most_padding_bytes = std::int64_t{1} << 40}};
    }
};

std::vector<battery_case> few_rows() {
    std::vector<battery_case> cases = small_battery();
    std::erase_if(cases, [](battery_case const& c) { return c.matrix.row_count > 1000; });
    return cases;
}

class cmrs_product : public testing::TestWithParam<strip_form> {
  protected:
    makes_cmrs const make{GetParam()};
};

TEST_P(cmrs_product, on_cpu_agrees_with_the_reference) {
    // The large cases with the defaults alone: seconds each.
    std::vector<battery_case> const cases = GetParam().height == 0 ? whole_battery() : few_rows();
    for (int threads : {1, 3}) {
        cpu executor(threads);
        check_flat_battery(executor, make, cases);
    }
}

TEST_P(cmrs_product, explored_agrees_with_the_reference) {
    for (auto controller : {controller::persistent, controller::device, controller::host}) {
        emulated executor({.mode = emulation::explore, .seed = 1, .controller = controller});
        check_flat_battery_briefly(executor, make, few_rows());
    }
}

TEST_P(cmrs_product, stressed_agrees_with_the_reference) {
    battery_case const c{"crossing",
                         matrix_where(130, 200, [](auto i, auto j) { return i == 7 || (i > 64 && j < 9) || i == j; })};
    for (auto controller : {controller::persistent, controller::device, controller::host}) {
        emulated executor({.mode = emulation::stress, .controller = controller});
        for (bool transposed : {false, true}) check_flat_product<double>(executor, make, c, {transposed, 2, 0.5});
    }
}

TEST_P(cmrs_product, gives_the_same_bits_every_time) {
    battery_case const c{"long row", matrix_of_rows(300, 2000, [](auto i) {
                             return i == 100 ? every(0, 1, 2000) : every(i, 499, 2000);
                         })};
    cpu executor(3);
    check_same_bits(executor, make, c, 10);
    emulated explored({.seed = 5});
    check_same_bits(explored, make, c, 2);
}

std::string name_of(testing::TestParamInfo<strip_form> const& info) {
    auto const& f = info.param;
    return "h" + std::to_string(f.height) + (f.sorted ? "_sorted" : "") +
           (f.per_row > 0 ? "_m" + std::to_string(f.per_row) : "");
}
// The defaults; each number of lanes for a row's sums; heights that are no powers of two; chunks with 1 to 32 entries of a
// row.
INSTANTIATE_TEST_SUITE_P(forms, cmrs_product,
                         testing::Values(strip_form{0, false, 0}, strip_form{1, false, 0}, strip_form{2, true, 0},
                                         strip_form{6, true, 0}, strip_form{8, true, 0}, strip_form{12, false, 0},
                                         strip_form{16, false, 8}, strip_form{16, false, 1}, strip_form{3, false, 32},
                                         strip_form{5, false, 4}),
                         name_of);

}  // namespace
}  // namespace copse::tests
