// Other libraries in products y <- op(A) x: who takes part, and what happens when one of them cannot.
//
// A peer of products is a class on `host_product<T>` in its library's file, a function that makes it a competitor, and
// a line in product_peers.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/competitors.hpp"

namespace copse::bench {

/// One who may take part. make(): op(A) converted into its format and, where that is its way, tuned; factors are 1 and
/// 0. Throws where it cannot.
template <class T>
struct product_peer {
    std::string name;
    std::function<measure::competitor<T>(measure::problem<T> const& what, int threads)> make;
};

/// Those that this program is built with and that can be loaded here, in the order in which they take part.
template <class T>
std::vector<product_peer<T>> product_peers();

/// Called with one line for each peer that cannot take part, or not to the end.
using complaint = std::function<void(std::string const&)>;

/// The competitors of those that could be made. One that throws later on does so no more: it complains once, and its
/// result is NaN from then on. Throws argument_error unless alpha = 1 and beta = 0, which not all of them could do
/// otherwise.
template <class T>
std::vector<measure::competitor<T>> invite(std::vector<product_peer<T>> const& peers, measure::problem<T> const& what,
                                           int threads, complaint const& complain);

/// Whether it did not throw while it ran: the record of one that did says nothing. True for who was not invited.
template <class T>
bool took_part(measure::competitor<T> const& c);

/// x and y on the host. Each competitor has its own: of those that the one before has used, the cache would hold a
/// part.
template <class T>
class host_product : public measure::product<T> {
  public:
    explicit host_product(measure::operands<T> const& v) : x_(v.x), y_(v.y.size()) {}
    void prepare() override { std::fill(y_.begin(), y_.end(), std::numeric_limits<T>::quiet_NaN()); }
    std::vector<T> result() const override { return y_; }

  protected:
    std::vector<T> x_;
    std::vector<T> y_;
};

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
measure::competitor<T> eigen_competitor(measure::problem<T> const& what, int threads);

/// GrB_mxv, with the transposing descriptor for A^T x.
template <class T>
measure::competitor<T> graphblas_competitor(measure::problem<T> const& what, int threads);

/// rsb_spmv; as librsb builds the matrix, or tuned for this product by rsb_tune_spmm.
template <class T>
measure::competitor<T> librsb_competitor(measure::problem<T> const& what, int threads);
template <class T>
measure::competitor<T> librsb_tuned_competitor(measure::problem<T> const& what, int threads);

/// PETSc's seqaij, MatMult and MatMultTranspose: one thread.
measure::competitor<double> petsc_competitor(measure::problem<double> const& what, int threads);

/// MKL's inspector-executor, told of the product before mkl_sparse_optimize.
template <class T>
measure::competitor<T> mkl_competitor(measure::problem<T> const& what, int threads);

}  // namespace copse::bench
