// One product y <- alpha op(A) x + beta y in each of its forms, ready to be checked and timed over and over.
#pragma once

#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <memory>
#include <vector>

#include "bench/harness/race.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench::measure {

/// The host's copy of what a product reads beside A. `y` is what it was before the product.
template <class T>
struct operands {
    T alpha = 1;
    std::vector<T> x;
    T beta = 0;
    std::vector<T> y;
};

/// What the product is to give, by the reference, and by how much arithmetic in T may be off.
template <class T>
struct expectation {
    std::vector<T> y;
    std::vector<long double> bound;
};

/// a: A as stored; op(A) = A^T when `transposed`. Throws shape_error.
template <class T>
expectation<T> expect(csr<T> const& a, bool transposed, operands<T> const& v);

/// run(): y <- alpha op(A) x + beta y. prepare() sets y to what it is to be before: NaN when beta is 0, so that a
/// product that reads y, or leaves elements of it alone, fails its check.
template <class T>
class product : public work {
  public:
    /// y on the host.
    virtual std::vector<T> result() const = 0;
};

template <class T>
struct competitor {
    measurement record;
    std::unique_ptr<product<T>> what;
};

/// Runs them as `take_turns` does.
template <class T>
void run_in_turn(std::vector<competitor<T>>& competitors, expectation<T> const& expected, int repeats,
                 checks which = checks::every_run, memory_probe const& probe = {});

/// The product by HiSparse, one traversal for each run. `a` is op(A), in the memory of `where`; `where` must outlive
/// the product. Throws shape_error, cuda_error.
template <class T>
std::unique_ptr<product<T>> hisparse_product(target& where, hisparse<T> a, operands<T> const& v);

/// The product by HiSparse, from a plan of op(A) that `where` made. S: T, or float beside vectors of double.
template <class T, class S>
std::unique_ptr<product<T>> plan_product(target& where, spmv_plan<S> plan, operands<T> const& v);

/// The product by OpenMP on compressed rows. `a` and `v` must outlive the product. Throws shape_error.
template <class T>
std::unique_ptr<product<T>> csr_product(int threads, csr<T> const& a, bool transposed, operands<T> const& v);

}  // namespace copse::bench::measure
