// Compressed rows with OpenMP: y <- alpha op(A) x + beta y, C <- alpha op(A) + beta op(B). The baseline that products
// and sums of every other format are compared with.
#pragma once

#include <copse/formats/csr.hpp>
#include <span>

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
