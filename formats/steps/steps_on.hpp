// The steps of conversions (gpu_steps.cuh, host_steps.hpp) on an executor: steps_on<Executor> steps(executor).
#pragma once

#include <copse/formats/steps/host_steps.hpp>
#include <copse/runtime/executor.hpp>
#if defined(__CUDACC__)
#include <copse/formats/steps/gpu_steps.cuh>
#endif

namespace copse::detail {

template <any_executor Executor>
struct steps_on : host_steps {
    explicit steps_on(Executor& executor) : temporary_(temporary_memory(executor)) {}

    std::shared_ptr<memory> const& temporary() const { return temporary_; }

  private:
    std::shared_ptr<memory> temporary_;
};
#if defined(__CUDACC__)
template <>
struct steps_on<gpu> : gpu_steps {
    using gpu_steps::gpu_steps;
};
#endif

}  // namespace copse::detail
