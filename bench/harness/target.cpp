#include "bench/harness/target.hpp"

#include <array>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <utility>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "bench/harness/threads.hpp"

namespace copse::bench {
namespace {

constexpr std::array names{std::pair{controller::device, "device"}, std::pair{controller::persistent, "persistent"},
                           std::pair{controller::host, "host"}};

}  // namespace

target::target(target_options const& options) : on_(options.on), threads_(use_threads(options.threads)) {
    if (on_ == "gpu") {
        gpu_options chosen;
        chosen.controller = options.controller.value_or(chosen.controller);
        controller_ = chosen.controller;
        executor_ = std::make_unique<gpu>(chosen);
    } else {
        auto on_cpu = std::make_unique<cpu>(options.threads);
        threads_ = on_cpu->threads();
        executor_ = std::move(on_cpu);
    }
}

std::string name_of(controller which) {
    for (auto const& [one, name] : names)
        if (one == which) return name;
    return "";  // not reached: all are above
}

controller controller_named(std::string const& name) {
    for (auto const& [one, its_name] : names)
        if (its_name == name) return one;
    throw argument_error("'" + name + "' is no controller: there are device, persistent and host");
}

int use_threads(int wanted) {
    int const threads = wanted > 0 ? wanted : usable_processors();
    set_loop_threads(threads);
#ifdef _OPENMP
    omp_set_num_threads(threads);  // of the libraries that the benchmarks compare with
#endif
    return threads;
}

}  // namespace copse::bench
