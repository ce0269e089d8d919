// The executors that a shared suite is registered for. A provider makes them:
//
//   static std::string name();
//   static std::string why_not();                       why the tests are skipped; empty where they run
//   static constexpr bool launches;                     whether kernels are launched for queues
//   static void with_each(int effort, f)                calls f(executor) for every executor worth trying; `effort`
//                                                       says how large the case is: explore mode tries 100 / effort
//                                                       seeds
//
// Those on the host have on_host; those of the emulated executor mode and controlled_by, and their with_each() also
// takes emulated_options, of which it sets mode, seed, controller and blocks.
// tests/gpu/on_gpu.hpp has the gpu's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/scheduler/host_run.hpp>
#include <string>
#include <type_traits>

namespace copse::tests {

/// The cpu's workers have one lane, whatever the task's width.
template <class Executor>
constexpr int lanes_on(int width) {
    return std::is_same_v<Executor, cpu> ? 1 : width;
}

template <int Threads>
struct on_cpu {
    static std::string name() { return "cpu_" + std::to_string(Threads); }
    static std::string why_not() { return ""; }
    static constexpr bool launches = false;
    static constexpr bool on_host = true;
    template <class F>
    static void with_each(int, F f) {
        cpu executor(Threads);
        f(executor);
    }
};

using detail::name_of;

template <controller Controller>
struct explored {
    static std::string name() { return std::string("explored_") + name_of(Controller); }
    static std::string why_not() { return ""; }
    static constexpr bool launches = Controller != controller::persistent;
    static constexpr bool on_host = true;
    static constexpr emulation mode = emulation::explore;
    static constexpr controller controlled_by = Controller;
    template <class F>
    static void with_each(int effort, F f, emulated_options options = {}) {
#if COPSE_THREAD_SANITIZER
        effort *= 25;  // it looks at every lane as at a thread
#elif COPSE_ADDRESS_SANITIZER
        effort *= 10;
#endif
        int const seeds = std::max(1, 100 / effort);
        for (int seed = 0; seed < seeds && !testing::Test::HasFailure(); ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            options.seed = static_cast<std::uint64_t>(seed);
            options.controller = Controller;
            options.blocks = 1 + seed % 4;  // from one, where the order of things is plain
            emulated executor(options);
            f(executor);
        }
    }
};

template <controller Controller>
struct stressed {
    static std::string name() { return std::string("stressed_") + name_of(Controller); }
    static std::string why_not() { return ""; }
    static constexpr bool launches = Controller != controller::persistent;
    static constexpr bool on_host = true;
    static constexpr emulation mode = emulation::stress;
    static constexpr controller controlled_by = Controller;
    template <class F>
    static void with_each(int, F f, emulated_options options = {}) {
        options.mode = emulation::stress;
        options.controller = Controller;
        options.blocks = 2;
        emulated executor(options);
        f(executor);
    }
};

/// The base of shared suites.
template <class Provider>
class suite_on : public testing::Test {
  protected:
    void SetUp() override {
        std::string const reason = Provider::why_not();
        if (!reason.empty()) GTEST_SKIP() << reason;
    }
};

using all_executors =
    testing::Types<on_cpu<1>, on_cpu<2>, on_cpu<4>, explored<controller::persistent>, explored<controller::device>,
                   explored<controller::host>, stressed<controller::persistent>, stressed<controller::device>,
                   stressed<controller::host>>;

/// Test names that say which executor it is.
struct executor_names {
    template <class Provider>
    static std::string GetName(int) {
        return Provider::name();
    }
};

}  // namespace copse::tests
