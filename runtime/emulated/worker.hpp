// The emulated GPU's worker (runtime/worker.hpp): `width` lanes that work on an item together. A lane that breaks the
// rules ends the run with worker_misuse.
#pragma once

#include <array>
#include <copse/runtime/emulated/grid.hpp>
#include <copse/runtime/emulated/lanes.hpp>
#include <copse/runtime/emulated/machine.hpp>
#include <copse/runtime/scheduler/common_worker.hpp>
#include <copse/runtime/scheduler/misuse.hpp>
#include <copse/runtime/scheduler/simt_tile.hpp>
#include <copse/runtime/worker.hpp>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

namespace copse {
namespace detail {

/// Each worker's scratch memory starts aligned.
constexpr std::size_t padded_scratch_bytes(std::size_t bytes) {
    return (bytes + 15) / 16 * 16;
}

/// The index of an element of scratch, and the line where it is asked for.
struct scratch_index {
    scratch_index(std::int64_t i, code_line line = code_line::here()) : number(i), at(line) {}
    std::int64_t number;
    code_line at;
};

/// Scratch memory that knows where it ends, and where the worker's open tiles do. A tile's own has no `tiles`.
template <class T>
class checked_scratch_array {
  public:
    checked_scratch_array(emulated_lane& lane, std::byte* memory, int begin, int size, tile_space const* tiles)
        : lane_(&lane), memory_(memory), begin_(begin), size_(size), tiles_(tiles) {}
    T& operator[](scratch_index index) const {
        std::int64_t const i = index.number;
        if (i < 0 || i >= size_)
            lane_->misuse("scratch[" + std::to_string(i) + "] is out of bounds: it has " + std::to_string(size_) +
                          " elements");
        if (tiles_ && begin_ + i * static_cast<std::int64_t>(sizeof(T)) < tiles_->end())
            lane_->misuse("scratch[" + std::to_string(i) +
                          "] lies in a tile that was opened after scratch(); call scratch() when the tiles are open");
        if (lane_->accesses) [[unlikely]]
            lane_->accesses->note(*lane_, access_kind::scratch, data() + i, sizeof(T), index.at);
        return data()[i];
    }
    T* data() const { return reinterpret_cast<T*>(memory_ + begin_); }
    int size() const { return size_; }
    checked_scratch_array part(int first, int count) const {
        return {*lane_, memory_, begin_ + first * static_cast<int>(sizeof(T)), count, tiles_};
    }

