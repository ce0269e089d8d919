// Entrants that are wrong in one way or another are found out; medians and quartiles by hand.
#include "bench/harness/race.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/harness/product.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

/// Run k, counted from 1, is off by errors[k-1] bounds, the last one from then on; it takes k seconds by its clock.
class scripted : public entrant {
  public:
    explicit scripted(std::vector<double> errors, int sets = 1) : entrant({}), errors_(std::move(errors)) {
        record.sets = sets;
    }
    void set_up(int set) override { set_up_.push_back(set); }
    run_times run(int set) override {
        ran_.push_back(set);
        if (throws_in_run_ == std::ssize(ran_)) throw error("out of coffee");
        return {static_cast<double>(ran_.size()), 0.5};
    }
    double largest_error(int) override {
        checked_.push_back(ran_.size());
        return errors_[std::min(ran_.size(), errors_.size()) - 1];
    }
    void forget(int) override { ++forgotten_; }

    std::vector<int> set_up_, ran_;     // sets
    std::vector<std::size_t> checked_;  // runs
    int forgotten_ = 0;
    int throws_in_run_ = 0;

  private:
    std::vector<double> errors_;
};

scripted race_of(std::vector<double> errors, int repeats, bool checks_every_run = true) {
    scripted one(std::move(errors));
    run_race({&one}, {.repeats = repeats, .checks_every_run = checks_every_run});
    return one;
}

TEST(race, every_run_is_set_up_checked_and_forgotten) {
    auto const r = race_of({0.25, 0.5, 0.25}, 3);
    EXPECT_EQ(r.checked_, (std::vector<std::size_t>{1, 2, 3, 4}));
    EXPECT_EQ(r.set_up_.size(), 4U);
    EXPECT_EQ(r.forgotten_, 4);
    EXPECT_TRUE(r.record.has_times());
    EXPECT_EQ(r.record.m.max_error, 0.5);
}

TEST(race, times_are_those_of_the_entrants_clock) {
    auto const m = race_of({0}, 4).record.m;
    EXPECT_EQ(m.first_seconds, 1);
    EXPECT_EQ(m.repeats, 4);
    EXPECT_EQ(m.seconds, 3.5);  // of 2, 3, 4 and 5
    EXPECT_EQ(m.min_seconds, 2);
    EXPECT_EQ(m.max_seconds, 5);
    EXPECT_DOUBLE_EQ(m.spread, 1.5 / 3.5);  // quartiles 2.75 and 4.25
    EXPECT_EQ(race_of({0}, 4).record.event_seconds.value(), 0.5);
}

TEST(race, reports_are_summed_over_queues_and_medians_taken) {
    struct reporting : scripted {
        reporting() : scripted({0}) {}
        run_times run(int set) override {
            auto times = scripted::run(set);
            auto const s = times.seconds;
            times.report =
                run_report{{{.name = "rows", .batches = static_cast<std::int64_t>(s), .launches = 1, .seconds = s},
                            {.name = "ends", .batches = 10, .seconds = 1}},
                           s / 4};
            return times;
        }
    };
    reporting one;
    run_race({&one}, {.repeats = 3, .checks_every_run = true});
    EXPECT_EQ(one.record.run_seconds.value(), 0.75);  // of runs of 2, 3 and 4 seconds
    EXPECT_EQ(one.record.task_seconds.value(), 4);
    EXPECT_EQ(one.record.batches.value(), 13);
    EXPECT_EQ(one.record.launches.value(), 1);
    EXPECT_FALSE(race_of({0}, 3).record.task_seconds);
}

TEST(race, without_repeats_the_first_run_counts) {
    auto const r = race_of({0}, 0);
    EXPECT_EQ(r.ran_.size(), 1U);
    EXPECT_EQ(r.record.m.seconds, 1);
    EXPECT_EQ(r.record.m.spread, 0);
}

TEST(race, first_results_are_checked_and_those_of_one_more_run) {
    auto const r = race_of({0, 0, 0, 0, 0.5}, 3, false);
    EXPECT_EQ(r.checked_, (std::vector<std::size_t>{1, 5}));
    EXPECT_EQ(r.set_up_.size(), 2U);
    EXPECT_EQ(r.forgotten_, 5);
    EXPECT_EQ(r.record.m.max_error, 0.5);
    EXPECT_EQ(r.record.m.repeats, 3);
}

TEST(race, an_entrant_that_is_wrong_does_not_run_again) {
    auto const first = race_of({1.5}, 5);
    EXPECT_FALSE(first.record.m.is_right());
    EXPECT_EQ(first.ran_.size(), 1U);
    EXPECT_EQ(first.record.m.repeats, 0);
    EXPECT_EQ(race_of({0, 0, 2, 0}, 5).ran_.size(), 3U);
    EXPECT_FALSE(race_of({0, 0, 0, 0, 2}, 3, false).record.m.is_right());
}

TEST(race, entrants_take_turns_and_each_call_takes_the_next_set) {
    struct shared : scripted {
        shared(std::string& log, char name) : scripted({0}, 2), log_(log), name_(name) {}
        run_times run(int set) override {
            log_ += name_ + std::to_string(set) + ' ';
            return scripted::run(set);
        }
        std::string& log_;
        char name_;
    };
    std::string log;
    shared a(log, 'a'), b(log, 'b');
    run_race({&a, &b}, {.repeats = 2});
    EXPECT_EQ(log, "a0 a1 b0 b1 a0 b1 a0 b1 a0 b1 ");
}

