// The lanes that make up an emulated worker, and what they do together (on a GPU: gpu/lanes.cuh).
//
//   emulated_lanes<Size, circle>    a worker, or one warp of a wide one
//   emulated_push_group             the lanes of a warp that push now, whichever they are
#pragma once

#include <copse/runtime/emulated/grid.hpp>
#include <cstdint>
#include <string>

namespace copse::detail {

/// What lanes do together, whether they are a worker or one warp of a wide one.
template <int Size, lane_circle Who>
class emulated_lanes {
  public:
    explicit emulated_lanes(emulated_lane& lane) : lane_(lane) {}

    int rank() const { return lane_.worker_rank() % Size; }
    static constexpr int size() { return Size; }
    void sync() const { lane_.meet_circle(Who, collective::sync); }
    bool any(bool b) const {
        lane_.post(Who, collective::any, b);
        for (int lane = 0; lane < Size; ++lane)
            if (lane_.posted_by<bool>(Who, lane)) return true;
        return false;
    }
    template <class T>
    T shuffle(T value, int source) const {
        if (source < 0 || source >= Size) lane_.misuse("shuffle() from lane " + std::to_string(source));
        lane_.post(Who, collective::shuffle, value);
        return lane_.posted_by<T>(Who, source);
    }
    template <class T, class Op>
    T reduce(T value, Op op) const {
        lane_.post(Who, collective::reduce, value);
        return fold<T>(op, Size);
    }
    template <class T, class Op>
    T inclusive_scan(T value, Op op) const {
        lane_.post(Who, collective::inclusive_scan, value);
        return fold<T>(op, rank() + 1);
    }
    std::uint32_t lanes_where(bool b) const {
        lane_.post(Who, collective::lanes_where, b);
        return lanes_that_posted(true);
    }
    std::uint32_t lanes_with(int label) const {
        lane_.post(Who, collective::lanes_with, label);
        return lanes_that_posted(label);
    }
    /// For add_in_order().
    std::uint32_t lanes_alike(int label) const {
        std::uint32_t const alike = lanes_with(label < 0 ? label : label % (4 * Size));
        return label < 0 ? 1u << rank() : alike;
    }

    auto warp() const {
        if constexpr (Size <= 32)
            return *this;
        else
            return emulated_lanes<32, lane_circle::warp>(lane_);
    }

  protected:
    emulated_lane& lane_;

  private:
    template <class T, class Op>
    T fold(Op op, int lanes) const {
        T result = lane_.posted_by<T>(Who, 0);
        for (int lane = 1; lane < lanes; ++lane) result = op(result, lane_.posted_by<T>(Who, lane));
        return result;
    }
    template <class T>
    std::uint32_t lanes_that_posted(T value) const {
        static_assert(Size <= 32, "copse: lanes_where() and lanes_with() are for workers of at most 32 lanes");
        std::uint32_t lanes = 0;
        for (int lane = 0; lane < Size; ++lane)
            if (lane_.posted_by<T>(Who, lane) == value) lanes |= 1u << lane;
        return lanes;
    }
};

/// Lanes of a warp that push at the same time, as the gpu's coalesced threads do.
class emulated_push_group {
  public:
    emulated_push_group(emulated_lane& lane, int queue) : lane_(lane), members_(lane.join_push(queue)) {}
    std::uint32_t rank() const { return members_.rank; }
    /// Known to rank 0 only.
    std::uint32_t size() const { return members_.size; }
    template <class T>
    T broadcast(T const& value) const {
        if (!members_.gate) return value;
        if (members_.rank > 0) return lane_.take_from<T>(members_);
        lane_.post_to(members_, value);
        return value;
    }

  private:
    emulated_lane& lane_;
    push_membership members_;
};

}  // namespace copse::detail
