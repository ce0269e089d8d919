// What min, max, exchange_if and pushes must do on every executor: for worker_suite.hpp.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/worker.hpp>
#include <cstdint>
#include <limits>
#include <runtime/executors.hpp>
#include <runtime/scheduler/atomic_tasks.hpp>
#include <runtime/scheduler/tile_checks.hpp>
#include <type_traits>
#include <vector>

namespace copse::tests {

/// The same number, zero of the same sign, or both NaN.
template <class T>
testing::AssertionResult is_same_number(T found, T expected) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(found) && std::isnan(expected)) return testing::AssertionSuccess();
        if (std::signbit(found) != std::signbit(expected))
            return testing::AssertionFailure() << found << " and not " << expected;
    }
    if (found == expected) return testing::AssertionSuccess();
    return testing::AssertionFailure() << found << " and not " << expected;
}

template <class T>
std::vector<T> fold_starts(T bound) {
    std::vector<T> starts(fold_places, bound);
    if constexpr (std::is_floating_point_v<T>) {
        starts[0] = std::numeric_limits<T>::quiet_NaN();
        starts[1] = -std::numeric_limits<T>::quiet_NaN();
        starts[2] = T(0);
        starts[3] = -T(0);
    }
    return starts;
}

template <class T, int Width, class Executor>
void check_fold(Executor& executor) {
    std::int64_t constexpr items = 9;
    using task = fold_samples<T, Width>;
    std::vector<T> least = fold_starts(std::numeric_limits<T>::max()),
                   most = fold_starts(std::numeric_limits<T>::lowest());
    buffer<T> const found_least(executor, least), found_most(executor, most),
        found_of_item(executor, std::vector<T>(items));
    run(executor, seed<task>(items_below(items)), task{found_least.data(), found_most.data(), found_of_item.data()});
    std::vector<T> of_item;
    for (std::int64_t i = 0; i < items; ++i) {
        of_item.push_back(sample_of<T>(i, 0));
        for (int k = 0; k < 64; ++k) {
            auto const place = static_cast<std::size_t>(k % fold_places);
            least[place] = min_op()(least[place], sample_of<T>(i, k));
            most[place] = max_op()(most[place], sample_of<T>(i, k));
            of_item.back() = min_op()(of_item.back(), sample_of<T>(i, k));
        }
    }
    for (std::size_t k = 0; k < fold_places; ++k) {
        EXPECT_TRUE(is_same_number(found_least.to_host()[k], least[k])) << "width " << Width << ", place " << k;
        EXPECT_TRUE(is_same_number(found_most.to_host()[k], most[k])) << "width " << Width << ", place " << k;
    }
    for (std::size_t i = 0; i < items; ++i)
        EXPECT_TRUE(is_same_number(found_of_item.to_host()[i], of_item[i])) << "width " << Width << ", item " << i;
}

template <class T, int Width, bool HasScratch, class Executor>
void check_folding_tile(Executor& executor) {
    std::int64_t constexpr items = 9;
    using task = fold_into_tiles<T, Width, HasScratch>;
    std::vector<T> least(64, std::numeric_limits<T>::max()), most(64, std::numeric_limits<T>::lowest());
    if constexpr (std::is_floating_point_v<T>)
        for (std::size_t k = 0; k < 64; ++k) {
            T const starts[] = {least[k], std::numeric_limits<T>::quiet_NaN(), T(0), -T(0)};
            least[k] = most[k] = starts[k % 4];
        }
    buffer<T> const found_least(executor, least), found_most(executor, most);
    run(executor, seed<task>(items_below(items)), task{found_least.data(), found_most.data()});
    for (std::int64_t i = 0; i < items; ++i) {
        for (int k = 0; k < 64; ++k) {
            if (k % 8 == 3) continue;
            auto const place = static_cast<std::size_t>(5 * (i % 3) + k * 7 % tile_size);
            least[place] = min_op()(least[place], sample_of<T>(i, k));
            most[place] = max_op()(most[place], sample_of<T>(i, k));
        }
        auto const alone = static_cast<std::size_t>(5 * (i % 3) + 1);
        most[alone] = max_op()(most[alone], sample_of<T>(i, 99));
    }
    std::vector<T> const got_least = found_least.to_host(), got_most = found_most.to_host();
    for (std::size_t k = 0; k < 64; ++k) {
        EXPECT_TRUE(is_same_number(got_least[k], least[k])) << "width " << Width << ", place " << k;
        EXPECT_TRUE(is_same_number(got_most[k], most[k])) << "width " << Width << ", place " << k;
    }
}

template <class T, int Width, class Executor>
void check_exchange(Executor& executor) {
    std::int64_t constexpr items = 5;
    std::int64_t constexpr lanes = items * lanes_on<Executor>(Width);
    using task = exchange<T, Width>;
    buffer<T> const counter(executor, std::vector<T>(1, T(0))), winners(executor, std::vector<T>(5, T(-1)));
    buffer<std::int64_t> const papers(executor, std::vector<std::int64_t>(items * Width, 0));
    buffer<std::int32_t> const wins(executor, std::vector<std::int32_t>(1, 0)),
        errors(executor, std::vector<std::int32_t>(1, 0));
    run(executor, seed<task>(items_below(items)),
        task{counter.data(), winners.data(), papers.data(), wins.data(), errors.data()});
    EXPECT_EQ(counter.to_host(), std::vector<T>(1, static_cast<T>(lanes)));
    std::int32_t has_winner = 0;
    for (T winner : winners.to_host()) has_winner += winner != T(-1);
    EXPECT_EQ(wins.to_host()[0], has_winner);
    EXPECT_GT(has_winner, 0);
    EXPECT_EQ(errors.to_host()[0], 0);
}

template <int Width, class Executor>
void check_what_pushed_items_see(Executor& executor) {
    // On cpu so many that items are published while their pusher is still at work.
    std::int64_t constexpr items = std::is_same_v<Executor, cpu> ? 4000 : item_count<Width>;
    buffer<std::int64_t> const papers(executor, std::vector<std::int64_t>(items * Width, 0));
    buffer<std::int32_t> const read(executor, std::vector<std::int32_t>(1, 0));
    read_papers const reader{papers.data(), read.data()};
    run(executor, run_options().capacity<read_one_paper>(0, 0, items), seed<write_papers<Width>>(items_below(items)),
        write_papers<Width>{papers.data()}, reader, read_one_paper{reader});
    EXPECT_EQ(read.to_host()[0], 5 * items * lanes_on<Executor>(Width)) << "width " << Width;
}

template <int Bytes, int Alignment, int Width, class Executor>
void check_item(Executor& executor) {
    using task = carry_items<Bytes, Alignment, Width>;
    static_assert(sizeof(typename task::item) >= Bytes);
    buffer<std::int32_t> const visits(executor, std::vector<std::int32_t>(256, 0));
    run(executor, seed<task>(task::item::of(0)), task{visits.data()});
    std::vector<std::int32_t> expected(256, 0);
    for (int n = 0; n <= 200; ++n) expected[static_cast<std::size_t>(n)] = 1;
    EXPECT_EQ(visits.to_host(), expected) << Bytes << " bytes, width " << Width;
}

}  // namespace copse::tests
