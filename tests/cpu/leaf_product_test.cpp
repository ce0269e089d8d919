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

TEST(leaf_product, agrees_with_the_reference_on_every_instruction_set) {
    cpu executor(1);
    on_every_instruction_set([&] {
        for (battery_case const& c : leaves_of_all_kinds())
            for (bool turned : {false, true}) {
                check_product<double, by_plan>(executor, c, {turned, 1, 0});
                check_product<float, by_plan>(executor, c, {turned, 2, 0.5, 3, 64});
                check_product<double>(executor, c, {turned, 1, 0}, special_values::nan_and_infinity_in_x);
                check_product<float>(executor, c, {turned, 2, 0.5});
            }
    });
}

}  // namespace
}  // namespace copse::tests
