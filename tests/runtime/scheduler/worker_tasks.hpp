// The task functions of the worker's suite: each writes down what it got, for the host to compare.
#pragma once

#include <array>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/push_one_of.hpp>
#include <cstdint>
#include <type_traits>

namespace copse::tests {

/// A number that depends on item and lane, below 1000.
COPSE_HOST_DEVICE constexpr std::int64_t value_of(std::int64_t item, int lane) {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(item * 131 + lane + 1) * 2654435761u >> 7) % 1000);
}

/// x -> scale * x + offset modulo 2^16. Composition is associative but not commutative.
struct affine {
    std::uint32_t scale;
    std::uint32_t offset;
    friend bool operator==(affine const&, affine const&) = default;
};
COPSE_HOST_DEVICE constexpr affine then(affine first, affine second) {
    return {first.scale * second.scale & 0xffff, (first.offset * second.scale + second.offset) & 0xffff};
}
COPSE_HOST_DEVICE constexpr affine affine_of(std::int64_t item, int lane) {
    auto const v = static_cast<std::uint32_t>(value_of(item, lane));
    return {2 * v + 1, v * v};
}

/// What one lane of one item got.
struct lane_record {
    std::int32_t size;
    std::int32_t rank;
    std::int64_t sum;
    double largest;
    affine composed;
    std::int64_t from_other_lane;
    std::int64_t from_lane_zero;
    // Lanes whose value is even, and lanes with the same value modulo 3; workers of more than 32 lanes: 0.
    std::uint32_t even;
    std::uint32_t same;
    bool any;  // whether a lane's value is a multiple of 40
    // The same among the lanes of the warp.
    std::int32_t warp_size;
    std::int32_t warp_rank;
    std::uint32_t warp_even;
    std::uint32_t warp_same;
    std::int64_t warp_shuffled;
    bool warp_any;
};

struct add_values {
    template <class T>
    COPSE_HOST_DEVICE T operator()(T a, T b) const {
        return a + b;
    }
};
struct larger_value {
    template <class T>
    COPSE_HOST_DEVICE T operator()(T a, T b) const {
        return a < b ? b : a;
    }
};
struct compose {
    COPSE_HOST_DEVICE affine operator()(affine a, affine b) const { return then(a, b); }
};

template <int Width>
struct collectives {
    using item = std::int64_t;
    static constexpr int width = Width;
    lane_record* records;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        lane_record r{};
        r.size = w.size();
        r.rank = w.rank();
        std::int64_t const mine = value_of(i, w.rank());
        r.sum = w.reduce(mine, add_values());
        r.largest = w.reduce(static_cast<double>(mine) / 4, larger_value());
        r.composed = w.inclusive_scan(affine_of(i, w.rank()), compose());
        r.from_other_lane = w.shuffle(mine, (w.rank() * 5 + 3) % w.size());
        r.from_lane_zero = w.shuffle(mine, 0);
        r.any = w.any(mine % 40 == 0);
        if constexpr (Width <= 32) {
            r.even = w.lanes_where(mine % 2 == 0);
            r.same = w.lanes_with(static_cast<int>(mine % 3));
        }
        auto const& warp = w.warp();
        r.warp_size = warp.size();
        r.warp_rank = warp.rank();
        for (int round = w.rank() / 32; round >= 0; --round)  // some warps more often than others
            r.warp_same = warp.lanes_with(static_cast<int>(mine % 3));
        r.warp_even = warp.lanes_where(mine % 2 == 0);
        r.warp_shuffled = warp.shuffle(mine, (warp.rank() * 3 + 1) % warp.size());
        r.warp_any = warp.any(mine % 40 == 0);
        records[i * Width + w.rank()] = r;
    }
};

/// Rounds through scratch memory: each lane reads what its neighbour wrote. Writes down the last round's.
template <int Width>
struct pass_round {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = Width * sizeof(std::int64_t);
    std::int64_t* out;
    int rounds;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto cells = w.template scratch<std::int64_t>(w.size());
        std::int64_t mine = value_of(i, w.rank());
        for (int round = 0; round < rounds; ++round) {
            cells[w.rank()] = mine;
            w.sync();
            mine = cells[(w.rank() + 1) % w.size()] + 1;
            w.sync();
        }
        out[i * Width + w.rank()] = mine;
    }
};

/// Atomic additions to elements that all items share, of every type that has them.
template <int Width>
struct add_to_all {
    using item = std::int64_t;
    static constexpr int width = Width;
    std::int32_t* int32;
    std::int64_t* int64;
    float* float32;
    double* float64;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        for (int k = w.rank(); k < 64; k += w.size()) {
            w.add(int32, 1);
            w.add(&int64[i % 3], i);
            w.add(float32, 1);
            w.add(&float64[k % 5], 0.5);
        }
    }
};

