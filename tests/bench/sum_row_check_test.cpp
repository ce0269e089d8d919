// What large sums are held to on the GPU, by the same code on the host: right sums pass, others do not.
#include "bench/gpu_comparison/sum_row_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bench/csr_pointers.hpp>
#include <copse/algebra/add.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/generators.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/emulated.hpp>
#include <limits>

namespace copse::bench {
namespace {

template <class T>
double largest_error(csr<T> const& c, addend_rows<T> const& a, addend_rows<T> const& b) {
    double largest = 0;
    for (std::int64_t i = 0; i < c.row_count; ++i)
        if (!has_right_offsets(pointers_to(c), c.entry_count(), i)) largest = HUGE_VAL;
    for (std::int64_t k = 0; k < c.entry_count(); ++k)
        largest = std::max(largest, error_of_sum_entry(pointers_to(c), a, b, k));
    return largest;
}

template <class T>
std::int64_t pairs(addend_rows<T> const& a, addend_rows<T> const& b) {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < a.m.row_offsets[a.m.row_count]; ++k) count += is_pair(a, b, k);
    return count;
}

template <class T>
void check_agreement() {
    auto const a = to_csr(generate<T>("uniform:300,9")), b = to_csr(generate<T>("rmat:8"));
    auto const square = to_csr(generate<T>("uniform:256,9,5"));
    for (auto const& [left, right] : {std::pair{&square, &b}, {&b, &square}, {&a, &a}})
        for (bool const transpose_a : {false, true})
            for (bool const transpose_b : {false, true}) {
                addend_rows<T> const x{pointers_to(*left), transpose_a}, y{pointers_to(*right), transpose_b};
                auto const expected = reference::add<T>(1, *left, transpose_a, 1, *right, transpose_b);
                EXPECT_LE(largest_error(expected.c, x, y), 0.5);
                EXPECT_EQ(left->entry_count() + right->entry_count() - pairs(x, y), expected.c.entry_count());
                for (std::size_t k = 0; k < expected.c.values.size(); k += 97) {
                    auto c = expected.c;
                    auto const off = [&](double bounds) {
                        auto const bound = static_cast<double>(expected.bound[k]);
                        return static_cast<T>(static_cast<double>(expected.c.values[k]) + bounds * bound);
                    };
                    c.values[k] = off(0.5);
                    EXPECT_LE(largest_error(c, x, y), 1);
                    c.values[k] = off(2);
                    EXPECT_GT(largest_error(c, x, y), 1);
                }
            }
}

TEST(sum_row_check, has_the_bound_of_the_reference) {
    check_agreement<float>();
    check_agreement<double>();
}

/// As on the GPU, where both operands are transposed: C's rows are those of A + B.
TEST(sum_row_check, turns_operands_for_rows_of_a_transposed_sum) {
    emulated executor({.seed = 3});
    for (char const* name : {"uniform:300,9", "lp:50,300"}) {
        csr<double> const a = to_csr(generate<double>(name));
        hisparse<double> const tree(executor, a);
        for (bool const transpose : {false, true}) {
            hisparse<double> const op = transpose ? tree.transposed() : tree;
            csr_matrix<double> const c = to_csr_matrix(executor, add(executor, 1.0, op, 1.0, op));
            rows_of_sum<double> const rows = rows_of(c);
            EXPECT_EQ(rows.transposed, transpose);
            EXPECT_EQ(rows.entry_count, a.entry_count());
            addend_rows<double> const own{pointers_to(a), transpose}, to_look_up = own.for_rows_of(rows);
            EXPECT_TRUE(to_look_up.has_shape_of(rows.rows));
            EXPECT_EQ(own.has_shape_of(rows.rows), !transpose || a.row_count == a.column_count);
            for (std::int64_t k = 0; k < rows.entry_count; ++k)
                ASSERT_EQ(error_of_sum_entry(rows.rows, to_look_up, to_look_up, k), 0) << name << ' ' << k;
        }
    }
}

// A: 1 2 .   B: 5 . 1   A + B: 6 2 1   T: . 7
//    . . 3      . . -3         . . 0      . .
//                                         8 .
csr<double> const a{2, 3, {0, 2, 3}, {0, 1, 2}, {1, 2, 3}};
csr<double> const b{2, 3, {0, 2, 3}, {0, 2, 2}, {5, 1, -3}};
csr<double> const t{3, 2, {0, 1, 1, 2}, {1, 0}, {7, 8}};
csr<double> const sum{2, 3, {0, 3, 4}, {0, 1, 2, 2}, {6, 2, 1, 0}};

double error_of(csr<double> const& c) {
    return largest_error<double>(c, {pointers_to(a)}, {pointers_to(b)});
}

TEST(sum_row_check, finds_entries_and_pairs) {
    addend_rows<double> const plain{pointers_to(a)}, turned{pointers_to(t), true};
    EXPECT_EQ(*plain.find(0, 1), 2);
    EXPECT_EQ(plain.find(0, 2), nullptr);
    EXPECT_EQ(plain.find(1, 0), nullptr);
    EXPECT_EQ(*turned.find(1, 0), 7);
    EXPECT_EQ(*turned.find(0, 2), 8);
    EXPECT_EQ(turned.find(1, 2), nullptr);
    EXPECT_EQ(pairs<double>(plain, {pointers_to(b)}), 2);
    EXPECT_EQ(pairs(plain, turned), 0);
    EXPECT_EQ(pairs(turned, plain), 0);
}

TEST(sum_row_check, finds_rows_of_entries) {
    csr<double> const with_empty_rows{5, 1, {0, 0, 2, 2, 3, 3}, {0, 0, 0}, {1, 2, 3}};
    for (auto const& [k, row] : {std::pair{0, 1}, {1, 1}, {2, 3}})
        EXPECT_EQ(row_of_entry(pointers_to(with_empty_rows), k), row) << k;
    csr<double> const of_one_row{1, 3, {0, 2}, {0, 2}, {1, 2}};
    EXPECT_EQ(row_of_entry(pointers_to(of_one_row), 1), 0);
    csr<double> const askew{3, 1, {9, -4, 12, 2}, {0, 0}, {1, 2}};
    for (int k = 0; k < 2; ++k) {
        EXPECT_GE(row_of_entry(pointers_to(askew), k), 0);
        EXPECT_LT(row_of_entry(pointers_to(askew), k), 3);
    }
}

TEST(sum_row_check, takes_what_cancels_and_what_is_there_once) {
    EXPECT_EQ(error_of(sum), 0);
    csr<double> const with_turned{2, 3, {0, 3, 5}, {0, 1, 2, 0, 2}, {1, 2, 8, 7, 3}};
    EXPECT_EQ(largest_error<double>(with_turned, {pointers_to(a)}, {pointers_to(t), true}), 0);
}

TEST(sum_row_check, an_entry_that_neither_has_is_wrong) {
    EXPECT_EQ(error_of({2, 3, {0, 3, 5}, {0, 1, 2, 0, 2}, {6, 2, 1, 0, 0}}), HUGE_VAL);
}

TEST(sum_row_check, columns_and_offsets_ascend_within_the_matrix) {
    EXPECT_EQ(error_of({2, 3, {0, 3, 4}, {0, 2, 1, 2}, {6, 1, 2, 0}}), HUGE_VAL);
    EXPECT_EQ(error_of({2, 3, {0, 4, 5}, {0, 1, 2, 2, 2}, {6, 2, 1, 1, 0}}), HUGE_VAL);
    EXPECT_EQ(error_of({2, 3, {0, 3, 4}, {0, 1, 2, 3}, {6, 2, 1, 0}}), HUGE_VAL);
    EXPECT_EQ(error_of({2, 3, {0, 3, 4}, {-1, 1, 2, 2}, {6, 2, 1, 0}}), HUGE_VAL);
    // A transposed operand has no such row to look into.
    csr<double> const below_none{2, 3, {0, 3, 4}, {-100, -50, 2, 2}, {6, 2, 1, 0}};
    for (std::int64_t k = 0; k < 2; ++k)
        EXPECT_EQ(error_of_sum_entry<double>(pointers_to(below_none), {pointers_to(a)}, {pointers_to(t), true}, k),
                  HUGE_VAL);
    for (auto const& offsets : {std::vector<std::int64_t>{0, 5, 4}, {0, -1, 4}, {0, 3, 3}, {0, 3, 5}, {1, 3, 4}}) {
        auto c = sum;
        c.row_offsets = offsets;
        EXPECT_EQ(error_of(c), HUGE_VAL) << offsets[0] << ' ' << offsets[1] << ' ' << offsets[2];
    }
}

TEST(sum_row_check, what_is_no_number_is_wrong) {
    for (double const wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        for (std::size_t const k : {std::size_t{0}, std::size_t{3}}) {
            auto c = sum;
            c.values[k] = wrong;
            EXPECT_EQ(error_of(c), HUGE_VAL) << wrong << ' ' << k;
        }
    double const zero = 0;
    EXPECT_EQ(error_of_entry(0.0, &zero, &zero), 0);
    EXPECT_EQ(error_of_entry(1e-300, &zero, &zero), HUGE_VAL);
}

}  // namespace
}  // namespace copse::bench
