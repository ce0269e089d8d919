// The task functions of the worker's suite that sum into tiles.
#pragma once

#include <array>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/add_in_order.hpp>
#include <copse/runtime/worker.hpp>
#include <cstddef>
#include <cstdint>
#include <runtime/scheduler/atomic_tasks.hpp>
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
        again.add(w.rank() == 0 ? tile_size - 2 : -1, std::array<T, 2>{T(3), T(5)});
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

enum class closed { first_to_last, last_to_first, by_themselves, in_turns };

/// Item i opens two tiles, which may overlap and whose scratch lies side by side, and has other scratch behind them.
/// in_turns: a third one before the second is closed, over and over, until there would be no room if any were lost.
template <class T, int Width, closed How, bool HasScratch>
struct add_to_tiles {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t tile_bytes = (Width + 31) / 32 * on_chip<T>::bytes, others = 8;
    static constexpr std::size_t scratch_bytes = HasScratch ? 2 * tile_bytes + others * sizeof(T) : 0;
    T* target;

    static COPSE_HOST_DEVICE int first_of(item i) { return static_cast<int>(i % 4) * 10; }
    static COPSE_HOST_DEVICE int second_of(item i) { return 100 - static_cast<int>(i % 4) * 30; }
    static constexpr int rounds = How == closed::in_turns ? 5 : 1;

    template <class Tile, class Worker>
    static COPSE_HOST_DEVICE void add_ramp(Tile& tile, T factor, Worker& w) {
        for (int first = 0; first < tile_size; first += w.size()) {
            int const k = first + w.rank();
            tile.add(k < tile_size ? k : -1, static_cast<T>(factor * static_cast<T>(k)));
        }
    }

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        for (int round = 0; round < rounds; ++round) {
            auto first = w.tile(target + first_of(i), tile_size);
            add_ramp(first, T(1), w);
            auto second = w.tile(target + second_of(i), tile_size);
            add_ramp(second, T(2), w);
            if constexpr (HasScratch) {
                auto const own = w.template scratch<T>(others);
                if (w.rank() == 0)
                    for (int k = 0; k < static_cast<int>(others); ++k) own[k] = T(1);
                w.sync();
                add_ramp(first, own[5], w);
            }
            if constexpr (How == closed::first_to_last) {
                first.close();
                second.close();
            } else if constexpr (How == closed::last_to_first) {
                second.close();
                first.close();
            } else if constexpr (How == closed::in_turns) {
                second.close();
                auto third = w.tile(target + second_of(i), tile_size);
                first.close();
                add_ramp(third, T(3), w);
                if (round % 2 == 0) third.close();
            }
        }
    }
};

/// Item i takes the least of its samples into one tile, and the largest into another that is open at the same time.
template <class T, int Width, bool HasScratch>
struct fold_into_tiles {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = HasScratch ? 2 * ((Width + 31) / 32) * on_chip<T>::bytes : 0;
    T* least;
    T* most;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto of_least = w.tile(least + 5 * (i % 3), tile_size, min_op());
        auto of_most = w.tile(most + 5 * (i % 3), tile_size, max_op());
        for (int first = 0; first < 64; first += w.size()) {
            int const k = first + w.rank();
            int const place = k < 64 && k % 8 != 3 ? k * 7 % tile_size : -1;
            of_least.add(place, sample_of<T>(i, k));
            of_most.add(place, sample_of<T>(i, k));
        }
        of_least.close();
        w.sync();
        if (w.rank() == 0) of_most.add_alone(1, sample_of<T>(i, 99));
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

}  // namespace copse::tests
