// Whatever thread does the work: it rounds, and takes denormal numbers for 0, as the thread that asked for the work
// does.
#include <copse/runtime/cpu/float_environment.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/emulated.hpp>
#include <thread>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace copse::tests {
namespace {

/// What arithmetic does here.
struct arithmetic {
    int rounding;
    double denormal;    // 1e-310 * 1
    long double ninth;  // by the x87 on x86-64

    static arithmetic of_this_thread() {
        double volatile tiny = 1e-310, one = 1;
        long double volatile nine = 9;
        return {std::fegetround(), tiny * one, 1 / nine};
    }
    bool operator==(arithmetic const&) const = default;
};

/// While it lives this thread rounds upwards and, on x86-64, takes denormal numbers for 0.
class unusual_environment {
  public:
    unusual_environment() {
        std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
        _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    }
    ~unusual_environment() {
        before_.take_over();
    }

  private:
    detail::float_environment before_;
};

/// A lane of each item says how it computes.
struct computes {
    using item = int;
    static constexpr int width = 32;
    arithmetic* found;  // of each item and lane

    template <class Worker>
    void operator()(int i, Worker& w) const {
        found[i * 32 + w.rank()] = arithmetic::of_this_thread();
    }
};

/// The number of items whose lanes (one on the cpu) do not compute as this thread.
template <class Executor>
int strangers(Executor& executor, int lanes) {
    std::vector<int> items(60);
    for (int i = 0; i < 60; ++i) items[static_cast<std::size_t>(i)] = i;
    std::vector<arithmetic> found(60 * 32);
    run(executor, seed<computes>(items), computes{found.data()});
    int count = 0;
    for (int i = 0; i < 60; ++i)
        for (int lane = 0; lane < lanes; ++lane)
            count += found[static_cast<std::size_t>(i * 32 + lane)] != arithmetic::of_this_thread();
    return count;
}

template <class Executor>
void expect_takes_it_over(Executor executor, int lanes) {
    arithmetic const usual = arithmetic::of_this_thread();
    EXPECT_EQ(strangers(executor, lanes), 0);  // its threads and fibers are there now
    {
        unusual_environment const unusual;
        EXPECT_NE(arithmetic::of_this_thread(), usual);
        EXPECT_EQ(strangers(executor, lanes), 0);
    }
    EXPECT_EQ(strangers(executor, lanes), 0);
    EXPECT_EQ(arithmetic::of_this_thread(), usual);
}

TEST(float_environment, is_the_callers_in_each_executor) {
    expect_takes_it_over(cpu(4), 1);
    for (auto const mode : {emulation::explore, emulation::stress})
        for (auto const by : {controller::persistent, controller::device, controller::host})
            expect_takes_it_over(emulated({.mode = mode, .controller = by, .blocks = 2}), 32);
}

TEST(float_environment, is_the_callers_on_each_rank_of_a_team) {
    detail::thread_team team(4);
    auto const expect = [&] {
        std::array<arithmetic, 4> found{};
        team.run([&](int rank) { found[static_cast<std::size_t>(rank)] = arithmetic::of_this_thread(); });
        for (auto const& each : found) EXPECT_EQ(each, arithmetic::of_this_thread());
    };
    expect();
    {
        unusual_environment const unusual;
        expect();
    }
    expect();
}

/// How the first `threads` threads of OpenMP compute, without the library.
std::vector<arithmetic> of_openmp([[maybe_unused]] int threads) {
    std::vector<arithmetic> found(static_cast<std::size_t>(threads), arithmetic::of_this_thread());
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < threads; ++i) found[static_cast<std::size_t>(i)] = arithmetic::of_this_thread();
    return found;
}

TEST(float_environment, is_the_callers_in_loops_and_openmps_own_again_behind_them) {
    int const threads = 3;
    auto const before = of_openmp(threads);
    {
        unusual_environment const unusual;
        std::array<arithmetic, threads> found{};
        std::array<int, threads> counts{};
        detail::run_loop_threads(threads, [&](int rank, int count) {
            found[static_cast<std::size_t>(rank)] = arithmetic::of_this_thread();
            counts[static_cast<std::size_t>(rank)] = count;
        });
        for (int rank = 0; rank < counts[0]; ++rank)
            EXPECT_EQ(found[static_cast<std::size_t>(rank)], arithmetic::of_this_thread()) << rank;
#ifdef _OPENMP
        EXPECT_EQ(counts[0], threads);
#endif
    }
    EXPECT_EQ(of_openmp(threads), before);
}

}  // namespace
}  // namespace copse::tests
