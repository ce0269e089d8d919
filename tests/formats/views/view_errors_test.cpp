// What is refused of a view, and what the message says: the array, the place, the value, what it must be.
#include <copse/formats/views.hpp>

#include <gtest/gtest.h>

#include <copse/formats/flat_formats.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <runtime/message_of.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

/// Whom a view was given to is all that differs.
template <class Error>
void expect_refused(csr_view<double> const& a, std::string const& message) {
    cpu here(2);
    emulated lanes;
    EXPECT_EQ(message_of<Error>([&] { hisparse<double>(here, a); }), "hisparse: " + message);
    EXPECT_EQ(message_of<Error>([&] { hisparse<double>(lanes, a); }), "hisparse: " + message);
    EXPECT_EQ(message_of<Error>([&] { csr_matrix<double>(here, a); }), "csr_matrix: " + message);
    EXPECT_EQ(message_of<Error>([&] { csr5<double>(here, a); }), "csr5: " + message);
    EXPECT_EQ(message_of<Error>([&] { sellp<double>(here, a); }), "sellp: " + message);
    EXPECT_EQ(message_of<Error>([&] { cmrs<double>(here, a); }), "cmrs: " + message);
    EXPECT_EQ(message_of<Error>([&] { to_csr(a); }), "to_csr: " + message);
}
template <class Error>
void expect_refused(coo_view<double> const& a, std::string const& message) {
    cpu here(2);
    emulated lanes;
    EXPECT_EQ(message_of<Error>([&] { hisparse<double>(here, a); }), "hisparse: " + message);
    EXPECT_EQ(message_of<Error>([&] { hisparse<double>(lanes, a); }), "hisparse: " + message);
    EXPECT_EQ(message_of<Error>([&] { to_csr(a); }), "to_csr: " + message);
}

std::vector<double> const three{1, 2, 3};

TEST(view_errors, name_a_column_outside_the_matrix) {
    std::vector<int> const offsets{0, 2, 3};
    expect_refused<shape_error>(csr_view(2, 5, offsets, std::vector<int>{0, 4, 5}, three),
                                "row 1: column_indices[2] is 5; it must be 0 .. 4");
    expect_refused<shape_error>(csr_view(2, 5, offsets, std::vector<int>{4, -1, 1}, three),
                                "row 0: column_indices[1] is -1; it must be 0 .. 4");
    std::vector<std::int64_t> const beyond{0, 2, (std::int64_t{1} << 32) + 1};
    expect_refused<shape_error>(csr_view(2, 5, offsets, beyond, three),
                                "column_indices[2] is 4294967297; it must be 0 .. 4");
    std::vector<int> const from_1{1, 3, 4};
    expect_refused<shape_error>(csr_view(2, 5, from_1, std::vector<int>{1, 5, 0}, three, {.index_base = 1}),
                                "column_indices[2] is 0; it must be 1 .. 5");
    expect_refused<shape_error>(csr_view(2, 5, from_1, std::vector<int>{1, 6, 1}, three, {.index_base = 1}),
                                "column_indices[1] is 6; it must be 1 .. 5");
}

TEST(view_errors, name_offsets_that_are_none) {
    std::vector<int> const columns{0, 1, 0};
    expect_refused<shape_error>(csr_view(2, 5, std::vector<int>{1, 2, 3}, columns, three),
                                "row offsets go from 1 to 3: they must go from 0 to the number of entries, 3");
    expect_refused<shape_error>(
        csr_view(2, 5, std::vector<int>{1, 2, 4}, columns, three),
        "row offsets go from 1 to 4: they must go from 0 to the number of entries, 3; index_base is 1 for these");
    expect_refused<shape_error>(csr_view(2, 5, std::vector<long>{0, 2, 4}, columns, three),
                                "row offsets go from 0 to 4: they must go from 0 to the number of entries, 3");
    expect_refused<shape_error>(
        csr_view(2, 5, std::vector<int>{0, 2, 3}, columns, three, {.index_base = 1}),
        "row offsets go from 0 to 3: they must go from 1 to 1 more than the number of entries, 4");
    expect_refused<shape_error>(csr_view(3, 5, std::vector<int>{0, 3, 2, 3}, columns, three),
                                "row 1: its offsets descend from 3 to 2");
    expect_refused<shape_error>(
        csr_view(3, 5, std::vector<int>{1, 4, 3, 4}, std::vector<int>{3, 2, 1}, three, {.index_base = 1}),
        "row 1: its offsets descend from 4 to 3");
    expect_refused<shape_error>(csr_view(3, 5, std::vector<int>{0, 2, 3}, columns, three),
                                "3 row offsets for 3 rows: there must be one offset more than rows");
    expect_refused<shape_error>(csr_view(2, 5, std::vector<int>{0, 2, 3}, std::vector<int>{0, 1}, three),
                                "2 column indices and 3 values: their numbers must be equal");
}

