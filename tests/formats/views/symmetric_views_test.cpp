// Views that hold one half of a symmetric or skew matrix: what is made of them is what is made of all entries.
#include <copse/formats/views.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/flat_formats.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <formats/views/foreign_arrays.hpp>
#include <limits>
#include <optional>
#include <runtime/message_of.hpp>
#include <string>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using enum matrix_symmetry;

/// Square; entries at mirrored places have the same value, or the negative one.
csr<double> whole(matrix_symmetry kind, std::int64_t n, std::int64_t entries) {
    coo<double> a = scattered(n, n, entries, 17);
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        if (a.rows[k] < a.columns[k]) std::swap(a.rows[k], a.columns[k]);
        if (kind == skew && a.rows[k] == a.columns[k]) a.values[k] = 0;
    }
    return to_csr(all_entries<double>({a, kind}));
}

/// Of `a` what lies on one side of the diagonal.
csr<double> half_of(csr<double> const& a, matrix_half half) {
    csr<double> result(a.row_count, a.column_count);
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        for (auto k = static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(row)]);
             k < static_cast<std::size_t>(a.row_offsets[static_cast<std::size_t>(row) + 1]); ++k) {
            if (half == matrix_half::lower ? a.column_indices[k] > row : a.column_indices[k] < row) continue;
            result.column_indices.push_back(a.column_indices[k]);
            result.values.push_back(a.values[k]);
        }
        result.row_offsets.push_back(result.entry_count());
    }
    return result;
}

template <class Executor>
void check_all_formats(Executor& executor, csr_view<double> const& a, csr<double> const& expected) {
    for (std::optional<bool> share : {std::optional<bool>(), std::optional(false), std::optional(true)})
        expect_equal(to_csr(hisparse<double>(executor, a, {.node_dimension = 64, .share_transposed = share})),
                     expected);
    expect_equal(to_csr(csr_matrix<double>(executor, a)), expected);
    expect_equal(to_csr(csr5<double>(executor, a)), expected);
    expect_equal(to_csr(sellp<double>(executor, a)), expected);
    expect_equal(to_csr(cmrs<double>(executor, a)), expected);
    expect_equal(to_csr(a), expected);
}

TEST(symmetric_views, stand_for_all_entries) {
    cpu here(2);
    emulated lanes;
    for (matrix_symmetry const kind : {symmetric, skew})
        for (auto const& [n, entries] : {std::pair{200, 2500}, {3000, 900}}) {
            csr<double> const all = whole(kind, n, entries);
            for (matrix_half const half : {matrix_half::lower, matrix_half::upper}) {
                SCOPED_TRACE(fmt::format("{} rows, symmetry {}, half {}", n, int(kind), int(half)));
                foreign_rows<double, int, long> rows(half_of(all, half), 1);
                rows.shuffle_rows();
                csr_view<double> given = rows.view();
                given.options.symmetry = kind;
                check_all_formats(here, given, all);
                expect_equal(to_csr(hisparse<double>(lanes, given)), all);
                expect_equal(to_csr(hisparse<double>(lanes, given, {.share_transposed = true})), all);
                // The same of all entries, of which the other half is ignored.
                csr_view<double> both = all;
                both.options.symmetry = kind;
                both.options.half = half;
                check_all_formats(here, both, all);
                // As columns, and as the rows of the transpose.
                csc_view<double> const columns(n, n, both.row_offsets, both.column_indices, both.values,
                                               both.options.transposed());
                expect_equal(to_csr(hisparse<double>(here, columns)), transpose(all));
                expect_equal(to_csr(csr5<double>(here, transposed(both))), transpose(all));
            }
        }
}

