#include <copse/runtime/cpu/work_portions.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

using stretch = std::pair<std::int64_t, std::int64_t>;

std::vector<stretch> all_of(detail::work_portions& shares, int thread, std::int64_t chunk) {
    std::vector<stretch> found;
    shares.for_each(thread, chunk, [&](std::int64_t first, std::int64_t last) { found.emplace_back(first, last); });
    return found;
}

TEST(work_portions, begins_with_the_threads_own_share) {
    detail::work_portions shares({4, 4, 9});
    EXPECT_EQ(all_of(shares, 2, 2), (std::vector<stretch>{{4, 6}, {6, 8}, {8, 9}, {0, 2}, {2, 4}}));
    EXPECT_TRUE(all_of(shares, 0, 2).empty());
}

TEST(work_portions, are_even_and_leave_nothing_out) {
    for (std::int64_t count : {0, 1, 7, 100})
        for (int threads : {1, 2, 3, 8}) {
            auto shares = detail::work_portions::even(count, threads);
            std::vector<stretch> const found = all_of(shares, threads - 1, count + 1);  // each share at once
            std::int64_t sum = 0;
            for (auto const& [first, last] : found) {
                EXPECT_LE(last - first, count / threads + 1) << count << ", " << threads;
                sum += last - first;
            }
            EXPECT_EQ(sum, count) << threads;
        }
}

TEST(work_portions, gives_every_index_out_once) {
    std::vector<std::atomic<int>> times(10000);
    auto shares = detail::work_portions::even(static_cast<std::int64_t>(times.size()), 3);
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 5; ++t)  // more than shares
            threads.emplace_back([&, t] {
                shares.for_each(t, 7, [&](std::int64_t first, std::int64_t last) {
                    for (std::int64_t i = first; i < last; ++i) ++times[static_cast<std::size_t>(i)];
                });
            });
    }
    for (auto const& n : times) ASSERT_EQ(n, 1);
}

}  // namespace
}  // namespace copse::tests
