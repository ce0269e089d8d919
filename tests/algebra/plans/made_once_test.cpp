// A value that is made when it is first asked for.
#include <copse/algebra/plans/made_once.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

using detail::made_once;

TEST(made_once, is_made_once_for_all_threads) {
    made_once<int> const value;
    EXPECT_EQ(value.made(), nullptr);
    std::atomic<int> made{0};
    std::latch together(4);
    std::vector<int const*> found(4);
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&] {  // sees all of the value when it sees it
            while (!value.made()) std::this_thread::yield();
            EXPECT_EQ(*value.made(), 1);
        });
        for (std::size_t k = 0; k < 4; ++k)
            threads.emplace_back([&, k] {
                together.arrive_and_wait();
                found[k] = &value.get([&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the others come meanwhile
                    return std::make_unique<int>(++made);
                });
            });
    }
    EXPECT_EQ(made, 1);
    for (int const* each : found) EXPECT_EQ(each, value.made());
    EXPECT_EQ(*value.made(), 1);
}

TEST(made_once, is_tried_again_when_it_could_not_be_made) {
    made_once<int> const value;
    EXPECT_THROW(value.get([]() -> std::unique_ptr<int> { throw std::runtime_error("no memory"); }),
                 std::runtime_error);
    EXPECT_EQ(value.made(), nullptr);
    EXPECT_EQ(value.get([] { return std::make_unique<int>(7); }), 7);
}

// One thread is making the value when one that is at work for a team asks for it: that one goes on, and its value
// stays.
TEST(made_once, is_not_waited_for_by_a_team) {
    made_once<int> const value;
    std::promise<void> making, asked;
    int const* first = nullptr;
    std::jthread const other([&] {
        first = &value.get([&] {
            making.set_value();
            EXPECT_EQ(asked.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
            return std::make_unique<int>(1);
        });
    });
    making.get_future().wait();
    detail::thread_team(1).run([&](int) {
        EXPECT_EQ(value.get([] { return std::make_unique<int>(2); }), 2);
        asked.set_value();
    });
    const_cast<std::jthread&>(other).join();
    EXPECT_EQ(first, value.made());
    EXPECT_EQ(*first, 2);
}

}  // namespace
}  // namespace copse::tests
