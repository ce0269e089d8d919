// The gpu's worker (runtime/worker.hpp): `width` threads of a block.
// And the block that the workers are part of, as block_drain.hpp wants it.
#pragma once

#include <array>
#include <copse/runtime/config.hpp>
#include <copse/runtime/gpu/lanes.cuh>
#include <copse/runtime/scheduler/block_drain.hpp>
#include <copse/runtime/scheduler/common_worker.hpp>
#include <copse/runtime/scheduler/simt_tile.hpp>
#include <copse/runtime/worker.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace copse {
namespace detail {

/// Scratch memory of one worker, so that each worker's starts aligned; behind it the barriers of its bulk copies.
template <class Task>
inline constexpr std::size_t bulk_barriers_offset = (task_scratch_bytes<Task>() + 15) / 16 * 16;
template <class Task>
inline constexpr std::size_t worker_scratch_bytes = bulk_barriers_offset<Task> +
                                                    (task_bulk_copies<Task>() * sizeof(std::uint64_t) + 15) / 16 * 16;

}  // namespace detail

/// Task: the task whose function runs; Run: the run's view. Pointers given to its members point into device memory.
template <class Task, class Run>
class gpu_worker : public detail::lanes<Task::width>, public detail::common_worker<Task, Run, detail::gpu_operands> {
    using lanes = detail::lanes<Task::width>;
    using common = detail::common_worker<Task, Run, detail::gpu_operands>;
    using common::run_;

  public:
    using lanes::rank, lanes::size, lanes::sync;
    static constexpr bool on_cpu = false;

    __device__ gpu_worker(Run const& run, int index, std::byte* exchange, std::byte* scratch)
        : lanes(index, exchange), common(run), scratch_(scratch) {}

    template <class T>
    __device__ scratch_array<T> scratch(int count) const {
        return this->template scratch_behind_tiles<T>(scratch_, tiles_.end(), count);
    }
    template <class T, tile_operation Op = plus>
    __device__ auto tile(T* target, int count, Op = {}) const {
        return detail::make_tile<T, Task, Op>(*this, target, count);
    }

    template <class To, class Item = typename To::item>
    __device__ void push(Item const& item) const {
        if constexpr (check_push<Run, Task, To>() && check_item<To, Item>())
            push_target_of<To>(run_).push_together(detail::coalesced_lanes(), item);
    }
    /// For copse::push_one_of.
    template <class... To, class Item>
    __device__ void push_one_of(int which, Item const& item) const {
        if constexpr ((check_push<Run, Task, To>() && ...)) {
            queue_view<Item, gpu_machine> const* queue = nullptr;
            int index = 0;
            int phase = 0;
            int i = 0;
            auto choose = [&]<class Candidate>() {
                if (i++ != which) return;
                queue = &queue_of<Candidate>(run_);
                index = Run::template index<Candidate>;
                phase = detail::task_phase<Candidate>();
            };
            (choose.template operator()<To>(), ...);
            if (!queue) return;
            detail::push_target<Item, gpu_machine> const to{*queue, run_.control, index, phase};
            to.push_together(detail::coalesced_lanes(which), item);
        }
    }
    template <class To, class Make>
    __device__ void push_n(std::uint32_t count, Make make) const {
        if constexpr (check_push<Run, Task, To>() && check_item<To, decltype(make(count))>()) {
            if (count == 0) return;
            ring_positions room{};
            auto const to = push_target_of<To>(run_);
            if (rank() == 0) room = to.reserve(count);
            room = this->broadcast(room);
            for (auto i = static_cast<std::uint32_t>(rank()); i < room.count; i += size())
                to.queue.ring.write(room.first + i, make(i));
        }
    }