/// Three times each element, one by one and by two kinds of loads of N (the third kind loads 16 bytes); stored by N,
/// from the back to the front.
template <class T, int N, int Width>
struct copy_by_vectors {
    using item = std::int64_t;
    static constexpr int width = Width;
    T const* from;
    T* to;
    std::int64_t count;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker& w) const {
        for (std::int64_t k = N * w.rank(); k < count; k += N * w.size()) {
            std::array<T, N> const once = w.template load_stream_vector<N>(from + k);
            std::array<T, N> again = w.template load_vector<N>(from + k);
            if constexpr (N * sizeof(T) == 16)
                if (k % (3 * N) == 0) again = w.template load_line_vector<N>(from + k);
            std::array<T, N> sums;
            for (std::size_t j = 0; j < N; ++j) {
                T const* const p = from + k + static_cast<int>(j);
                sums[N - 1 - j] = static_cast<T>((j % 2 == 0 ? w.load_stream(p) : w.load(p)) + once[j] + again[j]);
            }
            w.store_vector(to + (count - N - k), sums);
        }
    }
};

/// Backwards, by way of memory on chip.
template <int Width>
struct copy_through_scratch {
    using item = std::int64_t;
    static constexpr int width = Width, count = 150;
    static constexpr std::size_t scratch_bytes = count * sizeof(std::int64_t);
    std::int64_t const* from;
    std::int64_t* to;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker& w) const {
        auto const on_chip = w.template scratch<std::int64_t>(count);
        w.copy_stream(reinterpret_cast<std::byte*>(on_chip.data()), reinterpret_cast<std::byte const*>(from),
                      static_cast<int>(scratch_bytes));
        w.sync();
        for (int i = w.rank(); i < count; i += w.size()) to[i] = on_chip[count - 1 - i];
    }
};

/// The same in pieces, of which the next one is on its way while one is read.
template <int Width>
struct copy_in_pieces {
    using item = std::int64_t;
    static constexpr int width = Width, piece = 18, pieces = 5, count = piece * pieces, bulk_copies = 2;
    static constexpr std::size_t piece_bytes = piece * sizeof(std::int64_t), scratch_bytes = bulk_copies * piece_bytes;
    std::int64_t const* from;
    std::int64_t* to;  // count elements for each item

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto const on_chip = w.template scratch<std::int64_t>(bulk_copies * piece);
        auto const begin = [&](int k) {
            if (k < pieces)
                w.copy_bulk(k % bulk_copies,
                            reinterpret_cast<std::byte*>(on_chip.part(k % bulk_copies * piece, piece).data()),
                            reinterpret_cast<std::byte const*>(from + k * piece), static_cast<int>(piece_bytes));
        };
        begin(0);
        for (int k = 0; k < pieces; ++k) {
            begin(k + 1);
            w.wait_bulk(k % bulk_copies);
            for (int j = w.rank(); j < piece; j += w.size())
                to[(i + 1) * count - 1 - k * piece - j] = on_chip[k % bulk_copies * piece + j];
            w.sync();
        }
    }
};

/// The lanes of a worker take different ways: some push to one task, some to another, some count down, some do nothing.
template <int Width>
struct diverge {
    using item = std::int64_t;
    static constexpr int width = Width;
    std::int64_t* visits;
    std::int64_t* counters;  // by item: counts the lanes down

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const;
};

template <int Width>
struct arrive {
    using item = std::int64_t;
    static constexpr int width = Width;
    std::int64_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[i], 1);
    }
};

template <int Width>
template <class Worker>
COPSE_HOST_DEVICE void diverge<Width>::operator()(item i, Worker& w) const {
    // Each worker has 400 places: 3 * rank for the first way, 3 * rank + 1 for the second, 399 for the last to count
    // down.
    std::int64_t const places = 400 * i;
    if (w.rank() % 3 == 0)
        w.template push<arrive<1>>(places + 3 * w.rank());
    else if (w.rank() % 3 == 1)
        w.template push<arrive<32>>(places + 3 * w.rank() + 1);
    w.sync();
    if (w.rank() % 2 == 0)
        if (w.count_down(&counters[i])) w.template push<arrive<1>>(places + 399);
}

/// Lane r of item i pushes place 400 * i + r into one of three bins, or nowhere.
template <int Width>
struct sort_into_bins {
    using item = std::int64_t;
    static constexpr int width = Width;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        std::int64_t const place = 400 * i + w.rank();
        push_one_of<arrive<1>, arrive<32>, arrive<8>>(w, static_cast<int>(value_of(i, w.rank()) % 4), place);
    }
};

}  // namespace copse::tests
