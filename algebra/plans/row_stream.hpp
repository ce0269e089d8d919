// The entries of a part sorted by its rows, for parts whose leaves have few entries each: there an item of 24 bytes and
// the head of a leaf stand for one or two entries, and lanes that take several leaves at once meet in rows.
//
//   words     | row in the part: 8 bits | column from the stream's: 24 bits |    padded to multiples of 4
//   values    in the same order
//
//   lane      0: 4 entries, side by side    1: the next 4    ...    31    and again from lane 0 on
//   rows      7 7 7 9                       9 9 12 12        ...
//
// The lane in which a row ends adds it up. What other lanes have of the row comes to it by a scan.
//
// Each row has one writer among the lanes, and every sum one order.
#pragma once

#include <array>
#include <copse/algebra/plans/replay.hpp>
#include <copse/algebra/plans/replay_items.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

inline constexpr int stream_column_bits = 24;
inline constexpr int stream_entries_per_lane = 4;

/// The sum of a row's products up to and with a lane's last ones.
template <class V>
struct row_sum {
    V sum;
    int row;
};

/// sums[i] += the sum of what the stream has for row i of the part, in chunks that warps take in turn. Collective.
template <class T, class V, class Worker>
COPSE_HOST_DEVICE COPSE_INLINE void add_stream(replay<T, V> const& product, part_stream const& stream, V* sums,
                                               Worker& all) {
    auto&& w = warp_of(all);
    int constexpr own = stream_entries_per_lane, per_load = static_cast<int>(16 / sizeof(T)), none = 1 << 8;
    std::uint32_t constexpr column_mask = (1u << stream_column_bits) - 1;
    std::uint32_t const* const words = product.stream_words + stream.first;
    T const* const values = product.stream_values + stream.first;
    V const* const x = product.x + stream.column;
    if (all.rank() == 0) {
        std::int64_t const padded = (stream.count + own - 1) / own * own;
        w.fetch_stream(words, padded * static_cast<std::int64_t>(sizeof *words));
        w.fetch_stream(values, padded * static_cast<std::int64_t>(sizeof(T)));
    }
    COPSE_NO_UNROLL
    for (int begin = warp_index(all) * own * w.size(); begin < stream.count; begin += own * all.size()) {
        int const k = begin + own * w.rank();
        std::array<std::uint32_t, own> entries{};
        std::array<T, per_load> loaded[own / per_load]{};
        bool const here = k < stream.count;
        if (here) {
            entries = w.template load_stream_vector<own>(words + k);
            COPSE_UNROLL
            for (int i = 0; i < own; i += per_load)
                loaded[i / per_load] = w.template load_stream_vector<per_load>(values + k + i);
        }
        V sum[own];  // of the products of the same row in this lane, up to each entry
        int row[own];
        COPSE_UNROLL
        for (int i = 0; i < own; ++i) {
            row[i] = here ? static_cast<int>(entries[static_cast<std::size_t>(i)] >> stream_column_bits) : none;
            bool const mine = k + i < stream.count;
            V const product_here = mine ? static_cast<V>(loaded[i / per_load][static_cast<std::size_t>(i % per_load)]) *
                                              w.load(x + (entries[static_cast<std::size_t>(i)] & column_mask))
                                        : V(0);
            sum[i] = product_here;
            if (i > 0 && row[i - 1] == row[i]) sum[i] += sum[i - 1];
        }
        row_sum<V> const last = w.inclusive_scan(
            row_sum<V>{sum[own - 1], row[own - 1]}, [](row_sum<V> const& before, row_sum<V> const& mine) {
                return row_sum<V>{before.row == mine.row ? before.sum + mine.sum : mine.sum, mine.row};
            });
        int const before = w.rank() > 0 ? w.rank() - 1 : 0, behind = w.rank() < w.size() - 1 ? w.rank() + 1 : 0;
        row_sum<V> const carried = w.shuffle(last, before);
        int const row_behind = w.shuffle(row[0], behind);
        bool const goes_on = w.rank() > 0 && carried.row == row[0];
        if (here) {
            COPSE_UNROLL
            for (int i = 0; i + 1 < own; ++i)
                if (row[i] != row[i + 1]) sums[row[i]] += goes_on && row[i] == row[0] ? carried.sum + sum[i] : sum[i];
            if (behind == 0 || row_behind != row[own - 1]) sums[row[own - 1]] += last.sum;
        }
        w.sync();  // the next entries may be of the last row
    }
}

}  // namespace copse::detail