TEST(view_errors, name_rows_that_do_not_ascend_as_promised) {
    std::vector<int> const offsets{0, 2, 3};
    expect_refused<shape_error>(csr_view(2, 5, offsets, std::vector<int>{4, 0, 1}, three, {.ascending = true}),
                                "row 0: column indices must ascend without repeating, within 0 .. 4");
    expect_refused<shape_error>(csr_view(2, 5, std::vector<int>{1, 2, 4}, std::vector<long>{1, 2, 2}, three,
                                         {.index_base = 1, .ascending = true}),
                                "row 1: column indices must ascend without repeating, within 1 .. 5");
}

TEST(view_errors, name_null_pointers_and_options) {
    int const offsets[] = {0, 2, 3}, columns[] = {0, 1, 0};
    int const* const none = nullptr;
    double const* const no_values = nullptr;
    expect_refused<argument_error>(csr_view(2, 5, 3, none, columns, three.data()),
                                   "row_offsets is a null pointer; there must be 3 elements");
    expect_refused<argument_error>(csr_view(2, 5, 3, offsets, none, three.data()),
                                   "column_indices is a null pointer; there must be 3 elements");
    expect_refused<argument_error>(csr_view(2, 5, 3, offsets, columns, no_values),
                                   "values is a null pointer; there must be 3 elements");
    expect_refused<argument_error>(csr_view(2, 5, 3, offsets, columns, three.data(), {.index_base = 2}),
                                   "index_base is 2; it must be 0 or 1");
    expect_refused<argument_error>(
        csr_view(2, 5, 3, offsets, columns, three.data(), {.space = memory_space::device}),
        "the view's arrays are in device memory, which this executor does not read; give a gpu executor");
}

TEST(view_errors, name_entries_outside_the_matrix) {
    std::vector<int> const fine{0, 1, 1};
    expect_refused<shape_error>(coo_view(2, 2, std::vector<int>{0, 2, 1}, fine, three),
                                "entry 1 (counted from 0): row index 2 lies outside a matrix of 2 rows");
    std::vector<std::int64_t> const beyond{0, 1, std::int64_t{1} << 32}, wide{0, 1, 1};
    expect_refused<shape_error>(coo_view(2, 2, beyond, wide, three), "rows[2] is 4294967296; it must be 0 .. 1");
    expect_refused<shape_error>(coo_view(2, 2, wide, beyond, three), "columns[2] is 4294967296; it must be 0 .. 1");
    expect_refused<shape_error>(coo_view(2, 2, std::vector<int>{1, 2, 2}, fine, three, {.index_base = 1}),
                                "columns[0] is 0; it must be 1 .. 2");
    expect_refused<shape_error>(coo_view(2, 2, std::vector<int>{1, 2}, fine, three),
                                "2 row indices, 3 column indices and 3 values: their numbers must be equal");
    expect_refused<argument_error>(
        coo_view(2, 2, 3, fine.data(), fine.data(), three.data(), {.space = memory_space::device}),
        "the view's arrays are in device memory, which this executor does not read; give a gpu executor");
}

}  // namespace
}  // namespace copse::tests
