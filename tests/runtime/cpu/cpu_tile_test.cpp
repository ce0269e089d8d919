#include <copse/runtime/cpu/tile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

TEST(cpu_tile, adds_in_place_when_it_is_alone) {
    std::vector<double> target{1, 2, 3};
    std::vector<std::byte> spare;
    detail::cpu_tile<double> tile(target.data(), 3, spare);
    EXPECT_EQ(tile.sums(), target.data());
    tile.add(1, 10);
    tile.add(1, 100);
    tile.close();
    EXPECT_EQ(target, (std::vector<double>{1, 112, 3}));
    EXPECT_TRUE(spare.empty());
}

TEST(cpu_tile, adds_apart_when_another_is_open_and_merges_later) {
    std::vector<float> target{1, 2};
    std::vector<std::byte> spare, spare_of_second;
    detail::cpu_tile<float> first(target.data(), 2, spare);
    detail::cpu_tile<float> second(target.data(), 2, spare_of_second);
    EXPECT_NE(second.sums(), target.data());
    first.add(0, 10);
    second.add(0, 100);
    second.add(1, 1000);
    EXPECT_EQ(target, (std::vector<float>{11, 2}));
    first.close();
    second.close();
    EXPECT_EQ(target, (std::vector<float>{111, 1002}));
    // The private copy starts from zero the next time too.
    detail::cpu_tile<float> third(target.data(), 2, spare);
    detail::cpu_tile<float> fourth(target.data(), 2, spare_of_second);
    third.close();
    fourth.close();
    EXPECT_EQ(target, (std::vector<float>{111, 1002}));
}

TEST(cpu_tile, closes_itself) {
    std::vector<double> target(2, 0);
    std::vector<std::byte> spare;
    { detail::cpu_tile<double>(target.data(), 2, spare).add(0, 5); }
    detail::cpu_tile<double> again(target.data(), 2, spare);
    EXPECT_EQ(again.sums(), target.data());  // the lock is free
    EXPECT_EQ(target[0], 5);
}

TEST(cpu_tile, loses_nothing_between_threads) {
    std::vector<double> target(100, 0);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                std::vector<std::byte> spare;
                for (int round = 0; round < 500; ++round) {
                    detail::cpu_tile<double> tile(target.data(), 100, spare);
                    for (int i = 0; i < 100; ++i) tile.add(i, 1);
                    tile.close();
                }
            });
    }
    EXPECT_EQ(target, std::vector<double>(100, 2000));
}

TEST(stripe_lock, belongs_to_the_address) {
    std::vector<double> memory(1024);
    EXPECT_EQ(&detail::stripe_lock(memory.data()), &detail::stripe_lock(memory.data()));
    std::vector<std::atomic_flag*> locks;
    for (std::size_t i = 0; i < 1024; i += 128) locks.push_back(&detail::stripe_lock(memory.data() + i));
    std::sort(locks.begin(), locks.end());
    EXPECT_GE(std::unique(locks.begin(), locks.end()) - locks.begin(), 7);  // neighbours hardly ever share one
}

}  // namespace
}  // namespace copse::tests
