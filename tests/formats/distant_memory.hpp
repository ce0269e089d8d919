// Memory of another device, pretended: its addresses are none that the processor can use. Whoever follows one is
// caught.
#pragma once

#include <atomic>
#include <copse/runtime/memory.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace copse::tests {

class distant_memory final : public memory {
  public:
    memory_space space() const noexcept override { return memory_space::device; }
    void* allocate(std::size_t bytes) override {
        return bytes == 0 ? nullptr : moved(host_memory()->allocate(bytes), distance);
    }
    void deallocate(void* p) noexcept override { host_memory()->deallocate(moved(p, -distance)); }
    void copy_from_host(void* to, void const* from, std::size_t bytes) override {
        if (bytes > 0) host_memory()->copy_from_host(moved(to, -distance), from, bytes);
    }
    void copy_to_host(void* to, void const* from, std::size_t bytes) override {
        ++copies_to_host_;
        bytes_to_host_ += static_cast<std::int64_t>(bytes);
        if (bytes > 0) host_memory()->copy_to_host(to, moved(from, -distance), bytes);
    }
    void gather_to_host(void* to, std::span<memory_piece const> pieces) override {
        for (memory_piece const& piece : pieces)
            if (reinterpret_cast<std::uintptr_t>(piece.data) % 16 + piece.bytes % 16 != 0)
                throw std::logic_error("a piece that does not begin or end at a multiple of 16 bytes");
        std::int64_t const before = copies_to_host_;
        memory::gather_to_host(to, pieces);
        copies_to_host_ = before + 1;
    }
    /// All that was copied so far.
    std::int64_t bytes_to_host() const { return bytes_to_host_; }
    /// How often somebody waited for it.
    std::int64_t copies_to_host() const { return copies_to_host_; }

  private:
    static constexpr std::int64_t distance = std::int64_t{1} << 60;  // no processor's addresses are that long

    static void* moved(void const* p, std::int64_t by) {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(by));
    }

    std::atomic<std::int64_t> bytes_to_host_ = 0;
    std::atomic<std::int64_t> copies_to_host_ = 0;
};

}  // namespace copse::tests
