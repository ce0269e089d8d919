// What only the cpu executor does; scheduler_suite.hpp and worker_suite.hpp have the rest.
#include <copse/runtime/cpu.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <copse/runtime/error.hpp>
#include <memory>
#include <numeric>
#include <runtime/forwarding_memory.hpp>
#include <runtime/message_of.hpp>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

TEST(cpu, has_as_many_threads_as_it_is_told) {
    EXPECT_EQ(cpu(3).threads(), 3);
    EXPECT_EQ(cpu().threads(), usable_processors());
    EXPECT_THROW(cpu(-1), argument_error);
}

TEST(cpu, works_in_the_memory_that_it_is_given) {
    auto const memory = std::make_shared<forwarding_memory>();
    EXPECT_EQ(cpu(1, memory).memory(), memory);
    EXPECT_EQ(cpu(1).memory(), host_memory());
    struct distant final : forwarding_memory {
        memory_space space() const noexcept override { return memory_space::device; }
    };
    EXPECT_EQ(message_of<argument_error>([] { cpu(1, std::make_shared<distant>()); }),
              "cpu: memory is a device's; give memory that the host can read, such as host_memory()");
}

struct meets_the_others {
    using item = int;
    static constexpr int width = 1;
    std::atomic<int>* inside;
    int threads;
    int* seen;  // of each thread

    template <class Worker>
    void operator()(item, Worker& w) const {
        ++seen[w.thread()];
        ++*inside;
        while (*inside < threads) std::this_thread::yield();  // needs every thread
    }
};

TEST(cpu, works_with_all_its_threads) {
    cpu executor(4);
    std::atomic<int> inside{0};
    std::vector<int> seen(4);
    run(executor, seed<meets_the_others>(std::vector<int>(4)), meets_the_others{&inside, 4, seen.data()});
    EXPECT_EQ(inside, 4);
    EXPECT_EQ(seen, std::vector<int>(4, 1));
}

struct counts_node {
    using item = std::int64_t;
    static constexpr int width = 1;
    std::uint32_t* counts;
    template <class Worker>
    void operator()(item n, Worker& w) const {
        w.add(counts + n, 1);
    }
};
/// Node n of a binary tree pushes its children, and itself to another task.
template <bool Counts>
struct visits_node {
    using item = std::int64_t;
    static constexpr int width = 1;
    std::int64_t nodes;
    std::uint32_t* counts;
    template <class Worker>
    void operator()(item n, Worker& w) const {
        w.add(counts + n, 1);
        for (item const child : {2 * n + 1, 2 * n + 2})
            if (child < nodes) w.template push<visits_node>(child);
        if constexpr (Counts) w.template push<counts_node>(n);
    }
};

TEST(cpu, runs_what_it_pushes_at_once_where_others_have_enough) {
    std::int64_t const nodes = 1 << 16;
    using visit = visits_node<false>;
    for (int const threads : {1, 2, 4}) {
        cpu executor(threads);
        std::vector<std::uint32_t> counts(nodes);
        auto const options = run_options().capacity<visit>(nodes);
        auto const report = run(executor, options, seed<visit>(0), visit{nodes, counts.data()});
        EXPECT_EQ(counts, std::vector<std::uint32_t>(nodes, 1));
        EXPECT_EQ(report.queues[0].items, nodes);
        EXPECT_LT(report.queues[0].peak_fill, nodes / 4);  // nodes / 2 if all went through the queue
    }
}

TEST(cpu, goes_to_the_task_that_is_listed_first_after_each_batch) {
    std::int64_t const nodes = 1 << 14;
    using visit = visits_node<true>;
    cpu executor(1);
    std::vector<std::uint32_t> counts(nodes);
    auto const options = run_options().capacity<visit>(nodes).capacity<counts_node>(nodes);
    auto const report = run(executor, options, seed<visit>(0), counts_node{counts.data()}, visit{nodes, counts.data()});
    EXPECT_EQ(counts, std::vector<std::uint32_t>(nodes, 2));
    EXPECT_LE(report.queues[0].peak_fill, 2 * 64);  // of a batch of what the thread keeps, and of the rest of a claim
}

struct ends_the_others {
    using item = int;
    static constexpr int width = 1;
    std::atomic<bool>* ended;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (i == 0)
            *ended = true;
        else if (!*ended)
            w.template push<ends_the_others>(i);
    }
};

TEST(cpu, lets_the_queue_have_its_turn_while_items_push_each_other_without_end) {
    cpu executor(1);
    std::atomic<bool> ended = false;
    std::vector<int> items(500, 1);
    items.back() = 0;
    auto const report = run(executor, seed<ends_the_others>(items), ends_the_others{&ended});
    EXPECT_GE(report.queues[0].items, 500);
}

struct wants_scratch {
    using item = int;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = 64;
    static constexpr char const* name = "greedy";

    template <class Worker>
    void operator()(item count, Worker& w) const {
        w.template scratch<double>(count)[0] = 1;
    }
};

TEST(cpu, names_a_task_that_wants_more_scratch_than_it_has) {
    cpu executor(2);
    run(executor, seed<wants_scratch>(8), wants_scratch{});
    for (int count : {9, -1})
        EXPECT_EQ(message_of<worker_misuse>([&] { run(executor, seed<wants_scratch>(count), wants_scratch{}); }),
                  "task 'greedy': " + std::to_string(8 * count) +
                      " bytes of scratch are asked for, but the task's scratch_bytes is 64" +
                      (count > 0 ? "; give the task scratch_bytes = 72 or more" : ""));
}

struct throws_with_open_tiles {
    using item = int;
    static constexpr int width = 1;
    double* target;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        auto first = w.tile(target, 4);
        auto second = w.tile(target + i, 4);
        second.add(0, 1);
        if (i == 2) throw std::out_of_range("item 2");
    }
};

struct fails_at_once {
    using item = std::int64_t;
    static constexpr int width = 1;
    template <class Worker>
    void operator()(item, Worker& w) const {
        w.fail(7);
    }
};

/// 2^40 items: one by one they would take hours.
TEST(cpu, drops_a_range_as_a_whole) {
    cpu executor(2);
    auto const seeds = seed_range<fails_at_once>(0, std::int64_t{1} << 40);
    EXPECT_THROW(run(executor, seeds, fails_at_once{}), task_error);
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(run(executor, run_options().cancelled_by(source.get_token()), seeds, fails_at_once{}), cancelled);
    EXPECT_EQ(run(executor, seed_range<fails_at_once>(0, 0), fails_at_once{}).queues.at(0).items, 0);
}

TEST(cpu, holds_no_locks_for_a_task_that_has_thrown) {
    cpu executor(2);
    std::vector<double> target(8, 0);
    EXPECT_THROW(run(executor, seed<throws_with_open_tiles>(2), throws_with_open_tiles{target.data()}),
                 std::out_of_range);
    run(executor, seed<throws_with_open_tiles>(std::vector{1, 3}), throws_with_open_tiles{target.data()});
    EXPECT_EQ(target[1], 1);
    EXPECT_EQ(target[3], 1);
}

}  // namespace
}  // namespace copse::tests
