// What the trace of a run has on every executor and under every controller. Registered for an executor by
//   INSTANTIATE_TYPED_TEST_SUITE_P(cpu, traced, testing::Types<...>, executor_names);
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/trace.hpp>
#include <iterator>
#include <map>
#include <runtime/executors.hpp>
#include <runtime/scheduler/counts.hpp>
#include <runtime/scheduler/scheduler_tasks.hpp>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse::tests {

inline std::vector<trace_record> records_of(traced_run const& run, trace_kind kind) {
    std::vector<trace_record> chosen;
    std::copy_if(run.records.begin(), run.records.end(), std::back_inserter(chosen),
                 [&](trace_record const& r) { return r.kind == kind; });
    return chosen;
}

/// Items and ranges of two queues, of which one is filled by the other.
template <class Executor>
run_report run_two_queues(Executor& executor, run_options const& options) {
    auto const visits = zero_counts(executor, 3000);
    return run(executor, options, seed<push_ranges<8>>(numbers_below(20)) + seed_range<visit<8>>(2000, 900),
               push_ranges<8>{visits.data()}, visit<8>{visits.data()});
}

inline void expect_within_the_run(traced_run const& run) {
    std::int64_t last = 0;
    for (auto const& r : run.records) {
        EXPECT_GE(r.begin, last);  // in order
        EXPECT_GE(r.end, r.begin);
        EXPECT_LE(r.end, run.nanoseconds);
        last = r.begin;
    }
}

/// Sums by queue: items and batches are those of the report, so that each item is in one record.
inline void expect_items_of(run_report const& report, traced_run const& run) {
    std::vector<std::int64_t> items(report.queues.size(), 0), batches(report.queues.size(), 0);
    for (auto const& r : records_of(run, trace_kind::batch)) {
        items.at(static_cast<std::size_t>(r.queue)) += r.count;
        ++batches.at(static_cast<std::size_t>(r.queue));
        EXPECT_GT(r.count, 0);
    }
    ASSERT_EQ(run.queues.size(), report.queues.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        EXPECT_EQ(run.queues[i], report.queues[i].name);
        EXPECT_EQ(items[i], report.queues[i].items) << run.queues[i];
        EXPECT_EQ(batches[i], report.queues[i].batches) << run.queues[i];
    }
}

template <class Executor>
void check_items(Executor& executor) {
    trace to;
    auto const report = run_two_queues(executor, run_options().traced_by(to));
    auto const runs = to.runs();
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].dropped_records, 0);
    EXPECT_GT(runs[0].clock_step, 0);
    expect_items_of(report, runs[0]);
    expect_within_the_run(runs[0]);
}

/// By launch: how many blocks.
inline std::map<int, std::int64_t> launched_blocks(traced_run const& run) {
    std::map<int, std::int64_t> blocks;
    for (auto const& r : records_of(run, trace_kind::launch)) blocks[r.launch] += r.count;
    return blocks;
}

/// Each launch has as many blocks as its record says, and each batch lies in the time of its block.
template <class Executor>
void check_launches(Executor& executor, bool launches_for_queues) {
    trace to;
    auto const report = run_two_queues(executor, run_options().traced_by(to));
    auto const run = to.runs().at(0);
    auto const blocks = records_of(run, trace_kind::block);
    if constexpr (std::is_same_v<Executor, cpu>) {
        EXPECT_TRUE(launched_blocks(run).empty());
        EXPECT_EQ(std::ssize(blocks), executor.threads());
    } else {
        std::map<int, std::int64_t> begun;
        for (auto const& r : blocks) ++begun[r.launch];
        EXPECT_EQ(begun, launched_blocks(run));
        std::vector<std::int64_t> by_queue(report.queues.size(), 0);
        for (auto const& r : records_of(run, trace_kind::launch)) {
            EXPECT_EQ(r.place >= 0, run.controller == "device");
            if (r.queue >= 0) ++by_queue.at(static_cast<std::size_t>(r.queue));
        }
        for (std::size_t i = 0; i < by_queue.size(); ++i) EXPECT_EQ(by_queue[i], report.queues[i].launches);
        if (!launches_for_queues) {
            EXPECT_EQ(launched_blocks(run).size(), 1u);
        }
    }
    for (auto const& r : run.records) {
        if (r.kind != trace_kind::batch && r.kind != trace_kind::wait) continue;
        EXPECT_TRUE(std::any_of(blocks.begin(), blocks.end(),
                                [&](trace_record const& b) {
                                    return b.launch == r.launch && b.block == r.block && b.begin <= r.begin &&
                                           r.end <= b.end;
                                }))
            << "no block has what began at " << r.begin;
    }
}

