// A stretch of two arrays by a worker's lanes in turn: 16 bytes of values by each load where it is long, and several of
// each lane's elements on their way before the first is used.
//
//   values    | . . . 3 | 4 5 6 7 | 8 9 . . |      a stretch of float: elements 4 .. 7 by one load; 3, 8 and 9, the edges,
//                                                  one by one, at the same time
#pragma once

#include <array>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Places begin .. end - 1, each by one lane: use(place, key, prepare(place, key, value)), in this order. prepare may
/// load; what use() does is not waited for. A lane has AtOnce places, or 16 bytes of values, on their way at once: 4 of
/// double take about 10 registers more than 2. Which places a lane has depends on begin, end and the worker's size, of
/// 8 lanes at least, alone; nothing outside of them is read. keys and values: aligned to 16 bytes.
template <int AtOnce = 4, class Key, class T, lanes_worker Worker, class Prepare, class Use>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_in_range(Key const* keys, T const* values, std::int64_t begin,
                                                      std::int64_t end, Worker& w, Prepare prepare, Use use) {
    int constexpr wide = static_cast<int>(16 / sizeof(T)), loads = AtOnce > wide ? AtOnce / wide : 1;
    static_assert(sizeof(Key) <= sizeof(T));
    if (end - begin <= w.size()) {  // most rows of most matrices
        std::int64_t const k = begin + w.rank();
        if (k >= end) return;
        Key const key = w.load_stream(keys + k);
        T const value = w.load_stream(values + k);
        return use(k, key, prepare(k, key, value));
    }
    std::int64_t const first = (begin + wide - 1) / wide * wide, last = end / wide * wide;
    auto const before = static_cast<int>(first - begin), edges = before + static_cast<int>(end - last);
    std::int64_t const edge = w.rank() < before ? begin + w.rank() : last + w.rank() - before;
    bool const has_edge = w.rank() < edges;
    Key edge_key{};
    T edge_value{};
    if (has_edge) {
        edge_key = w.load_stream(keys + edge);
        edge_value = w.load_stream(values + edge);
    }
    int const stride = wide * w.size();
    COPSE_NO_UNROLL
    for (std::int64_t step = first; step < last; step += loads * stride) {
        std::int64_t const k = step + wide * w.rank();
        auto const is_there = [&](int i) { return k + i * stride < last; };
        std::array<Key, wide> key[loads]{};
        std::array<T, wide> value[loads]{};
        COPSE_UNROLL
        for (int i = 0; i < loads; ++i) {
            if (!is_there(i)) continue;
            key[i] = w.template load_stream_vector<wide>(keys + k + i * stride);
            value[i] = w.template load_stream_vector<wide>(values + k + i * stride);
        }
        COPSE_UNROLL
        for (int i = 0; i < loads; ++i) {
            if (!is_there(i)) continue;
            COPSE_UNROLL
            for (int j = 0; j < wide; ++j) value[i][j] = prepare(k + i * stride + j, key[i][j], value[i][j]);
        }
        COPSE_UNROLL
        for (int i = 0; i < loads; ++i) {
            if (!is_there(i)) continue;
            COPSE_UNROLL
            for (int j = 0; j < wide; ++j) use(k + i * stride + j, key[i][j], value[i][j]);
        }
    }
    if (has_edge) use(edge, edge_key, prepare(edge, edge_key, edge_value));
}

}  // namespace copse::detail
