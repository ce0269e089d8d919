// Leaves of a sum that one thread of a CPU has made, on their way to the sum's memory: many take their place there at
// once, so that threads seldom want the counter of that memory, and lie side by side.
#pragma once

#include <array>
#include <copse/formats/node.hpp>
#include <copse/runtime/memory/stream_copy.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

class leaf_outbox {
  public:
    static constexpr std::int64_t capacity = 32768;  // bytes

    bool fits(std::int64_t bytes) const { return used_ + bytes <= capacity && count_ < most; }
    bool empty() const { return count_ == 0; }
    std::int64_t used() const { return used_; }

    /// Memory for a leaf, which fits. The reference's offset is set, and it goes to `result`, by send().
    std::byte* add(child_reference leaf, std::int64_t bytes, child_reference* result) {
        std::byte* const place = memory_.data() + used_;
        waiting_[static_cast<std::size_t>(count_++)] = {leaf.moved(static_cast<std::uint64_t>(used_)), result};
        used_ += bytes;
        return place;
    }
    /// All leaves to `offset` of the sum's memory, where used() bytes are free.
    void send(std::byte* memory, std::uint64_t offset) {
        stream_copy(memory + offset, memory_.data(), used_);
        for (int i = 0; i < count_; ++i) {
            auto const& [leaf, result] = waiting_[static_cast<std::size_t>(i)];
            *result = leaf.moved(offset);
        }
        used_ = count_ = 0;
    }

  private:
    struct waiting_leaf {
        child_reference leaf;
        child_reference* result;
    };
    static constexpr int most = 512;

    std::int64_t used_ = 0;
    int count_ = 0;
    std::array<waiting_leaf, most> waiting_;
    alignas(64) std::array<std::byte, capacity> memory_;
};

}  // namespace copse::detail
