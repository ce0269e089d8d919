// Addition of compressed rows with OpenMP: the baseline that every other addition is compared with.
#pragma once

#include <copse/formats/csr.hpp>

namespace copse {

/// C = alpha op(A) + beta op(B),   op(A) = A, or A^T when `transpose_a`; op(B) likewise
/// op(A), op(B), C: m x n. C has an entry wherever op(A) or op(B) has one, and nowhere else, whatever the factors are.
/// An operand without an entry there adds no term. Entries that cancel and those that meet a factor of zero stay, as
/// explicit zeros (NaN where that is their product). Any number of threads gives the same bits.
/// Waits.
/// A transposed operand is transposed first, which takes memory for a copy of it. For A^T + B^T the sum is transposed
/// instead.
/// Throws shape_error when op(A) and op(B) differ in shape, argument_error when threads < 1.
template <class T>
csr<T> add(int threads, T alpha, csr<T> const& a, bool transpose_a, T beta, csr<T> const& b, bool transpose_b);

}  // namespace copse
