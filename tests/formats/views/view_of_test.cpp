// Matrices by the names of other libraries. Eigen's own are tested where it is installed (libeigen3-dev).
#include <copse/formats/views.hpp>

#include <gtest/gtest.h>

#include <array>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu.hpp>
#include <formats/views/foreign_arrays.hpp>
#include <runtime/message_of.hpp>
#include <span>
#include <vector>
#if __has_include(<Eigen/SparseCore>)
#include <Eigen/SparseCore>
#define COPSE_TEST_EIGEN 1
#endif

namespace view_of_test {

/// As spblas::csr_view has them.
template <class T, class I, class O>
struct with_members {
    std::span<T> values_;
    std::span<O> rowptr_;
    std::span<I> colind_;
    std::array<I, 2> shape_;

    std::span<T> values() const { return values_; }
    std::span<O> rowptr() const { return rowptr_; }
    std::span<I> colind() const { return colind_; }
    std::array<I, 2> shape() const { return shape_; }
    O size() const { return static_cast<O>(values_.size()); }
};

struct with_functions {
    std::vector<float> entries;
    std::vector<long> begins;
    std::vector<int> indices;
};
std::vector<float> const& values(with_functions const& a) {
    return a.entries;
}
std::span<long const> rowptr(with_functions const& a) {
    return a.begins;
}
std::span<int const> colind(with_functions const& a) {
    return a.indices;
}
std::array<int, 2> shape(with_functions const& a) {
    return {static_cast<int>(a.begins.size()) - 1, 3};
}
int size(with_functions const& a) {
    return static_cast<int>(a.entries.size());
}

}  // namespace view_of_test

namespace copse::tests {
namespace {

static_assert(csr_like<view_of_test::with_members<double, int, long>>);
static_assert(csr_like<view_of_test::with_functions>);
static_assert(!csr_like<csr<double>> && !csr_like<std::vector<double>> && !csr_like<int>);
static_assert(!eigen_sparse<csr<double>>);

csr<double> const wanted{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};

TEST(view_of, takes_members) {
    std::vector<double> values{1, 2, 3};
    std::vector<long> rowptr{0, 2, 3};
    std::vector<int> colind{0, 2, 1};
    view_of_test::with_members<double, int, long> const a{values, rowptr, colind, {2, 3}};
    csr_view<double> const view = view_of(a);
    EXPECT_EQ(view.values.data(), values.data());
    EXPECT_EQ(view.column_indices.data(), colind.data());
    EXPECT_EQ(view.row_offsets.data(), rowptr.data());
    expect_equal(to_csr(hisparse<double>(host_memory(), view)), wanted);
    EXPECT_TRUE(view_of(a, {.symmetry = matrix_symmetry::skew}).options.symmetry == matrix_symmetry::skew);
}

#if COPSE_TEST_EIGEN
template <class Matrix>
Matrix from_triplets() {
    using triplet = Eigen::Triplet<typename Matrix::Scalar, typename Matrix::StorageIndex>;
    std::vector<triplet> const entries{{0, 0, 1}, {1, 1, 3}, {0, 2, 2}};
    Matrix a(2, 3);
    a.setFromTriplets(entries.begin(), entries.end());
    return a;
}

/// The matrix, a Map of its arrays, a Ref.
template <class Matrix>
void check_eigen() {
    using T = typename Matrix::Scalar;
    cpu executor(1);
    csr<T> const expected{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
    Matrix a = from_triplets<Matrix>();
    expect_equal(to_csr(hisparse<T>(executor, view_of(a))), expected);
    Eigen::Map<Matrix> const map(2, 3, 3, a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr());
    expect_equal(to_csr(hisparse<T>(executor, view_of(map))), expected);
    Eigen::Map<Matrix const> const constant(2, 3, 3, a.outerIndexPtr(), a.innerIndexPtr(), a.valuePtr());
    expect_equal(to_csr(hisparse<T>(executor, view_of(constant))), expected);
    Eigen::Ref<Matrix const> const ref(a);
    expect_equal(to_csr(hisparse<T>(executor, view_of(ref))), expected);
    hisparse<T> const empty(executor, view_of(Matrix()));
    EXPECT_EQ(empty.row_count() + empty.column_count() + empty.entry_count(), 0);
    a.insert(1, 0) = 4;
    ASSERT_FALSE(a.isCompressed());
    EXPECT_EQ(message_of<argument_error>([&] { view_of(a); }),
              "view_of: the Eigen matrix is not compressed; call its makeCompressed() first");
}
#endif

TEST(view_of, takes_eigens_matrices) {
#if COPSE_TEST_EIGEN
    check_eigen<Eigen::SparseMatrix<double>>();
    check_eigen<Eigen::SparseMatrix<double, Eigen::RowMajor>>();
    check_eigen<Eigen::SparseMatrix<float, Eigen::ColMajor, long>>();
    check_eigen<Eigen::SparseMatrix<float, Eigen::RowMajor, long>>();
    Eigen::SparseMatrix<double, Eigen::RowMajor> const by_row =
        from_triplets<Eigen::SparseMatrix<double, Eigen::RowMajor>>();
    csr_view<double> const rows = view_of(by_row);
    EXPECT_EQ(rows.values.data(), by_row.valuePtr());
    csc_view<double> const columns = view_of(Eigen::SparseMatrix<double>(by_row));
    EXPECT_EQ(columns.row_count(), 2);
    EXPECT_EQ(columns.column_count(), 3);
#else
    GTEST_SKIP() << "Eigen is not installed: apt-get install libeigen3-dev";
#endif
}

/// Lower and upper, of matrices whose other half says something else.
TEST(view_of, takes_eigens_selfadjoint_views) {
#if COPSE_TEST_EIGEN
    cpu executor(1);
    auto const check = [&]<class Matrix>(Matrix) {
        Matrix a(3, 3);
        a.coeffRef(0, 0) = 1;
        a.coeffRef(2, 0) = 5;
        a.coeffRef(0, 2) = 7;
        a.makeCompressed();
        expect_equal(to_csr(hisparse<double>(executor, view_of(a.template selfadjointView<Eigen::Lower>()))),
                     csr<double>{3, 3, {0, 2, 2, 3}, {0, 2, 0}, {1, 5, 5}});
        expect_equal(to_csr(hisparse<double>(executor, view_of(a.template selfadjointView<Eigen::Upper>()))),
                     csr<double>{3, 3, {0, 2, 2, 3}, {0, 2, 0}, {1, 7, 7}});
    };
    check(Eigen::SparseMatrix<double>());
    check(Eigen::SparseMatrix<double, Eigen::RowMajor>());
#else
    GTEST_SKIP() << "Eigen is not installed: apt-get install libeigen3-dev";
#endif
}

TEST(view_of, takes_free_functions) {
    view_of_test::with_functions const a{{1, 2, 3}, {0, 2, 3}, {0, 2, 1}};
    csr_view<float> const view = view_of(a);
    EXPECT_EQ(view.values.data(), a.entries.data());
    expect_equal(to_csr(view), csr<float>{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}});
}

}  // namespace
}  // namespace copse::tests
