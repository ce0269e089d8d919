// SELL-P on the CPU's executors, by slices of several shapes.
#include <algebra/flat_suite.hpp>
#include <copse/cpu/reference.hpp>
#include <limits>
#include <vector>

namespace copse::tests {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(sellp, flat_product, makes_sellp);

TEST(sellp_product, does_not_read_x_for_padding) {
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
        for (makes_sellp const& make : makes_sellp::other_forms()) {
            spmv(executor, 1, make(executor, a), x, 0, y);
            EXPECT_LE(reference::max_error<double>(y, expected, bound), 1) << make.name();
        }
    };
    cpu threads(2);
    check(threads);
    emulated lanes({.seed = 3});
    check(lanes);
}

}  // namespace
}  // namespace copse::tests
