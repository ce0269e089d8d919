// Range items: one entry stands for many alike items, (first, count), claimed in chunks. A million tiles are one entry.
//
//   ranges[0] ranges[1] ...       appended at tail, used up at head, never reused within a run
//   { first, count, next }        items first + next .. first + count - 1 are still to be claimed
//
// Entries are not recycled, so a claimant may read an entry that others have just used up: no tickets are needed.
// Zeroed memory is an empty list.
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/ring.hpp>
#include <cstdint>

namespace copse {

struct range_entry {
    std::int64_t first;
    std::int64_t count;
    std::int64_t next;
    std::uint32_t published;
};

struct range_counters {
    alignas(128) std::uint32_t tail;
    alignas(128) std::uint32_t head;
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
        entries[index].first = first;
        entries[index].count = count;
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
        Machine::compare_exchange(&counters->head, head, head + 1);  // used up; whoever is first moves on
        return {0, 0, claim_status::contended};
    }

    /// For launch decisions: items of the front entry that are left (the entries behind it are counted when they get
    /// there).
    COPSE_HOST_DEVICE std::int64_t approximate_fill() const {
        std::uint32_t const head = Machine::load_relaxed(&counters->head);
        if (head >= length() || Machine::load_acquire(&entries[head].published) == 0) return 0;
        std::int64_t const left = entries[head].count - Machine::load_relaxed(&entries[head].next);
        // An entry just used up still hides those behind it: one item's worth keeps the queue watched until head moves.
        return left > 0 ? left : 1;
    }

  private:
    COPSE_HOST_DEVICE std::uint32_t length() const {
        std::uint32_t const tail = Machine::load_relaxed(&counters->tail);
        return tail < capacity ? tail : capacity;
    }
};

}  // namespace copse
