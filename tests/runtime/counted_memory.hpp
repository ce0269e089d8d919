// A GPU's memory, pretended in the host's: who gives a piece of an executor's memory back waits for the whole device,
// who gives one of its temporary memory back does not. Both count these pieces.
#pragma once

#include <atomic>
#include <copse/runtime/memory.hpp>
#include <cstring>
#include <memory>
#include <runtime/forwarding_memory.hpp>

namespace copse::tests {

class counted_memory final : public forwarding_memory {
  public:
    void* allocate(std::size_t bytes) override {
        in_use_ += bytes > 0;
        return forwarding_memory::allocate(bytes);
    }
    void deallocate(void* p) noexcept override {
        given_back_ += p != nullptr;
        deallocate_unused(p);
    }
    /// Does not count as given back.
    void deallocate_unused(void* p) noexcept override {
        in_use_ -= p != nullptr;
        forwarding_memory::deallocate(p);
    }
    /// What is shrunk moves.
    void* shrink(void* p, std::size_t, std::size_t kept) override {
        void* const smaller = allocate(kept);
        std::memcpy(smaller, p, kept);
        deallocate_unused(p);
        return smaller;
    }
    int in_use() const { return in_use_; }
    int given_back() const { return given_back_; }

  private:
    std::atomic<int> in_use_ = 0;
    std::atomic<int> given_back_ = 0;
};

}  // namespace copse::tests
