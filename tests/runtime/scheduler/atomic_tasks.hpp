// The task functions of the worker's suite for min, max and exchange_if, and for what a pushed item sees.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>
#include <limits>
#include <runtime/scheduler/worker_tasks.hpp>
#include <type_traits>

namespace copse::tests {

/// Numbers of both signs; of floating-point ones also NaN of both signs, zeros of both and an infinity.
template <class T>
COPSE_HOST_DEVICE T sample_of(std::int64_t item, int k) {
    std::int64_t const v = value_of(item, k);
    if constexpr (std::is_floating_point_v<T>) {
        T const zero = 0, nan = std::numeric_limits<T>::quiet_NaN();
        if (v % 11 == 0) return v % 2 == 0 ? nan : -nan;
        if (v % 11 == 1) return v % 2 == 0 ? zero : -zero;
        if (v % 97 == 2) return (v % 2 == 0 ? 1 : -1) * std::numeric_limits<T>::infinity();
        return static_cast<T>(v - 500) / 8;
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<T>((v - 500) * (std::numeric_limits<T>::max() / 512));
    } else {
        return static_cast<T>(v * (std::numeric_limits<T>::max() / 1024));
    }
}

inline constexpr int fold_places = 7;

/// The least and the largest sample of each place, in memory that all items share and in scratch.
template <class T, int Width>
struct fold_samples {
    using item = std::int64_t;
    static constexpr int width = Width;
    static constexpr std::size_t scratch_bytes = sizeof(T);
    T* least;    // by k % 7
    T* most;     // the same
    T* of_item;  // the least of each item

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto const own = w.template scratch<T>(1);
        if (w.rank() == 0) own[0] = sample_of<T>(i, 0);
        w.sync();
        for (int k = w.rank(); k < 64; k += w.size()) {
            w.min(&least[k % fold_places], sample_of<T>(i, k));
            w.max(&most[k % fold_places], sample_of<T>(i, k));
            w.min(own.data(), sample_of<T>(i, k));
        }
        w.sync();
        if (w.rank() == 0) of_item[i] = own[0];
    }
};

/// Counts by exchange_if alone, and lets one lane of all win each place. Lanes that lose read what the winner wrote.
template <class T, int Width>
struct exchange {
    using item = std::int64_t;
    static constexpr int width = Width;
    T* counter;
    T* winners;            // by place; -1: none yet
    std::int64_t* papers;  // of each lane
    std::int32_t* wins;
    std::int32_t* errors;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        T seen = 0;
        for (T before = w.exchange_if(counter, seen, seen + 1); before != seen;
             before = w.exchange_if(counter, seen, seen + 1))
            seen = before;
        std::int64_t const lane = i * Width + w.rank();
        papers[lane] = 3 * lane + 1;
        T const before = w.exchange_if(&winners[lane % 5], T(-1), static_cast<T>(lane));
        if (before == T(-1))
            w.add(wins, 1);
        else if (papers[static_cast<std::int64_t>(before)] != 3 * static_cast<std::int64_t>(before) + 1)
            w.add(errors, 1);
    }
};

/// Reads what was written before it was pushed: papers[first .. first + count).
struct read_papers {
    struct item {
        std::int64_t first;
        std::int32_t count;
    };
    static constexpr int width = 8;
    std::int64_t const* papers;
    std::int32_t* read;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        for (std::int64_t k = i.first + w.rank(); k < i.first + i.count; k += w.size())
            if (papers[k] == 3 * k + 1) w.add(read, 1);
    }
};
struct read_one_paper {
    using item = std::int64_t;
    static constexpr int width = 1;
    read_papers all;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        all(read_papers::item{i, 1}, w);
    }
};

/// Each lane writes, and the items that are pushed afterwards read: the lane's own by push(), all lanes' after a sync.
template <int Width>
struct write_papers {
    using item = std::int64_t;
    static constexpr int width = Width;
    std::int64_t* papers;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        std::int64_t const first = i * Width, mine = first + w.rank();
        papers[mine] = 3 * mine + 1;
        w.template push<read_papers>({mine, 1});
        w.sync();
        if (w.rank() == w.size() - 1) {
            w.template push<read_papers>({first, w.size()});
            w.template push_range<read_one_paper>(first, w.size());
        }
        w.template push_n<read_papers>(2, [=](std::uint32_t) { return read_papers::item{first, Worker::size()}; });
    }
};

/// An item of Bytes bytes, which all follow from the first.
template <int Bytes, int Alignment>
struct alignas(Alignment) sized_item {
    unsigned char bytes[Bytes];

    static COPSE_HOST_DEVICE sized_item of(int number) {
        sized_item made{};
        for (int k = 0; k < Bytes; ++k) made.bytes[k] = static_cast<unsigned char>(number + 37 * k);
        return made;
    }
    COPSE_HOST_DEVICE bool is_whole() const {
        bool whole = true;
        for (int k = 0; k < Bytes; ++k) whole = whole && bytes[k] == static_cast<unsigned char>(bytes[0] + 37 * k);
        return whole;
    }
};

/// Items 0 .. 200 as a binary tree; visits[255] counts what arrived changed.
template <int Bytes, int Alignment, int Width>
struct carry_items {
    using item = sized_item<Bytes, Alignment>;
    static constexpr int width = Width;
    std::int32_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        int const n = i.bytes[0];
        if (w.rank() == 0) w.add(&visits[i.is_whole() ? n : 255], 1);
        if (n >= 100)
            return;
        else if (n % 2 == 0)
            w.template push_n<carry_items>(2,
                                           [=](std::uint32_t k) { return item::of(2 * n + 1 + static_cast<int>(k)); });
        else if (w.rank() == 0)
            for (int k = 1; k <= 2; ++k) w.template push<carry_items>(item::of(2 * n + k));
    }
};

}  // namespace copse::tests
