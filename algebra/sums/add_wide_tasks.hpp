// Two wide leaves that stand at the same place become one, or leaves of their own where the rule wants these
// (add_blocks_beside_wide), by tasks over ranges of blocks (on a CPU by one: add_merged_cpu.hpp):
//
//   add_wide_leaves            one for the pair
//   mark_wide_blocks ...       one for each stretch of entries: which blocks there are
//   tabulate_wide_blocks ...   one for each stretch: the table of the blocks
//   count_wide_blocks ...      one for each range of blocks
//   write_wide_blocks ...      one for each range
//
// Tasks of a kind are pushed by who finishes the last of those before. A pair with few entries has its table from the
// first task, and one whose blocks are a single range stays with it.
#pragma once

#include <algorithm>
#include <copse/algebra/sums/add_merged_cpu.hpp>
#include <copse/algebra/sums/add_wide.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

template <class T>
struct add_blocks_beside_wide;
template <class T>
struct mark_wide_blocks;
template <class T>
struct tabulate_wide_blocks;
template <class T>
struct count_wide_blocks;
template <class T>
struct write_wide_blocks;

/// A range of blocks or a stretch of entries as an item: where in temporary memory its pair is described, and its
/// number.
struct wide_range_item {
    static constexpr int number_bits = 16;

    COPSE_HOST_DEVICE static std::int64_t first_of(node_pool const& temporary, void const* description) {
        return (static_cast<std::byte const*>(description) - temporary.memory) / 16 << number_bits;
    }
    template <class Description>
    COPSE_HOST_DEVICE static Description* description(node_pool const& temporary, std::int64_t item) {
        return reinterpret_cast<Description*>(temporary.memory + (item >> number_bits) * 16);
    }
    COPSE_HOST_DEVICE static int number(std::int64_t item) { return static_cast<int>(item & ((1 << number_bits) - 1)); }
};

/// Whether this worker has finished the last of several tasks; then all lanes see what the others wrote. Collective,
/// after a sync.
template <class Worker>
COPSE_HOST_DEVICE COPSE_INLINE bool finishes_last(Worker& w, std::int32_t* pending) {
    bool const last = w.any(w.rank() == 0 && w.count_down(pending));
    if (last) w.sync();  // what the countdown acquired is every lane's
    return last;
}

/// Which blocks two wide leaves with many entries have, in temporary memory:
///
///   | wide_marks | a bit for each block of A, then for each of both: a position_set | a bit for each block of B |
struct alignas(16) wide_marks {
    /// Pairs of up to so many entries have their table from one task: two turns of its lanes for each 1000 entries.
    static constexpr int most_by_one_task = 1 << 15;
    static constexpr int entries_in_stretch = 1 << 12;

    sum_pair pair;
    block_table::header* head;
    std::int32_t pending;  // stretches that are still to be marked, or put into the table

    struct stretch {
        int side;
        int first;
    };

    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(std::int64_t d) {
        return static_cast<std::int64_t>(sizeof(wide_marks)) +
               static_cast<std::int64_t>(position_set::bytes(static_cast<std::size_t>(d))) + d * d / 8;
    }
    COPSE_HOST_DEVICE static bool has_stretches(sum_pair const& pair) {
        return pair.a.entries() + pair.b.entries() > most_by_one_task;
    }
    COPSE_HOST_DEVICE static int stretches(child_reference leaf) {
        return (leaf.entries() + entries_in_stretch - 1) / entries_in_stretch;
    }
    COPSE_HOST_DEVICE int stretches() const { return stretches(pair.a) + stretches(pair.b); }
    COPSE_HOST_DEVICE stretch stretch_of(int number) const {
        int const of_a = stretches(pair.a);
        return {number < of_a ? 0 : 1, (number < of_a ? number : number - of_a) * entries_in_stretch};
    }
    COPSE_HOST_DEVICE position_set blocks(int log2) { return {reinterpret_cast<std::byte*>(this + 1), log2}; }
    COPSE_HOST_DEVICE std::uint32_t* bits(int side, int log2) {
        std::byte* const of_a = reinterpret_cast<std::byte*>(this + 1);
        return reinterpret_cast<std::uint32_t*>(side == 0 ? of_a : of_a + position_set::bytes(std::size_t{1} << log2));
    }

    /// f(block, border) for a stretch; the lanes share its entries.
    template <class T, class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void visit(Worker& w, addition<T> const& sum, stretch const& own, F f) const {
        visit_block_borders<T>(w, sum.side(own.side).tree, own.side == 0 ? pair.a : pair.b, own.first,
                               own.first + entries_in_stretch, f);
    }

    /// Collective.
    template <class T, class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE static void begin(Worker& w, addition<T> const& sum, sum_pair const& pair) {
        int const log2 = sum.a.tree.dimension_log2();
        std::uint64_t const offset = sum.temporary.reserve(w, bytes(sum.a.tree.dimension()));
        auto* const marks = reinterpret_cast<wide_marks*>(sum.temporary.memory + offset);
        for (int side = 0; side < 2; ++side)
            for (int i = w.rank(); i < 1 << (2 * log2 - 5); i += w.size()) marks->bits(side, log2)[i] = 0;
        if (w.rank() == 0) {
            marks->pair = pair;
            marks->pending = marks->stretches();
        }
        w.sync();
        if (w.rank() == 0)
            w.template push_range<mark_wide_blocks<T>>(wide_range_item::first_of(sum.temporary, marks),
                                                       marks->stretches());
    }
};