template <class Executor>
void check_samples(Executor& executor) {
    trace to({.sample_nanoseconds = 0});
    auto const report = run_two_queues(executor, run_options().traced_by(to));
    auto const run = to.runs().at(0);
    EXPECT_EQ(run.dropped_samples, 0);
    std::vector<std::int64_t> samples(2, 0), largest(2, 0);
    for (auto const& r : records_of(run, trace_kind::fill)) {
        auto const queue = static_cast<std::size_t>(r.queue);
        ++samples.at(queue);
        largest[queue] = std::max(largest[queue], r.count);
        EXPECT_GE(r.count, 0);
        EXPECT_LE(r.count, report.queues[queue].items);
    }
    EXPECT_EQ(samples[0], samples[1]);  // all queues each time
    EXPECT_GT(samples[0], 1);
    EXPECT_GT(largest[1], 0);  // 900 items waited from the beginning
}

/// A buffer of three records, of which a block's first and last are two.
template <class Provider, class Executor>
void check_dropped(Executor& executor) {
    trace all, few({.records = 3, .samples = 2, .sample_nanoseconds = 0});
    auto const first = run_two_queues(executor, run_options().traced_by(all));
    auto const report = run_two_queues(executor, run_options().traced_by(few));
    auto const run = few.runs().at(0);
    auto const in_memory = [](traced_run const& r) {
        return std::ssize(r.records) + std::ssize(records_of(r, trace_kind::block)) -
               std::ssize(records_of(r, trace_kind::fill));
    };
    EXPECT_LE(std::ssize(records_of(run, trace_kind::batch)), 3);
    EXPECT_LE(std::ssize(records_of(run, trace_kind::fill)), 2);
    EXPECT_GE(run.dropped_records, report.queues[0].batches + report.queues[1].batches - 3);
    EXPECT_GT(run.dropped_samples, 0);
    bool constexpr repeats = std::is_same_v<Provider, explored<controller::persistent>> ||
                             std::is_same_v<Provider, explored<controller::device>> ||
                             std::is_same_v<Provider, explored<controller::host>>;
    if constexpr (repeats) {
        EXPECT_EQ(run.dropped_records, in_memory(all.runs().at(0)) - 3);
    }
    EXPECT_EQ(first.queues[1].items, report.queues[1].items);
}

template <class Executor>
void check_failed_runs(Executor& executor) {
    auto const visits = zero_counts(executor, 100);
    trace to;
    EXPECT_THROW(run(executor, run_options().traced_by(to).template capacity<explode>(3, 4), seed<explode>(0),
                     explode{visits.data()}),
                 queue_full);
    EXPECT_THROW(
        run(executor, run_options().traced_by(to), seed<fail_on>(numbers_below(50)), fail_on{visits.data(), 20}),
        task_error);
    auto const runs = to.runs();
    ASSERT_EQ(runs.size(), 2u);
    for (auto const& r : runs) {
        EXPECT_FALSE(records_of(r, trace_kind::batch).empty());
        expect_within_the_run(r);
    }
    EXPECT_EQ(runs[1].queues, std::vector<std::string>{"fails"});
}

/// Two executors, two threads, one trace.
template <class Executor>
void check_runs_traced_at_once(Executor& first, Executor& second) {
    trace to;
    std::int64_t constexpr repeats = 3;
    auto const work = [&](Executor& executor) {
        tracing const here(to);
        for (int i = 0; i < repeats; ++i) run_two_queues(executor, run_options());
    };
    {
        std::jthread const other([&] { work(second); });
        work(first);
    }
    auto const runs = to.runs();
    ASSERT_EQ(std::ssize(runs), 2 * repeats);
    for (auto const& r : runs) {
        std::int64_t items = 0;
        for (auto const& batch : records_of(r, trace_kind::batch)) items += batch.count;
        EXPECT_EQ(items, 20 + 190 + 900);
    }
}

template <class Provider>
class traced : public suite_on<Provider> {};
TYPED_TEST_SUITE_P(traced);

TYPED_TEST_P(traced, has_every_item_once) {
    TypeParam::with_each(10, [](auto& executor) { check_items(executor); });
}
TYPED_TEST_P(traced, has_every_block_of_a_launch) {
    TypeParam::with_each(10, [](auto& executor) { check_launches(executor, TypeParam::launches); });
}
TYPED_TEST_P(traced, samples_the_queues) {
    TypeParam::with_each(10, [](auto& executor) { check_samples(executor); });
}
TYPED_TEST_P(traced, counts_what_it_drops) {
    TypeParam::with_each(10, [](auto& executor) { check_dropped<TypeParam>(executor); });
}
TYPED_TEST_P(traced, has_runs_that_end_in_an_error) {
    TypeParam::with_each(10, [](auto& executor) { check_failed_runs(executor); });
}
TYPED_TEST_P(traced, keeps_runs_at_once_apart) {
    TypeParam::with_each(50, [](auto& first) {
        TypeParam::with_each(50, [&](auto& second) { check_runs_traced_at_once(first, second); });
    });
}

REGISTER_TYPED_TEST_SUITE_P(traced, has_every_item_once, has_every_block_of_a_launch, samples_the_queues,
                            counts_what_it_drops, has_runs_that_end_in_an_error, keeps_runs_at_once_apart);

}  // namespace copse::tests
