// Products that are wrong in one way or another are found out; medians and quartiles by hand.
#include "cli/race.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "cli/product.hpp"

namespace copse::measure {
namespace {

/// y <- `results[k]` in run k, the last one from then on.
class scripted_product final : public product<double> {
  public:
    explicit scripted_product(std::vector<std::vector<double>> results) : results_(std::move(results)) {}
    void prepare() override { ++prepared_; }
    void run() override { y_ = results_[std::min<std::size_t>(runs_++, results_.size() - 1)]; }
    std::vector<double> result() const override { return y_; }

    std::size_t runs_ = 0;
    std::size_t prepared_ = 0;

  private:
    std::vector<std::vector<double>> results_;
    std::vector<double> y_;
};

expectation<double> const one_two{{1, 2}, {0.25, 0.25}};

struct raced {
    measurement record;
    std::size_t runs;
    std::size_t prepared;
};

raced race(std::vector<std::vector<double>> results, int repeats) {
    std::vector<competitor<double>> all(1);
    auto owned = std::make_unique<scripted_product>(std::move(results));
    auto const& what = *owned;
    all[0].what = std::move(owned);
    run_in_turn(all, one_two, repeats);
    return {all[0].record, what.runs_, what.prepared_};
}

TEST(race, right_results_run_once_and_then_repeat) {
    auto const r = race({{1, 2}}, 5);
    EXPECT_TRUE(r.record.is_right());
    EXPECT_EQ(r.record.max_error, 0);
    EXPECT_EQ(r.record.repeats, 5);
    EXPECT_EQ(r.runs, 6u);
    EXPECT_EQ(r.prepared, 6u);
    EXPECT_GT(r.record.first_seconds, 0);
    EXPECT_LE(r.record.min_seconds, r.record.seconds);
    EXPECT_LE(r.record.seconds, r.record.max_seconds);
}

/// Leaves a thread behind that is busy for a while, as OpenMP's are after a loop.
class restless_product final : public product<double> {
  public:
    void prepare() override {
        busy_ = true;
        waiting_ = std::jthread([this] {
            auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
            while (std::chrono::steady_clock::now() < end) continue;
            busy_ = false;
        });
    }
    void run() override { met_busy_ += busy_ ? 1 : 0; }
    std::vector<double> result() const override { return {1, 2}; }

    std::atomic<int> met_busy_{0};

  private:
    std::atomic<bool> busy_{false};
    std::jthread waiting_;
};

TEST(race, begins_when_the_threads_before_have_come_to_rest) {
    std::vector<competitor<double>> all(1);
    auto owned = std::make_unique<restless_product>();
    auto const& what = *owned;
    all[0].what = std::move(owned);
    run_in_turn(all, one_two, 3);
    EXPECT_EQ(what.met_busy_, 0);
}

/// Its clock says 1 s, 2 s, 3 s and so on.
class clocked_work final : public work {
  public:
    void prepare() override {}
    void run() override { FAIL() << "not timed by its clock"; }
    double time_run() override { return ++seconds_; }

  private:
    double seconds_ = 0;
};

TEST(race, work_with_a_clock_of_its_own_is_timed_by_that) {
    measurement record;
    clocked_work what;
    take_turns({{record, what, [] { return 0.0; }}}, 3);
    EXPECT_EQ(record.first_seconds, 1);
    EXPECT_EQ(record.seconds, 3);  // of 2, 3 and 4
}

/// Takes 32 MiB while it runs, 96 MiB before each run.
class large_work final : public work {
  public:
    void prepare() override { write_pages(96); }
    void run() override {
        write_pages(32);
        ++runs_;
    }

    int runs_ = 0;

