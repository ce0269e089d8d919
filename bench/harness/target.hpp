// Where products and sums run: one executor, chosen at run time.
#pragma once

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/gpu.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace copse::bench {

struct target_options {
    std::string on = "cpu";                                      // or gpu
    std::optional<copse::controller> controller = std::nullopt;  // of gpu; none: the executor's own choice
    int threads = 0;                                             // of the cpu; 0: usable_processors()
};

class target {
  public:
    /// Also sets the number of threads for the loops of conversions. Throws cuda_error.
    explicit target(target_options const& options);

    /// cpu or gpu
    std::string const& on() const noexcept { return on_; }
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
    int threads_;
    std::optional<copse::controller> controller_;
    std::variant<std::unique_ptr<cpu>, std::unique_ptr<gpu>> executor_;
};

/// device, persistent or host
std::string name_of(controller which);
/// Throws argument_error for another name.
controller controller_named(std::string const& name);

}  // namespace copse::bench
