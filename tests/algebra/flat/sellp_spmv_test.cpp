// SELL-P on the CPU's executors, by slices of several shapes.
#include <algebra/flat/flat_suite.hpp>
#include <algorithm>
#include <copse/cpu/reference.hpp>
#include <limits>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

TEST(sellp_product, does_not_read_x_for_padding) {
    // Rows of 1 to 9 entries. The element in front of x, where padding's column points, is NaN, and so are those that
    // no entry wants.
    csr<double> const a = to_csr(matrix_where(100, 40, [](auto i, auto j) { return j >= 3 && j < 4 + i * 7 % 9; }));
    std::vector<double> room(41, 2);
    std::fill_n(room.begin(), 4, std::numeric_limits<double>::quiet_NaN());
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

/// Whole numbers, and another sum for each row: what a lane has of one row must not come to another's. Slices begin
/// anywhere that b and t let them, are empty or longer than all lanes' loads, and the last one is not full.
template <class T>
void check_sums_of_all_slices() {
    csr<T> a{133, 600, {0}, {}, {}};
    std::vector<T> wanted;
    for (int row = 0; row < 133; ++row) {
        int const length = row == 77 ? 600 : row / 4 % 5 == 2 ? 0 : row * 7 % 11;
        T sum = 0;
        for (int j = 0; j < length; ++j) {
            a.column_indices.push_back(j);
            a.values.push_back(static_cast<T>(row + 3 * j % 7));
            sum += a.values.back();
        }
        a.row_offsets.push_back(a.entry_count());
        wanted.push_back(sum);
    }
    emulated executor({.seed = 7});
    buffer<T> const x(executor, std::vector<T>(600, T(1)));
    for (int b = 1; b <= 128; b *= 2)
        for (int t : {1, 2, 16}) {
            SCOPED_TRACE("b " + std::to_string(b) + ", t " + std::to_string(t));
            buffer<T> const y(executor, std::vector<T>(133, T(-1)));
            spmv(executor, T(1), makes_sellp{{b, t}}.template operator()<T>(executor, a), x, T(0), y);
            EXPECT_EQ(y.to_host(), wanted);
        }
}

TEST(sellp_product, has_each_row_of_each_lane_in_all_shapes) {
    check_sums_of_all_slices<double>();
    check_sums_of_all_slices<float>();
}

// A has short rows, A^T one long one: the plan says whose padding is too much.
TEST(sellp_product, plan_says_that_it_is_the_transpose_that_pads) {
    csr<double> const arrow = to_csr(matrix_where(3000, 3000, [](auto i, auto j) { return j == 0 || i == j; }));
    cpu executor(1);
    sellp<double> const a(executor, arrow, {.slice_rows = 32});
    try {
        flat_plan const plan(executor, a, plan_directions::both);
        FAIL() << "was made";
    } catch (too_much_padding const& e) {
        EXPECT_NE(std::string(e.what()).find("of A^T, which a plan keeps beside A: sellp: padding"), std::string::npos)
            << e.what();
        EXPECT_GT(e.padding_bytes(), e.limit_bytes());
    }
}

}  // namespace
}  // namespace copse::tests
