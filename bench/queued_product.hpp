// Products on a GPU as plans do them: launches that nobody waits for, timed by CUDA events with their latency hidden. A
// launch and a wait take as long as a product of a few million entries.
#pragma once

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <functional>
#include <memory>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/harness/product.hpp"

namespace copse::bench {

/// y <- op(A) x on the executor's stream, without waiting.
template <class T>
using queued_spmv = std::function<void(gpu& executor, vector_view<T const> x, vector_view<T> y)>;

/// Null where it is no gpu's. `where` must outlive it. Throws cuda_error.
std::shared_ptr<gpu_clock> clock_for(target& where);

/// The product by `multiply` on the clock's executor. Throws cuda_error.
template <class T>
std::unique_ptr<product<T>> queued_product(std::shared_ptr<gpu_clock> clock, problem<T> const& what, race_record r,
                                           queued_spmv<T> multiply);

}  // namespace copse::bench
