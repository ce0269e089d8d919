// Results that are wrong in one way or another are found out; medians and quartiles by hand; the most memory that work
// took: also where it has given it back, and without what was there before.
#include "cli/measure.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace copse::cli {
namespace {

constexpr std::int64_t megabyte = std::int64_t{1} << 20;

void write_pages(std::int64_t bytes) {
    std::vector<char> pages(static_cast<std::size_t>(bytes));
    char volatile* const written = pages.data();
    for (std::int64_t at = 0; at < bytes; at += 1024) written[at] = 1;
}

memory_peak peak_on_host(std::function<void()> const& work) {
    return {host_peak_bytes_of(work), std::nullopt};
}

struct outcome {
    record measured;
    int prepared = 0, runs = 0;
    std::vector<int> checked_runs;
};

/// Of work whose run k is off by errors[k] bounds, the last one from then on. It takes 96 MB before each run, and 32
/// MB in it.
outcome measure_errors(std::vector<double> const& errors, int repeats, checks which = checks::every_run,
                       memory_probe const& probe = {}) {
    outcome o;
    auto const prepare = [&] {
        ++o.prepared;
        if (probe) write_pages(96 * megabyte);
    };
    auto const run = [&] {
        ++o.runs;
        if (probe) write_pages(32 * megabyte);
    };
    auto const error = [&] {
        o.checked_runs.push_back(o.runs);
        return errors[std::min(static_cast<std::size_t>(o.runs), errors.size()) - 1];
    };
    measure(o.measured, {prepare, run, error}, repeats, which, probe);
    return o;
}

TEST(measure, right_results_run_once_and_then_repeat) {
    auto const o = measure_errors({0, 0.5, 1, 0.25}, 5);
    EXPECT_TRUE(o.measured.is_right());
    EXPECT_EQ(o.measured.max_error, 1);
    EXPECT_EQ(o.measured.repeats, 5);
    EXPECT_EQ(o.runs, 6);
    EXPECT_EQ(o.prepared, 6);
    EXPECT_EQ(o.checked_runs, (std::vector<int>{1, 2, 3, 4, 5, 6}));
    EXPECT_GT(o.measured.first_seconds, 0);
    EXPECT_LE(o.measured.min_seconds, o.measured.seconds);
    EXPECT_LE(o.measured.seconds, o.measured.max_seconds);
}

TEST(measure, without_repeats_the_first_run_counts) {
    auto const o = measure_errors({0}, 0);
    EXPECT_EQ(o.runs, 1);
    EXPECT_EQ(o.measured.seconds, o.measured.first_seconds);
    EXPECT_EQ(o.measured.spread, 0);
}

TEST(measure, what_is_wrong_does_not_run_again) {
    auto const at_first = measure_errors({2}, 5, checks::every_run, peak_on_host);
    EXPECT_FALSE(at_first.measured.is_right());
    EXPECT_EQ(at_first.runs, 1);
    EXPECT_EQ(at_first.measured.repeats, 0);
    EXPECT_FALSE(at_first.measured.memory);
    auto const later = measure_errors({0, 0, std::numeric_limits<double>::infinity(), 0}, 5);
    EXPECT_FALSE(later.measured.is_right());
    EXPECT_EQ(later.runs, 3);
}

TEST(measure, first_and_last_results_are_checked) {
    auto const o = measure_errors({0, 2, 2, 0.5}, 3, checks::first_and_last);
    EXPECT_EQ(o.checked_runs, (std::vector<int>{1, 4}));
    EXPECT_EQ(o.measured.max_error, 0.5);
    EXPECT_EQ(measure_errors({0}, 0, checks::first_and_last).checked_runs, std::vector<int>{1});
    EXPECT_FALSE(measure_errors({0, 0, 0, 2}, 3, checks::first_and_last).measured.is_right());
}

TEST(measure, memory_is_that_of_one_more_run) {
    EXPECT_FALSE(measure_errors({0}, 1).measured.memory);
    auto const o = measure_errors({0.5, 0.5, 7}, 1, checks::every_run, peak_on_host);
    EXPECT_EQ(o.runs, 3);
    EXPECT_EQ(o.measured.repeats, 1);
    EXPECT_EQ(o.measured.max_error, 7);  // of the last run
    ASSERT_TRUE(o.measured.memory);
    auto const bytes = o.measured.memory->bytes;
    if (!bytes) GTEST_SKIP() << "this system does not count memory";
    EXPECT_GE(*bytes, 31 * megabyte);
    EXPECT_LE(*bytes, 36 * megabyte);
}

TEST(measure, quantiles) {
    EXPECT_EQ(quantile({3}, 0.5), 3);
    EXPECT_EQ(quantile({1, 2, 4}, 0.5), 2);
    EXPECT_EQ(quantile({1, 2}, 0.5), 1.5);
    EXPECT_EQ(quantile({0, 10, 20, 30, 40}, 0.25), 10);
    EXPECT_EQ(quantile({0, 1}, 1), 1);
}

TEST(measure, seconds_add_up_and_the_result_is_the_works) {
    double seconds = 0;
    EXPECT_EQ(timed(seconds, [] { return 7; }), 7);
    double const first = seconds;
    EXPECT_GT(first, 0);
    timed(seconds, [] { write_pages(megabyte); });
    EXPECT_GT(seconds, first);
}

/// Counts as a gpu executor's pool does.
struct counting_executor {
    std::vector<std::string> calls;
    std::int64_t used = 0, most = 0, workspace = 0;

