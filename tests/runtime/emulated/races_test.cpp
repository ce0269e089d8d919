// Races on watched memory: lanes that race are named, in every interleaving; writes that something orders are not
// (runtime/emulated/races.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <copse/runtime/config.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <runtime/message_of.hpp>
#include <runtime/scheduler/scheduler_tasks.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

#if COPSE_THREAD_SANITIZER
bool constexpr may_race = false;  // it sees the same races, and fails the test
int constexpr seeds = 3;
#else
bool constexpr may_race = true;
int constexpr seeds = 24;
#endif

emulated explorer(int seed) {
    return emulated({.seed = static_cast<std::uint64_t>(seed),
                     .controller = seed % 3 == 0   ? controller::persistent
                                   : seed % 3 == 1 ? controller::device
                                                   : controller::host,
                     .blocks = 1 + seed % 4});
}

/// What the run says under each seed about races on `memory`, which each run gets anew; work(executor).
template <class T, class Work>
void expect_races(std::vector<T> memory, Work work, std::string const& part) {
    for (int seed = 0; may_race && seed < seeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        auto fresh = memory;
        emulated gpu = explorer(seed);
        gpu.check_races("y", fresh);
        std::string const message = message_of<worker_misuse>([&] { work(gpu, fresh); });
        EXPECT_NE(message.find("of 'y' was written by two lanes that nothing orders"), std::string::npos) << message;
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }
}
template <class T, class Work>
void expect_none(std::vector<T> const& memory, Work work) {
    for (int seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        auto fresh = memory;
        emulated gpu = explorer(seed);
        gpu.check_races("y", fresh);
        EXPECT_NO_THROW(work(gpu, fresh));
    }
}

/// Items i, i + 10, i + 20 ... add to y[i].
template <bool Atomic>
struct add_up {
    using item = std::int64_t;
    static constexpr int width = 4;
    static constexpr char const* name = "add up";
    double* y;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() != 1) return;
        if (Atomic || i >= 10)
            w.add(&y[i % 10], 1.0);
        else
            y[i % 10] += 1;
    }
};
struct add_plainly {
    using item = std::int64_t;
    static constexpr int width = 4;
    static constexpr char const* name = "add plainly";
    double* y;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 1) y[i % 10] += 1;
    }
};

TEST(races, of_items_that_add_plainly_are_named_in_every_interleaving) {
    auto const of_seeds = [](emulated& gpu, auto& y) {
        run(gpu, seed<add_plainly>(std::vector<std::int64_t>{3, 14, 23, 5}), add_plainly{y.data()});
    };
    expect_races(std::vector<double>(10), of_seeds, "element 3 of");
    expect_races(std::vector<double>(10), of_seeds, "task 'add plainly', item 23, lane 1 of 4 in block");
    expect_races(
        std::vector<double>(10),
        [](emulated& gpu, auto& y) { run(gpu, seed_range<add_plainly>(0, 40), add_plainly{y.data()}); },
        "by task 'add plainly', item ");
}

TEST(races, of_a_plain_write_with_an_atomic_one_are_named) {
    expect_races(
        std::vector<double>(10),
        [](emulated& gpu, auto& y) { run(gpu, seed_range<add_up<false>>(0, 20), add_up<false>{y.data()}); },
        ", atomically");
    expect_none(std::vector<double>(10),
                [](emulated& gpu, auto& y) { run(gpu, seed_range<add_up<true>>(0, 40), add_up<true>{y.data()}); });
}

/// Two lanes of one worker, with or without a sync() between them.
template <bool Sync>
struct hand_over {
    using item = std::int64_t;
    static constexpr int width = 8;
    double* y;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 2) y[i] = 1;
        if (Sync)
            w.sync();
        else
            w.shuffle(0, 0);
        if (w.rank() == 5) y[i] = 2;
    }
};
/// An item's lane 0 writes, then pushes; Late: it writes once more, beside the pushed item.
template <bool Late>
struct write_on {
    using item = std::int64_t;
    static constexpr int width = 2;
    double* y;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 1) y[i % 5] += 1;
        w.sync();
        if (w.rank() == 0 && i >= 5) w.template push<write_on>(i - 5);
        if (Late && w.rank() == 0) y[i % 5] += 1;
    }
};
struct write_in_turns {
    using item = std::int64_t;
    static constexpr int width = 1;
    std::int32_t* turn;
    double* y;
    template <class Worker>
    void operator()(item, Worker& w) const {
        if (w.exchange_if(turn, 0, 1) != 0) return;
        y[0] += 1;
        w.exchange_if(turn, 1, 0);
    }
};

