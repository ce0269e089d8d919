// What may go wrong in a run, on every executor and controller. Each fault ends within a bounded time with one named
// error, or is survived, and the same executor runs the next job correctly.
//
//   fault                                          cpu        emulated                  gpu        then
//   a queue is full; with every worker producing   yes        yes                       yes        queue_full
//   the list of ranges is full                     yes        yes                       yes        queue_full
//   the seeds do not fit                           yes        yes                       yes        queue_full
//   the queues do not fit into memory              yes        yes                       -          out_of_memory
//   memory runs out in a task function             yes        yes                       -          out_of_memory
//   a task reports failure; all do                 yes        yes                       yes        task_error
//   a task throws; all do                          yes        yes                       -          what was thrown
//   a launch fails                                 -          yes                       -          cuda_error
//   there is no room for a launch                  -          device, host              -          (survived)
//   a launched block does not start                -          device                    -          stalled
//   a lane waits for ever                          -          explored                  -          error
//   a stop is requested: before, amid, after       yes        yes                       yes        cancelled
//   zero items                                     yes        yes                       yes        (survived)
//   10^7 items through 64 slots                    yes        explored: device 10^7,    10^6       (survived)
//                                                             else 2 10^5; stress 2 10^4
//   every worker producing, with room              yes        yes                       yes        (survived)
//
// What is not there: a cpu has no launches, and nobody can end a task function that never returns; a GPU's task
// functions cannot throw. faults.hpp has the faults that all executors can have, host_faults.hpp the others.
// Registered as scheduler_suite.hpp is.
#pragma once

#include <runtime/scheduler/faults.hpp>
#include <runtime/scheduler/host_faults.hpp>
#include <runtime/scheduler/scheduler_suite.hpp>
#include <string>

