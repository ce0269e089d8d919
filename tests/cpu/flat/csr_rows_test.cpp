// Rows of CSR on every instruction set that the machine has; csr_spmv_test.cpp has the whole products.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/instruction_sets.hpp>
#include <copse/cpu/flat/csr_rows.hpp>
#include <copse/cpu/reference.hpp>
#include <limits>
#include <vector>

namespace copse::tests {
namespace {

template <class T>
void check_rows() {
    // Rows of 0, 1, 2, ... entries: below, at and past the vectors of every width, with tails of every length.
    csr<T> const a = to_csr(with_values_of<T>(matrix_where(80, 90, [](auto i, auto j) { return j >= 90 - i; })));
    value_source value(4);
    std::vector<T> x(90), y(80, std::numeric_limits<T>::quiet_NaN()), expected(80), before(80);
    for (T& element : x) element = static_cast<T>(value());
    reference::spmv<T>(T(-3), a, false, x, T(0), expected);
    auto const bound = reference::spmv_error_bound<T>(T(-3), a, false, x, T(0), before);
    detail::multiply_rows(detail::arrays_of(a), 0, 80, T(-3), x.data(), T(0), y.data());
    EXPECT_LE(reference::max_error<T>(y, expected, bound), 1);
}

TEST(csr_rows, agree_with_the_reference_on_every_instruction_set) {
    on_every_instruction_set([] {
        check_rows<double>();
        check_rows<float>();
    });
}

}  // namespace
}  // namespace copse::tests
