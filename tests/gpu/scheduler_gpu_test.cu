// The scheduler's suite on a GPU. Compiled twice: without -rdc=true for the host and persistent controllers (the tools of
// compute-sanitizer work on such programs), with it for the device controller.
#include <copse/runtime/gpu_run.cuh>
#include <runtime/scheduler_suite.hpp>
#include <string>

namespace copse::tests {
namespace {

template <controller Controller>
struct on_gpu {
    static constexpr bool launches = Controller != controller::persistent;
    static std::string why_not() {
        std::string why;
        (void)gpu::usable(&why);
        return why;
    }
    template <class F>
    static void with_each(int effort, F f) {
        gpu executor({.controller = Controller});
        for (int repeat = 0; repeat < std::max(1, 20 / effort) && !testing::Test::HasFailure(); ++repeat) f(executor);
    }
};

struct controller_names {
    template <class Provider>
    static std::string GetName(int) {
        if constexpr (std::is_same_v<Provider, on_gpu<controller::persistent>>)
            return "persistent";
        else if constexpr (std::is_same_v<Provider, on_gpu<controller::host>>)
            return "host";
        else
            return "device";
    }
};

#ifdef __CUDACC_RDC__
using controllers = testing::Types<on_gpu<controller::device>>;
#else
using controllers = testing::Types<on_gpu<controller::persistent>, on_gpu<controller::host>>;
#endif
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, scheduler, controllers, controller_names);

}  // namespace
}  // namespace copse::tests
