// Sums into a stretch of memory, for workers of many lanes (gpu and emulated).
//
//   scratch   | tile of warp 0 | tile of warp 1 | ... | next tile | scratch()
//
// A tile has sums for each 32 lanes, so that no two warps add to the same. Open tiles lie at the front of scratch;
// scratch() begins behind them.
//
// For tiles these workers have two members that runtime/worker.hpp does not list:
//   add_vector(p, array)        p[i] += array[i] for 2 or 4 of float, each atomically; p is a multiple of their size
//   add_in_bulk(p, from, n)   * p[i] += from[i] for i < n, each atomically; p, from and n elements are multiples of 16
//                               bytes; `from` is in scratch, and may be written again after a sync
#pragma once

#include <array>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/add_in_order.hpp>
#include <copse/runtime/scheduler/fold.hpp>
#include <copse/runtime/task.hpp>
#include <copse/runtime/worker.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

namespace copse::detail {

/// How the sums of a tile go to memory: one by one; up to 16 bytes by an instruction (float); all of them by one
/// operation that reads scratch itself
enum class tile_output { by_element, by_vector, in_bulk };

/// For `count` sums of which `touched` got something, to be added to memory at an address. In bulk what got nothing is
/// added to as well, with -0: that changes no number. (But additions to float on a GPU take numbers below 2^-126 for
/// 0.)
template <class T>
COPSE_HOST_DEVICE constexpr tile_output choose_tile_output(int touched, int count, std::uintptr_t address) {
    if (!std::is_floating_point_v<T> || address % 16 != 0) return tile_output::by_element;
    bool const whole = count * sizeof(T) % 16 == 0;
    if (whole && touched > 0 && 2 * touched >= count) return tile_output::in_bulk;
    return std::is_same_v<T, float> ? tile_output::by_vector : tile_output::by_element;
}

/// Elements first .. first + count - 1 of four: one addition of 1, 2 or 4, or none.
struct vector_part {
    int first;
    int count;
};

/// The smallest that has all which got something: bit i of `touched` for element i.
COPSE_HOST_DEVICE constexpr vector_part part_with(unsigned touched) {
    bool const low = (touched & 3) != 0, high = (touched & 12) != 0;
    if (low && high) return {0, 4};
    int const first = high ? 2 : 0;
    switch (touched >> first) {
        case 0:
            return {0, 0};
        case 1:
            return {first, 1};
        case 2:
            return {first + 1, 1};
        default:
            return {first, 2};
    }
}

/// How much of a worker's scratch its open tiles have. Each lane counts, and all get the same result, since they open
/// and close tiles together.
class tile_space {
  public:
    COPSE_HOST_DEVICE int end() const { return end_; }
    COPSE_HOST_DEVICE void open(int bytes) {
        end_ += padded(bytes);
        ++count_;
    }
    /// What lies in front of another open tile is free when all are closed.
    COPSE_HOST_DEVICE void close(int begin, int bytes) {
        if (--count_ == 0)
            end_ = 0;
        else if (begin + padded(bytes) == end_)
            end_ = begin;
    }

  private:
    COPSE_HOST_DEVICE static int padded(int bytes) { return (bytes + 15) / 16 * 16; }

    int end_ = 0;
    int count_ = 0;
};

/// Sums in scratch first; memory gets those of elements to which something was added. Collective.
template <class T, class Worker, class Op>
class scratch_tile {
  public:
    COPSE_HOST_DEVICE scratch_tile(Worker& worker, T* target, int count)
        : worker_(worker),
          target_(target),
          begin_(worker.tiles().end()),
          sums_(worker.template tile_scratch<T>(warps, count)),
          own_(sums_.part(worker.rank() / 32 * count, count)) {
        for (int i = worker_.rank(); i < sums_.size(); i += worker_.size()) sums_[i] = Op::template identity<T>();
        worker_.tiles().open(bytes());
        worker_.sync();
    }
    scratch_tile(scratch_tile const&) = delete;
    scratch_tile& operator=(scratch_tile const&) = delete;
    /// An emulated lane that is being abandoned throws.
    COPSE_HOST_DEVICE ~scratch_tile() noexcept(false) {
#if !defined(__CUDA_ARCH__)
        if (std::uncaught_exceptions() > 0) return;
#endif
        close();
    }
    COPSE_HOST_DEVICE void add(int i, T value) const {
        add_in_order<Op>(own_, i, value, worker_.warp());
    }
    template <std::size_t N>
    COPSE_HOST_DEVICE void add(int i, std::array<T, N> const& values) const {
        for (std::size_t k = 0; k < N; ++k) add(i < 0 ? -1 : i + static_cast<int>(k), values[k]);
    }
    COPSE_HOST_DEVICE void add_alone(int i, T value) const {
        add_one<Op>(own_[i], value);
    }
    COPSE_HOST_DEVICE void close() {
        if (closed_) return;
        closed_ = true;
        worker_.sync();
        int const touched = worker_.reduce(join_warps(), [](int a, int b) { return a + b; });
        auto const address = reinterpret_cast<std::uintptr_t>(target_);
        switch (adds ? choose_tile_output<T>(touched, count(), address) : tile_output::by_element) {
            case tile_output::in_bulk:
                if constexpr (adds && std::is_floating_point_v<T>) worker_.add_in_bulk(target_, sums_.data(), count());
                break;
            case tile_output::by_vector:
                if constexpr (adds && std::is_same_v<T, float>) put_vectors();
                break;
            case tile_output::by_element:
                for (int i = worker_.rank(); i < count(); i += worker_.size()) put(i);
        }
        worker_.tiles().close(begin_, bytes());
        worker_.sync();  // the next user of scratch may write now
    }

