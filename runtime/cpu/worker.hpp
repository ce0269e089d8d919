// The CPU's worker (runtime/worker.hpp): one lane. Loops over `w.size()` vectorise, sync is nothing.
#pragma once

#include <algorithm>
#include <array>
#include <copse/runtime/cpu/tile.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/common_worker.hpp>
#include <copse/runtime/scheduler/machine.hpp>
#include <copse/runtime/scheduler/misuse.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <copse/runtime/worker.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace copse {
namespace detail {

/// The most items of a batch on a thread.
inline constexpr std::uint32_t cpu_batch_items = 64;

/// Items on their way into a queue, in whole batches up to 4 KB: reserving for many costs what reserving for one does.
template <class Task>
struct push_buffer {
    static constexpr std::size_t batches = 4096 / (sizeof(typename Task::item) * cpu_batch_items);
    std::array<typename Task::item, cpu_batch_items*(batches > 1 ? batches : 1)> waiting;
    std::uint32_t waiting_count = 0;
};

/// A thread of a run, without the types of its tasks.
struct cpu_thread {
    run_control<cpu_machine>* const control;
    trace_memory<cpu_machine>* const trace;
    int const thread;
    int const threads;
    bool const is_seen = nvtx_range::is_seen();
    thread_tiles tiles = {};
};

/// What one thread keeps for itself during a run.
///
/// While a queue has a batch for each thread, a thread keeps what it pushes to the queue that it works on. It runs that
/// first, the last item before the others: these items are in its cache, and no other thread waits for them. An item
/// that goes through the queue costs two tickets and its part of a dozen atomic operations.
template <class Run>
struct cpu_thread_state;

template <class Machine, class... Tasks>
struct cpu_thread_state<run_view<Machine, Tasks...>> : cpu_thread, push_buffer<Tasks>... {
    using run_type = run_view<Machine, Tasks...>;

    run_type const& run;
    alignas(64) std::array<std::byte, run_type::block_scratch_bytes + 1> scratch;

    cpu_thread_state(run_type const& r, int number, int count)
        : cpu_thread{r.control, r.trace, number, count}, run(r) {}

    template <class Task>
    void push(typename Task::item const& item) {
        auto& buffer = static_cast<push_buffer<Task>&>(*this);
        buffer.waiting[buffer.waiting_count++] = item;
        if (buffer.waiting_count % cpu_batch_items == 0 &&
            (buffer.waiting_count == buffer.waiting.size() || !others_have_enough<Task>()))
            flush<Task>();
    }
    /// What was pushed to Task's queue, and to all others, goes there.
    template <class Task>
    void flush() {
        auto& buffer = static_cast<push_buffer<Task>&>(*this);
        if (buffer.waiting_count == 0) return;
        push_all(push_target_of<Task>(run), buffer.waiting.data(), buffer.waiting_count);
        buffer.waiting_count = 0;
    }
    template <class Task>
    void flush_others() {
        ((std::is_same_v<Task, Tasks> ? void() : flush<Tasks>()), ...);
    }
    /// Whether this thread may keep what it has pushed to Task's queue: the other threads have enough to do, and no
    /// task that goes first has items.
    template <class Task>
    bool may_keep() const {
        bool goes_first = true;
        run_type::any_task_by_priority([&]<class Other>() {
            if constexpr (!std::is_same_v<Other, Task>)
                goes_first = task_phase<Other>() > task_phase<Task>() || queue_of<Other>(run).approximate_fill() == 0;
            return std::is_same_v<Other, Task> || !goes_first;
        });
        return goes_first && !run.control->failed() && others_have_enough<Task>();
    }
    template <class Task>
    std::uint32_t kept() const {
        return static_cast<push_buffer<Task> const&>(*this).waiting_count;
    }
    /// The last one. At least one must be kept.
    template <class Task>
    typename Task::item pop() {
        auto& buffer = static_cast<push_buffer<Task>&>(*this);
        return buffer.waiting[--buffer.waiting_count];
    }

  private:
    template <class Task>
    bool others_have_enough() const {
        return queue_of<Task>(run).ring.available() >= std::int64_t{cpu_batch_items} * threads;
    }
};

}  // namespace detail

/// Task: the task whose function runs; Run: the run's view.
template <class Task, class Run>
class cpu_worker : public detail::common_worker<Task, Run>, public detail::host_accesses<cpu_worker<Task, Run>> {
  public:
    static constexpr bool on_cpu = true;

    explicit cpu_worker(detail::cpu_thread_state<Run>& state)
        : detail::common_worker<Task, Run>(state.run), state_(state) {}

    int thread() const { return state_.thread; }
    static constexpr int rank() { return 0; }
    static constexpr int size() { return 1; }
    void sync() const {}
    template <class T>
    T shuffle(T value, int) const {
        return value;
    }
    template <class T, class Op>
    T reduce(T value, Op) const {
        return value;
    }
    template <class T, class Op>
    T inclusive_scan(T value, Op) const {
        return value;
    }
    static constexpr bool any(bool b) { return b; }
    static constexpr std::uint32_t lanes_where(bool b) { return b ? 1 : 0; }
    static constexpr std::uint32_t lanes_with(int) { return 1; }
    cpu_worker const& warp() const { return *this; }
    template <class T>
    scratch_array<T> scratch(int count) const {
        std::int64_t constexpr room = detail::task_scratch_bytes<Task>();
        std::int64_t const bytes = count * static_cast<std::int64_t>(sizeof(T));
        if (bytes < 0 || bytes > room)
            detail::throw_misuse(detail::task_name<Task>(), detail::exceeded_scratch(bytes, room, 0));
        return detail::scratch_of<T, Task>(state_.scratch.data(), count);
    }
    template <class T, tile_operation Op = plus>
    detail::cpu_tile<T, Op> tile(T* target, int count, Op = {}) const {
        return {target, count, state_.tiles};
    }
    template <class To, class Item = typename To::item>
    void push(Item const& item) const {
        if constexpr (check_push<Run, Task, To>() && check_item<To, Item>()) state_.template push<To>(item);
    }
    template <class To, class Make>
    void push_n(std::uint32_t count, Make make) const {
        for (std::uint32_t i = 0; i < count; ++i) push<To>(make(i));
    }
    void set_bits(std::uint32_t* p, std::uint32_t bits) const { *p |= bits; }
    void copy_bulk(int, std::byte* to, std::byte const* from, int bytes) const {
        detail::check_has_bulk_copies<Task>();
        std::copy_n(from, bytes, to);
    }
    void wait_bulk(int) const { detail::check_has_bulk_copies<Task>(); }

  private:
    friend detail::host_accesses<cpu_worker>;
    static void check_address(char const*, void const*, std::size_t) {}
    static void check_bytes(char const*, std::int64_t, std::int64_t) {}
    static void touch(void const*, std::int64_t) {}

    detail::cpu_thread_state<Run>& state_;
};

static_assert(any_worker<cpu_worker<detail::probe_task, run_view<cpu_machine, detail::probe_task>>>);

}  // namespace copse