TEST(race, a_failure_is_kept_and_the_others_go_on) {
    scripted fails({0}, 3), goes_on({0});
    fails.throws_in_run_ = 2;
    std::vector<std::string> messages;
    run_race({&fails, &goes_on},
             {.repeats = 2, .failed = [&](std::string const& message) { messages.push_back(message); }});
    EXPECT_EQ(fails.record.failure, "out of coffee");
    EXPECT_FALSE(fails.record.has_times());
    EXPECT_EQ(fails.ran_.size(), 2U);
    EXPECT_EQ(fails.forgotten_, 1 + 3);  // the first result, then all
    EXPECT_EQ(goes_on.record.m.repeats, 2);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_TRUE(messages[0].ends_with(": out of coffee")) << messages[0];
}

TEST(race, ends_if_a_failure_is_the_end) {
    scripted fails({0});
    fails.throws_in_run_ = 1;
    EXPECT_THROW(run_race({&fails}, {.failed = [](std::string const& message) { throw error(message); }}), error);
}

/// Refuses its matrix before it runs.
class refusing : public scripted {
  public:
    refusing() : scripted({0}) {}
    void prepare() override { throw refusal("too large"); }
};

TEST(race, who_refuses_the_matrix_has_not_failed) {
    refusing one;
    scripted other({0});
    run_race({&one, &other},
             {.repeats = 2, .failed = [](std::string const& message) { throw error("the end: " + message); }});
    EXPECT_TRUE(one.record.is_refused);
    EXPECT_EQ(one.record.failure, "too large");
    EXPECT_TRUE(one.ran_.empty());
    EXPECT_EQ(other.record.m.repeats, 2);
    EXPECT_FALSE(other.record.is_refused);
}

TEST(race, an_entrant_whose_time_is_over_waits_for_the_others) {
    scripted one({0});
    run_race({&one}, {.repeats = 20, .checks_every_run = true, .seconds_each = 5, .least_repeats = 3});
    EXPECT_EQ(one.record.m.repeats, 3);  // 2, 3 and 4 seconds
    scripted other({0});
    run_race({&other}, {.repeats = 20, .checks_every_run = true, .seconds_each = 10, .least_repeats = 3});
    EXPECT_EQ(other.record.m.repeats, 4);
}

TEST(race, memory_is_that_of_the_first_run) {
    scripted one({0}, 2);
    run_race({&one}, {.repeats = 2, .peak_bytes = [](std::function<void()> const& work) {
                          work();
                          return std::int64_t{7};
                      }});
    EXPECT_EQ(one.record.peak_bytes.value(), 7);
    EXPECT_EQ(one.ran_.size(), 2U + 2 + 1);
    EXPECT_FALSE(race_of({0}, 1).record.peak_bytes);
}

/// Leaves a thread behind that is busy for a while, as OpenMP's are after a loop.
class restless final : public entrant {
  public:
    restless() : entrant({}) {}
    void set_up(int) override {
        busy_ = true;
        waiting_ = std::jthread([this] {
            auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
            while (std::chrono::steady_clock::now() < end) continue;
            busy_ = false;
        });
    }
    run_times run(int) override {
        met_busy_ += busy_ ? 1 : 0;
        return {};
    }
    double largest_error(int) override { return 0; }

    int met_busy_ = 0;

  private:
    std::atomic<bool> busy_{false};
    std::jthread waiting_;
};

TEST(race, begins_when_the_threads_before_have_come_to_rest) {
    restless one;
    run_race({&one}, on_cpu(3));
    EXPECT_EQ(one.met_busy_, 0);
}

TEST(race, quantiles) {
    EXPECT_EQ(quantile({3}, 0.5), 3);
    EXPECT_EQ(quantile({1, 2, 4}, 0.5), 2);
    EXPECT_EQ(quantile({1, 2}, 0.5), 1.5);
    EXPECT_EQ(quantile({0, 10, 20, 30, 40}, 0.25), 10);
    EXPECT_EQ(quantile({0, 1}, 1), 1);
}

// A: 2   x: 3   y: 6
csr<double> const two{1, 1, {0, 1}, {0}, {2}};

TEST(product, y_is_nan_before_a_run_and_nan_is_wrong) {
    problem<double> const what{"A", two, false, {3}};
    target cpu({.on = "cpu", .threads = 1});
    auto const tree = convert_to<hisparse<double>>(cpu, "A", two, hisparse_options{});
    products<double> all;
    all.push_back(csr_product(what, 1));
    all.push_back(one_shot(cpu, what, "hisparse", tree));
    all.push_back(planned(cpu, what, "hisparse", tree, make_plan<spmv_plan<double>>(cpu, "A", tree.matrix)));
    for (auto const& one : all) {
        one->set_up(0);
        EXPECT_TRUE(std::isnan(one->result()[0]));
        EXPECT_EQ(one->largest_error(0), std::numeric_limits<double>::infinity());
        one->multiply();
        EXPECT_EQ(one->result()[0], 6);
        EXPECT_EQ(one->largest_error(0), 0);
    }
}

}  // namespace
}  // namespace copse::bench
