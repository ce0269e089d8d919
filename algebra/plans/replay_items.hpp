// How the lanes of a worker go through a part's items: on chip, some at once, each for a warp or for some lanes of it.
//
//   items       0        1        2        3        4        5        6
//   32 lanes    warp 0   warp 0   warp 0   ...               or, small ones by 8 lanes: four at once
//   128 lanes   warp 0   warp 1   warp 2   warp 3   warp 0   ...
#pragma once

#include <array>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// A warp of a wider worker as a worker of 32 lanes, as far as functions that multiply leaves go.
template <class Worker>
class warp_worker {
  public:
    static constexpr bool on_cpu = Worker::on_cpu;

    COPSE_HOST_DEVICE explicit warp_worker(Worker& w) : w_(w) {}

    COPSE_HOST_DEVICE static constexpr int size() { return 32; }
    COPSE_HOST_DEVICE int rank() const { return w_.rank() % 32; }
    COPSE_HOST_DEVICE void sync() const { w_.warp().sync(); }
    COPSE_HOST_DEVICE bool any(bool b) const { return w_.warp().any(b); }
    COPSE_HOST_DEVICE std::uint32_t lanes_alike(int label) const { return w_.warp().lanes_alike(label); }
    template <class T>
    COPSE_HOST_DEVICE T shuffle(T value, int source) const {
        return w_.warp().shuffle(value, source);
    }
    template <class T, class Op>
    COPSE_HOST_DEVICE T inclusive_scan(T value, Op op) const {
        return w_.warp().inclusive_scan(value, op);
    }
    template <class T>
    COPSE_HOST_DEVICE T load(T const* p) const {
        return w_.load(p);
    }
    template <class T>
    COPSE_HOST_DEVICE T load_stream(T const* p) const {
        return w_.load_stream(p);
    }
    template <int N, class T>
    COPSE_HOST_DEVICE std::array<T, N> load_stream_vector(T const* p) const {
        return w_.template load_stream_vector<N>(p);
    }
    COPSE_HOST_DEVICE void fetch_stream(void const* p, std::int64_t bytes) const { w_.fetch_stream(p, bytes); }

  private:
    Worker& w_;
};

template <class Worker>
COPSE_HOST_DEVICE constexpr int warps_of() {
    return Worker::size() > 32 ? Worker::size() / 32 : 1;
}
template <class Worker>
COPSE_HOST_DEVICE COPSE_INLINE int warp_index(Worker const& w) {
    if constexpr (Worker::size() > 32)
        return w.rank() / 32;
    else
        return 0;
}
/// The lane's warp: the worker itself, if it has no other.
template <class Worker>
COPSE_HOST_DEVICE COPSE_INLINE decltype(auto) warp_of(Worker& w) {
    if constexpr (Worker::size() > 32)
        return warp_worker<Worker>(w);
    else
        return (w);
}

/// Memory on chip for items that a worker has at hand, one for each lane. They begin there or 8 bytes behind.
COPSE_HOST_DEVICE constexpr std::size_t at_hand_bytes(int lanes = 32) {
    static_assert(32 * sizeof(listed_leaf) % 16 == 0);
    return static_cast<std::size_t>(lanes) * sizeof(listed_leaf) + 16;
}

/// f(here, loaded) for the items in order, up to one for each lane at once: here[0 .. loaded) on chip. at_hand: on
/// chip, at_hand_bytes(). Items are read as multiples of 16 bytes (plan_direction). Collective, and f must be.
template <class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_batch(listed_leaf const* items, int count, std::byte* at_hand, Worker& w,
                                                   F f) {
    int constexpr most = Worker::size();
    COPSE_NO_UNROLL
    for (; count > 0; count -= most, items += most) {
        int const loaded = count < most ? count : most;
        auto const skipped = static_cast<int>(reinterpret_cast<std::uintptr_t>(items) % 16);
        w.copy_stream(at_hand, reinterpret_cast<std::byte const*>(items) - skipped,
                      (skipped + loaded * static_cast<int>(sizeof(listed_leaf)) + 15) / 16 * 16);
        w.sync();
        f(reinterpret_cast<listed_leaf const*>(at_hand + skipped), loaded);
        w.sync();
    }
}

/// f(mine, item) for the items in order, `at_once` at a time, each for its portion of the lanes; f is called equally
/// often in all lanes, `mine` being false where a lane has none. before(item) in the lanes that will have it, when they
/// come to the one before. Otherwise as for_each_batch().
template <int at_once, class Worker, class Before, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_item(listed_leaf const* items, int count, std::byte* at_hand, Worker& w,
                                                  Before before, F f) {
    int constexpr portion = Worker::size() / at_once;
    for_each_batch(items, count, at_hand, w, [&](listed_leaf const* here, int loaded) {
        COPSE_NO_UNROLL
        for (int i = w.rank() / portion; i - w.rank() / portion < loaded; i += at_once) {
            if (i + at_once < loaded) before(here[i + at_once]);
            f(i < loaded, here[i]);
        }
    });
}

}  // namespace copse::detail
