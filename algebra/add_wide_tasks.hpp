// Two wide leaves that stand at the same place become one, by tasks over ranges of blocks:
//
//   add_wide_leaves ----> count_wide_blocks ... ----> write_wide_blocks ...
//   one for the pair      one for each range          one for each range, pushed by who counts the last
//
// A pair whose blocks are one range stays with the first.
#pragma once

#include <algorithm>
#include <copse/algebra/add_wide.hpp>
#include <copse/algebra/add_wide_cpu.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

template <class T>
struct add_blocks;
template <class T>
struct count_wide_blocks;
template <class T>
struct write_wide_blocks;

/// A range of a table's blocks as an item: the table's place in temporary memory, and the range's number.
struct wide_range_item {
    static constexpr int number_bits = 16;

    COPSE_HOST_DEVICE static std::int64_t first_of(node_pool const& temporary, block_table::header const* head) {
        return (reinterpret_cast<std::byte const*>(head) - temporary.memory) / 16 << number_bits;
    }
    COPSE_HOST_DEVICE static block_table::header* head(node_pool const& temporary, std::int64_t item) {
        return reinterpret_cast<block_table::header*>(temporary.memory + (item >> number_bits) * 16);
    }
    COPSE_HOST_DEVICE static int number(std::int64_t item) { return static_cast<int>(item & ((1 << number_bits) - 1)); }
};

template <class T>
struct add_wide_leaves {
    using item = node_pair;
    using range = wide_range<T>;
    static constexpr int width = 128;
    static constexpr char const* name = "two wide leaves";
    static constexpr std::size_t scratch_bytes = std::max(position_set::bytes(256), sizeof(typename range::storage));
    static constexpr int resident_blocks = 3;

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        if constexpr (Worker::on_cpu)
            if (unite_wide_on_cpu(w, run, pair.a, pair.b, pair.result)) return;
        std::byte* const memory = w.template scratch<std::byte>(scratch_bytes).data();
        block_table::header* const head = tabulate<T>(w, run, pair, memory).head;
        begin_wide(w, run, head);
        if (head->pending > 1) {
            if (w.rank() == 0)
                w.template push_range<count_wide_blocks<T>>(wide_range_item::first_of(run.temporary, head),
                                                            head->pending);
        } else {
            range const all(run, head, 0, *reinterpret_cast<typename range::storage*>(memory));
            all.count(w);
            if (place_wide(w, run, head))
                all.write(w);
            else if (w.rank() == 0)
                w.template push<add_blocks<T>>(pair);
        }
        w.sync();  // the memory is the next item's
    }
};

template <class T>
struct count_wide_blocks {
    using item = std::int64_t;  // wide_range_item
    using range = wide_range<T>;
    static constexpr int width = 128;
    static constexpr char const* name = "count blocks of two wide leaves";
    static constexpr std::size_t scratch_bytes = sizeof(typename range::storage);
    static constexpr int resident_blocks = 4;

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        block_table::header* const head = wide_range_item::head(run.temporary, which);
        auto* const memory = w.template scratch<std::byte>(scratch_bytes).data();
        range(run, head, wide_range_item::number(which), *reinterpret_cast<typename range::storage*>(memory)).count(w);
        if (!w.any(w.rank() == 0 && w.count_down(&head->pending))) return;
        w.sync();  // what the countdown acquired, all ranges' counts, is every lane's
        bool const fits = place_wide(w, run, head);
        if (w.rank() != 0) return;
        if (fits)
            w.template push_range<write_wide_blocks<T>>(wide_range_item::first_of(run.temporary, head),
                                                        wide_places(head).ranges());
        else
            w.template push<add_blocks<T>>(head->pair);
    }
};

template <class T>
struct write_wide_blocks {
    using item = std::int64_t;  // wide_range_item
    using range = wide_range<T>;
    static constexpr int width = 128;
    static constexpr char const* name = "write blocks of two wide leaves";
    static constexpr std::size_t scratch_bytes = sizeof(typename range::storage);
    static constexpr int resident_blocks = 4;

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        block_table::header* const head = wide_range_item::head(run.temporary, which);
        auto* const memory = w.template scratch<std::byte>(scratch_bytes).data();
        range(run, head, wide_range_item::number(which), *reinterpret_cast<typename range::storage*>(memory)).write(w);
    }
};

}  // namespace copse::detail
