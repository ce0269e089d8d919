// What only the cpu executor does; scheduler_suite.hpp and worker_suite.hpp have the rest.
#include <copse/runtime/cpu.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <copse/runtime/error.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

TEST(cpu, has_as_many_threads_as_it_is_told) {
    EXPECT_EQ(cpu(3).threads(), 3);
    EXPECT_EQ(cpu().threads(), std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
    EXPECT_THROW(cpu(-1), argument_error);
}

struct throws_on {
    using item = std::int64_t;
    static constexpr int width = 1;
    std::int64_t bad;
    std::atomic<int>* calls;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        ++*calls;
        if (i == bad) throw std::out_of_range("item " + std::to_string(i));
        if (i < 1000) w.template push<throws_on>(i + 1000);
    }
};

TEST(cpu, rethrows_what_a_task_function_throws) {
    std::vector<std::int64_t> items(1000);
    std::iota(items.begin(), items.end(), 0);
    for (int threads : {1, 3}) {
        cpu executor(threads);
        std::atomic<int> calls{0};
        try {
            run(executor, seed<throws_on>(items), throws_on{500, &calls});
            ADD_FAILURE() << "nothing was thrown";
        } catch (std::out_of_range const& e) {
            EXPECT_STREQ(e.what(), "item 500");
        }
        EXPECT_LT(calls, 2000);  // what was left is dropped
        calls = 0;
        run(executor, seed<throws_on>(items), throws_on{-1, &calls});
        EXPECT_EQ(calls, 2000);
    }
}

/// Without atomics: the thread sanitizer sees it where two threads have one number.
struct counts_for_its_thread {
    using item = std::int64_t;
    static constexpr int width = 1;
    std::int64_t* items;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        ++items[w.thread()];
        if (i < 1000) w.template push<counts_for_its_thread>(i + 1000);
    }
};

TEST(cpu, numbers_its_threads) {
    for (int threads : {1, 3}) {
        cpu executor(threads);
        std::vector<std::int64_t> counts(static_cast<std::size_t>(threads) + 1);
        std::vector<std::int64_t> items(1000);
        std::iota(items.begin(), items.end(), 0);
        run(executor, seed<counts_for_its_thread>(items), counts_for_its_thread{counts.data()});
        EXPECT_EQ(std::accumulate(counts.begin(), counts.end() - 1, std::int64_t{0}), 2000);
        EXPECT_EQ(counts.back(), 0);
    }
}

struct meets_the_others {
    using item = int;
    static constexpr int width = 1;
    std::atomic<int>* inside;
    int threads;

    template <class Worker>
    void operator()(item, Worker&) const {
        ++*inside;
        while (*inside < threads) std::this_thread::yield();  // needs every thread
    }
};

TEST(cpu, works_with_all_its_threads) {
    cpu executor(4);
    std::atomic<int> inside{0};
    run(executor, seed<meets_the_others>(std::vector<int>(4)), meets_the_others{&inside, 4});
    EXPECT_EQ(inside, 4);
}

}  // namespace
}  // namespace copse::tests