    template <class T>
    __device__ void add(T* p, std::type_identity_t<T> value) const {
        if (__isShared(p))
            detail::add_in_block(p, value);
        else
            detail::add_in_memory(p, value);
    }
    /// For tiles (simt_tile.hpp).
    __device__ detail::tile_space& tiles() const { return tiles_; }
    template <class T>
    __device__ scratch_array<T> tile_scratch(int warps, int count) const {
        return scratch<T>(warps * count);
    }
    template <std::size_t N>
    __device__ void add_vector(float* p, std::array<float, N> const& values) const {
        detail::add_vector_in_memory(p, values);
    }
    template <class T>
    __device__ void add_in_bulk(T* p, T const* from, int count) const {
        if constexpr (detail::has_bulk_operations) {
            detail::show_to_bulk_operations();
            sync();
            if (rank() == 0) detail::add_in_bulk(p, from, count);
        } else {
            sync();
            for (int i = rank(); i < count; i += size()) add(&p[i], from[i]);
        }
    }
    __device__ void set_bits(std::uint32_t* p, std::uint32_t bits) const { atomicOr_block(p, bits); }
    template <class T>
    __device__ T load(T const* p) const {
        return *p;
    }
    template <class T>
    __device__ T load_stream(T const* p) const {
        return detail::load_once(p, streams_);
    }
    template <int N, class T>
    __device__ std::array<T, N> load_stream_vector(T const* p) const {
        return detail::load_vector_once<N>(p, streams_);
    }
    template <int N, class T>
    __device__ std::array<T, N> load_vector(T const* p) const {
        return detail::load_vector<N>(p);
    }
    template <int N, class T>
    __device__ std::array<T, N> load_line_vector(T const* p) const {
        return detail::load_line_vector<N>(p, streams_);
    }
    __device__ void copy_stream(std::byte* to, std::byte const* from, int bytes) const {
        COPSE_NO_UNROLL  // nothing is waited for in it
            for (int i = 16 * rank(); i < bytes; i += 16 * size()) detail::copy_once(to + i, from + i, streams_);
        detail::wait_for_copies();
    }
    __device__ void copy_bulk(int k, std::byte* to, std::byte const* from, int bytes) const {
        detail::check_has_bulk_copies<Task>();
        if constexpr (detail::has_bulk_operations) {
            if (rank() == 0) detail::copy_in_bulk(to, from, bytes, bulk_barrier(k), streams_);
        } else {
            for (int i = 16 * rank(); i < bytes; i += 16 * size()) detail::copy_once(to + i, from + i, streams_);
        }
    }
    __device__ void wait_bulk(int k) const {
        detail::check_has_bulk_copies<Task>();
        detail::wait_for_bulk(bulk_barrier(k), bulk_parities_ >> k & 1);
        bulk_parities_ ^= 1u << k;
        if constexpr (!detail::has_bulk_operations) detail::wait_for_copies();
        sync();
    }
    __device__ void fetch_stream(void const* p, std::int64_t bytes) const { detail::fetch_once(p, bytes, streams_); }
    __device__ void keep_streams() const { streams_ = detail::used_again(); }
    template <class T, std::size_t N>
    __device__ void store_vector(T* p, std::array<T, N> const& values) const {
        reinterpret_cast<detail::vector_of<T, N>*>(p)->values = values;
    }

    /// Before the first task function, and if tasks without bulk copies follow, after the last.
    __device__ void set_up_bulk_copies() const {
        if (rank() == 0)
            for (int k = 0; k < static_cast<int>(detail::task_bulk_copies<Task>()); ++k)
                detail::set_up_bulk_barrier(bulk_barrier(k));
        sync();
    }
    __device__ void take_down_bulk_copies() const {
        sync();
        if (rank() == 0)
            for (int k = 0; k < static_cast<int>(detail::task_bulk_copies<Task>()); ++k)
                detail::take_down_bulk_barrier(bulk_barrier(k));
    }
    template <class Claim>
    requires(detail::task_bulk_copies<Task>() > 0) __device__
        void enter(typename Task::item const&, Claim const&, std::uint32_t) const {
        set_up_bulk_copies();
    }
    /// After the task function. In a checked build what it refused is the run's failure (refusal.hpp).
    __device__ void leave() const {
        if constexpr (detail::task_bulk_copies<Task>() > 0) take_down_bulk_copies();
#if COPSE_CHECKED
        if (char const* const words = detail::refused_in_block())
            run_.control->refuse(Run::template index<Task>, words);
#endif
    }

  private:
    __device__ std::uint64_t* bulk_barrier(int k) const {
        return reinterpret_cast<std::uint64_t*>(scratch_ + detail::bulk_barriers_offset<Task>) + k;
    }

