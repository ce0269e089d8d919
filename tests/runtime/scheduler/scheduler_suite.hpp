// What every executor and controller must do with items: run each exactly once, in order of phases, to the end.
// faults_suite.hpp has what happens when something goes wrong. Registered for an executor by
//   INSTANTIATE_TYPED_TEST_SUITE_P(cpu, scheduler, testing::Types<...>, executor_names);
#pragma once

#include <gtest/gtest.h>

#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/told_by_run.hpp>
#include <limits>
#include <runtime/executors.hpp>
#include <runtime/scheduler/counts.hpp>
#include <runtime/scheduler/scheduler_tasks.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace copse::tests {

template <int Width, class Executor>
void check_visits(Executor& executor, std::int64_t count) {
    auto const visits = zero_counts(executor, count);
    run_report const report = run(executor, seed<visit<Width>>(numbers_below(count)), visit<Width>{visits.data()});
    EXPECT_EQ(visits.to_host(), ones(count)) << "width " << Width;
    EXPECT_EQ(report.queues.at(0).items, count);
}

template <template <int> class Grow, int Width, class Executor>
void check_tree(Executor& executor, std::int64_t size, std::int64_t arity) {
    auto const visits = zero_counts(executor, size);
    run_report const report = run(executor, seed<Grow<Width>>(0), Grow<Width>{visits.data(), size, arity});
    EXPECT_EQ(visits.to_host(), ones(size)) << "width " << Width << ", arity " << arity;
    EXPECT_EQ(report.queues.at(0).items, size);
}

template <class Executor>
void check_ranges(Executor& executor) {
    std::int64_t constexpr pushed = 20;
    auto const visits = zero_counts(executor, 100 * pushed + 1000);
    run(executor,
        seed<push_ranges<8>>(numbers_below(pushed)) + seed_range<visit<8>>(100 * pushed, 999) +
            seed<visit<8>>(100 * pushed + 999),
        push_ranges<8>{visits.data()}, visit<8>{visits.data()});
    std::vector<count_t> expected(100 * pushed, 0);
    for (std::int64_t i = 0; i < pushed; ++i)
        for (std::int64_t k = 0; k < i; ++k) expected[static_cast<std::size_t>(100 * i + k)] = 1;
    expected.resize(100 * pushed + 1000, 1);
    EXPECT_EQ(visits.to_host(), expected);
}

template <class Executor>
void check_phases(Executor& executor) {
    std::int64_t constexpr items = 12;
    buffer<std::int64_t> const written(executor, std::vector<std::int64_t>(4 * items, -1));
    auto const errors = zero_counts(executor, 1);
    run(executor, seed<in_phase<0>>(numbers_below(items / 2)), in_phase<3>{written.data(), errors.data(), items},
        in_phase<1>{written.data(), errors.data(), items}, in_phase<0>{written.data(), errors.data(), items},
        in_phase<2>{written.data(), errors.data(), items});
    EXPECT_EQ(errors.to_host(), std::vector<count_t>{0});
    for (std::int64_t k = 0; k < 4 * items; ++k)
        EXPECT_EQ(written.to_host()[static_cast<std::size_t>(k)], 10 * (k % items) + k / items + 1);
}

template <class Executor>
void check_countdown(Executor& executor, std::int64_t leaves) {
    buffer<std::int64_t> const sums(executor, std::vector<std::int64_t>(static_cast<std::size_t>(2 * leaves), 0));
    buffer<std::int32_t> const waiting(executor, std::vector<std::int32_t>(static_cast<std::size_t>(leaves), 2));
    std::vector<std::int64_t> seeds(static_cast<std::size_t>(leaves));
    std::iota(seeds.begin(), seeds.end(), leaves);
    run_report const report = run(executor, seed<sum_up>(seeds), sum_up{sums.data(), waiting.data(), leaves});
    EXPECT_EQ(sums.to_host().at(1), (leaves + 2 * leaves - 1) * leaves / 2);
    EXPECT_EQ(report.queues.at(0).items, 2 * leaves - 1);
}

template <class Executor>
void check_chain(Executor& executor, run_options const& options, std::int64_t length) {
    auto const visits = zero_counts(executor, length);
    run(executor, options, seed<count_to_zero>(length - 1), count_to_zero{visits.data()});
    EXPECT_EQ(visits.to_host(), ones(length));
}

/// There is room for `items` and for `spill` more: nothing is lost.
template <class Executor>
void check_spill(Executor& executor) {
    std::int64_t constexpr count = 60;
    auto const visits = zero_counts(executor, count);
    auto const options = run_options().capacity<grow<4>>(4, 64);
    run_report const report = run(executor, options, seed<grow<4>>(0), grow<4>{visits.data(), count, 20});
    EXPECT_EQ(visits.to_host(), ones(count));
    EXPECT_EQ(report.queues.at(0).capacity, 128);
    EXPECT_GT(report.queues.at(0).peak_fill, 4);
    EXPECT_LE(report.queues.at(0).peak_fill, count);
}

