// A task's queue: a ring, a second ring that takes what the first cannot (the spill list), and a list of ranges.
//
// Who may call: anybody, at any time. Items come out first in, first out as far as several consumers allow it; spilled
// ones later.
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

/// Room for `main.count + spill.count` items, main first.
struct queue_reservation {
    ring_positions main;
    ring_positions spill;
    COPSE_HOST_DEVICE std::uint32_t count() const { return main.count + spill.count; }
};

enum class claim_source : std::uint32_t { main, spill, range };

/// Items 0 .. count - 1 of the claim belong to the caller.
struct queue_claim {
    std::uint64_t first;
    std::uint32_t count;
    claim_source source;
    claim_status status;
};

template <class Item, class Machine>
struct queue_view {
    ring_view<Item, Machine> main;
    ring_view<Item, Machine> spill;
    range_list_view<Machine> ranges;
    queue_statistics* statistics;

    COPSE_HOST_DEVICE queue_reservation try_reserve(std::uint32_t wanted) const {
        ring_positions const first = main.try_reserve(wanted);
        if (first.count == wanted) return {first, {0, 0}};
        return {first, spill.try_reserve(wanted - first.count)};
    }

    /// Publishes item `index` of a reservation.
    COPSE_HOST_DEVICE void write(queue_reservation const& room, std::uint32_t index, Item const& item) const {
        if (index < room.main.count)
            main.write(room.main.first + index, item);
        else
            spill.write(room.spill.first + (index - room.main.count), item);
    }

    COPSE_HOST_DEVICE queue_claim try_claim(claim_size const& items, claim_size const& of_range) const {
        ring_claim const from_main = main.try_claim(items);
        if (from_main.status != claim_status::empty)
            return {from_main.positions.first, from_main.positions.count, claim_source::main, from_main.status};
        ring_claim const from_spill = spill.try_claim(items);
        if (from_spill.status != claim_status::empty)
            return {from_spill.positions.first, from_spill.positions.count, claim_source::spill, from_spill.status};
        range_claim const from_range = ranges.try_claim(of_range);
        return {static_cast<std::uint64_t>(from_range.first), from_range.count, claim_source::range, from_range.status};
    }

    /// Several lanes may read the same item; one of them then calls `release`.
    COPSE_HOST_DEVICE Item read(queue_claim const& claim, std::uint32_t index) const {
        if (claim.source == claim_source::main) return main.read(claim.first + index);
        if (claim.source == claim_source::spill) return spill.read(claim.first + index);
        return item_of_range(claim.first + index);
    }

    COPSE_HOST_DEVICE void release(queue_claim const& claim, std::uint32_t index) const {
        if (claim.source == claim_source::main)
            main.release(claim.first + index);
        else if (claim.source == claim_source::spill)
            spill.release(claim.first + index);
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
        if (claim.source == claim_source::main)
            main.give_back(claim.count);
        else if (claim.source == claim_source::spill)
            spill.give_back(claim.count);
    }

    COPSE_HOST_DEVICE std::int64_t approximate_fill() const {
        return main.approximate_fill() + spill.approximate_fill() +
               ranges.approximate_fill();
    }

    COPSE_HOST_DEVICE std::int64_t capacity() const { return std::int64_t{main.capacity} + spill.capacity; }

    /// Once the run is over.
    COPSE_HOST_DEVICE queue_figures figures() const {
        return {*statistics, main.counters->peak + spill.counters->peak, capacity()};
    }
};

}  // namespace copse
