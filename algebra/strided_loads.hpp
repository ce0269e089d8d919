// Elements of two arrays by a worker's lanes in turn, several of each lane's on their way before the first is used.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// For places k, k + w.size(), ... below `end` of a lane: use(key, prepare(place, key, value)), in this order. prepare
/// may load; what use() does is not waited for.
template <class Key, class T, class Worker, class Prepare, class Use>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_loaded(Key const* keys, T const* values, std::int64_t k, std::int64_t end,
                                                    Worker& w, Prepare prepare, Use use) {
    int constexpr at_once = 4;
    for (; k < end; k += at_once * w.size()) {
        auto const is_there = [&](int i) { return k + i * w.size() < end; };
        Key key[at_once]{};
        T value[at_once]{};
        COPSE_UNROLL
        for (int i = 0; i < at_once; ++i) {
            if (!is_there(i)) continue;
            key[i] = w.load_stream(keys + k + i * w.size());
            value[i] = w.load_stream(values + k + i * w.size());
        }
        COPSE_UNROLL
        for (int i = 0; i < at_once; ++i)
            if (is_there(i)) value[i] = prepare(k + i * w.size(), key[i], value[i]);
        COPSE_UNROLL
        for (int i = 0; i < at_once; ++i)
            if (is_there(i)) use(key[i], value[i]);
    }
}

}  // namespace copse::detail
