// The task functions of the scheduler's suite. They count, so that an item lost or run twice is seen.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::tests {

using count_t = std::int64_t;

/// Counts the visits of each item.
template <int Width>
struct visit {
    using item = std::int64_t;
    static constexpr int width = Width;
    count_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[i], 1);
    }
};

/// A tree in heap numbering: node i has the children arity * i + 1 .. arity * i + arity, if they are below `size`.
/// Each lane pushes its own children, or none: pushes come from divergent code.
template <int Width>
struct grow {
    using item = std::int64_t;
    static constexpr int width = Width;
    count_t* visits;
    std::int64_t size;
    std::int64_t arity;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[i], 1);
        for (std::int64_t k = w.rank(); k < arity; k += w.size())
            if (std::int64_t const child = arity * i + 1 + k; child < size) w.template push<grow>(child);
    }
};

/// The same tree, reserved for all children of a node at once.
template <int Width>
struct grow_together {
    using item = std::int64_t;
    static constexpr int width = Width;
    count_t* visits;
    std::int64_t size;
    std::int64_t arity;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[i], 1);
        std::int64_t const first = arity * i + 1;
        std::int64_t const count = first >= size ? 0 : first + arity <= size ? arity : size - first;
        w.template push_n<grow_together>(static_cast<std::uint32_t>(count), [=](std::uint32_t k) { return first + k; });
    }
};

/// Item i pushes the range 100 * i .. 100 * i + i - 1.
template <int Width>
struct push_ranges {
    using item = std::int64_t;
    static constexpr int width = 2;
    count_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.template push_range<visit<Width>>(100 * i, i);
    }
};

/// Item i is the last of a chain when it is 0. The last lane pushes.
struct count_to_zero {
    using item = std::int64_t;
    static constexpr int width = 4;
    static constexpr char const* name = "count to zero";
    count_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[i], 1);
        if (i > 0 && w.rank() == w.size() - 1) w.template push<count_to_zero>(i - 1);
    }
};

/// Each item pushes more than the queue will take.
struct explode {
    using item = std::int64_t;
    static constexpr int width = 4;
    static constexpr char const* name = "explode";
    count_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[0], 1);
        w.template push<explode>(i + 1);
        w.template push<explode>(i + 1);
    }
};

/// Reports failure on one item.
struct fail_on {
    using item = std::int64_t;
    static constexpr int width = 8;
    static constexpr char const* name = "fails";
    count_t* visits;
    std::int64_t bad;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[i], 1);
        if (i == bad && w.rank() == w.size() - 1) w.fail(100 + i);
    }
};

/// Phases: what an earlier phase wrote must be there, all of it, without atomics. `done[p]` counts the items of phase
/// p.
template <int Phase>
struct in_phase {
    using item = std::int64_t;
    static constexpr int width = Phase == 1 ? 32 : 4;
    static constexpr int phase = Phase;
    std::int64_t* written;  // by item and phase
    count_t* errors;
    std::int64_t items;  // of each phase

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if constexpr (Phase > 0) {
            for (std::int64_t k = w.rank(); k < items; k += w.size())
                if (written[(Phase - 1) * items + k] != 10 * k + Phase) w.add(errors, 1);
        }
        if (w.rank() == 0) written[Phase * items + i] = 10 * i + Phase + 1;
        // Its own phase goes on in chains: item i of the first half pushes i + items / 2.
        if (w.rank() == 0 && i < items / 2) w.template push<in_phase>(i + items / 2);
        if constexpr (Phase < 3)
            if (w.rank() == w.size() - 1 && i < items / 2) w.template push<in_phase<Phase + 1>>(i);
    }
};

/// Bottom-up sums over a binary heap of `leaves` leaves: whoever comes second to a node goes on with it. Plain loads
/// and stores: the countdown orders them.
struct sum_up {
    using item = std::int64_t;
    static constexpr int width = 4;
    std::int64_t* sums;
    std::int32_t* waiting;  // 2 per inner node
    std::int64_t leaves;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item node, Worker& w) const {
        if (w.rank() != 0) return;
        if (node < leaves)
            sums[node] = sums[2 * node] + sums[2 * node + 1];
        else
            sums[node] = node;
        if (node > 1 && w.count_down(&waiting[node / 2])) w.template push<sum_up>(node / 2);
    }
};

/// Pushes itself for ever.
struct endless {
    using item = std::int64_t;
    static constexpr int width = 2;
    count_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        if (w.rank() != 0) return;
        w.add(visits, 1);
        w.template push<endless>(i);
    }
};

/// Pushes an item of higher priority for each of its own.
struct urgent {
    using item = std::int64_t;
    static constexpr int width = 1;
    static constexpr int priority = 1;
    count_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        w.add(&visits[i], 1);
    }
};
struct casual {
    using item = std::int64_t;
    static constexpr int width = 1;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        w.template push<urgent>(i);
    }
};

/// Items larger than a word, and of odd size.
struct parcel {
    std::int64_t index;
    char text[13];
    std::uint8_t check;
};

/// More aligned than memory that blocks share.
struct alignas(64) large_parcel {
    parcel inside;
};
COPSE_HOST_DEVICE inline parcel const& contents(parcel const& p) {
    return p;
}
COPSE_HOST_DEVICE inline parcel const& contents(large_parcel const& p) {
    return p.inside;
}

template <class Parcel>
struct open_parcel {
    using item = Parcel;
    static constexpr int width = 16;
    count_t* visits;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& sent, Worker& w) const {
        parcel const p = contents(sent);
        bool intact = p.check == static_cast<std::uint8_t>(p.index * 7);
        for (int k = 0; k < 13; ++k) intact = intact && p.text[k] == static_cast<char>(p.index + k);
        if (w.rank() == 0 && intact) w.add(&visits[p.index], 1);
    }
};

COPSE_HOST_DEVICE inline parcel make_parcel(std::int64_t index) {
    parcel p{index, {}, static_cast<std::uint8_t>(index * 7)};
    for (int k = 0; k < 13; ++k) p.text[k] = static_cast<char>(index + k);
    return p;
}

struct send_parcels {
    using item = std::uint8_t;
    static constexpr int width = 32;
    std::int64_t count;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item first, Worker& w) const {
        for (std::int64_t k = w.rank(); k < count; k += w.size()) {
            w.template push<open_parcel<parcel>>(make_parcel(first + k));
            w.template push<open_parcel<large_parcel>>({make_parcel(first + k)});
        }
    }
};

}  // namespace copse::tests
