// The bounded ticket ring under every task queue.
//
//   counters   credits   items reserved whose room is not given back: a producer takes credits first
//              available items reserved and not yet promised to a consumer, who takes of them first
//              tail      next position to write        head   next position to read
//   slot i     tickets[i] = 2 * lap        free for the producer of that lap
//                         = 2 * lap + 1    written, for the consumer of that lap      (lap = position / capacity)
//              items[i]
//
// Any thread may call any function. A reservation or a claim covers many items with one atomic operation on tail or
// head. The waits inside are short and cannot deadlock: `write` waits for a consumer that has claimed the slot's
// previous item and is copying it out (credits guarantee that it has been claimed), `read` for a producer between its
// reservation and its publication. Neither waits for a task to run. No step is tried again when others were faster:
// where a thousand blocks draw from one queue, a compare-and-swap on `head` succeeds once in its latency, for all of
// them together (0.75 microseconds on an H100). Zeroed memory is an empty ring. The tickets are
// those of D. Vyukov's bounded queue with laps instead of positions, so that a capacity of one works; credits and
// batched claims are as in the broker queue (Kerbl et al., ICS'18) that followed the queue the paper uses (hisparse
// §4.1, [29]).
#pragma once

#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace copse {

/// Apart from one another: producers and consumers must not share a line.
struct ring_counters {
    alignas(128) std::int64_t credits;
    std::int64_t peak;  // the most credits ever granted
    alignas(128) std::uint64_t tail;
    alignas(128) std::int64_t available;  // below zero while consumers give back what they were not granted
    std::uint64_t head;
};

/// How much a consumer wants: as many items as there are for one of twice `sharers`, from `least` to `most`.
struct claim_size {
    std::uint32_t least;
    std::uint32_t most;
    std::int64_t sharers = 1;

    COPSE_HOST_DEVICE claim_size(std::uint32_t exactly) : least(exactly), most(exactly) {}
    COPSE_HOST_DEVICE claim_size(std::uint32_t from, std::uint32_t to, std::int64_t among)
        : least(from), most(to), sharers(among) {}

    COPSE_HOST_DEVICE std::uint32_t of(std::int64_t items) const {
        std::int64_t const portion = items / (2 * sharers);
        return portion < least ? least : portion < most ? static_cast<std::uint32_t>(portion) : most;
    }
};

/// Positions first .. first + count - 1 now belong to the caller, who must `write` (or `read` and `release`) each.
struct ring_positions {
    std::uint64_t first;
    std::uint32_t count;
};

enum class claim_status : std::uint32_t { empty, contended, claimed };

struct ring_claim {
    ring_positions positions;
    claim_status status;
};

/// to = from, padding included. nvcc copies a structure with padding at its end byte by byte, and leaves those bytes of
/// memory unwritten that the reader's wider loads find.
template <class Item>
COPSE_HOST_DEVICE void store_whole(Item& to, Item const& from) {
#if defined(__CUDA_ARCH__)
    using word = std::conditional_t<alignof(Item) % 8 == 0, std::uint64_t,
                                    std::conditional_t<alignof(Item) % 4 == 0, std::uint32_t, std::uint8_t>>;
    word words[sizeof(Item) / sizeof(word)];
    std::memcpy(words, &from, sizeof words);
    COPSE_UNROLL
    for (std::size_t i = 0; i < sizeof(Item) / sizeof(word); ++i) reinterpret_cast<word*>(&to)[i] = words[i];
#else
    to = from;
#endif
}

/// A ring in memory that somebody else owns. `capacity` is a power of two up to 2^31, or 0: always full and always
/// empty.
template <class Item, class Machine>
struct ring_view {
    ring_counters* counters;
    std::uint32_t* tickets;
    Item* items;
    std::uint32_t capacity;
    std::uint32_t capacity_log2;

