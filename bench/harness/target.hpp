// Where work runs: one executor, chosen at run time.
#pragma once

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace copse::bench::measure {

struct target_options {
    std::string on = "auto";                                     // auto, cpu, gpu or emulated
    std::optional<copse::controller> controller = std::nullopt;  // of gpu and emulated; none: the executor's own choice
    int threads = 0;                                             // of the cpu; 0: usable_processors()
    std::uint64_t seed = 0;                                      // of emulated
};

class target {
  public:
    /// auto takes a GPU that can be used, and else the cpu; a controller is then a wish for the GPU.
    /// Also sets the number of threads for the loops of conversions.
    /// Throws argument_error, also for a controller on the cpu; cuda_error where gpu is asked for and none can be used.
    explicit target(target_options const& options);

    /// cpu, gpu or emulated
    std::string const& on() const noexcept { return on_; }
    /// Why auto did not take a GPU; empty otherwise.
    std::string const& fallback_reason() const noexcept { return fallback_reason_; }
    /// None on the cpu.
    std::optional<copse::controller> controller() const noexcept { return controller_; }
    /// CPU threads, for conversions but the gpu's, and for products on the cpu.
    int threads() const noexcept { return threads_; }

    /// work(executor)
    template <class Work>
    decltype(auto) with(Work&& work) {
        return std::visit([&](auto& executor) -> decltype(auto) { return work(*executor); }, executor_);
    }

  private:
    std::string on_;
    std::string fallback_reason_;
    std::optional<copse::controller> controller_;
    int threads_ = 1;
    std::variant<std::unique_ptr<cpu>, std::unique_ptr<gpu>, std::unique_ptr<emulated>> executor_;
};

/// device, persistent or host
std::string name_of(controller which);
/// Throws argument_error for another name.
controller controller_named(std::string const& name);

}  // namespace copse::bench::measure
