// The task functions of the worker's suite that sum into tiles.
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/add_in_order.hpp>
#include <cstddef>
#include <cstdint>
#include <runtime/scheduler/worker_tasks.hpp>

namespace copse::tests {

inline constexpr int tile_size = 40;
template <class T>
struct on_chip {
    static constexpr std::size_t bytes = tile_size * sizeof(T);  // for each warp
};
struct off_chip {
    static constexpr std::size_t bytes = 0;
};

/// Item i adds to target[8 * i .. 8 * i + 40): stretches of neighbours overlap.
template <class T, int Width, class Where>
struct add_to_tile {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = (Width + 31) / 32 * Where::bytes;
    T* target;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto tile = w.tile(target + 64 * (i / 8), tile_size);
        for (int first = 0; first < 3 * tile_size; first += w.size()) {
            int const k = first + w.rank();
            tile.add(k < 3 * tile_size ? k * 7 % tile_size : -1, static_cast<T>(value_of(i, k)));
        }
        tile.close();
        auto again = w.tile(target + 64 * (i / 8), tile_size);
        again.add(w.rank() == w.size() - 1 ? 0 : -1, T(1));
        w.sync();
        for (int round = 0; round < 2; ++round) {  // another lane's element in each
            for (int k = (w.rank() + round) % w.size(); k < tile_size; k += w.size())
                again.add_alone(k, static_cast<T>(k));
            w.sync();
        }
        again.close();
    }
};

/// Adds k + 1 to target[k] for the k < count that `touches` has; twice, by a tile of its own each time.
template <class T, int Width>
struct add_to_some {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = (Width + 31) / 32 * on_chip<T>::bytes;
    T* target;
    int count;
    std::uint64_t touches;  // bit k modulo 40

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker& w) const {
        for (int round = 0; round < 2; ++round) {
            auto tile = w.tile(target, count);
            for (int k = w.rank(); k < count; k += w.size())
                if ((touches >> k % 40 & 1) != 0) tile.add_alone(k, static_cast<T>(k + 1));
            tile.close();
        }
    }
};

/// Item i adds to target[tile_size * i ..), what does not add up to the same in another order.
template <int Width>
struct add_in_turns {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = (Width + 31) / 32 * on_chip<double>::bytes;
    double* target;

    static COPSE_HOST_DEVICE int place_of(int lane, int round) { return (lane / 3 + round) % 5; }
    static COPSE_HOST_DEVICE double summand_of(int lane, int round) {
        return (lane % 2 == 0 ? 1 : -0.875) * static_cast<double>(std::int64_t{1} << (lane * 11 + round * 5) % 61);
    }

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto tile = w.tile(target + tile_size * i, tile_size);
        for (int round = 0; round < 4; ++round)
            tile.add(w.rank() % 7 == 6 ? -1 : place_of(w.rank(), round), summand_of(w.rank(), round));
        tile.close();
    }
};

/// The same rounds by add_in_order, where those who meet join what they have.
template <int Width>
struct add_joined {
    using item = std::int64_t;
    using rounds = add_in_turns<Width>;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = on_chip<double>::bytes;
    double* target;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto const sums = w.template scratch<double>(tile_size);
        for (int k = w.rank(); k < tile_size; k += w.size()) sums[k] = 0;
        w.sync();
        for (int round = 0; round < 4; ++round)
            detail::add_in_order<detail::conflicts::joined>(sums,
                                                            w.rank() % 7 == 6 ? -1 : rounds::place_of(w.rank(), round),
                                                            rounds::summand_of(w.rank(), round), w);
        for (int k = w.rank(); k < tile_size; k += w.size()) target[tile_size * i + k] = sums[k];
    }
};

}  // namespace copse::tests