    /// Producer: up to `wanted` positions; fewer when the ring is full.
    COPSE_HOST_DEVICE ring_positions try_reserve(std::uint32_t wanted) const {
        if (capacity == 0) return {0, 0};
        std::int64_t const before = Machine::add_relaxed(&counters->credits, std::int64_t{wanted});
        std::int64_t const room = std::int64_t{capacity} - before;
        std::uint32_t const granted = room >= wanted ? wanted : room > 0 ? static_cast<std::uint32_t>(room) : 0;
        if (granted < wanted) give_back(wanted - granted);
        if (granted == 0) return {0, 0};
        if (before + granted > Machine::load_relaxed(&counters->peak))
            Machine::max_relaxed(&counters->peak, before + granted);
        std::uint64_t const first = Machine::add_relaxed(&counters->tail, std::uint64_t{granted});
        Machine::add_relaxed(&counters->available, std::int64_t{granted});
        return {first, granted};
    }

    /// Producer: fills a reserved position and publishes it. The release pairs with the acquire in `read`.
    COPSE_HOST_DEVICE void write(std::uint64_t position, Item const& item) const {
        std::uint32_t* const ticket = &tickets[slot(position)];
        while (Machine::load_acquire(ticket) != free_ticket(position)) Machine::pause();
        store_whole(items[slot(position)], item);
        if constexpr (requires { Machine::published(tickets, position); }) Machine::published(tickets, position);
        Machine::store_release(ticket, free_ticket(position) + 1);
    }

    /// Consumer: `contended`: another consumer was faster; there may be more.
    COPSE_HOST_DEVICE ring_claim try_claim(claim_size const& size) const {
        if (capacity == 0) return {{0, 0}, claim_status::empty};
        std::int64_t const seen = Machine::load_relaxed(&counters->available);
        if (seen <= 0) return {{0, 0}, claim_status::empty};
        std::uint32_t const wanted = size.of(seen);
        std::int64_t const before = Machine::add_relaxed(&counters->available, -std::int64_t{wanted});
        std::uint32_t const granted = before >= wanted ? wanted : before > 0 ? static_cast<std::uint32_t>(before) : 0;
        if (granted < wanted) Machine::add_relaxed(&counters->available, std::int64_t{wanted - granted});
        if (granted == 0) return {{0, 0}, claim_status::contended};
        return {{Machine::add_relaxed(&counters->head, std::uint64_t{granted}), granted}, claim_status::claimed};
    }

    /// Consumer: copies out the item of a claimed position. Several lanes may read the same one before `release`.
    COPSE_HOST_DEVICE Item read(std::uint64_t position) const {
        while (Machine::load_acquire(&tickets[slot(position)]) != free_ticket(position) + 1) Machine::pause();
        return items[slot(position)];
    }

    /// Consumer: the slot is free once its item has been copied out. The release pairs with the acquire in `write`.
    COPSE_HOST_DEVICE void release(std::uint64_t position) const {
        Machine::store_release(&tickets[slot(position)], free_ticket(position) + 2);
    }

    /// Consumer: room for others. From the claim on, if copying out follows at once: it waits for producers of claimed
    /// items alone, and these for nothing that the consumer does later.
    COPSE_HOST_DEVICE void give_back(std::uint32_t count) const {
        Machine::add_relaxed(&counters->credits, -std::int64_t{count});
    }

    /// Items that a consumer would be granted. Exact only while nobody else works on the ring.
    COPSE_HOST_DEVICE std::int64_t available() const {
        return capacity == 0 ? 0 : Machine::load_relaxed(&counters->available);
    }

    /// Items not yet claimed. Exact only while nobody else works on the ring: for launch decisions, never for
    /// termination.
    COPSE_HOST_DEVICE std::int64_t approximate_fill() const {
        if (capacity == 0) return 0;
        std::uint64_t const head = Machine::load_relaxed(&counters->head);
        std::uint64_t const tail = Machine::load_relaxed(&counters->tail);
        return tail > head ? static_cast<std::int64_t>(tail - head) : 0;
    }

  private:
    COPSE_HOST_DEVICE std::uint32_t slot(std::uint64_t position) const {
        return static_cast<std::uint32_t>(position) & (capacity - 1);
    }
    COPSE_HOST_DEVICE std::uint32_t free_ticket(std::uint64_t position) const {
        return static_cast<std::uint32_t>(position >> capacity_log2) * 2;
    }
};

}  // namespace copse
