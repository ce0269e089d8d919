// All that a run's workers need, by value: the task functions, their queues, the control block.
//
// One element per task type, found by type when the program is compiled: hisparse §4.1 "takes a specification of the
// queue setup as template arguments and generates the appropriate queuing setup during compile time".
#pragma once

#include <copse/runtime/scheduler/control.hpp>
#include <copse/runtime/scheduler/queue.hpp>
#include <copse/runtime/task.hpp>

namespace copse {
namespace detail {

template <class Task>
struct task_queue {
    Task task;
    queue_view<typename Task::item> queue;
};

/// A queue and what else of a run pushing to it takes. The type knows the item, but neither task nor run.
template <class Item>
struct queue_of_run {
    queue_view<Item> queue;
    run_control* control;
    int index;  // of its task
    int phase;

    /// Counts `room` as outstanding; if it is less than `wanted`, records that the queue is full. Before any item is
    /// written.
    template <class Machine>
    COPSE_HOST_DEVICE void account(queue_reservation const& room, std::uint32_t wanted) const {
        if (room.count() > 0) control->template add_outstanding<Machine>(phase, room.count());
        if (room.count() < wanted)
            control->template fail<Machine>(failure_kind::queue_full, index, 0, queue.capacity(),
                                            queue.template approximate_fill<Machine>());
    }

    template <class Machine>
    COPSE_HOST_DEVICE void push_range(std::int64_t first, std::int64_t count) const {
        if (count <= 0) return;
        bool const pushed = queue.ranges.template try_push<Machine>(
            first, count, [&] { control->template add_outstanding<Machine>(phase, count); });
        if (!pushed)
            control->template fail<Machine>(failure_kind::queue_full, index, 0, queue.ranges.capacity,
                                            queue.ranges.capacity);
    }
};

}  // namespace detail

template <class... Tasks>
struct run_view : detail::task_queue<Tasks>... {
    run_control* control;

    template <class Task>
    static constexpr bool has = detail::is_one_of<Task, Tasks...>;
    template <class Task>
    static constexpr int index = detail::index_of<Task, Tasks...>();
    static constexpr int task_count = sizeof...(Tasks);
    /// The most scratch memory a block needs for any of the tasks.
    static constexpr std::size_t block_scratch_bytes = [] {
        std::size_t most = 0;
        ((most = detail::task_scratch_bytes<Tasks>() * (block_threads / Tasks::width) > most
                     ? detail::task_scratch_bytes<Tasks>() * (block_threads / Tasks::width)
                     : most),
         ...);
        return most;
    }();

    template <class Task>
    COPSE_HOST_DEVICE Task const& task() const {
        return static_cast<detail::task_queue<Task> const&>(*this).task;
    }
    template <class Task>
    COPSE_HOST_DEVICE queue_view<typename Task::item> const& queue() const {
        return static_cast<detail::task_queue<Task> const&>(*this).queue;
    }

    /// Calls f.template operator()<Task>() for every task, in order, until one call returns true; true if one did.
    template <class F>
    COPSE_HOST_DEVICE static bool any_task(F&& f) {
        return (f.template operator()<Tasks>() || ...);
    }

    /// Calls f.template operator()<Task>() for the task with the given index.
    template <class F>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE static void with_task(int task_index, F&& f) {
        int i = 0;
        // Ends with it: on a GPU the index need not outlive the task in a register then.
        (void)((i++ == task_index && (f.template operator()<Tasks>(), true)) || ...);
    }

    template <class Task>
    COPSE_HOST_DEVICE detail::queue_of_run<typename Task::item> whole_queue() const {
        return {queue<Task>(), control, index<Task>, detail::task_phase<Task>()};
    }
    template <class Machine, class Task>
    COPSE_HOST_DEVICE void account(queue_reservation const& room, std::uint32_t wanted) const {
        whole_queue<Task>().template account<Machine>(room, wanted);
    }
    template <class Machine, class Task>
    COPSE_HOST_DEVICE void push_range(std::int64_t first, std::int64_t count) const {
        static_assert(std::is_convertible_v<std::int64_t, typename Task::item>,
                      "copse: push_range needs a task whose item can be made from std::int64_t");
        whole_queue<Task>().template push_range<Machine>(first, count);
    }
};

/// A task may push to itself and to tasks of its own or a later phase that take part in the run. A push goes into
/// `if constexpr (check_push<...>())`, so that the static_assert is all that the compiler has to say.
template <class Run, class From, class To>
constexpr bool check_push() {
    static_assert(Run::template has<To>,
                  "copse: push<Task>: this task type is not among those given to run(); add it to the call");
    if constexpr (Run::template has<To>)
        static_assert(detail::task_phase<To>() >= detail::task_phase<From>(),
                      "copse: push<Task>: a task cannot push to an earlier phase");
    return Run::template has<To>;
}

}  // namespace copse
