// Other libraries that do what copse does: those that were found when the build was configured take part, and MKL where
// it can be loaded. They are packages of the benchmarks alone (bench/run --peers installs them).
//
// A peer is one file with a function that returns its `peer<T>`, and a line in peers.cpp.
#pragma once

#include <algorithm>
#include <copse/runtime/error.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/addition.hpp"
#include "bench/harness/columns.hpp"

namespace copse::bench {

/// One way of a library to a product. make(): op(A) converted into its format and, where that is its way, tuned;
/// `threads` is a wish. Null where the library's way is for other matrices. Throws where it cannot.
template <class T>
struct product_peer {
    std::string name;
    std::function<std::unique_ptr<product<T>>(problem<T> const& what, int threads)> make;
};

/// A library that could take part.
template <class T>
struct peer {
    std::string format;                          // its name in records: eigen, graphblas, librsb, petsc, mkl
    std::optional<std::string> version;          // "Eigen 3.4.0"; none where it is not here
    std::string absence = {};                    // "PETSc (bench/run --peers installs it)" where it is not
    bool adds = true;                            // else it takes part in products alone
    std::vector<product_peer<T>> products = {};  // none where it is not here, or not for T
    /// The sum, with conversions done; null where its indices cannot number the sum's entries. Throws where it fails.
    std::function<std::unique_ptr<addition<T>>(sum_problem<T> const& what, int threads)> add = {};
};

/// y <- alpha A x + beta y, or with A^T, for vectors of the caller.
using both_directions = std::function<void(bool transpose, double alpha, double const* x, double beta, double* y)>;
/// By MKL's general matrix, optimised for both; empty where MKL is not here.
both_directions mkl_both_directions(csr<double> const& a, int threads);

/// All that are known, in the order in which they take part.
template <class T>
std::vector<peer<T>> peers();

/// SparseMatrix by rows. A^T x and sums on one thread; A + B^T copies B^T by rows first, as Eigen demands. A symmetric
/// matrix takes part twice: as a general one, and as its upper half (as with librsb and MKL).
template <class T>
peer<T> eigen_peer();
/// SuiteSparse:GraphBLAS: GrB_mxv and eWiseAdd with transposing descriptors.
template <class T>
peer<T> graphblas_peer();
/// Recursive blocks: rsb_spmv, as librsb builds the matrix or tuned for this product by rsb_tune_spmm; rsb_sppsp.
template <class T>
peer<T> librsb_peer();
/// seqaij in double, MatMult and MatMultTranspose: one thread.
template <class T>
peer<T> petsc_peer();
/// MKL's inspector-executor, told of the product before mkl_sparse_optimize.
template <class T>
peer<T> mkl_peer();

/// Called with one line for each peer that cannot take part, or not to the end.
using complaint = std::function<void(std::string const&)>;

/// Ways to products of all peers that are here.
template <class T>
std::vector<product_peer<T>> product_peers();

/// The products of the peers that can take part. `complain` is called for each of the others.
template <class T>
products<T> invite(std::vector<product_peer<T>> const& peers, problem<T> const& what, int threads,
                   complaint const& complain);

/// MKL's products with several columns, by rows and by columns, each told of the layout before mkl_sparse_optimize.
/// None where MKL is not here; `complain` is then called.
template <class T>
columns_products<T> mkl_columns(columns_problem<T> const& what, int threads, complaint const& complain);

/// Whether an entrant threw nothing in the race. If a peer did, a complaint says so: its record says nothing. Throws
/// error if it was one of ours.
bool took_part(race_record const& r, complaint const& complain);

/// Whether the numbers of rows, columns and entries fit in signed 4-byte integers.
template <class T>
bool fits_in_32_bits(csr<T> const& a, std::int64_t entries) {
    return std::max({a.row_count + 1, a.column_count + 1, entries}) <= std::numeric_limits<std::int32_t>::max();
}
/// The same for the operands of a sum and the sum.
template <class T>
bool fits_in_32_bits(sum_problem<T> const& what) {
    return fits_in_32_bits(what.a.matrix, what.a.matrix.entry_count() + what.b.matrix.entry_count());
}
/// Throws error where they do not suffice.
template <class T>
void check_32_bit_indices(csr<T> const& a) {
    if (!fits_in_32_bits(a, a.entry_count())) throw error("its indices of 4 bytes cannot number the entries");
}

/// Numbers of another type, as most libraries want them for offsets.
template <class To, class From>
std::vector<To> numbers_as(std::vector<From> const& from) {
    std::vector<To> to(from.size());
    std::transform(from.begin(), from.end(), to.begin(), [](From number) { return static_cast<To>(number); });
    return to;
}

}  // namespace copse::bench
