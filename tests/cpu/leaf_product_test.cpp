// cpu/leaf_products-inl.hpp, through products with and without a plan, on every instruction set that the machine has.
#include <algebra/instruction_sets.hpp>
#include <algebra/spmv_suite.hpp>
#include <copse/runtime/cpu.hpp>

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

}  // namespace
}  // namespace copse::tests
