// The gpu's provider for the shared suites (see runtime/executors.hpp): which controllers, and why they are skipped.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/runtime/gpu.hpp>
#include <string>
#include <type_traits>

namespace copse::tests {

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

}  // namespace copse::tests
