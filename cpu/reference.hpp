// What every product and sum is compared with. For speed: the baseline, compressed rows with OpenMP. For results: the
// oracle, the formulas in long double, one thread, one loop. Every implementation must keep the error bounds in this
// file, which are derived from the arithmetic alone. Instantiated for float, double.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/dense_view.hpp>
#include <span>
#include <vector>

namespace copse {

/// y <- alpha op(A) x + beta y,   op(A) = A, or A^T when `transposed`
/// op(A): m x n; x: n elements; y: m elements; x and y must not overlap.
/// algebra/spmv.hpp has the rule for Inf, NaN and 0; f is alpha here.
/// alpha == 0 reads neither A's entries nor x; beta == 0 overwrites y without reading it. The same number of threads
/// gives the same bits. The transposed product takes memory for the columns that each thread's rows reach, at most
/// threads x m elements, and m more where alpha is Inf or NaN. Waits.
/// Throws shape_error, and argument_error when threads < 1, before y is touched.
template <class T>
void spmv(int threads, T alpha, csr<T> const& a, bool transposed, std::span<T const> x, T beta, std::span<T> y);

/// C = alpha op(A) + beta op(B),   op(A) = A, or A^T when `transpose_a`; op(B) likewise
/// op(A), op(B), C: m x n. C has an entry wherever op(A) or op(B) has one, and nowhere else, whatever the factors are.
/// An operand that has no entry in a place adds nothing there. Entries that cancel stay, as explicit zeros. Entries
/// that are multiplied by a factor of zero stay, too, as 0 or, if they are Inf or NaN, as NaN. Any number of threads
/// gives the same bits.
/// Waits.
/// A transposed operand is transposed first, which takes memory for a copy of it. For A^T + B^T the sum is transposed
/// instead.
/// Throws shape_error when op(A) and op(B) differ in shape, argument_error when threads < 1.
template <class T>
csr<T> add(int threads, T alpha, csr<T> const& a, bool transpose_a, T beta, csr<T> const& b, bool transpose_b);

}  // namespace copse

namespace copse::reference {

/// y_i <- alpha s_i + beta y_i,   s_i the sum over the entries of row i of op(A) = A, or A^T when `transposed`
/// op(A): m x n; x: n elements; y: m elements; x and y must not overlap.
/// s_i is 0 for a row without entries, so that an alpha of Inf or NaN makes NaN of it. NaN and Inf of x and A reach the
/// rows of the entries that they meet, and no others.
/// Sums in long double and rounds once, so intermediate results do not overflow where those in T might.
/// alpha == 0 reads neither A's entries nor x; beta == 0 does not read y. Throws shape_error.
template <class T>
void spmv(T alpha, csr<T> const& a, bool transposed, std::span<T const> x, T beta, std::span<T> y);

/// A value in place of a bound: results of Inf, -Inf and NaN are right.
inline constexpr long double any_not_finite = -1;

/// For each row i of op(A), what an implementation in T may be off by, whatever the order of its sums:
///   (entries_i + 3) eps (|alpha| sum_j |a_ij| |x_j| + |beta| |y_i|)
/// with `y` as it was before the product and eps = numeric_limits<T>::epsilon(), twice the unit roundoff. Where that
/// sum is not zero, the smallest positive T for each operation is added: products may underflow. any_not_finite where
/// alpha is infinite and rounding may change the sign of s_i, or make it 0. Throws shape_error.
/// Higham, Accuracy and Stability of Numerical Algorithms, §3.1.
template <class T>
std::vector<long double> spmv_error_bound(T alpha, csr<T> const& a, bool transposed, std::span<T const> x, T beta,
                                          std::span<T const> y);

/// The same for several columns: column c of Y, m x k, from column c of X, n x k. Elements (i, c) are at
/// x.data()[i * x.row_step() + c * x.column_step()]. Throws shape_error.
template <class T>
void spmm(T alpha, csr<T> const& a, bool transposed, dense_view<T const> x, T beta, dense_view<T> y);
/// Of Y's elements, column by column: spmv_error_bound() of each.
template <class T>
std::vector<long double> spmm_error_bound(T alpha, csr<T> const& a, bool transposed, dense_view<T const> x, T beta,
                                          dense_view<T const> y);
/// The elements of `a`, column by column.
template <class T>
std::vector<T> columns_of(dense_view<T const> a);

/// max_i |computed_i - expected_i| / bound_i, at most 1 for a correct implementation; 0 without elements.
/// NaN and infinities compare as classes: if both are NaN or the same infinity, the error is 0; if only one is, it is
/// infinite. A difference where the bound is 0 is infinite, too. Where the bound is any_not_finite, numbers that are
/// not finite count 0. Throws shape_error unless all three have the same length.
template <class T>
double max_error(std::span<T const> computed, std::span<T const> expected, std::span<long double const> bound);

/// C = alpha op(A) + beta op(B), and for each of its entries what an implementation in T may be off by.
template <class T>
struct sum {
    static constexpr long double no_bound = -1;

    csr<T> c;
    std::vector<long double> bound;
};

/// C has an entry wherever op(A) or op(B) has one, explicit zeros included, and nowhere else, whatever the factors are.
/// An entry is alpha a_ij + beta b_ij, without the term of a matrix that has no entry there. A factor of 0 is applied
/// like any other (0 times an a_ij of Inf is NaN). Each entry is computed in long double and rounded once. Its bound is
///   2 eps (|alpha| |a_ij| + |beta| |b_ij|)
/// for the rounding of the two products, of their sum and of the reference, plus the smallest positive T for each
/// product that may underflow. The bound is no_bound where both have an entry and a product of finite numbers is too
/// large for T, because the result then depends on the order of operations. Throws shape_error when op(A) and op(B)
/// differ in shape.
template <class T>
sum<T> add(T alpha, csr<T> const& a, bool transpose_a, T beta, csr<T> const& b, bool transpose_b);

/// The same sum without its zeros, for implementations that do not store them.
template <class T>
sum<T> without_zeros(sum<T> const& from);

/// The largest error of `computed` in units of the bound, as above; infinity where it has another shape, or entries in
/// other places.
template <class T>
double max_error(csr<T> const& computed, sum<T> const& expected);

}  // namespace copse::reference