    std::byte* scratch_;
    mutable std::uint32_t bulk_parities_ = 0;  // bit k: of the phase in which copy k's next one is
    mutable detail::tile_space tiles_;
    mutable detail::cache_policy streams_ = detail::used_once();
};

#if defined(__CUDA_ARCH__)  // the host's compiler sees no bodies of device functions, and so not what tile() returns
static_assert(any_worker<gpu_worker<detail::probe_task, run_view<gpu_machine, detail::probe_task>>>);
#endif

namespace detail {

template <class Task>
inline constexpr std::size_t workers_per_block = block_threads / Task::width;

template <class... Tasks>
constexpr std::size_t most_scratch_bytes() {
    std::size_t most = 1;  // there are no empty arrays
    ((most = std::max(most, worker_scratch_bytes<Tasks> * workers_per_block<Tasks>)), ...);
    return most;
}

template <class... Tasks>
constexpr std::size_t most_exchange_bytes() {
    std::size_t most = 1;
    ((most = std::max(most, lanes<Tasks::width>::exchange_bytes * workers_per_block<Tasks>)), ...);
    return most;
}

template <class... Tasks>
constexpr std::size_t most_item_bytes() {
    std::size_t most = 1;
    ((most = std::max(most, sizeof(typename Tasks::item) * batch_items<Tasks>(block_threads))), ...);
    return most;
}

/// Shared memory of a block that may run any of the tasks.
template <class... Tasks>
struct block_storage {
    block_shared shared;
    alignas(16) std::byte items[most_item_bytes<Tasks...>()];
    alignas(16) std::byte exchange[most_exchange_bytes<Tasks...>()];
    alignas(16) std::byte scratch[most_scratch_bytes<Tasks...>()];
};

template <class Storage>
class gpu_block {
  public:
    /// launch: the block's, in a trace.
    __device__ gpu_block(Storage& storage, std::int32_t launch) : storage_(storage), launch_(launch) {
#if COPSE_CHECKED  // before the block waits for its first batch
        if (thread_rank() == 0) refusal_of_block().state = 0;
#endif
    }

    __device__ static int thread_rank() {
        return static_cast<int>(threadIdx.x);
    }
    static constexpr int thread_count() {
        return block_threads;
    }
    __device__ static void sync() {
        __syncthreads();
    }
    __device__ block_shared& shared() const {
        return storage_.shared;
    }
    __device__ std::byte* items() const {
        return storage_.items;
    }
    /// At least as many as the GPU would hold: a launch of a few blocks is not to keep from those that follow it what
    /// there is to do.
    template <class Run>
    __device__ static std::int64_t sharers(Run const& run) {
        std::int64_t const running = gpu_machine::load_relaxed(&run.control->running_blocks);
        std::int64_t const here = gridDim.x > held() ? gridDim.x : held();
        return running > here ? running : here;
    }
    /// The host launches more when these have left; the device controller, which counts running blocks, before.
    template <class Run>
    __device__ static bool should_leave(Run const& run, std::int64_t fill, std::int64_t workers) {
        return gridDim.x < held() && fill > 8 * gridDim.x * workers &&
               gpu_machine::load_relaxed(&run.control->running_blocks) <= 0;
    }
    __device__ static std::uint64_t nanoseconds() {
        return detail::nanoseconds();
    }
    __device__ trace_place place() const {
        int multiprocessor;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
        return {launch_, static_cast<std::int32_t>(blockIdx.x), multiprocessor};
    }

    template <class Task, class Run>
    __device__ gpu_worker<Task, Run> next_worker(Run const& run) const {
        int const index = thread_rank() / Task::width;
        gpu_worker<Task, Run> const worker(run, index, storage_.exchange + index * lanes<Task::width>::exchange_bytes,
                                           storage_.scratch + index * worker_scratch_bytes<Task>);
        worker.sync();  // its scratch memory is the next item's
        return worker;
    }

  private:
    /// Blocks that any kernel for one queue leaves room for. Of resident ones that of sums has room for 3 on a
    /// multiprocessor: there it claims somewhat less at a time than it could.
    __device__ static unsigned held() {
        unsigned multiprocessors;
        asm("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
        return 4 * multiprocessors;
    }

    Storage& storage_;
    std::int32_t launch_;
};

}  // namespace detail
}  // namespace copse