  private:
    static void write_pages(std::size_t megabytes) {
        std::vector<char> pages(megabytes << 20);
        char volatile* const written = pages.data();
        for (std::size_t at = 0; at < pages.size(); at += 1024) written[at] = 1;
    }
};

memory_peak peak_in_host_memory(std::function<void()> const& work) {
    return {host_peak_bytes_of(work), std::nullopt};
}

TEST(race, memory_is_that_of_one_more_run) {
    measurement record;
    large_work what;
    int errors = 0;
    auto const error = [&] { return ++errors == 3 ? 7.0 : 0.5; };
    take_turns({{record, what, error}}, 1, checks::every_run, peak_in_host_memory);
    EXPECT_EQ(what.runs_, 3);
    EXPECT_EQ(record.repeats, 1);
    EXPECT_EQ(record.max_error, 7);  // of the last run
    ASSERT_TRUE(record.memory);
    auto const bytes = record.memory->bytes;
    if (!bytes) GTEST_SKIP() << "this system does not count memory";
    EXPECT_GE(*bytes, 31 << 20);
    EXPECT_LE(*bytes, 36 << 20);
}

TEST(race, memory_is_not_counted_unless_asked_for_nor_of_what_is_wrong) {
    measurement unasked, wrong;
    large_work first, second;
    take_turns({{unasked, first, [] { return 0.0; }}}, 1);
    take_turns({{wrong, second, [] { return 2.0; }}}, 1, checks::every_run, peak_in_host_memory);
    EXPECT_FALSE(unasked.memory);
    EXPECT_FALSE(wrong.memory);
}

TEST(race, without_repeats_the_first_run_counts) {
    auto const r = race({{1, 2}}, 0);
    EXPECT_EQ(r.runs, 1u);
    EXPECT_EQ(r.record.seconds, r.record.first_seconds);
    EXPECT_EQ(r.record.spread, 0);
}

TEST(race, error_is_in_units_of_the_bound) {
    EXPECT_EQ(race({{1.125, 2}}, 0).record.max_error, 0.5);
    EXPECT_TRUE(race({{1.25, 2}}, 0).record.is_right());
    EXPECT_FALSE(race({{1, 2.5}}, 0).record.is_right());
}

TEST(race, a_wrong_product_does_not_run_again) {
    auto const r = race({{1, 3}}, 5);
    EXPECT_FALSE(r.record.is_right());
    EXPECT_EQ(r.runs, 1u);
    EXPECT_EQ(r.record.repeats, 0);
}

TEST(race, a_product_that_becomes_wrong_is_found_out) {
    auto const r = race({{1, 2}, {1, 2}, {1, 3}, {1, 2}}, 5);
    EXPECT_FALSE(r.record.is_right());
    EXPECT_EQ(r.runs, 3u);
}

TEST(race, nan_is_wrong) {
    EXPECT_EQ(race({{1, std::nan("")}}, 0).record.max_error, std::numeric_limits<double>::infinity());
}

TEST(race, competitors_take_turns) {
    std::vector<int> order;
    struct numbered final : product<double> {
        numbered(std::vector<int>& o, int n) : order(o), number(n) {}
        void prepare() override {}
        void run() override { order.push_back(number); }
        std::vector<double> result() const override { return {1, 2}; }
        std::vector<int>& order;
        int number;
    };
    std::vector<competitor<double>> all(2);
    all[0].what = std::make_unique<numbered>(order, 0);
    all[1].what = std::make_unique<numbered>(order, 1);
    run_in_turn(all, one_two, 2);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 0, 1, 0, 1}));
}

/// An entrant whose run k is off by errors[k] bounds.
struct scripted_work final : work {
    void prepare() override {}
    void run() override { ++runs; }
    std::size_t runs = 0;
};

struct checked {
    measurement record;
    std::size_t runs = 0;
    std::vector<std::size_t> checked_runs;
};

checked race_of_errors(std::vector<double> const& errors, int repeats, checks which) {
    checked c;
    scripted_work what;
    auto const error = [&] {
        c.checked_runs.push_back(what.runs);
        return errors[what.runs - 1];
    };
    take_turns({{c.record, what, error}}, repeats, which);
    c.runs = what.runs;
    return c;
}

TEST(race, first_and_last_results_are_checked) {
    auto const c = race_of_errors({0, 0, 0, 0.5}, 3, checks::first_and_last);
    EXPECT_EQ(c.checked_runs, (std::vector<std::size_t>{1, 4}));
    EXPECT_EQ(c.record.max_error, 0.5);
    EXPECT_EQ(c.record.repeats, 3);
    EXPECT_EQ(race_of_errors({0, 0, 0, 0}, 3, checks::every_run).checked_runs, (std::vector<std::size_t>{1, 2, 3, 4}));
    EXPECT_EQ(race_of_errors({0}, 0, checks::first_and_last).checked_runs, (std::vector<std::size_t>{1}));
}

TEST(race, who_is_wrong_at_first_or_at_last_is_wrong) {
    auto const first = race_of_errors({2, 0, 0, 0}, 3, checks::first_and_last);
    EXPECT_FALSE(first.record.is_right());
    EXPECT_EQ(first.runs, 1u);
    EXPECT_FALSE(race_of_errors({0, 0, 0, 2}, 3, checks::first_and_last).record.is_right());
}

TEST(race, quantiles) {
    EXPECT_EQ(quantile({3}, 0.5), 3);
    EXPECT_EQ(quantile({1, 2, 4}, 0.5), 2);
    EXPECT_EQ(quantile({1, 2}, 0.5), 1.5);
    EXPECT_EQ(quantile({0, 10, 20, 30, 40}, 0.25), 10);
    EXPECT_EQ(quantile({0, 1}, 1), 1);
}

// Products that do nothing must not pass for what an earlier run left behind.
TEST(product, y_is_nan_before_a_product_with_beta_zero) {
    csr<double> const a{1, 1, {0, 1}, {0}, {2}};
    operands<double> const v{1, {3}, 0, {5}};
    auto const by_csr = csr_product(1, a, false, v);
    by_csr->prepare();
    EXPECT_TRUE(std::isnan(by_csr->result()[0]));
    by_csr->run();
    EXPECT_EQ(by_csr->result()[0], 6);

    target cpu(target_options{.on = "cpu", .threads = 1});
    auto const by_tree = hisparse_product(cpu, hisparse<double>(host_memory(), a), v);
    by_tree->prepare();
    EXPECT_TRUE(std::isnan(by_tree->result()[0]));
    by_tree->run();
    EXPECT_EQ(by_tree->result()[0], 6);
}

TEST(product, every_run_starts_from_the_same_y) {
    csr<double> const a{1, 1, {0, 1}, {0}, {2}};
    operands<double> const v{1, {3}, 10, {5}};
    auto const p = csr_product(1, a, false, v);
    for (int i = 0; i < 2; ++i) {
        p->prepare();
        p->run();
        EXPECT_EQ(p->result()[0], 56);
    }
    EXPECT_EQ(expect(a, false, v).y[0], 56);
}

}  // namespace
}  // namespace copse::measure
