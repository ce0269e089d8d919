// SpMV on compressed rows with OpenMP: the baseline that every other format is compared with.
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

}  // namespace copse
