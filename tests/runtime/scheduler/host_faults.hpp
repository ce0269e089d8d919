// Faults that only task functions and executors on a host have: exceptions, no memory, lanes that wait for ever
// (faults_suite.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <runtime/forwarding_memory.hpp>
#include <runtime/scheduler/faults.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace copse::tests {

/// Throws on one item, or on each: one lane of several does. Unless `bad` is `none`, only that ends the run.
struct throw_on {
    using item = std::int64_t;
    static constexpr int width = 4;
    static constexpr std::int64_t every = -1, none = -2;
    std::int64_t bad;
    std::atomic<int>* calls;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        if ((i == bad || bad == every) && w.rank() == w.size() - 1)
            throw std::out_of_range("item " + std::to_string(bad));
        if (w.rank() == 0) ++*calls;
        if (w.rank() == 0 && bad != none) w.template push<throw_on>(i);
    }
};

template <class Executor>
void check_exceptions(Executor& executor) {
    std::atomic<int> calls{0};
    auto const run_all = [&](std::int64_t bad) {
        run(executor, seed<throw_on>(numbers_below(300)), throw_on{bad, &calls});
    };
    check_fault<std::out_of_range>(executor, "item 250", [&] { run_all(250); });
    check_fault<std::out_of_range>(executor, "item -1", [&] { run_all(throw_on::every); });
    calls = 0;
    run_all(throw_on::none);
    EXPECT_EQ(calls, 300);
}

/// Has no more memory after some allocations.
class exhausted_memory final : public forwarding_memory {
  public:
    explicit exhausted_memory(int left) : left_(left) {}
    void* allocate(std::size_t bytes) override {
        if (left_.fetch_sub(1) <= 0) throw out_of_memory(bytes, 0);
        return forwarding_memory::allocate(bytes);
    }

  private:
    std::atomic<int> left_;
};

/// Needs memory for each item.
struct allocate_for_each {
    using item = std::int64_t;
    static constexpr int width = 2;
    std::shared_ptr<memory> const* from;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 0) buffer<std::int64_t> const own(*from, 1000 + i);
    }
};

template <class Executor>
void check_memory_that_runs_out(Executor& executor) {
    std::shared_ptr<memory> const exhausted = std::make_shared<exhausted_memory>(20);
    check_fault<out_of_memory>(executor, "out of memory", [&] {
        run(executor, seed<allocate_for_each>(numbers_below(50)), allocate_for_each{&exhausted});
    });
}

/// An item as large as may be: 2^31 of them take 2^37 bytes.
struct bulky {
    struct item {
        std::int64_t words[8];
    };
    static constexpr int width = 1;
    template <class Worker>
    void operator()(item const&, Worker&) const {}
};

/// No more than 2^36 bytes of addresses while it lives.
class few_addresses {
  public:
    few_addresses() {
        getrlimit(RLIMIT_AS, &before_);
        rlimit const few{rlim_t{1} << 36, before_.rlim_max};
        setrlimit(RLIMIT_AS, &few);
    }
    ~few_addresses() { setrlimit(RLIMIT_AS, &before_); }
    few_addresses(few_addresses const&) = delete;
    few_addresses& operator=(few_addresses const&) = delete;

  private:
    rlimit before_{};
};

template <class Executor>
void check_queues_that_do_not_fit(Executor& executor) {
    auto const options = run_options().capacity<bulky>(std::int64_t{1} << 31);
    check_fault<out_of_memory>(executor, "out of memory", [&] {
        few_addresses const limit;
        run(executor, options, seed<bulky>(std::vector<bulky::item>()), bulky{});
    });
}

/// One of its lanes waits for what never comes.
struct wait_for_ever {
    using item = std::int64_t;
    static constexpr int width = 2;
    std::int64_t const* flag;

    template <class Worker>
    void operator()(item, Worker& w) const {
        using machine = typename Worker::machine;
        if (w.rank() == 1)
            while (machine::load_relaxed(flag) == 0) machine::pause();
        w.sync();
    }
};

/// Two queues hold something at once, so there are two launches at least.
template <class Executor>
void run_two_queues(Executor& executor) {
    std::vector<count_t> grown(200, 0), visited(50, 0);
    run(executor, seed<grow<8>>(0) + seed_range<visit<1>>(0, 50), grow<8>{grown.data(), 200, 7},
        visit<1>{visited.data()});
    EXPECT_EQ(grown, std::vector<count_t>(200, 1));
    EXPECT_EQ(visited, std::vector<count_t>(50, 1));
}

}  // namespace copse::tests
