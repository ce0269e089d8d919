// Where each of several parts begins, from how long they are: sums of what comes before, by the lanes of a worker.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// values[i] becomes the sum of those before it; the sum of all. In memory that the lanes share. Collective.
template <class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE int sum_before(Worker& w, std::int32_t* values, int count) {
    int const portion = (count + w.size() - 1) / w.size();
    int const begin = w.rank() * portion < count ? w.rank() * portion : count;
    int const end = begin + portion < count ? begin + portion : count;
    int mine = 0;
    for (int i = begin; i < end; ++i) mine += values[i];
    int const through = w.inclusive_scan(mine, [](int x, int y) { return x + y; });
    int before = through - mine;
    for (int i = begin; i < end; ++i) {
        int const value = values[i];
        values[i] = before;
        before += value;
    }
    int const total = w.shuffle(through, w.size() - 1);
    w.sync();
    return total;
}

}  // namespace copse::detail