TEST(races, are_none_where_a_sync_a_push_or_an_exchange_orders) {
    auto const y = std::vector<double>(5);
    expect_none(y,
                [](emulated& gpu, auto& m) { run(gpu, seed_range<hand_over<true>>(0, 5), hand_over<true>{m.data()}); });
    expect_races(
        y, [](emulated& gpu, auto& m) { run(gpu, seed_range<hand_over<false>>(0, 5), hand_over<false>{m.data()}); },
        "lane 5 of 8");
    std::vector<std::int64_t> const ends{20, 21, 22, 23, 24};
    expect_none(y, [&](emulated& gpu, auto& m) { run(gpu, seed<write_on<false>>(ends), write_on<false>{m.data()}); });
    expect_races(
        y, [&](emulated& gpu, auto& m) { run(gpu, seed<write_on<true>>(ends), write_on<true>{m.data()}); },
        "lane 0 of 2");
    std::int32_t turn = 0;
    expect_none(y, [&](emulated& gpu, auto& m) {
        run(gpu, seed_range<write_in_turns>(0, 30), write_in_turns{&turn, m.data()});
    });
}

/// x <- L^-1 x for a lower triangle with ones on the diagonal: row i, once done, subtracts its part from the rows that
/// wait for it, and counts them down.
template <bool Count>
struct solve_row {
    using item = std::int64_t;
    static constexpr int width = 4;
    std::int64_t rows;
    double* x;
    std::int32_t* waits_for;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 0) x[i] *= 2;  // the diagonal is 1/2
        w.sync();
        for (std::int64_t k = i + 1 + w.rank(); k < rows && k < i + 9; k += w.size()) {
            w.add(&x[k], -0.125 * x[i]);
            bool const last = Count ? w.count_down(&waits_for[k]) : w.fetch_add(&waits_for[k], -1) == 1;
            if (last) w.template push<solve_row>(k);
        }
    }
};
template <bool Count>
void solve(emulated& gpu, std::vector<double>& x) {
    std::vector<std::int32_t> waits_for(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) waits_for[i] = static_cast<std::int32_t>(std::min<std::size_t>(i, 8));
    auto const rows = static_cast<std::int64_t>(x.size());
    run(gpu, seed<solve_row<Count>>(0), solve_row<Count>{rows, x.data(), waits_for.data()});
}

TEST(races, are_none_in_a_triangular_solve_that_counts_down) {
    expect_none(std::vector<double>(60, 1.0), solve<true>);
    // fetch_add orders nothing. Where one worker runs the rows in turn, its clock has a row too many: not every seed.
    int found = 0;
    for (int seed = 0; may_race && seed < seeds; ++seed) {
        std::vector<double> x(60, 1.0);
        emulated gpu = explorer(seed);
        gpu.check_races("x", x);
        found += message_of<worker_misuse>([&] { solve<false>(gpu, x); }).find(", atomically") != std::string::npos;
    }
    EXPECT_GE(found, may_race ? seeds / 4 : 0);
    // Sums that go up a tree.
    std::int64_t constexpr leaves = 64;
    expect_none(std::vector<count_t>(2 * leaves), [](emulated& gpu, auto& sums) {
        std::vector<std::int32_t> waiting(leaves, 2);
        run(gpu, seed_range<sum_up>(leaves, leaves), sum_up{sums.data(), waiting.data(), leaves});
    });
}

/// Steps of Jacobi for a chain, each a phase.
template <int Phase>
struct jacobi_step {
    using item = std::int64_t;
    static constexpr int width = 2;
    static constexpr int phase = Phase;
    double const* from;
    double* to;
    std::int64_t n;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 0) to[i] = (1 + (i > 0 ? from[i - 1] : 0) + (i + 1 < n ? from[i + 1] : 0)) / 2;
    }
};

TEST(races, are_none_in_jacobi_steps_of_three_phases) {
    std::int64_t constexpr n = 50;
    expect_none(std::vector<double>(2 * n), [](emulated& gpu, auto& both) {
        double *const x = both.data(), *const next = x + n;
        run(gpu, seed_range<jacobi_step<0>>(0, n) + seed_range<jacobi_step<1>>(0, n) + seed_range<jacobi_step<2>>(0, n),
            jacobi_step<0>{x, next, n}, jacobi_step<1>{next, x, n}, jacobi_step<2>{x, next, n});
    });
}

TEST(races, are_looked_for_as_long_as_the_executor_is_told_to) {
    if (!may_race) GTEST_SKIP() << "the thread sanitizer sees the same races";
    std::vector<double> y(10);
    emulated gpu;
    gpu.check_races("y", y);
    auto const work = [&] { run(gpu, seed_range<add_plainly>(0, 40), add_plainly{y.data()}); };
    EXPECT_THROW(work(), worker_misuse);
    EXPECT_THROW(work(), worker_misuse);
    gpu.stop_checking_races();
    EXPECT_NO_THROW(work());
    emulated threads({.mode = emulation::stress});
    EXPECT_THROW(threads.check_races("y", y), argument_error);
}

}  // namespace
}  // namespace copse::tests
