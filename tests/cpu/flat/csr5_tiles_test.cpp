// Tiles of CSR5 on every instruction set that the machine has; csr5_spmv_test.cpp (algebra) has the whole products.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/instruction_sets.hpp>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/csr5.hpp>
#include <limits>
#include <vector>

namespace copse::tests {
namespace {

template <class T>
void check_parts(coo<double> const& matrix, int omega, int sigma) {
    csr<T> const a = to_csr(with_values_of<T>(matrix));
    csr5<T> const tiles(host_memory(), a, {.omega = omega, .sigma = sigma});
    value_source value(4);
    std::vector<T> x(a.column_count), y(a.row_count, std::numeric_limits<T>::quiet_NaN()), expected(a.row_count);
    for (T& element : x) element = static_cast<T>(value());
    reference::spmv<T>(T(-3), a, false, x, T(0), expected);
    auto const bound = reference::spmv_error_bound<T>(T(-3), a, false, x, T(0), expected);
    // Two parts, so that a row may be cut.
    auto const product = detail::cpu_product_of<csr5<T>>();
    auto const& content = *tiles.content();
    detail::flat_product<T> const p{x.data(), y.data(), T(-3), T(0)};
    std::int64_t const count = content.view().tile_count(), middle = count / 2;
    product.multiply(content, 0, middle, p);
    auto const carry = product.multiply(content, middle, count, p);
    if (carry.row >= 0) y[carry.row] += p.factor * carry.sum;
    EXPECT_LE(reference::max_error<T>(y, expected, bound), 1) << "omega " << omega << ", sigma " << sigma;
}

void check_parts_of_both_types(coo<double> const& matrix, int omega, int sigma) {
    check_parts<double>(matrix, omega, sigma);
    check_parts<float>(matrix, omega, sigma);
}

TEST(csr5_tiles, agree_with_the_reference_on_every_instruction_set) {
    auto const rows = matrix_where(120, 130, [](auto i, auto j) { return i % 7 != 3 && j >= 120 - i; });
    auto const one_row = matrix_where(3, 4000, [](auto i, auto) { return i == 1; });
    on_every_instruction_set([&] {
        for (int omega : {4, 8, 16, 32}) {
            check_parts_of_both_types(rows, omega, 16);
            check_parts_of_both_types(one_row, omega, 16);
        }
    });
}

// 25 and more: a column's flags take two words. 33: entry by entry.
TEST(csr5_tiles, of_other_heights_agree_with_the_reference_on_every_instruction_set) {
    auto const rows = matrix_where(120, 130, [](auto i, auto j) { return i % 7 != 3 && j >= 120 - i; });
    auto const short_rows = matrix_where(900, 90, [](auto i, auto j) { return i % 5 != 2 && (i * 7 + j) % 30 == 0; });
    auto const one_row = matrix_where(3, 4000, [](auto i, auto) { return i == 1; });
    on_every_instruction_set([&] {
        for (int omega : {4, 8, 16, 32})
            for (int sigma : {1, 2, 7, 15, 17, 18, 25, 31, 32, 33}) {
                check_parts_of_both_types(rows, omega, sigma);
                check_parts_of_both_types(short_rows, omega, sigma);
                check_parts_of_both_types(one_row, omega, sigma);
            }
    });
}

}  // namespace
}  // namespace copse::tests
