// All that a run's workers need, by value: the task functions, their queues, the control block.
//
//   run_view<cpu_machine, visit, finish>      Machine: the atomic operations of the place where these tasks run
//   task_of<visit>(run)                       the task, as it was given to run()
//   queue_of<visit>(run)                      its queue
//   push_target_of<visit>(run)                the queue, and what else of the run pushing to it takes
//
// One element per task type, found by type when the program is compiled: hisparse §4.1 "takes a specification of the
// queue setup as template arguments and generates the appropriate queuing setup during compile time".
//
// The control block (run_control) has what is outstanding, and the first failure. Termination: `outstanding[phase]`
// counts items from before they become visible until their function has returned and all they pushed is counted. An
// item may push only to its own or a later phase, so counts reach zero in order of phase and stay there: the run is
// over when all are zero, and phase p may start when all before it are.
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/queue.hpp>
#include <copse/runtime/scheduler/refusal.hpp>
#include <copse/runtime/scheduler/trace_memory.hpp>
#include <copse/runtime/task.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace copse {

enum class failure_kind : std::uint32_t {
    none,
    queue_full,
    task_failed,
    scratch_exceeded,
    refused,
    launch_failed,
    stalled,
    cancelled
};

/// The code of a queue_full whose ranges are too many, not its items.
inline constexpr std::int64_t queue_full_of_ranges = 1;

struct failure_record {
    std::uint32_t state;  // 0: none, 1: being written, 2: written
    failure_kind kind;
    std::int32_t queue;     // index of the task among those of the run
    std::int64_t code;      // of the task, or of the launch; scratch: the bytes that were asked for
    std::int64_t capacity;  // scratch: the task's bytes
    std::int64_t items;     // scratch: the bytes that open tiles have
};

/// What all workers of a run share besides the queues. Zeroed memory is a fresh run.
struct run_counters {
    alignas(128) std::int64_t outstanding[phase_count];
    alignas(128) failure_record failure;
    // Set when work cannot go on (a kernel could not be launched, or did not start): workers leave without draining.
    std::uint32_t stop;
    // The device controller's count of blocks launched and not yet finished (hisparse §4.1).
    alignas(128) std::int64_t running_blocks;
    // Of a failure that is `refused` (refusal.hpp).
    char refusal[detail::refusal_bytes];
};

/// The same by the machine's operations.
template <class Machine>
struct run_control : run_counters {
    COPSE_HOST_DEVICE void add_outstanding(int phase, std::int64_t count) {
        Machine::add_relaxed(&outstanding[phase], count);
    }

    /// After the functions of `count` items returned. The release makes what they wrote visible to whoever sees zero.
    COPSE_HOST_DEVICE void finish(int phase, std::int64_t count) { Machine::add_acq_rel(&outstanding[phase], -count); }

    COPSE_HOST_DEVICE bool phase_open(int phase) const {
        for (int earlier = 0; earlier < phase; ++earlier)
            if (Machine::load_acquire(&outstanding[earlier]) != 0) return false;
        return true;
    }

    COPSE_HOST_DEVICE bool finished() const { return phase_open(phase_count); }

    /// Once true, items are drawn and dropped, so that the run ends.
    COPSE_HOST_DEVICE bool failed() const { return Machine::load_relaxed(&failure.state) != 0; }

    COPSE_HOST_DEVICE bool stopped() const { return Machine::load_relaxed(&stop) != 0; }

    /// Keeps the first failure; later ones are consequences.
    COPSE_HOST_DEVICE void fail(failure_kind kind, int queue, std::int64_t code, std::int64_t capacity,
                                std::int64_t items) {
        if (!begin_failure()) return;
        failure.kind = kind;
        failure.queue = queue;
        failure.code = code;
        failure.capacity = capacity;
        failure.items = items;
        end_failure();
    }
    /// The same in words (refusal.hpp).
    COPSE_HOST_DEVICE void refuse(int queue, char const* words) {
        if (!begin_failure()) return;
        failure.kind = failure_kind::refused;
        failure.queue = queue;
        detail::refusal_words(refusal) << words;
        end_failure();
    }

  private:
    COPSE_HOST_DEVICE bool begin_failure() {
        return Machine::exchange_if(&failure.state, std::uint32_t{0}, std::uint32_t{1}) == 0;
    }
    COPSE_HOST_DEVICE void end_failure() { Machine::store_release(&failure.state, std::uint32_t{2}); }
};

namespace detail {

template <class Task, class Machine>
struct task_queue {
    Task task;
    queue_view<typename Task::item, Machine> queue;
};

/// The type knows the item, but neither task nor run.
template <class Item, class Machine>
struct push_target {
    queue_view<Item, Machine> queue;
    run_control<Machine>* control;
    int index;  // of its task
    int phase;

    /// Room for up to `wanted` items, which counts as outstanding before any item is written. If there is less, records
    /// that the queue is full.
    COPSE_HOST_DEVICE ring_positions reserve(std::uint32_t wanted) const {
        ring_positions const room = queue.ring.try_reserve(wanted);
        if (room.count > 0) control->add_outstanding(phase, room.count);
        if (room.count < wanted)
            control->fail(failure_kind::queue_full, index, 0, queue.ring.capacity, queue.approximate_fill());
        return room;
    }

