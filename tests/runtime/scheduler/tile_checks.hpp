// What tiles must do on every executor: for worker_suite.hpp.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <limits>
#include <numeric>
#include <runtime/executors.hpp>
#include <runtime/scheduler/tile_tasks.hpp>
#include <type_traits>
#include <vector>

namespace copse::tests {

/// More than fill a block, and not a whole number of blocks.
template <int Width>
constexpr std::int64_t item_count = 128 / Width + 3;

inline std::vector<std::int64_t> items_below(std::int64_t count) {
    std::vector<std::int64_t> items(static_cast<std::size_t>(count));
    std::iota(items.begin(), items.end(), 0);
    return items;
}

template <class T, int Width, class Where, class Executor>
void check_tile(Executor& executor) {
    std::int64_t constexpr items = 16;
    std::vector<T> expected(128, T(0));
    for (std::int64_t i = 0; i < items; ++i) {
        for (int k = 0; k < 3 * tile_size; ++k)
            expected[static_cast<std::size_t>(64 * (i / 8) + k * 7 % tile_size)] += static_cast<T>(value_of(i, k));
        expected[static_cast<std::size_t>(64 * (i / 8))] += T(1);
        expected[static_cast<std::size_t>(64 * (i / 8) + tile_size - 2)] += T(3);
        expected[static_cast<std::size_t>(64 * (i / 8) + tile_size - 1)] += T(5);
        for (int k = 0; k < tile_size; ++k)
            expected[static_cast<std::size_t>(64 * (i / 8) + k)] += static_cast<T>(2 * k);
    }
    buffer<T> const target(executor, std::vector<T>(128, T(0)));
    run(executor, seed<add_to_tile<T, Width, Where>>(items_below(items)), add_to_tile<T, Width, Where>{target.data()});
    EXPECT_EQ(target.to_host(), expected) << "width " << Width;  // whole numbers: exact in any order
}

template <class T, int Width, closed How, bool HasScratch, class Executor>
void check_tiles(Executor& executor) {
    std::int64_t constexpr items = 8;
    using task = add_to_tiles<T, Width, How, HasScratch>;
    std::vector<T> expected(160, T(0));
    for (std::int64_t i = 0; i < items; ++i)
        for (int k = 0; k < tile_size; ++k) {
            int const of_first = HasScratch ? 2 : 1, of_second = How == closed::in_turns ? 5 : 2;
            expected[static_cast<std::size_t>(task::first_of(i) + k)] += static_cast<T>(task::rounds * of_first * k);
            expected[static_cast<std::size_t>(task::second_of(i) + k)] += static_cast<T>(task::rounds * of_second * k);
        }
    buffer<T> const target(executor, std::vector<T>(160, T(0)));
    run(executor, seed<task>(items_below(items)), task{target.data()});
    EXPECT_EQ(target.to_host(), expected) << "width " << Width;  // whole numbers: exact in any order
}

/// Whether lanes are threads of their own: a run then takes as long as starting them does.
template <class Executor>
bool has_threads_for_lanes(Executor const& executor) {
    if constexpr (std::is_same_v<Executor, emulated>) return executor.options().mode == emulation::stress;
    return false;
}

/// What a tile leaves alone stays as it is: zeros of both signs, NaN and infinity; and what is behind the tile. On
/// threads for lanes in one place only: where tiles begin and end is the same for them.
template <class T, int Width, class Executor>
void check_untouched(Executor& executor) {
    T const infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    T const others[] = {T(-0.0), T(0), -infinity, nan, T(0.5)};
    bool const few = has_threads_for_lanes(executor);
    for (std::uint64_t touches : {~std::uint64_t{0}, std::uint64_t{0x5a5a5a5a5a}, std::uint64_t{0x8421080300}})
        for (int count : few ? std::vector<int>{37} : std::vector<int>{1, 37, 38, 40})
            for (int offset : few ? std::vector<int>{1} : std::vector<int>{0, 1, 2}) {
                std::vector<T> expected(48);
                for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = others[k % 5];
                buffer<T> const target(executor, expected);
                for (int k = 0; k < count; ++k)
                    if ((touches >> k % 40 & 1) != 0)
                        expected[static_cast<std::size_t>(offset + k)] += static_cast<T>(2 * k + 2);
                using task = add_to_some<T, Width>;
                run(executor, seed<task>(0), task{target.data() + offset, count, touches});
                std::vector<T> const found = target.to_host();
                for (std::size_t k = 0; k < found.size(); ++k) {
                    ASSERT_EQ(std::isnan(found[k]), std::isnan(expected[k]));
                    if (std::isnan(found[k])) continue;
                    ASSERT_EQ(found[k], expected[k])
                        << "width " << Width << ", " << count << " from " << offset << ", " << k;
                    ASSERT_EQ(std::signbit(found[k]), std::signbit(expected[k])) << k;
                }
            }
}

/// Every item of Task leaves `expected` in a stretch of its own.
template <class Task, class Executor>
void check_each_item(Executor& executor, std::vector<double> const& expected) {
    std::int64_t constexpr items = item_count<Task::width>;
    buffer<double> const target(executor, std::vector<double>(static_cast<std::size_t>(tile_size * items), 0.0));
    run(executor, seed<Task>(items_below(items)), Task{target.data()});
    std::vector<double> const sums = target.to_host();
    for (std::size_t i = 0; i < sums.size(); ++i)
        ASSERT_EQ(sums[i], expected[i % tile_size]) << "width " << Task::width << ", place " << i;
}

/// Lane after lane within a warp, then warp after warp.
template <int Width, class Executor>
void check_turns(Executor& executor) {
    std::vector<double> expected(tile_size, 0.0);
    int constexpr size = lanes_on<Executor>(Width);
    for (int first = 0; first < size; first += 32) {
        std::vector<double> of_warp(tile_size, 0.0);
        for (int round = 0; round < 4; ++round)
            for (int lane = first; lane < first + 32 && lane < size; ++lane)
                if (lane % 7 != 6)
                    of_warp[static_cast<std::size_t>(add_in_turns<Width>::place_of(lane, round))] +=
                        add_in_turns<Width>::summand_of(lane, round);
        for (std::size_t k = 0; k < expected.size(); ++k) expected[k] += of_warp[k];
    }
    check_each_item<add_in_turns<Width>>(executor, expected);
}

}  // namespace copse::tests