  private:
    using sums = decltype(std::declval<Worker&>().template tile_scratch<T>(1, 0));
    static constexpr int warps = (Worker::size() + 31) / 32;
    static constexpr bool adds = std::is_same_v<Op, plus>;

    COPSE_HOST_DEVICE int count() const {
        return own_.size();
    }
    COPSE_HOST_DEVICE int bytes() const {
        return sums_.size() * static_cast<int>(sizeof(T));
    }
    /// Adds the warps' sums up, in their order. How many of the lane's elements got something.
    COPSE_HOST_DEVICE int join_warps() const {
        int touched = 0;
        for (int i = worker_.rank(); i < count(); i += worker_.size()) {
            if constexpr (warps > 1) {
                T sum = sums_[i];
                for (int warp = 1; warp < warps; ++warp) add_one<Op>(sum, sums_[warp * count() + i]);
                sums_[i] = sum;
            }
            if (is_touched(i)) ++touched;
        }
        return touched;
    }
    /// A sum of zero changes nothing either, and what is the identity of min_op or max_op (NaN) does not.
    COPSE_HOST_DEVICE bool is_touched(int i) const {
        if constexpr (adds)
            return !(sums_[i] == T(0));
        else if constexpr (std::is_floating_point_v<T>)
            return sums_[i] == sums_[i];
        else
            return sums_[i] != Op::template identity<T>();
    }
    COPSE_HOST_DEVICE void put(int i) const {
        if (is_touched(i)) fold(worker_, &target_[i], sums_[i], Op());
    }
    COPSE_HOST_DEVICE void put_vectors() const {
        if constexpr (warps > 1) worker_.sync();  // other lanes' sums
        for (int i = 4 * worker_.rank(); i < count(); i += 4 * worker_.size()) {
            if (i + 4 > count()) {
                for (int k = i; k < count(); ++k) put(k);
                continue;
            }
            unsigned touched = 0;
            for (int k = 0; k < 4; ++k) touched |= is_touched(i + k) ? 1u << k : 0u;
            vector_part const part = part_with(touched);
            int const k = i + part.first;
            if (part.count == 4)
                worker_.add_vector(&target_[k], std::array<T, 4>{sums_[k], sums_[k + 1], sums_[k + 2], sums_[k + 3]});
            else if (part.count == 2)
                worker_.add_vector(&target_[k], std::array<T, 2>{sums_[k], sums_[k + 1]});
            else if (part.count == 1)
                worker_.add(&target_[k], sums_[k]);
        }
    }

    Worker& worker_;
    T* target_;
    int begin_;  // bytes of open tiles in front of it
    sums sums_;  // of all warps
    sums own_;   // of the lane's warp
    bool closed_ = false;
};

/// For items too small to be worth scratch memory.
template <class T, class Worker, class Op>
class direct_tile {
  public:
    COPSE_HOST_DEVICE direct_tile(Worker& worker, T* target) : worker_(worker), target_(target) {}
    COPSE_HOST_DEVICE void add(int i, T value) const {
        if (i >= 0) add_alone(i, value);
    }
    template <std::size_t N>
    COPSE_HOST_DEVICE void add(int i, std::array<T, N> const& values) const {
        for (std::size_t k = 0; k < N; ++k) add(i < 0 ? -1 : i + static_cast<int>(k), values[k]);
    }
    COPSE_HOST_DEVICE void add_alone(int i, T value) const { fold(worker_, &target_[i], value, Op()); }
    COPSE_HOST_DEVICE void close() const {}

  private:
    Worker& worker_;
    T* target_;
};

template <class T, class Task, class Op, class Worker>
COPSE_HOST_DEVICE auto make_tile(Worker& worker, T* target, [[maybe_unused]] int count) {
    if constexpr (task_scratch_bytes<Task>() > 0)
        return scratch_tile<T, Worker, Op>(worker, target, count);
    else
        return direct_tile<T, Worker, Op>(worker, target);
}

}  // namespace copse::detail