namespace copse::tests {

template <class Provider>
concept emulates = requires {
    Provider::mode;
};

template <class Provider>
class faults : public suite_on<Provider> {
  protected:
    static constexpr bool on_host = requires { Provider::on_host; };
    static constexpr bool explores = [] {
        if constexpr (emulates<Provider>)
            return Provider::mode == emulation::explore;
        else
            return false;
    }();
    static constexpr bool fails_to_launch = emulates<Provider> && Provider::launches;
};
TYPED_TEST_SUITE_P(faults);

TYPED_TEST_P(faults, a_queue_is_full) {
    TypeParam::with_each(4, [](auto& executor) { check_full_queue(executor, 1); });
}
TYPED_TEST_P(faults, a_queue_is_full_and_every_worker_produces) {
    TypeParam::with_each(10, [](auto& executor) { check_full_queue(executor, 200); });
}
TYPED_TEST_P(faults, the_ranges_are_full) {
    TypeParam::with_each(10, [](auto& executor) { check_full_ranges(executor); });
}
TYPED_TEST_P(faults, the_seeds_do_not_fit) {
    TypeParam::with_each(25, [](auto& executor) { check_seeds_that_do_not_fit(executor); });
}
TYPED_TEST_P(faults, the_queues_do_not_fit) {
    // The sanitizers' shadows take more addresses.
    if constexpr (TestFixture::on_host && !COPSE_THREAD_SANITIZER && !COPSE_ADDRESS_SANITIZER)
        TypeParam::with_each(100, [](auto& executor) { check_queues_that_do_not_fit(executor); });
}
TYPED_TEST_P(faults, memory_runs_out_in_a_task) {
    if constexpr (TestFixture::on_host)
        TypeParam::with_each(10, [](auto& executor) { check_memory_that_runs_out(executor); });
}
TYPED_TEST_P(faults, a_task_reports_failure) {
    TypeParam::with_each(10, [](auto& executor) { check_reported_failure(executor); });
}
TYPED_TEST_P(faults, a_task_throws) {
    if constexpr (TestFixture::on_host) TypeParam::with_each(10, [](auto& executor) { check_exceptions(executor); });
}
TYPED_TEST_P(faults, a_launch_fails) {
    if constexpr (emulates<TypeParam>) {
        for (std::int64_t launch = 0; launch <= (TypeParam::launches ? 1 : 0); ++launch)
            TypeParam::with_each(10,
                                 [](auto& executor) {
                                     check_fault<cuda_error>(executor, "CUDA error 719",
                                                             [&] { run_two_queues(executor); });
                                 },
                                 {.faults = {.failing = launch, .code = 719}});
    }
}
TYPED_TEST_P(faults, there_is_no_room_for_a_launch) {
    if constexpr (TestFixture::fails_to_launch)
        TypeParam::with_each(10, [](auto& executor) { check_survival(executor, [&] { run_two_queues(executor); }); },
                             {.faults = {.busy_every = 2}});
}
/// The host controller waits, and they start in the end. With the device controller the late launch may be one of a
/// queue that has blocks already, which do all of its work.
TYPED_TEST_P(faults, a_launched_block_does_not_start) {
    if constexpr (TestFixture::fails_to_launch) {
        bool has_stalled = false;
        int const most_tries = TypeParam::controlled_by == controller::device ? 20 : 1;
        for (int tries = 0; tries < most_tries && !has_stalled; ++tries)
            TypeParam::with_each(10,
                                 [&](auto& executor) {
                                     time_limit const limit;
                                     try {
                                         run_two_queues(executor);
                                     } catch (stalled const& e) {
                                         EXPECT_NE(std::string(e.what()).find("50 ms"), std::string::npos) << e.what();
                                         has_stalled = true;
                                     }
                                     for (int more = 20;; --more)  // a busy machine may halt a thread as long
                                         try {
                                             check_next_job(executor);
                                             break;
                                         } catch (stalled const&) {
                                             if (more == 0) throw;
                                         }
                                 },
                                 {.stall_seconds = 0.05, .faults = {.late = 1}});
        EXPECT_EQ(has_stalled, TypeParam::controlled_by == controller::device);
    }
}
TYPED_TEST_P(faults, a_lane_waits_for_ever) {
    if constexpr (TestFixture::explores)
        TypeParam::with_each(10,
                             [](auto& executor) {
                                 std::int64_t const flag = 0;
                                 check_fault<error>(executor, "no task function has returned for 20000 steps", [&] {
                                     run(executor, seed<wait_for_ever>(1), wait_for_ever{&flag});
                                 });
                             },
                             {.step_limit = 20'000});
}
TYPED_TEST_P(faults, a_stop_is_requested) {
    TypeParam::with_each(25, [](auto& executor) { check_cancellation(executor); });
}
TYPED_TEST_P(faults, there_are_no_items) {
    TypeParam::with_each(10, [](auto& executor) { check_zero_items(executor); });
}
/// 10^7 on the cpu and, without a sanitizer, under each explored controller: 15 seconds for one. Fewer for lanes that
/// are threads, which switch for each item, and for four threads with the address sanitizer.
TYPED_TEST_P(faults, many_items_pass_through_64_slots) {
    bool const is_sanitized = COPSE_THREAD_SANITIZER || COPSE_ADDRESS_SANITIZER;
    bool const is_slow = COPSE_THREAD_SANITIZER || (is_sanitized && std::is_same_v<TypeParam, on_cpu<4>>);
    std::int64_t const count = TestFixture::explores  ? (is_sanitized ? 200'000 : 10'000'000)
                               : emulates<TypeParam>  ? 20'000
                               : TestFixture::on_host ? (is_slow ? 200'000 : 10'000'000)
                                                      : 1'000'000;
    TypeParam::with_each(100,
                         [&](auto& executor) { check_survival(executor, [&] { check_64_slots(executor, count); }); });
}
TYPED_TEST_P(faults, every_worker_produces) {
    TypeParam::with_each(10, [](auto& executor) { check_survival(executor, [&] { check_producers(executor); }); });
}

REGISTER_TYPED_TEST_SUITE_P(faults, a_queue_is_full, a_queue_is_full_and_every_worker_produces, the_ranges_are_full,
                            the_seeds_do_not_fit, the_queues_do_not_fit, memory_runs_out_in_a_task,
                            a_task_reports_failure, a_task_throws, a_launch_fails, there_is_no_room_for_a_launch,
                            a_launched_block_does_not_start, a_lane_waits_for_ever, a_stop_is_requested,
                            there_are_no_items, many_items_pass_through_64_slots, every_worker_produces);

}  // namespace copse::tests
