// What cuSPARSE's products of a large matrix read: made on the GPU when the first of them asks for it, and shared.
#pragma once

#include <copse/runtime/error.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/gpu_comparison/large_case.hpp"

namespace copse::bench {

/// A variant that this matrix is too large for, here or anywhere.
class too_large : public error {
  public:
    using error::error;
};

/// Why nobody takes `wanted` bytes where `free` are: half of them stay for what the products take themselves. Empty
/// where that is left.
std::string lack_of_memory(std::int64_t wanted, std::int64_t free);
/// On the executor's GPU, without its workspace.
std::int64_t free_bytes(gpu& executor);

/// Why cuSPARSE cannot have a matrix with so many entries: its offsets here are of 32 bits, as csr2csc's are
/// everywhere. Empty where it can.
std::string lack_of_width(std::int64_t entries);

template <class T>
class large_cusparse {
  public:
    /// All must outlive it.
    large_cusparse(gpu& executor, csr_matrix<T> const& a, gpu_problem<T> const& what)
        : executor_(executor), a_(a), what_(what) {}

    /// Borrowed from this. Throws too_large, before memory is taken; too_much_padding; argument_error; cuda_error.
    cusparse_operands<T> operands(cusparse_variant const& variant);

  private:
    /// Throws too_large.
    void need(std::int64_t bytes);

    gpu& executor_;
    csr_matrix<T> const& a_;
    gpu_problem<T> const& what_;
    buffer<std::int32_t> offsets_, row_indices_;
    device_csr<T> rows_of_transpose_;
    std::shared_ptr<sliced_ell<T> const> slices_;
};

}  // namespace copse::bench
