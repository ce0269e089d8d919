// Products on a GPU as plans do them: launches that nobody waits for, timed by CUDA events with their latency hidden. A
// launch and a wait take as long as a product of a few million entries.
#pragma once

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/harness/product.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench {

/// y <- A x on the executor's stream, without waiting.
template <class T>
using queued_spmv = std::function<void(gpu& executor, vector_view<T const> x, vector_view<T> y)>;

/// Null where it is no gpu's. `where` must outlive it. Throws cuda_error.
std::shared_ptr<gpu_clock> clock_for(measure::target& where);

/// The product by `multiply` on the clock's executor. Before each run all of y is NaN. Throws cuda_error.
template <class T>
std::unique_ptr<measure::product<T>> queued_product(std::shared_ptr<gpu_clock> clock, queued_spmv<T> multiply,
                                                    std::vector<T> const& x, std::int64_t row_count);

}  // namespace copse::bench
