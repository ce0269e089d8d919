// The products that are measured: a matrix in a format, on an executor, with the record that describes it.
#pragma once

#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <cstdint>
#include <string>

#include "bench/harness/product.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench::measure {

/// What is multiplied: op(A) = A^T when `transpose`. All is borrowed, and must outlive the competitors.
template <class T>
struct problem {
    std::string const& matrix;  // its name
    csr<T> const& a;
    bool transpose;
    operands<T> const& v;
};

/// A matrix in another format, and the seconds that this took.
template <class Matrix>
struct converted {
    Matrix matrix;
    double seconds = 0;
};

/// The record before anything is measured; `bytes`: of A in the format.
template <class T>
measurement describe(problem<T> const& what, std::string format, std::int64_t bytes, int threads);

/// HiSparse in the memory of `where`. Throws argument_error for a bad node dimension, cuda_error, and error when memory
/// runs out.
template <class T>
converted<hisparse<T>> convert(target& where, std::string const& matrix, csr<T> const& a, int node_dimension);
template <class T>
converted<hisparse<T>> convert(target& where, std::string const& matrix, coo<T> const& a, int node_dimension);

/// `tree` holds problem.a; its transpose is taken where the problem asks for it. `where` must outlive the competitor.
template <class T>
competitor<T> hisparse_competitor(problem<T> const& what, converted<hisparse<T>> const& tree, target& where);

/// A plan for `tree`, both directions. Throws what spmv_plan() throws, and error when memory runs out.
template <class T>
converted<spmv_plan<T>> make_plan(target& where, std::string const& matrix, hisparse<T> const& tree);

/// The same as hisparse_competitor(), by a plan for `tree`. The record's bytes are those of
/// the tree and of the plan, which serves both directions. S: T, or float beside vectors of double.
template <class T, class S>
competitor<T> plan_competitor(problem<T> const& what, converted<hisparse<S>> const& tree,
                              converted<spmv_plan<S>> const& plan, target& where);

/// Plain OpenMP CSR.
template <class T>
competitor<T> csr_competitor(problem<T> const& what, int threads);

/// Plain OpenMP CSR of A^T, which is `transposed`: the product with the transpose for those who can store it.
template <class T>
competitor<T> csr_of_transpose_competitor(problem<T> const& what, converted<csr<T>> const& transposed, int threads);

}  // namespace copse::bench::measure
