// The executors, on which operations run, and what they report. Each operation of the library is one template, compiled
// for all three:
//
//   template <class T, any_executor Executor>
//   hisparse<T> compact(Executor& executor, hisparse<T> const& a, compact_options options);
//
// The classes are in cpu.hpp, emulated.hpp and gpu.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace copse {

class cpu;
class emulated;
class gpu;

template <class Executor>
concept any_executor = std::same_as<Executor, cpu> || std::same_as<Executor, emulated> || std::same_as<Executor, gpu>;

/// Executors whose tasks have many lanes: emulated and gpu.
template <class Executor>
concept lanes_executor = any_executor<Executor> && !std::same_as<Executor, cpu>;

namespace detail {

/// Whether this source can run tasks on the executor. Only nvcc makes kernels for `gpu`.
template <any_executor Executor>
inline constexpr bool can_run_on =
#if defined(__CUDACC__)
    true;
#else
    !std::same_as<Executor, gpu>;
#endif

/// Throws cuda_error. In a library that was built without a CUDA toolkit, all operations on `gpu` call this.
[[noreturn]] void refuse_without_cuda(char const* operation);

}  // namespace detail

/// What a run did with one queue, that is by one task.
struct queue_report {
    std::string name;
    std::int64_t items = 0;      // items whose function has run
    std::int64_t batches = 0;    // claims that got one item or more; on a cpu, of what a thread kept, too
    std::int64_t launches = 0;   // kernels started for this queue (gpu and emulated: device and host controllers)
    std::int64_t peak_fill = 0;  // the most items that waited in the queue at once
    std::int64_t capacity = 0;   // items that may wait at once
    double seconds = 0;          // time in task functions, summed over threads (cpu) or blocks (gpu, emulated)
};

/// What a run did.
struct run_report {
    std::vector<queue_report> queues;
    double seconds = 0;  // from the call to the end of the run
};

}  // namespace copse
