// The CPU's worker (runtime/worker.hpp): one lane. Loops over `w.size()` vectorise, sync is nothing.
#pragma once

#include <array>
#include <copse/runtime/cpu/tile.hpp>
#include <copse/runtime/nvtx.hpp>
#include <copse/runtime/scheduler/common_worker.hpp>
#include <copse/runtime/scheduler/machine.hpp>
#include <copse/runtime/scheduler/misuse.hpp>
#include <copse/runtime/seed.hpp>
#include <copse/runtime/worker.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {
namespace detail {

/// Items on their way into a queue: reserving for many costs what reserving for one does.
template <class Task>
struct push_buffer {
    std::array<typename Task::item, 64> waiting;
    std::uint32_t waiting_count = 0;
};

/// What one thread keeps for itself during a run.
template <class Run>
struct cpu_thread_state;

template <class Machine, class... Tasks>
struct cpu_thread_state<run_view<Machine, Tasks...>> : push_buffer<Tasks>... {
    run_view<Machine, Tasks...> const& run;
    int thread;
    bool const is_seen = nvtx_range::is_seen();
    alignas(64) std::array<std::byte, run_view<Machine, Tasks...>::block_scratch_bytes + 1> scratch;
    thread_tiles tiles;

    cpu_thread_state(run_view<Machine, Tasks...> const& r, int number) : run(r), thread(number) {}

    template <class Task>
    void push(typename Task::item const& item) {
        auto& buffer = static_cast<push_buffer<Task>&>(*this);
        buffer.waiting[buffer.waiting_count++] = item;
        if (buffer.waiting_count == buffer.waiting.size()) flush<Task>();
    }
    void flush() { (flush<Tasks>(), ...); }

  private:
    template <class Task>
    void flush() {
        auto& buffer = static_cast<push_buffer<Task>&>(*this);
        if (buffer.waiting_count == 0) return;
        push_all<Task>(run, buffer.waiting.data(), buffer.waiting_count);
        buffer.waiting_count = 0;
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

  private:
    friend detail::host_accesses<cpu_worker>;
    static void check_address(char const*, void const*, std::size_t) {}
    static void check_bytes(char const*, std::int64_t, std::int64_t) {}
    static void touch(void const*, std::int64_t) {}

    detail::cpu_thread_state<Run>& state_;
};

static_assert(any_worker<cpu_worker<detail::probe_task, run_view<cpu_machine, detail::probe_task>>>);

}  // namespace copse