  private:
    emulated_lane* lane_;
    std::byte* memory_;
    int begin_;
    int size_;
    tile_space const* tiles_;
};

}  // namespace detail

template <class Task, class Run>
class emulated_worker : public detail::emulated_lanes<Task::width, detail::lane_circle::worker>,
                        public detail::common_worker<Task, Run>,
                        public detail::host_accesses<emulated_worker<Task, Run>> {
    using lanes = detail::emulated_lanes<Task::width, detail::lane_circle::worker>;
    using common = detail::common_worker<Task, Run>;
    using accesses = detail::host_accesses<emulated_worker<Task, Run>>;
    using code_line = detail::code_line;
    using common::run_;
    using lanes::lane_;

  public:
    using lanes::rank, lanes::size;
    using typename common::machine;
    static constexpr bool on_cpu = false;

    emulated_worker(detail::emulated_lane& lane, Run const& run) : lanes(lane), common(run) {}

    template <class T>
    detail::checked_scratch_array<T> scratch(int count) const {
        return scratch_behind_tiles<T>(count, &tiles_);
    }
    template <class T, tile_operation Op = plus>
    auto tile(T* target, int count, Op = {}) const {
        return detail::make_tile<T, Task, Op>(*this, target, count);
    }

    template <class To, class Item = typename To::item>
    void push(Item const& item) const {
        if constexpr (check_push<Run, Task, To>() && check_item<To, Item>()) {
            detail::emulated_push_group const group(lane_, Run::template index<To>);
            if (!lane_.grid.given_up()) push_target_of<To>(run_).push_together(group, item);
        }
    }
    template <class To, class Make>
    void push_n(std::uint32_t count, Make make) const {
        if constexpr (check_push<Run, Task, To>() && check_item<To, decltype(make(count))>()) {
            ring_positions const room = reserve_together<To>(count);
            if (lane_.grid.given_up()) return;
            for (auto i = static_cast<std::uint32_t>(rank()); i < room.count; i += static_cast<std::uint32_t>(size()))
                queue_of<To>(run_).ring.write(room.first + i, make(i));
        }
    }

    // Accesses: counted if the executor was asked to, then as on every host. `at` is the caller's line.
    template <class T>
    void add(T* p, std::type_identity_t<T> value, code_line at = code_line::here()) const {
        note(access_kind::atomic, p, sizeof(T), at);
        accesses::add(p, value);
    }
    template <class T>
    T fetch_add(T* p, std::type_identity_t<T> value, code_line at = code_line::here()) const {
        note(access_kind::atomic, p, sizeof(T), at);
        return common::fetch_add(p, value);
    }
    template <class T>
    void min(T* p, std::type_identity_t<T> value, code_line at = code_line::here()) const {
        note(access_kind::atomic, p, sizeof(T), at);
        common::min(p, value);
    }
    template <class T>
    void max(T* p, std::type_identity_t<T> value, code_line at = code_line::here()) const {
        note(access_kind::atomic, p, sizeof(T), at);
        common::max(p, value);
    }
    template <class T>
    T exchange_if(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> desired,
                  code_line at = code_line::here()) const {
        note(access_kind::atomic, p, sizeof(T), at);
        return common::exchange_if(p, expected, desired);
    }
    template <class T>
    bool count_down(T* counter, code_line at = code_line::here()) const {
        note(access_kind::atomic, counter, sizeof(T), at);
        return common::count_down(counter);
    }
    void set_bits(std::uint32_t* p, std::uint32_t bits, code_line at = code_line::here()) const {
        note(access_kind::atomic, p, sizeof *p, at);
        machine::or_relaxed(p, bits);
    }
    template <class T>
    T load(T const* p, code_line at = code_line::here()) const {
        note(access_kind::load, p, sizeof(T), at);
        return accesses::load(p);
    }
    template <class T>
    T load_stream(T const* p, code_line at = code_line::here()) const {
        note(access_kind::load, p, sizeof(T), at);
        return accesses::load_stream(p);
    }
    template <int N, class T>
    std::array<T, N> load_stream_vector(T const* p, code_line at = code_line::here()) const {
        note(access_kind::load, p, N * sizeof(T), at);
        return accesses::template load_stream_vector<N>(p);
    }
    template <int N, class T>
    std::array<T, N> load_vector(T const* p, code_line at = code_line::here()) const {
        note(access_kind::load, p, N * sizeof(T), at);
        return accesses::template load_vector<N>(p);
    }
    template <int N, class T>
    std::array<T, N> load_line_vector(T const* p, code_line at = code_line::here()) const {
        note(access_kind::load, p, N * sizeof(T), at);
        return accesses::template load_line_vector<N>(p);
    }
    template <class T, std::size_t N>
    void store_vector(T* p, std::array<T, N> const& values, code_line at = code_line::here()) const {
        note(access_kind::store, p, sizeof values, at);
        accesses::store_vector(p, values);
    }
    void copy_stream(std::byte* to, std::byte const* from, int bytes, code_line at = code_line::here()) const {
        for (int i = 16 * rank(); lane_.accesses && i < bytes; i += 16 * size())
            note(access_kind::load, from + i, 16, at);
        accesses::copy_stream(to, from, bytes);
    }

    /// The bytes come with wait_bulk(). Until then there is NaN, so that who does not wait is found out.
    void copy_bulk(int k, std::byte* to, std::byte const* from, int bytes, code_line at = code_line::here()) const {
        bulk_copy& own = copy_of("copy_bulk()", k);
        check_address("copy_bulk()", to, 16);
        check_address("copy_bulk()", from, 16);
        check_bytes("copy_bulk()", bytes, 16);
        if (own.bytes > 0) lane_.misuse("copy_bulk(" + std::to_string(k) + ") before its last copy was waited for");
        own = {to, from, bytes, k};
        if (rank() != 0) return;
        note(access_kind::load, from, static_cast<std::size_t>(bytes), at);
        std::memset(to, 0xff, static_cast<std::size_t>(bytes));
    }
    void wait_bulk(int k) const {
        bulk_copy const own = std::exchange(copy_of("wait_bulk()", k), {});
        if (own.bytes == 0) lane_.misuse("wait_bulk(" + std::to_string(k) + ") without a copy_bulk() before it");
        lane_.post(detail::lane_circle::worker, detail::collective::wait_bulk, own);
        if (lane_.template posted_by<bulk_copy>(detail::lane_circle::worker, 0) != own && !lane_.grid.given_up())
            lane_.misuse("wait_bulk(" + std::to_string(k) + ") for another copy than lane 0's");
        if (rank() == 0) std::memcpy(own.to, own.from, static_cast<std::size_t>(own.bytes));
        this->sync();
    }

    /// For tiles (simt_tile.hpp).
    detail::tile_space& tiles() const { return tiles_; }
    template <class T>
    detail::checked_scratch_array<T> tile_scratch(int warps, int count) const {
        return scratch_behind_tiles<T>(warps * count, nullptr);
    }
    template <std::size_t N>
    void add_vector(float* p, std::array<float, N> const& values, code_line at = code_line::here()) const {
        check_address("add_vector()", p, N * sizeof(float));
        note(access_kind::atomic, p, sizeof values, at);
        for (std::size_t i = 0; i < N; ++i) accesses::add(&p[i], values[i]);
    }
    template <class T>
    void add_in_bulk(T* p, T const* from, int count, code_line at = code_line::here()) const {
        check_address("add_in_bulk()", p, 16);
        check_address("add_in_bulk()", from, 16);
        if (count * sizeof(T) % 16 != 0)
            lane_.misuse("add_in_bulk() of " + std::to_string(count) + " elements of " + std::to_string(sizeof(T)) +
                         " bytes, together no multiple of 16");
        this->sync();
        if (rank() != 0) return;
        note(access_kind::atomic, p, static_cast<std::size_t>(count) * sizeof(T), at);
        for (int i = 0; i < count; ++i) accesses::add(&p[i], from[i]);
    }

    /// Called before the task function, for item `i` of the claim.
    void enter(typename Task::item const& item, queue_claim const& claim, std::uint32_t i) const {
        if (lane_.accesses) [[unlikely]]
            lane_.accessed.begin_item();
        if (!lane_.grid.races()) return;
        std::int64_t number = 0;
        bool constexpr has_number = std::is_integral_v<typename Task::item>;
        if constexpr (has_number) number = static_cast<std::int64_t>(item);
        auto const& queue = queue_of<Task>(run_);
        bool const is_range = claim.source == claim_source::range;
        lane_.begin_item(detail::task_phase<Task>(), has_number ? &number : nullptr,
                         is_range ? static_cast<void const*>(queue.ranges.counters) : queue.ring.tickets,
                         is_range ? detail::race_watch::any_position : claim.first + i);
    }
    /// Called when the task function has returned.
    void leave() const {
        for (bulk_copy const& copy : bulk_copies_)
            if (copy.bytes > 0)
                lane_.misuse("returned from the function without wait_bulk(" + std::to_string(copy.number) + ")");
        lane_.leave();
    }

  private:
    struct push_order {
        ring_positions room;
        std::uint32_t count;
    };
    /// On its way if it has bytes.
    struct bulk_copy {
        std::byte* to = nullptr;
        std::byte const* from = nullptr;
        int bytes = 0;
        int number = 0;
        bool operator==(bulk_copy const&) const = default;
    };
    bulk_copy& copy_of(char const* call, int k) const {
        detail::check_has_bulk_copies<Task>();
        if (k < 0 || k >= std::ssize(bulk_copies_))
            lane_.misuse(std::string(call) + " with number " + std::to_string(k) + ", but the task's bulk_copies is " +
                         std::to_string(bulk_copies_.size()));
        return bulk_copies_[static_cast<std::size_t>(k)];
    }

    friend detail::host_accesses<emulated_worker>;
    void note(access_kind kind, void const* p, std::size_t bytes, code_line at) const {
        if (lane_.accesses) [[unlikely]]
            lane_.accesses->note(lane_, kind, p, bytes, at);
    }
    void check_address(char const* call, void const* p, std::size_t alignment) const {
        if (reinterpret_cast<std::uintptr_t>(p) % alignment != 0)
            lane_.misuse(std::string(call) + " at an address that is not a multiple of " + std::to_string(alignment));
    }
    void check_bytes(char const* call, std::int64_t bytes, std::int64_t least) const {
        if (bytes < least || bytes % 16 != 0)
            lane_.misuse(std::string(call) + " of " + std::to_string(bytes) + " bytes, no " +
                         (least > 0 ? "positive " : "") + "multiple of 16");
    }
    /// Reads what the hardware would, for who watches memory.
    void touch(void const* p, std::int64_t bytes) const {
        auto const* const memory = static_cast<std::byte const volatile*>(p);
        for (std::int64_t i = 0; i < bytes; i += 16) static_cast<void>(memory[i]);
        static_cast<void>(memory[bytes - 1]);
    }

    template <class T>
    detail::checked_scratch_array<T> scratch_behind_tiles(int count, detail::tile_space const* tiles) const {
        std::int64_t constexpr room = detail::task_scratch_bytes<Task>();
        std::byte* const memory =
            detail::scratch_of<std::byte, Task>(lane_.worker_scratch(detail::padded_scratch_bytes(room)), 0).data();
        std::int64_t const bytes = count * static_cast<std::int64_t>(sizeof(T));
        if (bytes < 0 || tiles_.end() + bytes > room) lane_.misuse(detail::exceeded_scratch(bytes, room, tiles_.end()));
        return {lane_, memory, tiles_.end(), count, tiles};
    }

    template <class To>
    ring_positions reserve_together(std::uint32_t count) const {
        ring_positions room{};
        if (rank() == 0) room = push_target_of<To>(run_).reserve(count);
        lane_.post(detail::lane_circle::worker, detail::collective::push_n, push_order{room, count});
        push_order const order = lane_.template posted_by<push_order>(detail::lane_circle::worker, 0);
        if (order.count != count && !lane_.grid.given_up())
            lane_.misuse("push_n() of " + std::to_string(count) + " items, but of " + std::to_string(order.count) +
                         " in lane 0");
        return order.room;
    }

    mutable detail::tile_space tiles_;
    mutable std::array<bulk_copy, detail::task_bulk_copies<Task>()> bulk_copies_;
};

#if !defined(__CUDACC__)  // nvcc would compile the probe's tile for the GPU, too
static_assert(any_worker<emulated_worker<detail::probe_task, run_view<emulated_machine, detail::probe_task>>>);
#endif

}  // namespace copse
