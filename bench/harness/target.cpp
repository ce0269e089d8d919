#include "bench/harness/target.hpp"

#include <copse/runtime/error.hpp>

#include "bench/harness/threads.hpp"

namespace copse::bench::measure {
namespace {

/// What the library says of its executors, in the command's words.
std::string for_command(std::string reason) {
    std::string const cpu_executor = "copse::cpu";
    if (auto const at = reason.find(cpu_executor); at != std::string::npos)
        reason.replace(at, cpu_executor.size(), "--on cpu");
    return reason;
}

std::unique_ptr<gpu> make_gpu(gpu_options const& options) {
    try {
        return std::make_unique<gpu>(options);
    } catch (cuda_error const& e) {
        throw cuda_error(for_command(e.what()));
    }
}

}  // namespace

target::target(target_options const& options) : on_(options.on), threads_(use_threads(options.threads)) {
    if (on_ == "auto") on_ = gpu::usable(&fallback_reason_) ? "gpu" : "cpu";
    fallback_reason_ = for_command(fallback_reason_);
    if (on_ == "gpu") {
        gpu_options chosen;
        chosen.controller = options.controller.value_or(chosen.controller);
        controller_ = chosen.controller;
        executor_ = make_gpu(chosen);
    } else if (on_ == "emulated") {
        emulated_options chosen;
        chosen.seed = options.seed;
        chosen.controller = options.controller.value_or(chosen.controller);
        controller_ = chosen.controller;
        executor_ = std::make_unique<emulated>(chosen);
    } else if (on_ == "cpu") {
        if (options.controller && options.on == "cpu")
            throw argument_error("the cpu has no controller: --controller belongs to gpu and emulated");
        executor_ = std::make_unique<cpu>(options.threads);
        threads_ = std::get<std::unique_ptr<cpu>>(executor_)->threads();
    } else {
        throw argument_error("'" + on_ + "' is no executor: there are auto, cpu, gpu and emulated");
    }
}

std::string name_of(controller which) {
    switch (which) {
        case controller::device:
            return "device";
        case controller::persistent:
            return "persistent";
        case controller::host:
            return "host";
    }
    return "";  // not reached: all are above
}

controller controller_named(std::string const& name) {
    for (auto const which : {controller::device, controller::persistent, controller::host})
        if (name_of(which) == name) return which;
    throw argument_error("'" + name + "' is no controller: there are device, persistent and host");
}

}  // namespace copse::bench::measure
