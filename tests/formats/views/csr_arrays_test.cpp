#include <copse/formats/csr.hpp>

#include <gtest/gtest.h>

#include <copse/formats/flat_formats.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <cstdint>
#include <formats/views/foreign_arrays.hpp>
#include <runtime/message_of.hpp>
#include <vector>

namespace copse::tests {
namespace {

/// Arrays that are longer than needed: what is behind stays.
template <class Offset, class Matrix>
void check_written(Matrix const& a) {
    using T = decltype(a.scale());
    csr<T> const expected = to_csr(a);
    std::vector<Offset> offsets(static_cast<std::size_t>(a.row_count()) + 2, Offset(-7));
    std::vector<std::int32_t> columns(static_cast<std::size_t>(a.entry_count()) + 1, -7);
    std::vector<T> values(columns.size(), T(-7));
    to_csr(a, {offsets, columns, values});
    EXPECT_EQ(offsets.back(), Offset(-7));
    EXPECT_EQ(columns.back(), -7);
    EXPECT_EQ(values.back(), T(-7));
    offsets.pop_back();
    columns.pop_back();
    values.pop_back();
    EXPECT_EQ(std::vector<std::int64_t>(offsets.begin(), offsets.end()), expected.row_offsets);
    EXPECT_EQ(columns, expected.column_indices);
    EXPECT_EQ(values, expected.values);
}

template <class Matrix>
void check_forms(Matrix const& a) {
    check_written<std::int32_t>(a);
    check_written<std::int64_t>(transposed(scaled(a, 2)));
}

template <class T>
void check_every_format() {
    cpu executor(2);
    for (battery_case const& c : whole_battery()) {
        SCOPED_TRACE(c.name);
        csr<T> const rows = to_csr(with_values_of<T>(c.matrix));
        check_forms(hisparse<T>(executor, rows));
        check_forms(csr_matrix<T>(executor, rows));
        check_forms(csr5<T>(executor, rows));
        check_forms(cmrs<T>(executor, rows));
    }
}

TEST(csr_arrays, are_filled_with_the_rows_of_every_format) {
    check_every_format<float>();
    check_every_format<double>();
}

TEST(csr_arrays, that_are_too_short_are_named_and_stay_as_they_are) {
    csr<double> const rows{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
    cpu executor(1);
    hisparse<double> const tree(executor, rows);
    csr5<double> const flat(executor, rows);
    std::vector<int> offsets(3, 9), columns(3, 9), two(2, 9);
    std::vector<double> values(3, 9.0), few(2, 9.0);
    auto const check = [&](csr_arrays<double> const& to, char const* message) {
        EXPECT_EQ(message_of<shape_error>([&] { to_csr(tree, to); }), message);
        EXPECT_EQ(message_of<shape_error>([&] { to_csr(flat, to); }), message);
    };
    check({two, columns, values}, "to_csr: row_offsets has 2 elements; the matrix needs 3");
    check({offsets, two, values}, "to_csr: column_indices has 2 elements; the matrix needs 3");
    check({offsets, columns, few}, "to_csr: values has 2 elements; the matrix needs 3");
    EXPECT_EQ(offsets, std::vector<int>(3, 9));
    EXPECT_EQ(columns, std::vector<int>(3, 9));
    EXPECT_EQ(values, std::vector<double>(3, 9.0));
    std::int64_t const beyond = std::int64_t{1} << 31;
    EXPECT_EQ(message_of<shape_error>([&] {
                  std::span<std::int32_t> const long_columns(columns.data(), static_cast<std::size_t>(beyond));
                  std::span<double> const long_values(values.data(), static_cast<std::size_t>(beyond));
                  detail::check_room(csr_arrays<double>(offsets, long_columns, long_values), 2, beyond);
              }),
              "to_csr: row_offsets has 32 bits for an offset; the matrix has 2147483648 entries: give offsets of 64 "
              "bits");
}

}  // namespace
}  // namespace copse::tests
