// What the workers of several executors share (runtime/worker.hpp says what workers offer).
//
//   common_worker   all: what goes to the run
//   host_accesses   cpu and emulated: loads and stores
//   scratch_array   cpu and gpu: scratch memory; the emulated executor has an array that checks every access
#pragma once

#include <algorithm>
#include <array>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/fold.hpp>
#include <copse/runtime/scheduler/run_view.hpp>
#include <copse/runtime/task.hpp>
#include <copse/runtime/worker.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace copse {

template <class T>
class scratch_array {
  public:
    COPSE_HOST_DEVICE scratch_array(T* data, int size) : data_(data), size_(size) {}
    COPSE_HOST_DEVICE T& operator[](std::int64_t i) const {
#if COPSE_CHECKED  // when the run has failed because this array is too large, its lanes write nowhere else
        if (i < 0 || i >= size_) return data_[0];
#endif
        return data_[i];
    }
    COPSE_HOST_DEVICE T* data() const {
        return data_;
    }
    COPSE_HOST_DEVICE int size() const {
        return size_;
    }
    /// Elements first .. first + count - 1.
    COPSE_HOST_DEVICE scratch_array part(int first, int count) const {
        return {data_ + first, count};
    }

  private:
    T* data_;
    int size_;
};

namespace detail {

template <class T, class Task>
COPSE_HOST_DEVICE scratch_array<T> scratch_of(void* memory, int count) {
    static_assert(task_scratch_bytes<Task>() > 0,
                  "copse: scratch: the task has none; give it `static constexpr std::size_t scratch_bytes`");
    return {static_cast<T*>(memory), count};
}

/// For copy_bulk() and wait_bulk().
template <class Task>
COPSE_HOST_DEVICE constexpr void check_has_bulk_copies() {
    static_assert(task_bulk_copies<Task>() > 0,
                  "copse: copy_bulk: the task has no copies; give it `static constexpr int bulk_copies`");
}

/// Operands: the atomic operations on what pointers of task functions point to.
template <class Task, class Run, class Operands = typename Run::machine>
class common_worker {
  public:
    using task = Task;
    using machine = typename Run::machine;
    /// Whether this task type is among those given to run().
    template <class Other>
    static constexpr bool runs_with = Run::template has<Other>;

    template <class To>
    COPSE_HOST_DEVICE void push_range(std::int64_t first, std::int64_t count) const {
        if constexpr (check_push<Run, Task, To>()) push_range_to<To>(run_, first, count);
    }
    template <class T>
    COPSE_HOST_DEVICE T fetch_add(T* p, std::type_identity_t<T> value) const {
        return machine::add_relaxed(p, value);
    }
    template <class T>
    COPSE_HOST_DEVICE void min(T* p, std::type_identity_t<T> value) const {
        if constexpr (check_operand<T>()) fold_relaxed<Operands>(p, value, min_op());
    }
    template <class T>
    COPSE_HOST_DEVICE void max(T* p, std::type_identity_t<T> value) const {
        if constexpr (check_operand<T>()) fold_relaxed<Operands>(p, value, max_op());
    }
    template <class T>
    COPSE_HOST_DEVICE T exchange_if(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> desired) const {
        if constexpr (check_operand<T>())
            return Operands::exchange_if(p, expected, desired);
        else
            return expected;
    }
    template <class T>
    COPSE_HOST_DEVICE bool count_down(T* counter) const {
        return machine::add_acq_rel(counter, static_cast<T>(-1)) == 1;
    }
    COPSE_HOST_DEVICE void fail(std::int64_t code) const {
        run_.control->fail(failure_kind::task_failed, Run::template index<Task>, code, 0, 0);
    }

  protected:
    COPSE_HOST_DEVICE explicit common_worker(Run const& run) : run_(run) {}

    /// Scratch behind the first `taken` bytes, which open tiles have. In a checked build (config.hpp) the run fails if
    /// there is too little; the lanes go on with what there is.
    template <class T>
    COPSE_HOST_DEVICE scratch_array<T> scratch_behind_tiles(std::byte* memory, int taken, int count) const {
#if COPSE_CHECKED
        std::int64_t constexpr room = task_scratch_bytes<Task>();
        std::int64_t const bytes = count * static_cast<std::int64_t>(sizeof(T));
        if (bytes < 0 || taken + bytes > room) {
            run_.control->fail(failure_kind::scratch_exceeded, Run::template index<Task>, bytes, room, taken);
            return scratch_of<T, Task>(memory, static_cast<int>(room / sizeof(T)));
        }
#endif
        return scratch_of<T, Task>(memory + taken, count);
    }

    Run const& run_;
};

/// How memory will be used changes nothing on a host. Worker has three members for this class to call:
///   check_address(call, p, alignment)   before p is used; `call` names the member
///   check_bytes(call, bytes, least)     before `bytes` are copied or fetched; they must be at least `least`
///   touch(p, bytes)                     for fetch_stream
template <class Worker>
class host_accesses {
  public:
    template <class T>
    void add(T* p, std::type_identity_t<T> value) const {
        Worker::machine::add_relaxed(p, value);
    }
    template <class T>
    T load(T const* p) const {
        return *p;
    }
    template <class T>
    T load_stream(T const* p) const {
        return *p;
    }
    template <int N, class T>
    std::array<T, N> load_stream_vector(T const* p) const {
        return load_by_name<N>("load_stream_vector()", p);
    }
    template <int N, class T>
    std::array<T, N> load_vector(T const* p) const {
        return load_by_name<N>("load_vector()", p);
    }
    template <int N, class T>
    std::array<T, N> load_line_vector(T const* p) const {
        static_assert(N * sizeof(T) == 16, "copse: load_line_vector() loads 16 bytes");
        return load_by_name<N>("load_line_vector()", p);
    }
    template <class T, std::size_t N>
    void store_vector(T* p, std::array<T, N> const& values) const {
        self().check_address("store_vector()", p, sizeof values);
        std::copy(values.begin(), values.end(), p);
    }
    void copy_stream(std::byte* to, std::byte const* from, int bytes) const {
        self().check_address("copy_stream()", to, 16);
        self().check_address("copy_stream()", from, 16);
        self().check_bytes("copy_stream()", bytes, 0);
        if constexpr (Worker::size() == 1)
            std::copy_n(from, bytes, to);
        else
            for (int i = 16 * self().rank(); i < bytes; i += 16 * Worker::size()) std::copy_n(from + i, 16, to + i);
    }
    void fetch_stream(void const* p, std::int64_t bytes) const {
        self().check_address("fetch_stream()", p, 16);
        self().check_bytes("fetch_stream()", bytes, 16);
        self().touch(p, bytes);
    }
    void keep_streams() const {}

  private:
    Worker const& self() const { return static_cast<Worker const&>(*this); }

    template <int N, class T>
    std::array<T, N> load_by_name(char const* call, T const* p) const {
        self().check_address(call, p, N * sizeof(T));
        std::array<T, N> values;
        for (int i = 0; i < N; ++i) values[static_cast<std::size_t>(i)] = p[i];
        return values;
    }
};

/// Workers are checked against runtime/worker.hpp with it.
struct probe_task {
    using item = std::int64_t;
    static constexpr int width = 32;
    static constexpr std::size_t scratch_bytes = 256;
    static constexpr int bulk_copies = 1;
};

}  // namespace detail
}  // namespace copse
