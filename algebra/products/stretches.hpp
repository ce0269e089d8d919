// Loops over elements as items of a task: an item is a stretch of them.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// Items that `count` elements make.
constexpr std::int64_t stretches(std::int64_t count, std::int64_t stretch) {
    return (count + stretch - 1) / stretch;
}

/// f(i) for the elements item * stretch .. (item + 1) * stretch - 1 below `count`, by the worker's lanes in turn.
template <class Worker, class F>
COPSE_HOST_DEVICE void for_stretch(Worker& w, std::int64_t item, std::int64_t stretch, std::int64_t count, F f) {
    std::int64_t const begin = item * stretch, end = begin + stretch < count ? begin + stretch : count;
    for (std::int64_t i = begin + w.rank(); i < end; i += w.size()) f(i);
}

}  // namespace copse::detail
