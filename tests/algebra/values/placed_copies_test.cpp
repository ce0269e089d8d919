// Sub-matrices and Kronecker products on the executors of the host; placed_copies_gpu_test.cpp has the GPU.
#include <gtest/gtest.h>

#include <algebra/values/placed_copies_suite.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <formats/distant_memory.hpp>
#include <runtime/message_of.hpp>
#include <vector>

namespace copse::tests {
namespace {

template <class T>
class placed_copies : public testing::Test {};
using value_types = testing::Types<float, double>;
TYPED_TEST_SUITE(placed_copies, value_types);

TYPED_TEST(placed_copies, are_sub_matrices) {
    cpu threads(3);
    check_sub_matrices<TypeParam>(threads, true);
    check_parts_of_sums<TypeParam>(threads);
}

TYPED_TEST(placed_copies, are_sub_matrices_in_lanes) {
    emulated lanes;
    check_sub_matrices<TypeParam>(lanes, false);
}

TYPED_TEST(placed_copies, are_kronecker_products) {
    cpu threads(3);
    check_kronecker_products<TypeParam>(threads, true);
}

TYPED_TEST(placed_copies, are_kronecker_products_in_lanes) {
    emulated lanes;
    check_kronecker_products<TypeParam>(lanes, false);
}

TYPED_TEST(placed_copies, have_wide_leaves) {
    cpu threads(3);
    check_wide_copies<TypeParam>(threads, true);
    if (COPSE_THREAD_SANITIZER) return;  // one thread has nobody to race with
    emulated lanes;
    check_wide_copies<TypeParam>(lanes, false);
}

TEST(kronecker, shares_blocks_that_are_as_they_were) {
    cpu executor(2);
    hisparse<double> const a = matrix_of<double>(scattered_lists(4096, 4096));
    coo<double> const b{3, 3, {0, 1, 2}, {0, 1, 2}, {1, 2, 1}};
    check_kronecker(executor, a, b);
    hisparse<double> const c = kronecker(executor, b, a);
    EXPECT_EQ(shared_bytes(c, a), reachable_bytes(a));
    EXPECT_LT(reachable_bytes(c), 2 * reachable_bytes(a) + 200) << "one copy for the block with 2, and the root";
    EXPECT_LT(c.content()->reachable_bytes, 2 * reachable_bytes(a) + 200);
}

TEST(kronecker, refuses_what_is_too_large) {
    cpu executor(1);
    hisparse<double> const a(executor, coo<double>{1 << 20, 3, {5}, {1}, {2}});
    coo<double> b{1 << 12, 1, {0}, {0}, {1}};
    auto const message = message_of<shape_error>([&] { kronecker(executor, a, b); });
    EXPECT_NE(message.find("kronecker: the matrix is to be 4294967296 x 3; dimensions must be"), std::string::npos)
        << message;
    EXPECT_THROW(kronecker(executor, b, a), shape_error);
    b.rows[0] = 1 << 13;
    EXPECT_EQ(message_of<shape_error>([&] { kronecker(executor, a, b); }),
              "kronecker: B: to_csr: entry 0 (counted from 0): row index 8192 lies outside a matrix of 4096 rows");
    b.rows[0] = 1 << 10;
    b.row_count = 1 << 11;
    EXPECT_EQ(to_coo(kronecker(executor, b, a)).rows, std::vector<std::int32_t>{(1 << 30) + 5});
    coo<double> const full = matrix_where(400, 400, [](auto, auto) { return true; });  // squared: 200 GB of values
    EXPECT_NE(message_of<shape_error>([&] { kronecker(executor, hisparse<double>(executor, full), full); }),
              "no error of this type");
}

TEST(sub_matrix, refuses_ranges_outside) {
    cpu executor(1);
    hisparse<double> const a(executor, coo<double>{70, 90, {5}, {1}, {2}});
    EXPECT_NE(message_of<shape_error>([&] {
                  sub_matrix(executor, a, {60, 11}, {0, 90});
              }).find("sub_matrix: 11 rows from 60 on are asked for, but op(A) has 70"),
              std::string::npos);
    EXPECT_THROW(sub_matrix(executor, a, {0, 70}, {-1, 5}), shape_error);
    EXPECT_THROW(sub_matrix(executor, a, {0, -1}, {0, 5}), shape_error);
    EXPECT_THROW(sub_matrix(executor, a, {71, 0}, {0, 5}), shape_error);
    EXPECT_THROW(sub_matrix(executor, a, {0, 90}, {0, 70}), shape_error);
    EXPECT_EQ(sub_matrix(executor, transposed(a), {0, 90}, {0, 70}).entry_count(), 1);
    auto const distant = placed_in(std::make_shared<distant_memory>(), a);
    EXPECT_THROW(sub_matrix(executor, distant, {0, 1}, {0, 1}), argument_error);
    EXPECT_THROW(kronecker(executor, distant, coo<double>{1, 1, {0}, {0}, {1}}), argument_error);
}

}  // namespace
}  // namespace copse::tests
