#include <copse/runtime/cpu/tile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

using detail::cpu_tile;
using detail::thread_tiles;

TEST(cpu_tile, adds_in_place_when_it_is_alone) {
    std::vector<double> target{1, 2, 3};
    thread_tiles tiles;
    cpu_tile<double> tile(target.data(), 3, tiles);
    EXPECT_EQ(tile.sums(), target.data());
    tile.add(1, 10);
    tile.add(-1, 7);
    tile.add_alone(1, 100);
    EXPECT_EQ(target, (std::vector<double>{1, 112, 3}));
    tile.close();
    EXPECT_EQ(target, (std::vector<double>{1, 112, 3}));
}

TEST(cpu_tile, adds_apart_when_another_thread_has_the_stretch_and_merges_later) {
    std::vector<float> target{1, 2};
    thread_tiles mine, others;
    for (int round = 0; round < 2; ++round) {  // the private copy starts anew each time
        cpu_tile<float> first(target.data(), 2, mine);
        cpu_tile<float> second(target.data(), 2, others);
        EXPECT_NE(second.sums(), target.data());
        first.add(0, 10);
        second.add(0, 100);
        second.add(1, 1000);
        EXPECT_EQ(target, (std::vector<float>{11 + 110.0f * static_cast<float>(round),
                                              2 + 1000.0f * static_cast<float>(round)}));
        first.close();
        second.close();
    }
    EXPECT_EQ(target, (std::vector<float>{221, 2002}));
}

/// The second begins elsewhere, and shares only the last of the first's elements.
TEST(cpu_tile, adds_apart_when_another_thread_has_a_part_of_the_stretch) {
    std::vector<double> target(3000, 0);
    thread_tiles mine, others;
    cpu_tile<double> first(target.data(), 2000, mine);
    cpu_tile<double> second(target.data() + 1999, 1001, others);
    EXPECT_EQ(first.sums(), target.data());
    EXPECT_NE(second.sums(), target.data() + 1999);
    first.add(1999, 1);
    second.add(0, 2);
    second.add(1000, 3);
    first.close();
    second.close();
    EXPECT_EQ(target[1999], 3);
    EXPECT_EQ(target[2999], 3);
}

TEST(cpu_tile, of_another_stretch_stays_in_place) {
    std::vector<double> target(4096, 0);
    thread_tiles mine, others;
    cpu_tile<double> first(target.data(), 128, mine);
    cpu_tile<double> second(target.data() + 2048, 128, others);
    EXPECT_EQ(second.sums(), target.data() + 2048);
}

TEST(cpu_tile, closes_itself_and_only_once) {
    std::vector<double> target(2, 0);
    thread_tiles tiles;
    { cpu_tile<double>(target.data(), 2, tiles).add(0, 5); }
    cpu_tile<double> again(target.data(), 2, tiles);
    EXPECT_EQ(again.sums(), target.data());  // the lock is free
    again.close();
    again.close();
    EXPECT_EQ(target[0], 5);
    cpu_tile<double> empty(target.data(), 0, tiles);
}

TEST(cpu_tile, stays_in_place_beside_another_of_its_thread) {
    std::vector<double> target(8192, 0);
    thread_tiles mine, others;
    cpu_tile<double> first(target.data(), 4, mine), second(target.data() + 2048, 4, mine);
    cpu_tile<double, max_op> third(target.data() + 4096, 4, mine);
    first.add(0, 1);
    second.add(3, 4);
    third.add(2, 5);
    EXPECT_EQ(target[0], 1);
    EXPECT_EQ(target[2048 + 3], 4);
    EXPECT_EQ(target[4096 + 2], 5);
    second.close();
    cpu_tile<double> of_another(target.data() + 2048, 4, others);  // that lock is free, the two others are not
    EXPECT_EQ(of_another.sums(), target.data() + 2048);
    cpu_tile<double> apart(target.data(), 4, others);
    EXPECT_NE(apart.sums(), target.data());
    third.close();
    first.close();
    apart.close();
    of_another.close();
    EXPECT_EQ(cpu_tile<double>(target.data(), 8192, others).sums(), target.data());
}

/// The third waits for no lock, and when it is merged its thread holds none.
TEST(cpu_tile, that_needs_a_copy_leaves_no_lock_with_others_of_its_thread) {
    std::vector<double> target(8192, 0);
    thread_tiles mine, others;
    cpu_tile<double> of_another(target.data() + 4096, 4, others);
    cpu_tile<double> first(target.data(), 4, mine), second(target.data() + 2048, 4, mine);
    first.add(0, 1);
    cpu_tile<double> third(target.data() + 4096, 4, mine);
    first.add(0, 2);
    second.add(3, 4);
    third.add(1, 8);
    EXPECT_EQ(target[0], 1);
    for (std::ptrdiff_t at : {0, 2048}) {
        thread_tiles of_a_third;
        EXPECT_EQ(cpu_tile<double>(target.data() + at, 4, of_a_third).sums(), target.data() + at);
    }
    of_another.close();
    third.close();
    cpu_tile<double> fourth(target.data() + 6144, 4, mine);  // the first two are still apart
    EXPECT_NE(fourth.sums(), target.data() + 6144);
    fourth.close();
    second.close();
    first.close();
    EXPECT_EQ(target[0], 3);
    EXPECT_EQ(target[2048 + 3], 4);
    EXPECT_EQ(target[4096 + 1], 8);
    cpu_tile<double> alone(target.data(), 4, mine);
    EXPECT_EQ(alone.sums(), target.data());
}

