// The executors, on which operations run. Each operation of the library is one template, compiled for all three:
//
//   template <class T, any_executor Executor>
//   hisparse<T> compact(Executor& executor, hisparse<T> const& a, compact_options options);
//
// The classes are in cpu.hpp, emulated.hpp and gpu.hpp.
#pragma once

#include <concepts>

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
}  // namespace copse