    /// From lanes that run side by side: room is reserved once for all of them. A group is whatever lanes happen to be
    /// together: rank(), size(), and broadcast(v), which gives every lane rank 0's value. What rank 0 did before the
    /// broadcast comes before what the others do after it: no item becomes visible before it is counted.
    ///   gpu        the coalesced threads of the warp
    ///   emulated   a subset that the executor picks
    template <class Group>
    COPSE_HOST_DEVICE void push_together(Group const& group, Item const& item) const {
        ring_positions room{};
        if (group.rank() == 0) room = reserve(group.size());
        room = group.broadcast(room);
        if (group.rank() < room.count) queue.ring.write(room.first + group.rank(), item);
    }

    COPSE_HOST_DEVICE void push_range(std::int64_t first, std::int64_t count) const {
        if (count <= 0) return;
        bool const pushed = queue.ranges.try_push(first, count, [&] { control->add_outstanding(phase, count); });
        if (!pushed)
            control->fail(failure_kind::queue_full, index, queue_full_of_ranges, queue.ranges.capacity,
                          queue.ranges.capacity);
    }
};

}  // namespace detail

template <class Machine, class... Tasks>
struct run_view : detail::task_queue<Tasks, Machine>... {
    using machine = Machine;

    run_control<Machine>* control;
    detail::run_trace_memory<Machine>* trace = nullptr;  // where the run is traced

    template <class Task>
    static constexpr bool has = detail::is_one_of<Task, Tasks...>;
    template <class Task>
    static constexpr int index = detail::index_of<Task, Tasks...>();
    static constexpr int task_count = sizeof...(Tasks);
    /// Whether tasks have different priorities.
    static constexpr bool has_priorities =
        ((detail::task_priority<Tasks>() != detail::highest_priority<Tasks...>) || ...);
    template <class Task>
    static constexpr bool is_of_highest_priority = detail::task_priority<Task>() == detail::highest_priority<Tasks...>;
    /// The most scratch memory a block needs for any of the tasks.
    static constexpr std::size_t block_scratch_bytes = [] {
        std::size_t most = 0;
        ((most = detail::task_scratch_bytes<Tasks>() * (block_threads / Tasks::width) > most
                     ? detail::task_scratch_bytes<Tasks>() * (block_threads / Tasks::width)
                     : most),
         ...);
        return most;
    }();

    /// Calls f.template operator()<Task>() for every task, in order, until one call returns true; true if one did.
    template <class F>
    COPSE_HOST_DEVICE static bool any_task(F&& f) {
        return (f.template operator()<Tasks>() || ...);
    }

    /// The same, tasks of higher priority first; those of one priority in order.
    template <class F>
    COPSE_HOST_DEVICE static bool any_task_by_priority(F&& f) {
        if constexpr (has_priorities)
            return any_at(f, std::index_sequence_for<Tasks...>());
        else
            return any_task(f);
    }

    /// Calls f.template operator()<Task>() for the task with the given index.
    template <class F>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE static void with_task(int task_index, F&& f) {
        int i = 0;
        // Ends with it: on a GPU the index need not outlive the task in a register then.
        (void)((i++ == task_index && (f.template operator()<Tasks>(), true)) || ...);
    }

  private:
    template <class F, std::size_t... Places>
    COPSE_HOST_DEVICE static bool any_at(F& f, std::index_sequence<Places...>) {
        return (f.template operator()<detail::task_by_priority<Places, Tasks...>>() || ...);
    }
};

template <class Task, class Machine, class... Tasks>
COPSE_HOST_DEVICE Task const& task_of(run_view<Machine, Tasks...> const& run) {
    return static_cast<detail::task_queue<Task, Machine> const&>(run).task;
}

template <class Task, class Machine, class... Tasks>
COPSE_HOST_DEVICE auto const& queue_of(run_view<Machine, Tasks...> const& run) {
    return static_cast<detail::task_queue<Task, Machine> const&>(run).queue;
}

template <class Task, class Machine, class... Tasks>
COPSE_HOST_DEVICE detail::push_target<typename Task::item, Machine> push_target_of(
    run_view<Machine, Tasks...> const& run) {
    return {queue_of<Task>(run), run.control, run_view<Machine, Tasks...>::template index<Task>,
            detail::task_phase<Task>()};
}

/// Items first .. first + count - 1 into the queue of Task, as one entry.
template <class Task, class Run>
COPSE_HOST_DEVICE void push_range_to(Run const& run, std::int64_t first, std::int64_t count) {
    static_assert(std::is_convertible_v<std::int64_t, typename Task::item>,
                  "copse: push_range needs a task whose item can be made from std::int64_t");
    push_target_of<Task>(run).push_range(first, count);
}

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

/// What is pushed to To, or seeded, converts to its item and loses nothing that a number of another type can hold: no
/// fraction, and no bits where the item is smaller. Goes into `if constexpr`, as check_push() does.
template <class To, class Given>
constexpr bool check_item() {
    using item = typename To::item;
    bool constexpr converts = std::is_convertible_v<Given const&, item>;
    bool constexpr loses =
        std::is_arithmetic_v<Given> && std::is_arithmetic_v<item> && !std::is_same_v<Given, item> &&
        ((std::is_floating_point_v<Given> && !std::is_floating_point_v<item>) || sizeof(Given) > sizeof(item));
    static_assert(converts, "copse: push<Task>: what is pushed does not convert to the task's item");
    static_assert(!loses,
                  "copse: push<Task>: the task's item cannot hold all numbers of the type that is pushed; "
                  "convert to the item's type in the call");
    return converts && !loses;
}

}  // namespace copse