/// Halves that say different things, worked by hand.
TEST(symmetric_views, read_the_half_that_is_named) {
    cpu here(1);
    std::vector<int> const offsets{0, 2, 5, 7}, columns{0, 1, 0, 1, 2, 1, 2}, rows{0, 0, 1, 1, 1, 2, 2};
    auto const expect = [&](auto const& view, std::vector<double> const& values) {
        csr<double> const expected{3, 3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, values};
        for (bool const share : {false, true})
            expect_equal(to_csr(hisparse<double>(here, view, {.share_transposed = share})), expected);
    };
    auto const check = [&](std::vector<double> const& values, matrix_symmetry kind, matrix_half half,
                           std::vector<double> const& expected, std::vector<double> const& of_transpose) {
        view_options const how{.symmetry = kind, .half = half};
        csr_view<double> const a(3, 3, offsets, columns, values, how);
        coo_view<double> const list(3, 3, rows, columns, values, how);
        expect(a, expected);
        expect_equal(to_csr(a), {3, 3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, expected});
        expect(list, expected);
        expect(transposed(a), of_transpose);
        expect(transposed(list), of_transpose);
    };
    //  1 2 .      . 2 .
    //  3 4 5      3 . 5
    //  . 6 7      . 6 .     and what its rows are as columns
    std::vector<double> const a{1, 2, 3, 4, 5, 6, 7}, b{0, 2, 3, 0, 5, 6, 0};
    check(a, symmetric, matrix_half::lower, {1, 3, 3, 4, 6, 6, 7}, {1, 3, 3, 4, 6, 6, 7});
    check(a, symmetric, matrix_half::upper, {1, 2, 2, 4, 5, 5, 7}, {1, 2, 2, 4, 5, 5, 7});
    check(b, skew, matrix_half::lower, {0, -3, 3, 0, -6, 6, 0}, {0, 3, -3, 0, 6, -6, 0});
    check(b, skew, matrix_half::upper, {0, 2, -2, 0, 5, -5, 0}, {0, -2, 2, 0, -5, 5, 0});
    csc_view<double> const by_columns(3, 3, offsets, columns, a, {.symmetry = symmetric, .half = matrix_half::lower});
    expect(by_columns, {1, 2, 2, 4, 5, 5, 7});
}

TEST(symmetric_views, are_lists_too) {
    cpu here(2);
    emulated lanes;
    for (matrix_symmetry const kind : {symmetric, skew})
        for (auto const& [n, entries] : {std::pair{200, 2500}, {3000, 900}, {30000, 900}}) {
            csr<double> const all = whole(kind, n, entries);
            for (matrix_half const half : {matrix_half::lower, matrix_half::upper})
                for (bool const sorted : {true, false}) {
                    coo<double> list = to_coo(half_of(all, half));
                    if (!sorted) {
                        std::reverse(list.rows.begin(), list.rows.end());
                        std::reverse(list.columns.begin(), list.columns.end());
                        std::reverse(list.values.begin(), list.values.end());
                    }
                    coo_view<double> given = list;
                    given.options.symmetry = kind;
                    given.options.ascending = sorted;
                    given.options.no_duplicates = true;
                    expect_equal(to_csr(given), all);
                    expect_equal(to_csr(hisparse<double>(here, given)), all);
                    expect_equal(to_csr(hisparse<double>(here, given, {.share_transposed = false})), all);
                    expect_equal(to_csr(hisparse<double>(lanes, given)), all);
                    expect_equal(to_csr(hisparse<double>(here, transposed(given))), transpose(all));
                }
        }
}

TEST(symmetric_views, add_up_what_is_there_twice) {
    cpu here(2);
    // A sum in another order has other bits.
    coo<double> const list{70, 70, {69, 3, 69, 69, 2}, {3, 3, 3, 3, 2}, {1e16, 2.0, 1.0, -1e16, 4.0}};
    coo_view<double> given = list;
    given.options.symmetry = symmetric;
    csr<double> const all = to_csr(given);
    EXPECT_EQ(all.values, (std::vector<double>{4, 2, 0, 0}));
    expect_equal(to_csr(hisparse<double>(here, given, {.node_dimension = 64})), all);
    given.options.no_duplicates = true;
    EXPECT_EQ(message_of<shape_error>([&] { hisparse<double>(here, given); }),
              "hisparse: row 69, column 3 occurs more than once; the view says that no place does (no_duplicates)");
}

TEST(symmetric_views, are_read_by_halves) {
    cpu here(2);
    for (matrix_symmetry const kind : {symmetric, skew}) {
        csr<double> const all = whole(kind, 1500, 60000);
        csr_view<double> given = all;
        hisparse<double> const searched(here, given, {.node_dimension = 64, .share_transposed = true});
        hisparse<double> const plain(here, given, {.node_dimension = 64});
        given.options.symmetry = kind;
        given.options.half = matrix_half::upper;
        hisparse<double> const read(here, given, {.node_dimension = 64});
        EXPECT_EQ(reachable_bytes(read), reachable_bytes(searched));
        EXPECT_EQ(read.content()->reachable_bytes, reachable_bytes(read));
        EXPECT_EQ(read.bytes(), reachable_bytes(read));
        EXPECT_EQ(read.census().visits, plain.census().visits);
        EXPECT_EQ(read.entry_count(), plain.entry_count());
        hisparse<double> const apart(here, given, {.node_dimension = 64, .share_transposed = false});
        EXPECT_EQ(reachable_bytes(apart), reachable_bytes(plain));
    }
}

