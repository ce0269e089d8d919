// Where a command computes: one executor, chosen at run time.
#pragma once

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace copse::cli {

struct target_options {
    std::string on = "auto";  // auto, cpu, gpu or emulated
    std::string controller;   // of gpu and emulated: device, persistent or host; empty: the executor's own choice
    int threads = 0;          // of the cpu; 0: usable_processors()
    int seed = 0;             // of emulated
    bool profile = false;     // of emulated: count accesses to memory
};

/// Loops of conversions on this thread run on `wanted` threads from now on; 0: usable_processors(). Returns the number.
inline int use_threads(int wanted) {
    int const threads = wanted > 0 ? wanted : usable_processors();
    set_loop_threads(threads);
    return threads;
}

class target {
  public:
    /// auto takes a GPU that can be used, and else the cpu; a controller is then a wish for the GPU. Calls
    /// use_threads(). Throws argument_error for a controller on the cpu; cuda_error if gpu is asked for and none can be
    /// used.
    explicit target(target_options const& options) : on(options.on), threads(use_threads(options.threads)) {
        if (on == "auto") on = gpu::usable(&fallback_reason) ? "gpu" : "cpu";
        fallback_reason = for_command(fallback_reason);
        if (on == "gpu") {
            try {
                executor_ = std::make_unique<gpu>(with_controller<gpu_options>(options.controller));
            } catch (cuda_error const& e) {
                throw cuda_error(for_command(e.what()));
            }
        } else if (on == "emulated") {
            auto chosen = with_controller<emulated_options>(options.controller);
            chosen.seed = static_cast<std::uint64_t>(options.seed);
            chosen.profile = options.profile;
            executor_ = std::make_unique<emulated>(chosen);
        } else {
            if (options.on == "cpu" && !options.controller.empty())
                throw argument_error("the cpu has no controller: --controller belongs to gpu and emulated");
            auto team = std::make_unique<cpu>(options.threads);
            threads = team->threads();
            executor_ = std::move(team);
        }
    }

    /// Returns work(executor).
    template <class Work>
    decltype(auto) with(Work&& work) const {
        return std::visit([&](auto const& chosen) -> decltype(auto) { return work(*chosen); }, executor_);
    }

    std::string on;                         // cpu, gpu or emulated
    std::string fallback_reason;            // why auto took no GPU; else empty
    std::optional<std::string> controller;  // none on the cpu
    int threads;                            // CPU threads, for conversions but the gpu's, and for products on the cpu

  private:
    /// What the library says of its executors, in the command's words.
    static std::string for_command(std::string reason) {
        std::string const cpu_executor = "copse::cpu";
        if (auto const at = reason.find(cpu_executor); at != std::string::npos)
            reason.replace(at, cpu_executor.size(), "--on cpu");
        return reason;
    }
    /// Options with the controller of this name; an empty one: with their own.
    template <class Options>
    Options with_controller(std::string const& name) {
        constexpr std::pair<char const*, copse::controller> all[]{{"device", copse::controller::device},
                                                                  {"persistent", copse::controller::persistent},
                                                                  {"host", copse::controller::host}};
        Options options;
        for (auto const& [its_name, which] : all)
            if (its_name == name) options.controller = which;
        for (auto const& [its_name, which] : all)
            if (which == options.controller) controller = its_name;
        return options;
    }

    std::variant<std::unique_ptr<cpu>, std::unique_ptr<gpu>, std::unique_ptr<emulated>> executor_;
};

}  // namespace copse::cli
