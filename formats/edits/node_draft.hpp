// Nodes of which nobody knows yet how many there will be, side by side in host memory.
#pragma once

#include <algorithm>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/memory/chunk_cache.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace copse::detail {

class node_draft {
  public:
    std::int64_t size() const noexcept { return size_; }
    std::byte* data() noexcept { return memory_.data(); }
    std::byte const* data() const noexcept { return memory_.data(); }

    /// Room for `bytes` more, content undefined; what is there may move. Throws std::bad_alloc, and has what it had.
    void extend(std::int64_t bytes) {
        if (size_ + bytes > memory_.size()) {
            buffer<std::byte> more = larger(size_ + bytes);
            if (size_ > 0) std::memcpy(more.data(), memory_.data(), static_cast<std::size_t>(size_));
            memory_ = std::move(more);
        }
        size_ += bytes;
    }

    /// What is there, in the memory `where`; the draft is done with. Throws as extend() does, and cuda_error.
    buffer<std::byte> take(std::shared_ptr<memory> const& where) {
        if (where != host_memory() || memory_.size() < in_pages)
            return {where, std::span<std::byte const>(memory_.data(), static_cast<std::size_t>(size_))};
        memory_.shrink(size_);
        return std::move(memory_);
    }

  private:
    /// Twice what is there, so that nodes move seldom; where there is no room for that, what is needed.
    buffer<std::byte> larger(std::int64_t needed) const {
        std::int64_t const wanted = std::max({needed, 2 * memory_.size(), least});
        try {
            return {host_memory(), wanted};
        } catch (std::bad_alloc const&) {
            if (wanted == needed) throw;
        }
        return {host_memory(), needed};
    }

    static constexpr std::int64_t least = 4096;
    /// From here on what is behind the last node can be given back.
    static constexpr std::int64_t in_pages = chunk_cache::smallest;

    buffer<std::byte> memory_;
    std::int64_t size_ = 0;
};

}  // namespace copse::detail
