// COO and CSR: conversions on matrices worked by hand, and against a map of coordinates on random ones.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>

namespace {

using copse::coo;
using copse::csr;
using offsets = std::vector<std::int64_t>;
using indices = std::vector<std::int32_t>;

template <class T>
class csr_test : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(csr_test, value_types);

// The message of the shape_error that `call` throws, empty when it throws none.
std::string shape_message(std::function<void()> const& call) {
    try {
        call();
    } catch (copse::shape_error const& e) {
        return e.what();
    }
    return "";
}

TYPED_TEST(csr_test, sorts_rows_and_columns) {
    // [ 0 1 2 ]
    // [ 0 0 0 ]
    // [ 3 0 4 ]
    coo<TypeParam> const a{3, 3, {2, 0, 2, 0}, {2, 2, 0, 1}, {4, 2, 3, 1}};
    auto const r = copse::to_csr(a);
    EXPECT_EQ(r.row_count, 3);
    EXPECT_EQ(r.column_count, 3);
    EXPECT_EQ(r.row_offsets, (offsets{0, 2, 2, 4}));
    EXPECT_EQ(r.column_indices, (indices{1, 2, 0, 2}));
    EXPECT_EQ(r.values, (std::vector<TypeParam>{1, 2, 3, 4}));
}

TYPED_TEST(csr_test, takes_sorted_rows_with_unsorted_columns) {
    coo<TypeParam> const a{4, 3, {1, 1, 1, 3}, {2, 0, 1, 0}, {1, 2, 3, 4}};
    auto const r = copse::to_csr(a);
    EXPECT_EQ(r.row_offsets, (offsets{0, 0, 3, 3, 4}));
    EXPECT_EQ(r.column_indices, (indices{0, 1, 2, 0}));
    EXPECT_EQ(r.values, (std::vector<TypeParam>{2, 3, 1, 4}));
}

TYPED_TEST(csr_test, sums_duplicates_in_the_order_given) {
    // In row 0: (1 + big) - big loses the one, (big - big) + 1 would keep it.
    TypeParam const big = static_cast<TypeParam>(1e30);
    coo<TypeParam> const a{2, 2, {1, 0, 0, 0, 1, 0}, {1, 1, 0, 0, 1, 0}, {2, 9, 1, big, 5, -big}};
    auto const r = copse::to_csr(a);
    EXPECT_EQ(r.row_offsets, (offsets{0, 2, 3}));
    EXPECT_EQ(r.column_indices, (indices{0, 1, 1}));
    EXPECT_EQ(r.values, (std::vector<TypeParam>{0, 9, 7}));
}

TYPED_TEST(csr_test, a_long_row_keeps_the_order_of_duplicates) {
    // 100 columns descending, each three times: beyond the insertion sort.
    TypeParam const big = static_cast<TypeParam>(1e30);
    coo<TypeParam> a{1, 100, {}, {}, {}};
    for (TypeParam const value : {TypeParam{1}, big, -big}) {
        for (std::int32_t column = 99; column >= 0; --column) {
            a.rows.push_back(0);
            a.columns.push_back(column);
            a.values.push_back(value);
        }
    }
    auto const r = copse::to_csr(a);
    ASSERT_EQ(r.entry_count(), 100);
    for (std::int32_t k = 0; k < 100; ++k) {
        EXPECT_EQ(r.column_indices[k], k);
        EXPECT_EQ(r.values[k], 0);
    }
}

TYPED_TEST(csr_test, explicit_zeros_stay) {
    coo<TypeParam> const a{2, 2, {0, 1, 1}, {1, 0, 0}, {0, 3, -3}};
    auto const r = copse::to_csr(a);
    EXPECT_EQ(r.row_offsets, (offsets{0, 1, 2}));
    EXPECT_EQ(r.values, (std::vector<TypeParam>{0, 0}));
}

TYPED_TEST(csr_test, matrices_without_entries) {
    for (auto const& [rows, columns] : {std::pair{0, 0}, std::pair{0, 3}, std::pair{3, 0}, std::pair{2, 2}}) {
        auto const r = copse::to_csr(coo<TypeParam>{rows, columns, {}, {}, {}});
        EXPECT_EQ(r.row_offsets, offsets(rows + 1, 0));
        EXPECT_EQ(r.column_count, columns);
        copse::check(r);
        auto const t = copse::transpose(r);
        EXPECT_EQ(t.row_offsets, offsets(columns + 1, 0));
        EXPECT_EQ(t.column_count, rows);
        EXPECT_EQ(copse::to_coo(r).row_count, rows);
    }
}

TYPED_TEST(csr_test, one_row_and_one_column) {
    coo<TypeParam> const row{1, 4, {0, 0}, {3, 1}, {1, 2}};
    auto const r = copse::to_csr(row);
    EXPECT_EQ(r.row_offsets, (offsets{0, 2}));
    EXPECT_EQ(r.column_indices, (indices{1, 3}));
    auto const t = copse::transpose(r);
    EXPECT_EQ(t.row_count, 4);
    EXPECT_EQ(t.column_count, 1);
    EXPECT_EQ(t.row_offsets, (offsets{0, 0, 1, 1, 2}));
    EXPECT_EQ(t.column_indices, (indices{0, 0}));
    EXPECT_EQ(t.values, (std::vector<TypeParam>{2, 1}));
}

TYPED_TEST(csr_test, transposes_by_hand) {
    // [ 1 0 2 0 ]
    // [ 0 0 3 0 ]
    // [ 4 0 5 6 ]
    csr<TypeParam> const a{3, 4, {0, 2, 3, 6}, {0, 2, 2, 0, 2, 3}, {1, 2, 3, 4, 5, 6}};
    auto const t = copse::transpose(a);
    EXPECT_EQ(t.row_count, 4);
    EXPECT_EQ(t.column_count, 3);
    EXPECT_EQ(t.row_offsets, (offsets{0, 2, 2, 5, 6}));
    EXPECT_EQ(t.column_indices, (indices{0, 2, 0, 1, 2, 2}));
    EXPECT_EQ(t.values, (std::vector<TypeParam>{1, 4, 2, 3, 5, 6}));
}

TYPED_TEST(csr_test, to_coo_lists_entries_row_by_row) {
    csr<TypeParam> const a{3, 2, {0, 2, 2, 3}, {0, 1, 1}, {1, 2, 3}};
    auto const r = copse::to_coo(a);
    EXPECT_EQ(r.row_count, 3);
    EXPECT_EQ(r.column_count, 2);
    EXPECT_EQ(r.rows, (indices{0, 0, 2}));
    EXPECT_EQ(r.columns, (indices{0, 1, 1}));
    EXPECT_EQ(r.values, (std::vector<TypeParam>{1, 2, 3}));
}

TEST(csr_random, agrees_with_a_map_of_coordinates) {
    EXPECT_TRUE(rc::check("to_csr sorts and sums like a map; transposing twice changes nothing", [] {
        auto const rows = *rc::gen::inRange<std::int32_t>(1, 80);
        auto const columns = *rc::gen::inRange<std::int32_t>(1, 80);
        auto const cells = *rc::gen::container<std::vector<std::pair<std::int32_t, std::int32_t>>>(
            rc::gen::pair(rc::gen::inRange(0, rows), rc::gen::inRange(0, columns)));
        coo<double> a{rows, columns, {}, {}, {}};
        std::map<std::pair<std::int32_t, std::int32_t>, double> expected;
        for (auto const& cell : cells) {
            a.rows.push_back(cell.first);
            a.columns.push_back(cell.second);
            a.values.push_back(static_cast<double>(a.values.size() + 1));
            expected[cell] += a.values.back();
        }
        auto const r = copse::to_csr(a);
        copse::check(r);
        auto const listed = copse::to_coo(r);
        RC_ASSERT(listed.values.size() == expected.size());
        std::size_t k = 0;
        for (auto const& [cell, value] : expected) {
            RC_ASSERT(cell == std::pair(listed.rows[k], listed.columns[k]));
            RC_ASSERT(value == listed.values[k]);
            ++k;
        }
        auto const t = copse::transpose(r);
        copse::check(t);
        auto const twice = copse::transpose(t);
        RC_ASSERT(twice.row_offsets == r.row_offsets && twice.column_indices == r.column_indices);
        RC_ASSERT(twice.values == r.values);
    }));
}

// Enough rows and entries for many buckets and many parts, in three orders.
TEST(csr_random, many_parts_and_buckets) {
    constexpr std::int32_t rows = 5000;
    constexpr std::int32_t columns = 3001;
    std::map<std::pair<std::int32_t, std::int32_t>, double> expected;
    coo<double> a{rows, columns, {}, {}, {}};
    std::mt19937 random(7);
    for (int k = 0; k < 300000; ++k) {
        // A quarter of all entries in one row; small whole numbers, so that sums are exact.
        a.rows.push_back(k % 4 == 0 ? 4321 : static_cast<std::int32_t>(random() % rows));
        a.columns.push_back(static_cast<std::int32_t>(random() % columns));
        a.values.push_back(static_cast<double>(random() % 100));
        expected[{a.rows.back(), a.columns.back()}] += a.values.back();
    }
    auto const r = copse::to_csr(a);
    copse::check(r);
    auto const listed = copse::to_coo(r);
    ASSERT_EQ(listed.values.size(), expected.size());
    std::size_t k = 0;
    for (auto const& [cell, value] : expected) {
        ASSERT_EQ(cell, std::pair(listed.rows[k], listed.columns[k]));
        ASSERT_EQ(value, listed.values[k]);
        ++k;
    }
    auto by_column = copse::to_coo(copse::transpose(r));
    std::swap(by_column.row_count, by_column.column_count);
    std::swap(by_column.rows, by_column.columns);
    auto const again = copse::to_csr(by_column);
    EXPECT_EQ(again.row_offsets, r.row_offsets);
    EXPECT_EQ(again.column_indices, r.column_indices);
    EXPECT_EQ(again.values, r.values);
}

TEST(csr_errors, an_index_outside_names_entry_index_and_dimension) {
    coo<double> const row{2, 3, {0, 1, 2, 7}, {0, 1, 2, 0}, {1, 1, 1, 1}};
    EXPECT_EQ(shape_message([&] { copse::to_csr(row); }),
              "to_csr: entry 2 (counted from 0): row index 2 lies outside a matrix of 2 rows");
    coo<double> const column{2, 3, {0, 1}, {2, 3}, {1, 1}};
    EXPECT_EQ(shape_message([&] { copse::to_csr(column); }),
              "to_csr: entry 1 (counted from 0): column index 3 lies outside a matrix of 3 columns");
    coo<double> const negative{2, 3, {-1}, {0}, {1}};
    EXPECT_EQ(shape_message([&] { copse::to_csr(negative); }),
              "to_csr: entry 0 (counted from 0): row index -1 lies outside a matrix of 2 rows");
}

TEST(csr_errors, arrays_and_dimensions_that_do_not_fit) {
    EXPECT_THROW(copse::to_csr(coo<double>{2, 2, {0}, {0, 1}, {1, 1}}), copse::shape_error);
    EXPECT_THROW(copse::to_csr(coo<double>{2, 2, {0, 1}, {0}, {1, 1}}), copse::shape_error);
    EXPECT_THROW(copse::to_csr(coo<double>{-1, 2, {}, {}, {}}), copse::shape_error);
    EXPECT_THROW(copse::to_csr(coo<double>{2, (std::int64_t{1} << 31) + 1, {}, {}, {}}), copse::shape_error);
}

TEST(csr_errors, check_finds_each_offence) {
    csr<double> const good{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
    copse::check(good);
    auto const message_with = [&](auto const& spoil) {
        auto bad = good;
        spoil(bad);
        return shape_message([&] { copse::check(bad); });
    };
    EXPECT_EQ(message_with([](auto&) {}), "");
    EXPECT_NE(message_with([](auto& a) { a.row_offsets.pop_back(); }), "");
    EXPECT_NE(message_with([](auto& a) { a.row_offsets.front() = 1; }), "");
    EXPECT_NE(message_with([](auto& a) { a.row_offsets.back() = 2; }), "");
    EXPECT_NE(message_with([](auto& a) { a.values.pop_back(); }), "");
    EXPECT_NE(message_with([](auto& a) { a.row_count = -1; }), "");
    EXPECT_EQ(message_with([](auto& a) { a.row_offsets[1] = 4; }), "csr: row 1: its offsets descend from 4 to 3");
    auto const columns = "csr: row 0: column indices must ascend without repeating, within 0 .. 2";
    EXPECT_EQ(message_with([](auto& a) { a.column_indices[1] = 3; }), columns);
    EXPECT_EQ(message_with([](auto& a) { a.column_indices[0] = -1; }), columns);
    EXPECT_EQ(message_with([](auto& a) { a.column_indices[0] = 2; }), columns);
    EXPECT_EQ(message_with([](auto& a) { std::swap(a.column_indices[0], a.column_indices[1]); }), columns);
}

TEST(csr_errors, say_what_the_matrix_was_given_to) {
    csr<double> const bad{1, 3, {0, 2}, {2, 0}, {1, 2}};
    std::string const offence = ": row 0: column indices must ascend without repeating, within 0 .. 2";
    copse::cpu executor(1);
    EXPECT_EQ(shape_message([&] { copse::hisparse<double>(executor, bad); }), "hisparse" + offence);
    EXPECT_EQ(shape_message([&] { copse::csr_matrix<double>(executor, bad); }), "csr_matrix" + offence);
    EXPECT_EQ(shape_message([&] { copse::csr5<double>(executor, bad); }), "csr5" + offence);
    EXPECT_EQ(shape_message([&] { copse::sellp<double>(executor, bad); }), "sellp" + offence);
    EXPECT_EQ(shape_message([&] { copse::cmrs<double>(executor, bad); }), "cmrs" + offence);
}

}  // namespace
