// Other libraries in products y <- op(A) x: who takes part, and what happens when one of them cannot.
//
// A peer of products is a class on `host_product<T>` in its library's file, a function that makes it, and a line in
// product_peers.
#pragma once

#include <algorithm>
#include <copse/runtime/error.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/product.hpp"

namespace copse::bench {

/// A library that may take part. make(): op(A) converted into its format and, where that is its way, tuned. Throws
/// where it cannot.
template <class T>
struct product_peer {
    std::string name;
    std::function<std::unique_ptr<product<T>>(problem<T> const& what, int threads)> make;
};

/// Those that this program is built with and that can be loaded here, in the order in which they take part.
template <class T>
std::vector<product_peer<T>> product_peers();

/// Called with one line for each peer that cannot take part, or not to the end.
using complaint = std::function<void(std::string const&)>;

/// The products of the peers, but of those that cannot take part: `complain` hears of these.
template <class T>
products<T> invite(std::vector<product_peer<T>> const& peers, problem<T> const& what, int threads,
                   complaint const& complain);

/// Whether an entrant threw nothing in the race. If a peer did, a complaint says so: its record says nothing. Throws
/// error if it was one of ours.
bool took_part(race_record const& r, complaint const& complain);

/// Throws error where 4-byte signed numbers do not suffice for rows, columns and entries.
template <class T>
void check_32_bit_indices(csr<T> const& a) {
    if (std::max({a.row_count + 1, a.column_count + 1, a.entry_count()}) > std::numeric_limits<std::int32_t>::max())
        throw error("its indices of 4 bytes cannot number the entries");
}

/// Numbers of another type, as most libraries want them for offsets.
template <class To, class From>
std::vector<To> numbers_as(std::vector<From> const& from) {
    std::vector<To> to(from.size());
    std::transform(from.begin(), from.end(), to.begin(), [](From number) { return static_cast<To>(number); });
    return to;
}

/// y <- op(A) x by each library; `threads` is a wish.

/// Eigen's SparseMatrix by rows; A^T x on one thread.
template <class T>
std::unique_ptr<product<T>> product_by_eigen(problem<T> const& what, int threads);

/// GrB_mxv, with the transposing descriptor for A^T x.
template <class T>
std::unique_ptr<product<T>> product_by_graphblas(problem<T> const& what, int threads);

/// rsb_spmv; as librsb builds the matrix, or tuned for this product by rsb_tune_spmm.
template <class T>
std::unique_ptr<product<T>> product_by_librsb(problem<T> const& what, int threads);
template <class T>
std::unique_ptr<product<T>> product_by_librsb_tuned(problem<T> const& what, int threads);

/// PETSc's seqaij, MatMult and MatMultTranspose: one thread.
std::unique_ptr<product<double>> product_by_petsc(problem<double> const& what, int threads);

/// MKL's inspector-executor, told of the product before mkl_sparse_optimize.
template <class T>
std::unique_ptr<product<T>> product_by_mkl(problem<T> const& what, int threads);

}  // namespace copse::bench
