// What products on a GPU are held to: the host's reference, or sums that are made on the GPU by kernels of their own.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <utility>

#include "bench/gpu_comparison/row_check.hpp"
#include "bench/harness/product.hpp"

namespace copse::bench {

template <class T>
class product_check {
  public:
    virtual ~product_check() = default;
    /// The largest error of an element in units of what arithmetic in T may be off by; infinity for NaN. Waits.
    virtual double error(buffer<T> const& y) const = 0;
};

/// By the reference, on the host.
template <class T>
class host_product_check final : public product_check<T> {
  public:
    explicit host_product_check(expectation<T> expected) : expected_(std::move(expected)) {}

    double error(buffer<T> const& y) const override;
    expectation<T> const& expected() const noexcept { return expected_; }

  private:
    expectation<T> expected_;
};

/// y <- op(A) x on the GPU, by a warp for each row of A: A x in twice the precision, A^T x by atomic additions of
/// doubles, whose own rounding is allowed for once more in double. Keeps 24 bytes for each element of y there.
template <class T>
class gpu_product_check final : public product_check<T> {
  public:
    /// a, x: in the executor's memory, until this returns. Waits. The executor must outlive it. Throws cuda_error.
    gpu_product_check(gpu const& executor, csr_view<T> const& a, bool transpose, T const* x);

    double error(buffer<T> const& y) const override;

  private:
    gpu const& executor_;
    bool is_rounded_;
    buffer<element_sum> sums_;
    buffer<double> largest_;  // one: error() takes no memory, which would count as the product's
};

}  // namespace copse::bench