/// Tiles of one thread over the same elements, or over a part of them, closed in every order.
TEST(cpu_tile, may_overlap_with_others_of_its_thread) {
    std::vector<int> order{0, 1, 2};
    do {
        std::vector<std::int64_t> target(300, 0);
        thread_tiles tiles;
        std::unique_ptr<cpu_tile<std::int64_t>> open[3];
        for (int k = 0; k < 3; ++k) {
            open[k] = std::make_unique<cpu_tile<std::int64_t>>(target.data() + (k == 2 ? 50 : 0), 200, tiles);
            for (int earlier = 0; earlier <= k; ++earlier) open[earlier]->add(100, 1);
        }
        for (int k : order) open[k]->close();
        std::vector<std::int64_t> expected(300, 0);
        expected[100] = 5;
        expected[150] = 1;
        EXPECT_EQ(target, expected);
    } while (std::next_permutation(order.begin(), order.end()));
}

/// Each thread opens its tiles in another order, and no two of them are the same stretch; half of them are closed by
/// their destructors.
TEST(cpu_tile, loses_nothing_between_threads) {
    int constexpr rounds = 8000;
    std::vector<double> target(700, 0);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                thread_tiles tiles;
                for (int round = 0; round < rounds; ++round) {
                    int const of_first = (t + round) % 4 * 100;
                    cpu_tile<double> first(target.data() + of_first, 400, tiles);
                    for (int i = 0; i < 400; i += 3) first.add(i, 1);
                    cpu_tile<double> second(target.data() + (300 - of_first), 400, tiles);
                    for (int i = 0; i < 400; i += 3) second.add(i, 1);
                    for (int i = 1; i < 400; i += 3) first.add(i, 1);
                    if (round % 2 == 0) {
                        first.close();
                        second.close();
                    }
                }
            });
    }
    std::vector<double> expected(700, 0);
    for (int first = 0; first < 400; first += 100)
        for (int i = 0; i < 400; ++i) {
            if (i % 3 != 2) expected[static_cast<std::size_t>(first + i)] += rounds;
            if (i % 3 == 0) expected[static_cast<std::size_t>(300 - first + i)] += rounds;
        }
    EXPECT_EQ(target, expected);
}

TEST(cpu_tile, takes_the_least_and_leaves_alone_what_it_does_not_touch) {
    double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (bool apart : {false, true}) {
        std::vector<double> target{-0.0, nan, nan, 5, 5, 0.0, 0.0, -infinity};
        thread_tiles mine, others;
        {
            cpu_tile<double, min_op> first(target.data() + (apart ? 0 : 8), apart ? 8 : 0, others);
            cpu_tile<double, min_op> tile(target.data(), 8, mine);
            EXPECT_EQ(tile.sums() == target.data(), !apart);
            tile.add(2, 3);
            tile.add(3, 7);
            tile.add(4, 4);
            tile.add(4, nan);
            tile.add(5, -0.0);
            tile.add(7, 1);
            first.close();
        }
        EXPECT_TRUE(std::signbit(target[0]));
        EXPECT_TRUE(std::isnan(target[1]));
        EXPECT_EQ(target[2], 3);
        EXPECT_EQ(target[3], 5);
        EXPECT_EQ(target[4], 4);
        EXPECT_TRUE(std::signbit(target[5]));
        EXPECT_FALSE(std::signbit(target[6]));
        EXPECT_EQ(target[7], -infinity);
    }
}

/// A private copy that is added changes no zero.
TEST(cpu_tile, leaves_zeros_as_they_are) {
    std::vector<double> target{-0.0, 0.0};
    thread_tiles mine;
    cpu_tile<double> first(target.data(), 2, mine);
    cpu_tile<double> second(target.data() + 1, 1, mine);  // from now on `first` has a private copy
    second.close();
    first.close();
    EXPECT_TRUE(std::signbit(target[0]));
    EXPECT_FALSE(std::signbit(target[1]));
}

TEST(stretch, shares_locks_with_those_that_overlap_alone) {
    auto const at = [](std::uintptr_t address, std::size_t bytes) {
        return detail::stretch(reinterpret_cast<void const*>(address), bytes);
    };
    std::uintptr_t const base = std::uintptr_t{1} << 40;
    auto const held = at(base + 1000, 2000);  // three granules
    ASSERT_TRUE(held.try_lock());
    EXPECT_FALSE(at(base, 1024).try_lock());
    EXPECT_FALSE(at(base + 2999, 1).try_lock());
    EXPECT_FALSE(at(base - 8, 1 << 20).try_lock());
    for (auto const& free : {at(base - 1024, 1024), at(base + 3072, 100'000)}) {
        EXPECT_TRUE(free.try_lock());
        free.unlock();
    }
    held.unlock();
    EXPECT_TRUE(held.try_lock());  // and nothing that was tried in vain has kept a lock
    held.unlock();
    // More memory than there are locks
    EXPECT_FALSE(at(base, (detail::lock_count + 1) * detail::lock_granule_bytes).try_lock());
    EXPECT_TRUE(held.try_lock());
    held.unlock();
    // Equal places of two halves of an array have different locks.
    EXPECT_NE(&detail::lock_of(0), &detail::lock_of(detail::lock_count));
    EXPECT_NE(&detail::lock_of(5), &detail::lock_of(64 * detail::lock_count + 5));
}

}  // namespace
}  // namespace copse::tests
