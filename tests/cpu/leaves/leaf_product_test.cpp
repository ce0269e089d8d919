// cpu/leaves/leaf_products-inl.hpp, through products with and without a plan, on every instruction set that the machine
// has.
#include <algebra/instruction_sets.hpp>
#include <algebra/products/spmv_suite.hpp>
#include <algorithm>
#include <cmath>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/cpu.hpp>
#include <limits>
#include <vector>

namespace copse::tests {
namespace {

/// Each kind of leaf, full and with holes, at borders.
std::vector<battery_case> leaves_of_all_kinds() {
    std::vector<battery_case> cases;
    for (battery_case& c : whole_battery())
        if (c.name.starts_with("dense") || c.name.starts_with("wide leaf") || c.name.starts_with("runs of all") ||
            c.name == "leaf of 700" || c.name == "scattered")
            cases.push_back(std::move(c));
    return cases;
}

/// A product that a case expects, of one traversal or a plan.
template <class T, class Multiply>
struct wanted_product {
    hisparse<T> matrix;
    expected_product<T> expected;
    std::string name;

    wanted_product(cpu& executor, battery_case const& c, product_case const& p,
                   special_values special = special_values::none)
        : wanted_product(executor, to_csr(with_values_of<T>(c.matrix)), p, special, c.name) {}
    void check(cpu& executor) const { check_product_of<Multiply>(executor, matrix, expected, name); }

  private:
    wanted_product(cpu& executor, csr<T> const& a, product_case const& p, special_values special,
                   std::string const& its_name)
        : matrix(executor, a, {.node_dimension = p.node_dimension}), expected(a, p, special), name(its_name) {}
};

TEST(leaf_product, agrees_with_the_reference_on_every_instruction_set) {
    cpu executor(1);
    for (battery_case const& c : leaves_of_all_kinds())
        for (bool turned : {false, true}) {
            wanted_product<double, by_plan> const planned(executor, c, {turned, 1, 0});
            wanted_product<float, by_plan> const planned_floats(executor, c, {turned, 2, 0.5, 3, 64});
            wanted_product<double, one_shot> const special(executor, c, {turned, 1, 0},
                                                           special_values::nan_and_infinity_in_x);
            wanted_product<float, one_shot> const floats(executor, c, {turned, 2, 0.5});
            on_every_instruction_set([&] {
                planned.check(executor);
                planned_floats.check(executor);
                special.check(executor);
                floats.check(executor);
            });
        }
}

/// 100 x 100, diagonals -3 .. 3, so that runs follow one another in memory and meet in y. `special`: the values of row
/// 99, with which runs end.
template <class T>
csr<T> runs_with(T special) {
    coo<T> a{100, 100, {}, {}, {}};
    for (int row = 0; row < 100; ++row)
        for (int column = std::max(0, row - 3); column <= std::min(99, row + 3); ++column) {
            a.rows.push_back(row);
            a.columns.push_back(column);
            a.values.push_back(row == 99 ? special : T(1) + static_cast<T>(column) / 128);
        }
    return to_csr(a);
}

/// T: of the matrix, V: of the vectors. Other rows than 99 get what they get without special values.
template <class T, class V>
void expect_neighbours_to_stay(cpu& executor) {
    for (T const special : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        std::vector<V> const x(100, V(0.5));
        std::vector<V> y(100), wanted(100);
        hisparse<T> const a(executor, runs_with(special)), plain(executor, runs_with(T(1)));
        spmv(executor, V(1), spmv_plan<T>(executor, a), x, V(0), y);
        spmv(executor, V(1), spmv_plan<T>(executor, plain), x, V(0), wanted);
        EXPECT_FALSE(std::isfinite(y[99]));
        wanted[99] = y[99] = V(0);
        EXPECT_EQ(y, wanted);
    }
}

TEST(leaf_product, infinite_values_and_nan_stay_in_their_row) {
    cpu executor(1);
    on_every_instruction_set([&] {
        expect_neighbours_to_stay<double, double>(executor);
        expect_neighbours_to_stay<float, float>(executor);
        expect_neighbours_to_stay<float, double>(executor);
    });
}

}  // namespace
}  // namespace copse::tests
