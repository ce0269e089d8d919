// The check of sums whose operands are on the GPU and nowhere else.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>

#include "bench/gpu_comparison/sum.hpp"

namespace copse::bench {

/// op(A) + op(B): every entry of C is looked up in A and in B there, and C has as many as it is to have.
template <class T>
class large_sum_check final : public sum_check<T> {
  public:
    /// Waits. The executor must outlive it.
    large_sum_check(gpu& executor, csr_matrix<T> a, bool transpose_a, csr_matrix<T> b, bool transpose_b);

    double error(gpu_sum<T> const& sum) const override;
    std::int64_t entry_count() const override { return entry_count_; }

  private:
    gpu& executor_;
    csr_matrix<T> a_, b_;
    bool transpose_a_, transpose_b_;
    std::int64_t entry_count_;
};

}  // namespace copse::bench
