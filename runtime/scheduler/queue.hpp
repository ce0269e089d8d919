// A task's queue: a ring of items, and a list of ranges.
//
// Who may call: anybody, at any time. Items come out first in, first out as far as several consumers allow; ranges when
// no item waits. (A second ring, for what a smaller first one cannot take, was no faster on a CPU: each step asks
// both.)
#pragma once

#include <copse/runtime/scheduler/range_list.hpp>
#include <copse/runtime/scheduler/ring.hpp>
#include <cstdint>
#include <type_traits>

namespace copse {

struct queue_statistics {
    std::uint64_t items;           // whose function has run
    std::uint64_t batches;         // claims that got something
    std::uint64_t launches;        // kernels started for the queue
    std::uint64_t started_blocks;  // blocks of those kernels that have begun
    std::uint64_t nanoseconds;
};

/// What a run's report says of a queue, as plain numbers.
struct queue_figures {
    queue_statistics done;
    std::int64_t peak_fill;
    std::int64_t capacity;
};

enum class claim_source : std::uint32_t { ring, range };

/// Items 0 .. count - 1 of the claim belong to the caller.
struct queue_claim {
    std::uint64_t first;
    std::uint32_t count;
    claim_source source;
    claim_status status;
};

template <class Item, class Machine>
struct queue_view {
    ring_view<Item, Machine> ring;
    range_list_view<Machine> ranges;
    queue_statistics* statistics;

    COPSE_HOST_DEVICE queue_claim try_claim(claim_size const& items, claim_size const& of_range) const {
        ring_claim const from_ring = ring.try_claim(items);
        if (from_ring.status != claim_status::empty)
            return {from_ring.positions.first, from_ring.positions.count, claim_source::ring, from_ring.status};
        range_claim const from_range = ranges.try_claim(of_range);
        return {static_cast<std::uint64_t>(from_range.first), from_range.count, claim_source::range, from_range.status};
    }

    /// Several lanes may read the same item; one of them then calls `release`.
    COPSE_HOST_DEVICE Item read(queue_claim const& claim, std::uint32_t index) const {
        return claim.source == claim_source::ring ? ring.read(claim.first + index) : item_of_range(claim.first + index);
    }

    COPSE_HOST_DEVICE void release(queue_claim const& claim, std::uint32_t index) const {
        if (claim.source == claim_source::ring) ring.release(claim.first + index);
    }

    /// What `read` says of a claim from a range: its items are numbers.
    COPSE_HOST_DEVICE static Item item_of_range(std::uint64_t index) {
        if constexpr (std::is_convertible_v<std::int64_t, Item>)
            return static_cast<Item>(static_cast<std::int64_t>(index));
        else
            return Item{};  // never reached: push_range refuses such items when it is compiled
    }

    /// Room for others: when every item of the claim has been copied out, or is about to be (ring.hpp).
    COPSE_HOST_DEVICE void give_back(queue_claim const& claim) const {
        if (claim.source == claim_source::ring) ring.give_back(claim.count);
    }

    COPSE_HOST_DEVICE std::int64_t approximate_fill() const {
        return ring.approximate_fill() + ranges.approximate_fill();
    }

    /// Once the run is over.
    COPSE_HOST_DEVICE queue_figures figures() const { return {*statistics, ring.counters->peak, ring.capacity}; }
};

}  // namespace copse