template <class View>
void expect_refused_by_all(View given, std::string const& message) {
    cpu here(2);
    emulated lanes;
    EXPECT_EQ(message_of<shape_error>([&] { hisparse<double>(here, given); }), "hisparse: " + message);
    EXPECT_EQ(message_of<shape_error>([&] { hisparse<double>(here, given, {.share_transposed = false}); }),
              "hisparse: " + message);
    EXPECT_EQ(message_of<shape_error>([&] { hisparse<double>(lanes, given); }), "hisparse: " + message);
    EXPECT_EQ(message_of<shape_error>([&] { to_csr(given); }), "to_csr: " + message);
}

TEST(symmetric_views, refuse_what_is_no_half_of_a_square) {
    std::vector<double> const values{1, 2, 3};
    std::vector<int> const offsets{0, 1, 2, 3};
    auto const rows = [&](std::vector<int> const& columns, std::int64_t n, view_options options) {
        return csr_view(3, n, offsets, columns, values, options);
    };
    std::string const sides =
        " lie on different sides of the diagonal; the view of a symmetric matrix holds one half: give one, or set half "
        "to lower or upper, and the other is ignored";
    std::vector<int> const both{1, 0, 2}, lower{0, 0, 1}, on_diagonal{0, 0, 2};
    expect_refused_by_all(rows(both, 3, {.symmetry = symmetric}),
                          "the entries at row 1, column 0 and at row 0, column 1" + sides);
    expect_refused_by_all(coo_view(3, 3, std::vector<int>{2, 3, 1}, std::vector<int>{1, 3, 2}, values,
                                   {.index_base = 1, .symmetry = symmetric}),
                          "the entries at row 2, column 1 and at row 1, column 2" + sides);
    expect_refused_by_all(rows(lower, 4, {.symmetry = symmetric}),
                          "the matrix is 3 x 4, and its view says symmetric: such a matrix is square");
    expect_refused_by_all(coo_view(3, 4, lower, lower, values, {.symmetry = skew}),
                          "the matrix is 3 x 4, and its view says skew: such a matrix is square");
    expect_refused_by_all(rows(on_diagonal, 3, {.symmetry = skew}),
                          "row 0, column 0 has the value 1; a skew matrix has zeros on its diagonal");
    std::vector<double> const zero_first{0, 2, std::numeric_limits<double>::quiet_NaN()};
    for (matrix_half const half : {matrix_half::either, matrix_half::lower, matrix_half::upper})
        expect_refused_by_all(csr_view(3, 3, offsets, on_diagonal, zero_first, {.symmetry = skew, .half = half}),
                              "row 2, column 2 has the value nan; a skew matrix has zeros on its diagonal");
}

TEST(view_promises, are_kept) {
    std::vector<double> const values{1, 2, 3};
    std::string const ascends =
        ": entries must ascend by row and column without repeating, as the view says (ascending)";
    expect_refused_by_all(
        coo_view(3, 3, std::vector<int>{0, 2, 1}, std::vector<int>{0, 1, 1}, values, {.ascending = true}),
        "entry 2 (counted from 0), at row 1, column 1" + ascends);
    expect_refused_by_all(coo_view(4, 4, std::vector<int>{1, 2, 2}, std::vector<int>{1, 3, 3}, values,
                                   {.index_base = 1, .ascending = true}),
                          "entry 2 (counted from 0), at row 2, column 3" + ascends);
    expect_refused_by_all(
        coo_view(300, 3, std::vector<int>{1, 1, 0}, std::vector<int>{1, 2, 1}, values, {.ascending = true}),
        "entry 2 (counted from 0), at row 0, column 1" + ascends);
    std::string const twice = " occurs more than once; the view says that no place does (no_duplicates)";
    expect_refused_by_all(
        csr_view(2, 5, std::vector<int>{0, 1, 3}, std::vector<int>{4, 2, 2}, values, {.no_duplicates = true}),
        "row 1, column 2" + twice);
    expect_refused_by_all(
        coo_view(2, 5, std::vector<int>{1, 0, 1}, std::vector<int>{4, 2, 4}, values, {.no_duplicates = true}),
        "row 1, column 4" + twice);
    expect_refused_by_all(
        coo_view(100, 5, std::vector<int>{99, 0, 99}, std::vector<int>{4, 2, 4}, values, {.no_duplicates = true}),
        "row 99, column 4" + twice);
    cpu here(1);
    std::vector<int> const offsets{0, 2, 3}, columns{4, 2, 2};
    csr_view<double> const unsorted(2, 5, offsets, columns, values, {.no_duplicates = true});
    EXPECT_EQ(to_csr(hisparse<double>(here, unsorted)).column_indices, (std::vector<std::int32_t>{2, 4, 2}));
}

}  // namespace
}  // namespace copse::tests
