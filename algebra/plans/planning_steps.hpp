// What the steps that make a plan's lists have in common: memory for a while, sums, selections, sorts, jumps.
//
// Which block begins a range follows from the range before it, and so with parts of a split: each block says where the
// range would end that began there, and in log2 n rounds all that the first one leads to are found (mark_reached()).
//
// steps: csr_matrix/steps.hpp, and select() (from_rows/conversion_run.hpp).
#pragma once

#include <copse/formats/node.hpp>
#include <copse/formats/steps/begins_anew.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <utility>

namespace copse::detail {

COPSE_HOST_DEVICE inline void add_for_all(std::int64_t* p, std::int64_t value) {
#if defined(__CUDA_ARCH__)
    atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
    *p += value;
#endif
}

/// Where a node is stored, in units of 16 bytes, as a number.
inline constexpr int storage_bits = 40;
COPSE_HOST_DEVICE inline std::uint64_t storage_number(child_reference r) {
    return static_cast<std::uint64_t>(r.arena()) << 32 | r.offset() >> 4;
}

template <class T, class Steps>
buffer<T> room_for(Steps const& steps, std::int64_t count) {
    return {steps.temporary(), count};
}
template <class T, class Steps>
buffer<T> zeros(Steps& steps, std::int64_t count) {
    auto room = room_for<T>(steps, count);
    steps.zero(room.data(), count);
    return room;
}
/// values[i] <- the sum of those before it. Returns the last one. Waits.
template <class Steps>
std::int64_t add_up(Steps& steps, buffer<std::int64_t> const& values) {
    steps.sum_before(values.data(), values.size());
    std::int64_t total = 0;
    values.read(values.size() - 1, {&total, 1});
    return total;
}
/// The marked ones of `count`. Waits.
template <class Steps>
buffer<std::uint32_t> select_marked(Steps& steps, buffer<std::uint8_t> const& marks, std::int64_t count) {
    auto chosen = room_for<std::uint32_t>(steps, count);
    chosen.shrink(count == 0 ? 0 : steps.select(count, begins_anew{marks.data(), nullptr, 0}, chosen.data()));
    return chosen;
}
/// Stably, by the last `bits` bits of the keys.
template <class Steps>
void sort_numbers(Steps& steps, buffer<std::uint64_t>& keys, buffer<std::uint32_t>& numbers, int bits) {
    if (keys.size() > 0) steps.sort_pairs(keys, numbers, 0, bits);
}

/// One round: what is reached leads on as far as `jump` says, and jumps become twice as long. Reached are 1, others 0.
/// What another lane reaches at the same time may count already: it is reached.
struct follow_jumps {
    std::uint32_t const* jump;
    std::uint32_t* next;
    std::int64_t* reached;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::uint32_t const to = jump[i];
        if (reached[i] != 0) reached[to] = 1;
        next[i] = jump[to];
    }
};
/// Marks all that `longest` jumps or fewer lead to.
template <class Steps>
void mark_reached(Steps& steps, buffer<std::uint32_t> jump, std::int64_t* reached, std::int64_t longest) {
    auto next = room_for<std::uint32_t>(steps, jump.size());
    for (std::int64_t length = 1; length <= longest; length *= 2) {
        steps.for_each(jump.size(), follow_jumps{jump.data(), next.data(), reached});
        std::swap(jump, next);
    }
}

/// Of marks that are summed up: whether i was marked.
COPSE_HOST_DEVICE inline bool is_marked(std::int64_t const* before, std::int64_t i) {
    return before[i + 1] != before[i];
}

}  // namespace copse::detail