    void take(std::int64_t bytes) {
        used += bytes;
        most = std::max(most, used);
    }
    void release_workspace() {
        calls.emplace_back("release");
        used -= std::exchange(workspace, 0);
    }
    std::int64_t restart_peak() {
        calls.emplace_back("restart");
        most = 0;
        return used;
    }
    std::int64_t peak_bytes() { return std::max(most, used); }
};

TEST(measure, memory_of_a_device_is_of_the_work_alone) {
    counting_executor executor;
    executor.take(1000);
    executor.take(-900);
    executor.take(executor.workspace = 50);
    auto const most = memory_peak_of(executor, [&] {
        executor.take(executor.workspace = 70);
        executor.take(30);
        executor.take(-20);
    });
    EXPECT_EQ(executor.calls, (std::vector<std::string>{"release", "restart"}));
    EXPECT_EQ(most.device_bytes, 100);
    EXPECT_EQ(memory_peak_of(executor, [&] { executor.take(-10); }).device_bytes, 0);
}

TEST(measure, an_executor_in_host_memory_has_no_device) {
    struct executor_of_the_host {
    } executor;
    int runs = 0;
    EXPECT_FALSE(memory_peak_of(executor, [&] { ++runs; }).device_bytes);
    EXPECT_EQ(runs, 1);
}

TEST(record, memory_is_said_in_words) {
    EXPECT_EQ(peak_text({1000, std::nullopt}), "1.00 kB");
    EXPECT_EQ(peak_text({std::nullopt, std::nullopt}), "this system does not count it");
    EXPECT_EQ(peak_text({1000, 2'000'000}), "1.00 kB, of the GPU's 2.00 MB");
}

TEST(record, memory_is_in_json_where_it_was_asked_for) {
    record r;
    EXPECT_FALSE(to_json(r).contains("peak_bytes"));
    r.memory = {1000, std::nullopt};
    EXPECT_EQ(to_json(r).at("peak_bytes"), 1000);
    EXPECT_FALSE(to_json(r).contains("device_peak_bytes"));
    r.memory = {std::nullopt, 2000};
    EXPECT_TRUE(to_json(r).at("peak_bytes").is_null());
    EXPECT_EQ(to_json(r).at("device_peak_bytes"), 2000);
}

TEST(record, an_infinite_error_becomes_the_largest_number) {
    record r;
    r.max_error = std::numeric_limits<double>::infinity();
    EXPECT_EQ(to_json(r).at("max_error"), std::numeric_limits<double>::max());
    EXPECT_NE(to_text(r).find("WRONG: largest error is inf of the bound"), std::string::npos);
}

}  // namespace
}  // namespace copse::cli