template <class Executor>
void check_capacity_arguments(Executor& executor) {
    auto const visits = zero_counts(executor, 1);
    auto with_capacity = [&](std::int64_t items, std::int64_t spill, std::int64_t ranges) {
        run(executor, run_options().capacity<visit<1>>(items, spill, ranges),
            seed<visit<1>>(std::vector<std::int64_t>()), visit<1>{visits.data()});
    };
    EXPECT_NO_THROW(with_capacity(0, 0, 0));
    EXPECT_THROW(with_capacity(-1, 0, 0), argument_error);
    EXPECT_THROW(with_capacity(0, -1, 0), argument_error);
    EXPECT_THROW(with_capacity(0, 0, -5), argument_error);
    EXPECT_THROW(with_capacity(10, -1, 0), argument_error);
    EXPECT_THROW(with_capacity((std::int64_t{1} << 31) + 1, 0, 0), argument_error);
    EXPECT_THROW(with_capacity(std::int64_t{1} << 31, 1, 0), argument_error);
    EXPECT_THROW(with_capacity(1, std::numeric_limits<std::int64_t>::max(), 0), argument_error);
}

template <class Executor>
void check_report(Executor& executor, bool launches) {
    auto const visits = zero_counts(executor, 200);
    auto const options = run_options().capacity<count_to_zero>(100, 50).capacity<visit<32>>(5);
    run_report const report =
        run(executor, options, seed<count_to_zero>(std::vector<std::int64_t>{9, 19}) + seed_range<visit<32>>(0, 150),
            visit<32>{visits.data()}, count_to_zero{visits.data()});
    ASSERT_EQ(report.queues.size(), 2u);
    queue_report const& ranged = report.queues[0];
    queue_report const& chains = report.queues[1];
    EXPECT_NE(ranged.name.find("visit<32>"), std::string::npos) << ranged.name;
    EXPECT_EQ(chains.name, "count to zero");
    EXPECT_EQ(ranged.items, 150);
    EXPECT_EQ(chains.items, 30);
    EXPECT_EQ(ranged.capacity, 8);
    EXPECT_EQ(chains.capacity, 256);
    EXPECT_EQ(ranged.peak_fill, 0);  // ranges do not wait in the ring
    EXPECT_EQ(chains.peak_fill, 2);
    for (queue_report const& queue : report.queues) {
        EXPECT_GE(queue.batches, 1);
        EXPECT_LE(queue.batches, queue.items);
        EXPECT_GE(queue.seconds, 0);
        if (launches)
            EXPECT_GE(queue.launches, 1);
        else
            EXPECT_EQ(queue.launches, 0);
    }
    EXPECT_GT(chains.seconds, 0);
    EXPECT_GT(report.seconds, 0);
}

/// Larger than what else comes with a report.
struct many_counts {
    count_t of[3000] = {};
};

template <class Executor>
void check_what_is_told(Executor& executor) {
    std::int64_t constexpr count = 100, before = 5;
    many_counts here;
    here.of[count - 1] = before;
    detail::told_by_run<many_counts> const there(executor, here);
    visit<4> const task{there.data()->of};
    run_options options;
    run(executor, there.with(options), seed<visit<4>>(numbers_below(count)), task);
    for (std::int64_t i = 0; i < count; ++i) EXPECT_EQ(here.of[i], i == count - 1 ? before + 1 : 1) << i;
    EXPECT_EQ(here.of[count], 0);
    run(executor, seed<visit<4>>(7), task);
    EXPECT_EQ(here.of[7], 1) << "by a run that was not asked to tell";
    run_options too_few;
    too_few.capacity<grow<4>>(2);
    EXPECT_THROW(run(executor, there.with(too_few), seed<grow<4>>(0), grow<4>{there.data()->of, count, 50}),
                 queue_full);
    EXPECT_EQ(here.of[7], 1) << "by a run that failed";
    there.read();
    EXPECT_EQ(here.of[7], 2);
}

template <class Executor>
void check_parcels(Executor& executor) {
    auto const visits = zero_counts(executor, 100), visits_of_large = zero_counts(executor, 100);
    run(executor, seed<send_parcels>(std::vector<std::uint8_t>{0, 20, 40, 60, 80}), open_parcel<parcel>{visits.data()},
        open_parcel<large_parcel>{visits_of_large.data()}, send_parcels{20});
    EXPECT_EQ(visits.to_host(), ones(100));
    EXPECT_EQ(visits_of_large.to_host(), ones(100));
}

/// Runs of several host threads on one executor take turns.
template <class Executor>
void check_turns(Executor& executor) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([&] { check_tree<grow, 1>(executor, 100, 3); });
}

/// Runs of several executors, each from a thread of its own, do not.
template <class First, class Second>
void check_runs_at_once(First& first, Second& second) {
    auto const work = [](auto& executor) {
        for (int repeat = 0; repeat < 3; ++repeat) check_tree<grow, 1>(executor, 100, 3);
    };
    std::jthread const other([&] { work(second); });
    work(first);
}

