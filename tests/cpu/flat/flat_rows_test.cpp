// Slices of SELL-P and strips of CMRS on every instruction set that the machine has.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/instruction_sets.hpp>
#include <algorithm>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/memory.hpp>
#include <limits>
#include <vector>

namespace copse::tests {
namespace {

/// Rows of 0, 1, 2, ... entries: below, at and past the vectors of every width; neighbours with neighbouring columns
/// and without. x has NaN where no entry is, in the first column too, which padding must not read.
template <class T>
struct rows_of_all_lengths {
    csr<T> a = to_csr(with_values_of<T>(matrix_where(
        83, 90, [](auto i, auto j) { return j > 0 && (i < 50 ? j > 90 - i : (j - i + 90) % 3 == 0 && j > i - 50); })));
    std::vector<T> x = std::vector<T>(90), expected = std::vector<T>(83), before = std::vector<T>(83);
    std::vector<long double> bound;

    rows_of_all_lengths() {
        value_source value(4);
        for (T& element : x) element = static_cast<T>(value());
        for (T& element : before) element = static_cast<T>(value());
        x[0] = std::numeric_limits<T>::quiet_NaN();
        expected = before;
        reference::spmv<T>(T(-3), a, false, x, T(0.5), expected);
        bound = reference::spmv_error_bound<T>(T(-3), a, false, x, T(0.5), before);
    }
    template <class Multiply>
    void check(Multiply multiply) const {
        std::vector<T> y = before;
        multiply(detail::flat_product<T>{x.data(), y.data(), T(-3), T(0.5)});
        EXPECT_LE(reference::max_error<T>(y, expected, bound), 1);
    }
};

template <class T>
void check_slices() {
    rows_of_all_lengths<T> const rows;
    auto const product = detail::cpu_product_of<sellp<T>>();
    for (int b : {1, 2, 4, 8, 16, 32, 64, 128}) {
        SCOPED_TRACE(b);
        sellp_options const options{.slice_rows = b, .row_threads = 1, .sorting_window = b == 8 ? 40 : 1};
        auto const content = sellp_content<T>::make(host_memory(), rows.a, options, false);
        rows.check([&](auto const& p) { product.multiply(*content, 0, content->slice_count, p); });
    }
}

/// An empty row, then columns 0, 1, 2 ...: padding's column, -1, stands as if it were their neighbour. In front of x is
/// NaN.
template <class T>
void check_padding_beside_column_0() {
    csr<T> const a = to_csr(with_values_of<T>(matrix_where(70, 70, [](auto i, auto j) { return j == i - 1; })));
    std::vector<T> x(71, T(1)), expected(70), y(70);
    reference::spmv<T>(T(1), a, false, std::vector<T>(70, T(1)), T(0), expected);
    x[0] = std::numeric_limits<T>::quiet_NaN();
    for (int b : {1, 2, 4, 8, 16, 32, 64, 128}) {
        SCOPED_TRACE(b);
        auto const content = sellp_content<T>::make(host_memory(), a, {.slice_rows = b, .row_threads = 1}, false);
        detail::cpu_product_of<sellp<T>>().multiply(*content, 0, content->slice_count,
                                                    {x.data() + 1, y.data(), T(1), T(0)});
        EXPECT_EQ(y, expected);
    }
}

template <class T>
void check_strips() {
    rows_of_all_lengths<T> const rows;
    for (int per_row : {0, 8}) {
        SCOPED_TRACE(per_row);
        auto const content =
            cmrs_content<T>::make(host_memory(), rows.a, {.height = 11, .sorted = false, .per_row = per_row}, false);
        rows.check(
            [&](auto const& p) { detail::cpu_product_of<cmrs<T>>().multiply(*content, 0, content->strip_count, p); });
    }
}

TEST(flat_rows, slices_agree_with_the_reference_on_every_instruction_set) {
    on_every_instruction_set([] {
        check_slices<double>();
        check_slices<float>();
    });
}

/// scatter(p, out) adds A^T x for the rows of all lengths, where x is NaN for rows without entries; sums that nobody
/// takes into use are NaN.
template <class T, class Scatter>
void check_scatter(csr<T> const& a, Scatter const& scatter) {
    value_source value(5);
    std::vector<T> x(static_cast<std::size_t>(a.row_count)), expected(static_cast<std::size_t>(a.column_count));
    std::vector<T> const before = expected;
    for (T& element : x) element = static_cast<T>(value());
    reference::spmv<T>(T(-3), a, true, x, T(0), expected);
    auto const bound = reference::spmv_error_bound<T>(T(-3), a, true, x, T(0), before);
    for (std::int64_t row = 0; row < a.row_count; ++row)
        if (a.row_offsets[row] == a.row_offsets[row + 1]) x[row] = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> sums(expected.size(), std::numeric_limits<T>::quiet_NaN());
    detail::scattered_output<T> out{sums.data(), 0, 0};
    scatter(detail::flat_product<T>{x.data(), nullptr, T(-3), T(0)}, out);
    std::fill(sums.begin(), sums.begin() + out.begin, T(0));
    std::fill(sums.begin() + out.end, sums.end(), T(0));
    EXPECT_LE(reference::max_error<T>(sums, expected, bound), 1);
}

template <class T>
void check_transposed() {
    auto const lengths = rows_of_all_lengths<T>().a;
    auto const shifted = to_csr(with_values_of<T>(matrix_where(70, 700, [](auto i, auto j) { return j == i - 1; })));
    auto const far = to_csr(with_values_of<T>(
        matrix_where(70, 1700, [](auto i, auto j) { return j > 300 && (j == 1300 + i || j * 7 % 1201 == i); })));
    for (auto const* a : {&lengths, &shifted, &far})
        for (int b : {1, 4, 8, 32, 128}) {
            SCOPED_TRACE(b);
            auto const slices = sellp_content<T>::make(
                host_memory(), *a, {.slice_rows = b, .row_threads = 1, .most_padding_bytes = 1 << 30}, false);
            check_scatter(*a, [&](auto const& p, auto& out) {
                detail::cpu_product_of<sellp<T>>().scatter(*slices, 0, slices->slice_count, p, out);
            });
            cmrs_options const options{std::min(b, 16), b == 4, b == 8 ? 8 : 0, 1 << 30};
            auto const strips = cmrs_content<T>::make(host_memory(), *a, options, false);
            check_scatter(*a, [&](auto const& p, auto& out) {
                detail::cpu_product_of<cmrs<T>>().scatter(*strips, 0, strips->strip_count, p, out);
            });
        }
}

TEST(flat_rows, transposed_products_agree_with_the_reference_on_every_instruction_set) {
    on_every_instruction_set([] {
        check_transposed<double>();
        check_transposed<float>();
    });
}

TEST(flat_rows, padding_is_no_neighbour_of_column_0_on_any_instruction_set) {
    on_every_instruction_set([] {
        check_padding_beside_column_0<double>();
        check_padding_beside_column_0<float>();
    });
}

TEST(flat_rows, strips_agree_with_the_reference_on_every_instruction_set) {
    on_every_instruction_set([] {
        check_strips<double>();
        check_strips<float>();
    });
}

}  // namespace
}  // namespace copse::tests
