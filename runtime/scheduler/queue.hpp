// A task's queue: a ring of items (ring.hpp), and a list of ranges. One entry of the list stands for many alike items,
// (first, count), claimed in chunks: a million tiles are one entry.
//
//   ranges[0] ranges[1] ...       appended at tail, used up at head, never reused within a run
//   { first, count, next }        items first + next .. first + count - 1 are still to be claimed
//
// Entries are not recycled, so a claimant may read an entry that others have just used up: no tickets are needed.
// Zeroed memory is an empty list.
//
// Who may call: anybody, at any time. Items come out first in, first out as far as several consumers allow; ranges when
// no item waits. (A second ring, for what a smaller first one cannot take, was no faster on a CPU: each step asks
// both.)
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/ring.hpp>
#include <cstdint>
#include <type_traits>

namespace copse {

struct range_entry {
    std::int64_t first;
    std::int64_t count;
    std::int64_t next;
    std::uint32_t published;
};

struct range_counters {
    alignas(128) std::uint32_t tail;
    std::int64_t pushed;  // items of all entries
    alignas(128) std::uint32_t head;
    std::int64_t passed;  // items of the entries before head
};

/// Items first .. first + count - 1 now belong to the caller.
struct range_claim {
    std::int64_t first;
    std::uint32_t count;
    claim_status status;
};

template <class Machine>
struct range_list_view {
    range_counters* counters;
    range_entry* entries;
    std::uint32_t capacity;

    /// False when the list is full. `announce()` is called before the entry becomes visible.
    template <class Announce>
    COPSE_HOST_DEVICE bool try_push(std::int64_t first, std::int64_t count, Announce announce) const {
        std::uint32_t const index = Machine::add_relaxed(&counters->tail, std::uint32_t{1});
        if (index >= capacity) {
            Machine::add_relaxed(&counters->tail, ~std::uint32_t{0});  // minus one: the position was not ours
            return false;
        }
        announce();
        Machine::add_relaxed(&counters->pushed, count);
        entries[index].first = first;
        entries[index].count = count;
        if constexpr (requires { Machine::published_range(counters); }) Machine::published_range(counters);
        // Pairs with the acquire in try_claim; `next` is zero from the start.
        Machine::store_release(&entries[index].published, std::uint32_t{1});
        return true;
    }

    COPSE_HOST_DEVICE range_claim try_claim(claim_size const& size) const {
        std::uint32_t const head = Machine::load_acquire(&counters->head);
        if (head >= length()) return {0, 0, claim_status::empty};
        range_entry* const entry = &entries[head];
        if (Machine::load_acquire(&entry->published) == 0) return {0, 0, claim_status::contended};
        if (std::int64_t const seen = Machine::load_relaxed(&entry->next); seen < entry->count) {
            std::uint32_t const wanted = size.of(entry->count - seen);
            std::int64_t const taken = Machine::add_relaxed(&entry->next, std::int64_t{wanted});
            std::int64_t const left = entry->count - taken;
            if (left > 0) {
                return {entry->first + taken, left < wanted ? static_cast<std::uint32_t>(left) : wanted,
                        claim_status::claimed};
            }
        }
        // The entry is used up. The first claimant to see that moves head to the next one.
        if (Machine::exchange_if(&counters->head, head, head + 1) == head)
            Machine::add_relaxed(&counters->passed, entry->count);
        return {0, 0, claim_status::contended};
    }

    /// For launch decisions: items that are left, in all entries. Exact while nobody claims or pushes.
    COPSE_HOST_DEVICE std::int64_t approximate_fill() const {
        std::int64_t left = Machine::load_relaxed(&counters->pushed) - Machine::load_relaxed(&counters->passed);
        std::uint32_t const head = Machine::load_relaxed(&counters->head);
        if (head < length() && Machine::load_acquire(&entries[head].published) != 0) {
            std::int64_t const taken = Machine::load_relaxed(&entries[head].next), count = entries[head].count;
            left -= taken < count ? taken : count;
        }
        return left > 0 ? left : 0;
    }

  private:
    COPSE_HOST_DEVICE std::uint32_t length() const {
        std::uint32_t const tail = Machine::load_relaxed(&counters->tail);
        return tail < capacity ? tail : capacity;
    }
};

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
