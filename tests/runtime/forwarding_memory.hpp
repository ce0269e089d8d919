// The host's memory by another name: tests that watch a memory, or let it fail, replace what they look at.
#pragma once

#include <copse/runtime/memory.hpp>
#include <copse/runtime/report.hpp>
#include <memory>

namespace copse::tests {

class forwarding_memory : public memory {
  public:
    memory_space space() const noexcept override { return memory_space::host; }
    void* allocate(std::size_t bytes) override { return host_memory()->allocate(bytes); }
    void deallocate(void* p) noexcept override { host_memory()->deallocate(p); }
    void copy_from_host(void* to, void const* from, std::size_t bytes) override {
        host_memory()->copy_from_host(to, from, bytes);
    }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override {
        host_memory()->copy_to_host(to, from, bytes);
    }
};

/// An executor with another memory.
template <class Executor>
struct executor_with {
    Executor& executor;
    std::shared_ptr<copse::memory> where;

    std::shared_ptr<copse::memory> const& memory() const { return where; }
    auto& team() const requires requires { executor.team(); }
    { return executor.team(); }
};

template <class Executor, class... Of>
run_report run(executor_with<Executor> const& on, Of const&... of_run) {
    return run(on.executor, of_run...);
}

}  // namespace copse::tests
