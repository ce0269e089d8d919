// The CPU's worker: one lane. Loops over `w.size()` vectorise, sync is nothing.
//
// Every executor's worker offers the same members; their contract is written here once. In a task function, whose Worker
// is a template parameter, C++ wants a word more: w.template push<Task>(item), w.template scratch<T>(n).
//
//   rank(), size()                 this lane, and the lanes that work on the item together
//   sync()                       * all lanes arrive; what they wrote to scratch or memory before is visible to them after
//   shuffle(v, source)           * the value of lane `source`
//   reduce(v, op)                * op over all lanes, in an order of its own; every lane gets it
//   inclusive_scan(v, op)        * op over lanes 0 .. rank
//   any(b)                       * whether b is true in some lane
//   lanes_where(b)               * a bit for each lane: whether b is true there; workers of up to 32 lanes
//   lanes_with(label)            * a bit for each lane: whether it has the same int; workers of up to 32 lanes
//   warp()                         the 32 lanes at most that this one is among: rank(), size(), sync(), shuffle(), any(),
//                                  lanes_where() and lanes_with() of these only
//   scratch<T>(n)                  n elements shared by the lanes, undefined content, from the task's scratch_bytes;
//                                  each call gives the same memory: auto s = ..., then s[i], s.data()
//   tile(target, n)              * sums into target[0 .. n): t.add(i, v)*, i < 0 for nothing, then t.close()*. On the
//                                  gpu the sums are kept in scratch when the task has any (n elements for each 32
//                                  lanes), and cost an atomic addition each when it has none;
//                                  t.add_alone(i, v) where no other lane adds to i between two syncs is cheaper there
//   push<Task>(item)               any lane, in divergent code too
//   push_n<Task>(n, make)        * n items make(0) .. make(n - 1), reserved at once; n and make the same in all lanes
//   push_range<Task>(first, n)     items first .. first + n - 1 as one entry
//   add(p, v)                      atomic addition, relaxed; not to memory that a tile sums into
//   fetch_add(p, v)                the same for integers, and what was there before
//   set_bits(p, bits)              *p |= bits in memory that only this worker's lanes share, which others may do too
//   count_down(counter)            true for the call that takes the counter to zero; that caller sees what the others wrote
//   fail(code)                     ends the run with task_error; other items are dropped
//   load_stream(p)                 a load that will not be repeated soon
//   load_stream_vector<N>(p)       the same for p[0 .. N), 16 bytes at most, by one load: p is a multiple of their size
//   load_vector<N>(p)              the same of what will be read again
//   load_line_vector<N>(p)         16 bytes of what is read once, where the rest of the line is for this lane's next loads
//   copy_stream(to, from, bytes) * bytes that will not be read again soon, into scratch: there after the next sync(); to, from
//                                  and bytes are multiples of 16. On the gpu they pass no registers
//   fetch_stream(p, bytes)         soon p[0 .. bytes) will be loaded by load_stream: it may be on its way from here on; p and
//                                  bytes are multiples of 16
//   fetch_line(p)                  the same of the line of 128 bytes about p; lanes may ask for one each
//   store_vector(p, array)         p[0 .. N) by one store, 16 bytes at most: p is a multiple of their size
//
// This one alone, where `on_cpu`:
//   thread()                       which of the executor's threads this is, 0 ..: for memory that each has to itself
//
// * collective: every lane of the worker must call it, the same number of times, in the same order.
#pragma once

#include <algorithm>
#include <array>
#include <copse/runtime/cpu/tile.hpp>
#include <copse/runtime/scheduler/machine.hpp>
#include <copse/runtime/scheduler/run_view.hpp>
#include <copse/runtime/scheduler/scratch.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

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

template <class... Tasks>
struct cpu_thread_state<run_view<Tasks...>> : push_buffer<Tasks>... {
    run_view<Tasks...> const& run;
    int thread;
    alignas(64) std::array<std::byte, run_view<Tasks...>::block_scratch_bytes + 1> scratch;
    std::vector<std::byte> spare_tile;

    cpu_thread_state(run_view<Tasks...> const& r, int number) : run(r), thread(number) {}

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
        push_all<cpu_machine, Task>(run, buffer.waiting.data(), buffer.waiting_count);
        buffer.waiting_count = 0;
    }
};

}  // namespace detail

/// Task: the task whose function runs; Run: the run's view.
template <class Task, class Run>
class cpu_worker {
  public:
    using machine = cpu_machine;
    static constexpr bool on_cpu = true;

    explicit cpu_worker(detail::cpu_thread_state<Run>& state) : state_(state) {}

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
        return detail::scratch_of<T, Task>(state_.scratch.data(), count);
    }
    template <class T>
    detail::cpu_tile<T> tile(T* target, int count) const {
        return {target, count, state_.spare_tile};
    }
    template <class To>
    void push(typename To::item const& item) const {
        if constexpr (check_push<Run, Task, To>()) state_.template push<To>(item);
    }
    template <class To, class Make>
    void push_n(std::uint32_t count, Make make) const {
        for (std::uint32_t i = 0; i < count; ++i) push<To>(make(i));
    }
    template <class To>
    void push_range(std::int64_t first, std::int64_t count) const {
        if constexpr (check_push<Run, Task, To>()) state_.run.template push_range<machine, To>(first, count);
    }
    template <class T>
    void add(T* p, std::type_identity_t<T> value) const {
        machine::add_relaxed(p, value);
    }
    template <class T>
    T fetch_add(T* p, std::type_identity_t<T> value) const {
        return machine::add_relaxed(p, value);
    }
    void set_bits(std::uint32_t* p, std::uint32_t bits) const { *p |= bits; }
    template <class T>
    bool count_down(T* counter) const {
        return machine::add_acq_rel(counter, static_cast<T>(-1)) == 1;
    }
    void fail(std::int64_t code) const {
        state_.run.control->template fail<machine>(failure_kind::task_failed, Run::template index<Task>, code, 0, 0);
    }
    template <class T>
    T load_stream(T const* p) const {
        return *p;
    }
    template <int N, class T>
    std::array<T, N> load_stream_vector(T const* p) const {
        std::array<T, N> values;
        for (int i = 0; i < N; ++i) values[static_cast<std::size_t>(i)] = p[i];
        return values;
    }
    template <int N, class T>
    std::array<T, N> load_vector(T const* p) const {
        return load_stream_vector<N>(p);
    }
    void copy_stream(std::byte* to, std::byte const* from, int bytes) const { std::copy_n(from, bytes, to); }
    template <int N, class T>
    std::array<T, N> load_line_vector(T const* p) const {
        return load_stream_vector<N>(p);
    }
    void fetch_stream(void const*, std::int64_t) const {}
    void fetch_line(void const*) const {}
    template <class T, std::size_t N>
    void store_vector(T* p, std::array<T, N> const& values) const {
        std::copy(values.begin(), values.end(), p);
    }

  private:
    detail::cpu_thread_state<Run>& state_;
};

}  // namespace copse