template <class T>
struct mark_wide_blocks {
    using item = std::int64_t;  // wide_range_item
    static constexpr int width = 128;
    static constexpr char const* name = "mark blocks of two wide leaves";
    static constexpr int resident_blocks = 5;

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        auto* const marks = wide_range_item::description<wide_marks>(sum.temporary, which);
        int const log2 = sum.a.tree.dimension_log2();
        wide_marks::stretch const own = marks->stretch_of(wide_range_item::number(which));
        std::uint32_t* const bits = marks->bits(own.side, log2);
        // Each bit is added once: a block begins once on a side.
        marks->template visit<T>(w, sum, own, [&](int block, block_border const& border) {
            if (border.begins) w.add(&bits[block / 32], 1u << (block % 32));
        });
        w.sync();
        if (!finishes_last(w, &marks->pending)) return;
        std::uint32_t *const of_a = marks->bits(0, log2), *const of_b = marks->bits(1, log2);
        for (int i = w.rank(); i < 1 << (2 * log2 - 5); i += w.size()) of_a[i] |= of_b[i];
        w.sync();
        block_table::header* const head = begin_table(w, sum, marks->pair, marks->blocks(log2).count(w));
        if (w.rank() != 0) return;
        marks->head = head;
        marks->pending = marks->stretches();
        w.template push_range<tabulate_wide_blocks<T>>(wide_range_item::first_of(sum.temporary, marks),
                                                       marks->stretches());
    }
};

template <class T>
struct tabulate_wide_blocks {
    using item = std::int64_t;  // wide_range_item
    static constexpr int width = 128;
    static constexpr char const* name = "table of the blocks of two wide leaves";
    static constexpr int resident_blocks = 5;

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        auto* const marks = wide_range_item::description<wide_marks>(sum.temporary, which);
        wide_marks::stretch const own = marks->stretch_of(wide_range_item::number(which));
        position_set const blocks = marks->blocks(sum.a.tree.dimension_log2());
        block_table::header* const head = marks->head;
        block_table::stored_operand* const operands = &head->stored(own.side, 0);
        marks->template visit<T>(w, sum, own, [&](int block, block_border const& border) {
            put_border(operands[blocks.index_of(block)], block, border);
        });
        w.sync();
        if (!finishes_last(w, &marks->pending)) return;
        begin_wide(w, sum, head);
        if (w.rank() == 0)
            w.template push_range<count_wide_blocks<T>>(wide_range_item::first_of(sum.temporary, head), head->pending);
    }
};

/// Two wide leaves. `memory`: add_wide_leaves::scratch_bytes. Collective.
template <class T, lanes_worker Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void unite_wide(Worker& w, addition<T> const& sum, sum_pair const& pair,
                                                     std::byte* memory) {
    using range = wide_range<T>;
    if (wide_marks::has_stretches(pair)) return wide_marks::begin<T>(w, sum, pair);
    block_table::header* const head = tabulate<T, upper_kinds::wide>(w, sum, pair, memory).head;
    begin_wide(w, sum, head);
    // Not by what is pending, which others count down from when the range is pushed.
    if (int const ranges = wide_places(head).ranges(); ranges > 1) {
        if (w.rank() == 0)
            w.template push_range<count_wide_blocks<T>>(wide_range_item::first_of(sum.temporary, head), ranges);
    } else {
        range const all(sum, head, 0, *reinterpret_cast<typename range::storage*>(memory));
        all.count(w);
        if (place_wide(w, sum, head))
            all.write(w);
        else if (w.rank() == 0)
            w.template push<add_blocks_beside_wide<T>>(pair);
    }
}

// What one core makes of others by merging (add_merged_cpu.hpp) lanes leave to their tables.
template <class T, lanes_worker Worker>
COPSE_HOST_DEVICE constexpr bool unite_few_with_wide(Worker&, addition<T> const&, sum_pair const&) {
    return false;
}
template <class T, lanes_worker Worker>
COPSE_HOST_DEVICE constexpr bool unite_merged(Worker&, addition<T> const&, sum_pair const&, block_table const&) {
    return false;
}

template <class T>
struct add_wide_leaves : takes_leaf_pairs<0, 2 * any_size, node_kind::wide> {
    using item = sum_pair;
    using range = wide_range<T>;
    static constexpr int width = 128;
    static constexpr char const* name = "two wide leaves";
    static constexpr std::size_t scratch_bytes = std::max(position_set::bytes(256), sizeof(typename range::storage));
    static constexpr int resident_blocks = 3;  // 4 would spill 72 bytes in the resident kernel of all tasks

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& pair, Worker& w) const {
        unite_wide(w, sum, pair, w.template scratch<std::byte>(scratch_bytes).data());
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

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        auto* const head = wide_range_item::description<block_table::header>(sum.temporary, which);
        auto* const memory = w.template scratch<std::byte>(scratch_bytes).data();
        range(sum, head, wide_range_item::number(which), *reinterpret_cast<typename range::storage*>(memory)).count(w);
        if (!finishes_last(w, &head->pending)) return;
        bool const placed = place_wide(w, sum, head);
        if (w.rank() != 0) return;
        if (placed)
            w.template push_range<write_wide_blocks<T>>(wide_range_item::first_of(sum.temporary, head),
                                                        wide_places(head).ranges());
        else
            w.template push<add_blocks_beside_wide<T>>(head->pair);
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

    addition<T> sum;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item which, Worker& w) const {
        auto* const head = wide_range_item::description<block_table::header>(sum.temporary, which);
        auto* const memory = w.template scratch<std::byte>(scratch_bytes).data();
        range(sum, head, wide_range_item::number(which), *reinterpret_cast<typename range::storage*>(memory)).write(w);
    }
};

}  // namespace copse::detail
