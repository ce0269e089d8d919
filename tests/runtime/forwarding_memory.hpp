// The host's memory by another name: tests that watch a memory, or let it fail, replace what they look at.
#pragma once

#include <copse/runtime/memory.hpp>
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

}  // namespace copse::tests
