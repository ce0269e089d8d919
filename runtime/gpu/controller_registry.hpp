// Which lists of tasks have a device controller in this program.
//
// Its kernels exist only where they are compiled with -rdc=true. Code compiled without leaves a place for them here,
// and copse::device fills it in before main(): gpu_device_controller.cuh. No nvcc is needed to look.
#pragma once

#include <copse/runtime/scheduler/controller.hpp>
#include <copse/runtime/scheduler/run_view.hpp>

namespace copse {

struct gpu_machine;

namespace detail {

/// Starts a run's controller on the stream, a cudaStream_t. Throws cuda_error.
template <class... Tasks>
using device_controller = void (*)(run_view<gpu_machine, Tasks...> const& run, launch_policy const& policy,
                                   void* stream);

template <class... Tasks>
inline device_controller<Tasks...> device_controller_of = nullptr;

/// Set where copse::device is linked.
inline bool device_target_linked = false;

}  // namespace detail

/// Whether code compiled without -rdc=true can run exactly these tasks, in this order, under the device controller.
template <class... Tasks>
bool has_device_controller() {
    return detail::device_controller_of<Tasks...> != nullptr;
}

}  // namespace copse