/// Some executors look at the queues in front of each batch. There few items of the higher priority ever wait; without
/// priorities all of them would.
template <class Provider, class Executor>
void check_priorities(Executor& executor) {
    std::int64_t constexpr count = 2000;
    auto const visits = zero_counts(executor, count);
    run_report const report = run(executor, seed<casual>(numbers_below(count)), casual{}, urgent{visits.data()});
    EXPECT_EQ(visits.to_host(), ones(count));
    bool constexpr looks_at_each_batch =
        std::is_same_v<Provider, on_cpu<1>> || std::is_same_v<Provider, explored<controller::persistent>>;
    if constexpr (looks_at_each_batch) {
        EXPECT_LT(report.queues.at(1).peak_fill, 3 * count / 4);
    }
}

template <class Provider>
class scheduler : public suite_on<Provider> {};
TYPED_TEST_SUITE_P(scheduler);

TYPED_TEST_P(scheduler, runs_every_item_once) {
    TypeParam::with_each(4, [](auto& executor) {
        check_visits<1>(executor, 300);
        check_visits<4>(executor, 100);
        check_visits<32>(executor, 33);
        check_visits<64>(executor, 5);
        check_visits<128>(executor, 7);
    });
}
TYPED_TEST_P(scheduler, runs_what_is_pushed) {
    TypeParam::with_each(2, [](auto& executor) {
        check_tree<grow, 1>(executor, 200, 3);
        check_tree<grow, 8>(executor, 100, 5);
        check_tree<grow, 32>(executor, 100, 50);
    });
    TypeParam::with_each(10, [](auto& executor) { check_tree<grow, 128>(executor, 500, 130); });
}
TYPED_TEST_P(scheduler, runs_what_is_pushed_together) {
    TypeParam::with_each(2, [](auto& executor) {
        check_tree<grow_together, 1>(executor, 200, 3);
        check_tree<grow_together, 8>(executor, 100, 5);
        check_tree<grow_together, 32>(executor, 100, 50);
    });
    TypeParam::with_each(10, [](auto& executor) { check_tree<grow_together, 128>(executor, 500, 130); });
}
TYPED_TEST_P(scheduler, runs_ranges) {
    TypeParam::with_each(10, [](auto& executor) { check_ranges(executor); });
}
TYPED_TEST_P(scheduler, runs_phases_one_after_another) {
    TypeParam::with_each(2, [](auto& executor) { check_phases(executor); });
}
TYPED_TEST_P(scheduler, goes_on_when_a_countdown_ends) {
    TypeParam::with_each(2, [](auto& executor) { check_countdown(executor, 16); });
    TypeParam::with_each(20, [](auto& executor) { check_countdown(executor, 256); });
}
TYPED_TEST_P(scheduler, follows_a_long_chain) {
    TypeParam::with_each(10, [](auto& executor) { check_chain(executor, run_options(), 500); });
}
TYPED_TEST_P(scheduler, lives_with_a_queue_of_one) {
    TypeParam::with_each(5,
                         [](auto& executor) { check_chain(executor, run_options().capacity<count_to_zero>(1), 100); });
}
TYPED_TEST_P(scheduler, spills_what_does_not_fit) {
    TypeParam::with_each(2, [](auto& executor) { check_spill(executor); });
}
TYPED_TEST_P(scheduler, draws_by_priority) {
    TypeParam::with_each(10, [](auto& executor) { check_priorities<TypeParam>(executor); });
}
TYPED_TEST_P(scheduler, checks_capacities) {
    TypeParam::with_each(100, [](auto& executor) { check_capacity_arguments(executor); });
}
TYPED_TEST_P(scheduler, reports_what_it_did) {
    TypeParam::with_each(10, [](auto& executor) { check_report(executor, TypeParam::launches); });
}
TYPED_TEST_P(scheduler, brings_what_tasks_told) {
    TypeParam::with_each(10, [](auto& executor) { check_what_is_told(executor); });
}
TYPED_TEST_P(scheduler, carries_items_of_any_size) {
    TypeParam::with_each(5, [](auto& executor) { check_parcels(executor); });
}
TYPED_TEST_P(scheduler, lets_threads_take_turns) {
    TypeParam::with_each(50, [](auto& executor) { check_turns(executor); });
}

TYPED_TEST_P(scheduler, lets_two_executors_run_at_once) {
    TypeParam::with_each(
        50, [](auto& first) { TypeParam::with_each(50, [&](auto& second) { check_runs_at_once(first, second); }); });
}

REGISTER_TYPED_TEST_SUITE_P(scheduler, runs_every_item_once, runs_what_is_pushed, runs_what_is_pushed_together,
                            runs_ranges, runs_phases_one_after_another, goes_on_when_a_countdown_ends,
                            follows_a_long_chain, lives_with_a_queue_of_one, spills_what_does_not_fit,
                            draws_by_priority, checks_capacities, reports_what_it_did, brings_what_tasks_told,
                            carries_items_of_any_size, lets_threads_take_turns, lets_two_executors_run_at_once);

}  // namespace copse::tests
