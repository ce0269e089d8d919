// The union of two wide leaves as a wide leaf: block by block of d x d, in ranges of blocks (add_wide_tasks.hpp).
//
//   count    how many entries each block has in the union
//   place    where each range begins, once all are counted; and the node, where the rule still makes it a wide leaf
//   write    the entries
//
// Small blocks, many at once: each lane has an entry, and finds its place by comparing it with those of its block, on
// chip. Crowded ones, one after the other: a set of bits, by all lanes. Neither asks for the order in which a leaf has
// its entries: read transposed, the diagonals of a block come in the order 0, d - 1, ..., 1, each from another row on.
#pragma once

#include <algorithm>
#include <copse/algebra/sums/block_table.hpp>
#include <copse/algebra/sums/sum_counts.hpp>
#include <copse/formats/leaves/entry_search.hpp>
#include <copse/runtime/scheduler/sum_before.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// What is said of the blocks of two wide leaves besides their table, in temporary memory:
///
///   | entries of the union in each block | entries before each range of blocks |
class wide_places {
  public:
    static constexpr int least_in_range = 32, most_in_range = 256;
    /// Entries of both sides that a range is to have, where the blocks are not too large or too small for it.
    static constexpr int entries_in_range = 1024;

    COPSE_HOST_DEVICE explicit wide_places(block_table::header const* head)
        : head_(head), count_(head->count), in_range_(most_in_range) {
        int const entries = head->pair.a.entries() + head->pair.b.entries();
        while (in_range_ > least_in_range && in_range_ * entries > entries_in_range * count_) in_range_ /= 2;
    }
    COPSE_HOST_DEVICE std::int64_t bytes() const {
        return (std::int64_t{count_} + ranges()) * static_cast<std::int64_t>(sizeof(std::int32_t));
    }
    COPSE_HOST_DEVICE int blocks_in_range() const { return in_range_; }
    COPSE_HOST_DEVICE int ranges() const { return (count_ + in_range_ - 1) / in_range_; }
    COPSE_HOST_DEVICE std::int32_t* in_blocks() const { return head_->places; }
    COPSE_HOST_DEVICE std::int32_t* before_ranges() const { return head_->places + count_; }

  private:
    block_table::header const* head_;
    int count_;
    int in_range_;
};

/// A range of the blocks of two wide leaves.
template <class T>
class wide_range {
  public:
    /// Up to so many entries of both sides each is compared with each, which takes what a set of bits does: clearing
    /// and counting d * d bits.
    static constexpr int most_in_small_block = 128;
    /// Entries of small blocks that are on chip at once.
    static constexpr int most_at_once = 1024;

    /// Memory that the lanes share.
    struct storage {
        std::int32_t first[2][wide_places::most_in_range];  // entry in the side's leaf
        std::int32_t count[2][wide_places::most_in_range];
        std::int32_t position[wide_places::most_in_range];
        std::int32_t place[wide_places::most_in_range];       // entries of the union in the block, or before it
        std::int32_t before[wide_places::most_in_range + 1];  // entries of both sides in small blocks before
        struct entries {
            std::uint32_t keys[most_at_once];
            std::uint16_t partners[most_at_once];
        };
        alignas(16) std::byte content[std::max(sizeof(entries), position_set::bytes(256))];
    };

    COPSE_HOST_DEVICE wide_range(addition<T> const& sum, block_table::header* head, int number, storage& memory)
        : sum_(sum), head_(head), memory_(memory), number_(number) {
        int const in_range = wide_places(head).blocks_in_range();
        first_ = number * in_range;
        blocks_ = head->count - first_ < in_range ? head->count - first_ : in_range;
    }

    /// Collective; the memory is free after it.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void count(Worker& w) const {
        read_table(w);
        for (int i = w.rank(); i < blocks_; i += w.size()) memory_.place[i] = entries_of(i);
        w.sync();
        for_each_batch(w, [&](int begin, int end) {
            read_keys(w, begin, end);
            find_partners(w, begin, end, [&](int, int, int block) { w.add(&memory_.place[block], -1); });
        });
        for_each_crowded(w, [&](int block) {
            int const entries = unite(w, block).count(w);
            if (w.rank() == 0) memory_.place[block] = entries;
        });
        w.sync();
        wide_places const places(head_);
        int mine = 0;
        for (int i = w.rank(); i < blocks_; i += w.size()) {
            places.in_blocks()[first_ + i] = memory_.place[i];
            mine += memory_.place[i];
        }
        int const all = w.reduce(mine, [](int x, int y) { return x + y; });
        if (w.rank() == 0) places.before_ranges()[number_] = all;
        w.sync();
    }

    /// To head->node. Collective; the memory is free after it.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void write(Worker& w) const {
        read_table(w);
        wide_places const places(head_);
        for (int i = w.rank(); i < blocks_; i += w.size()) memory_.place[i] = places.in_blocks()[first_ + i];
        w.sync();
        sum_before(w, memory_.place, blocks_);
        int const before = places.before_ranges()[number_];
        wide_leaf_writer<T> const writer(sum_.nodes.memory + head_->node.offset());
        for_each_batch(w, [&](int begin, int end) {
            read_keys(w, begin, end);
            find_partners(w, begin, end, [&](int of_a, int of_b, int) {
                partners()[of_a] = static_cast<std::uint16_t>(of_b);
                keys()[of_b] = taken;
            });
            write_batch(w, writer, before, begin, end);
        });
        for_each_crowded(w, [&](int block) { write_crowded(w, writer, before + memory_.place[block], block); });
        w.sync();
    }

  private:
    static constexpr std::uint32_t taken = ~std::uint32_t{0};  // above every key
    static constexpr std::uint16_t no_partner = 0xffff;
    static constexpr int position_bits = 16;

    struct batch_entry {
        int block;
        int side;
        int index;  // in the side's leaf
    };

    COPSE_HOST_DEVICE std::uint32_t* keys() const {
        return reinterpret_cast<typename storage::entries*>(memory_.content)->keys;
    }
    COPSE_HOST_DEVICE std::uint16_t* partners() const {
        return reinterpret_cast<typename storage::entries*>(memory_.content)->partners;
    }
    COPSE_HOST_DEVICE wide_leaf_view<T> leaf(int side) const {
        return sum_.side(side).tree.template wide_leaf<T>({side == 0 ? head_->pair.a : head_->pair.b, 0, 0});
    }
    /// Of what the leaf stores.
    COPSE_HOST_DEVICE T factor(int side) const {
        return sum_.factor_of(side, side == 0 ? head_->pair.a : head_->pair.b);
    }
    COPSE_HOST_DEVICE int entries_of(int block) const { return memory_.count[0][block] + memory_.count[1][block]; }
    COPSE_HOST_DEVICE bool is_crowded(int block) const { return entries_of(block) > most_in_small_block; }

    template <class Worker>
    COPSE_HOST_DEVICE void read_table(Worker& w) const {
        for (int i = w.rank(); i < blocks_; i += w.size()) {
            for (int side = 0; side < 2; ++side) {
                block_table::stored_operand const& operand = head_->stored(side, first_ + i);
                memory_.first[side][i] = operand.first;
                memory_.count[side][i] = operand.end - operand.first;
                if (operand.reference) memory_.position[i] = operand.position;
            }
            memory_.before[i] = is_crowded(i) ? 0 : entries_of(i);
        }
        w.sync();
        int const all = sum_before(w, memory_.before, blocks_);
        if (w.rank() == 0) memory_.before[blocks_] = all;
        w.sync();
    }

    /// The first of low .. high - 1 with more entries in small blocks before it, or high.
    COPSE_HOST_DEVICE int first_with_more_before(int entries, int low, int high) const {
        return low + lower_bound(high - low, entries + 1, [&](int i) { return memory_.before[low + i]; });
    }

    /// f(begin, end): blocks of which the small ones have at most most_at_once entries together.
    template <class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_batch(Worker& w, F f) const {
        COPSE_NO_UNROLL
        for (int begin = 0; begin < blocks_;) {
            int const end = first_with_more_before(memory_.before[begin] + most_at_once, begin + 1, blocks_ + 1) - 1;
            f(begin, end);
            w.sync();
            begin = end;
        }
    }
    /// Most ranges have none: the lanes look for them in many blocks at once.
    template <class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void for_each_crowded(Worker& w, F f) const {
        bool some = false;
        for (int block = w.rank(); block < blocks_; block += w.size()) some |= is_crowded(block);
        if (!w.any(some)) return;
        COPSE_NO_UNROLL
        for (int block = 0; block < blocks_; ++block)
            if (is_crowded(block)) f(block);
    }

    /// Entry i of the small blocks begin .. end - 1: A's entries of a block before B's.
    COPSE_HOST_DEVICE COPSE_INLINE batch_entry entry(int i, int begin, int end) const {
        int const place = memory_.before[begin] + i;
        int const block = first_with_more_before(place, begin + 1, end) - 1;
        int const in_block = place - memory_.before[block], of_a = memory_.count[0][block];
        bool const first = in_block < of_a;
        return {block, first ? 0 : 1,
                first ? memory_.first[0][block] + in_block : memory_.first[1][block] + in_block - of_a};
    }

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void read_keys(Worker& w, int begin, int end) const {
        leaf_order const order = sum_.order();
        wide_leaf_view<T> const a = leaf(0), b = leaf(1);
        int const entries = memory_.before[end] - memory_.before[begin];
        for (int i = w.rank(); i < entries; i += w.size()) {
            batch_entry const e = entry(i, begin, end);
            int const row = (e.side == 0 ? a.rows : b.rows)[e.index];
            int const column = (e.side == 0 ? a.columns : b.columns)[e.index];
            keys()[i] = static_cast<std::uint32_t>(e.block) << position_bits |
                        static_cast<std::uint32_t>(order.position(row & order.mask(), column & order.mask()));
            partners()[i] = no_partner;
        }
        w.sync();
    }

    /// found(of_a, of_b, block) for entries of a batch that are at the same position. It may change B's keys, not A's.
    template <class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void find_partners(Worker& w, int begin, int end, F found) const {
        int const first = memory_.before[begin], entries = memory_.before[end] - first;
        for (int i = w.rank(); i < entries; i += w.size()) {
            std::uint32_t const key = keys()[i];
            int const block = static_cast<int>(key >> position_bits);
            int const from = memory_.before[block] - first, to = from + memory_.count[0][block];
            if (i < to) continue;
            int partner = -1;
            for (int j = from; j < to; ++j)
                if (keys()[j] == key) partner = j;
            if (partner >= 0) found(partner, i, block);
        }
        w.sync();
    }

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void write_batch(Worker& w, wide_leaf_writer<T> const& writer, int before, int begin,
                                                    int end) const {
        entry_values<T> const of_a = leaf(0).values, of_b = leaf(1).values;
        T const factor_a = factor(0), factor_b = factor(1);
        int const start = memory_.before[begin], entries = memory_.before[end] - start;
        for (int i = w.rank(); i < entries; i += w.size()) {
            std::uint32_t const key = keys()[i];
            if (key == taken) continue;
            int const block = static_cast<int>(key >> position_bits);
            int const from = memory_.before[block] - start, to = memory_.before[block + 1] - start;
            int const count_a = memory_.count[0][block], first_b = memory_.first[1][block] - from - count_a;
            int smaller = 0;
            for (int j = from; j < to; ++j) smaller += keys()[j] < key ? 1 : 0;
            T value;
            if (i - from < count_a) {
                value = factor_a * of_a[memory_.first[0][block] + i - from];
                if (int const partner = partners()[i]; partner != no_partner)
                    value += factor_b * of_b[first_b + partner];
            } else {
                value = factor_b * of_b[first_b + i];
            }
            put(writer, before + memory_.place[block] + smaller, block,
                static_cast<int>(key & ((1u << position_bits) - 1)), value);
        }
    }
    COPSE_HOST_DEVICE COPSE_INLINE void put(wide_leaf_writer<T> const& writer, int i, int block, int position,
                                            T value) const {
        leaf_order const order = sum_.order();
        int const log2 = order.dimension_log2, of_block = memory_.position[block];
        writer.put(i, (of_block >> log2) << log2 | order.row(position),
                   (of_block & order.mask()) << log2 | order.column(position), value);
    }

    /// The positions of a crowded block's entries, before the first count.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE position_set unite(Worker& w, int block) const {
        position_set const all(memory_.content, sum_.order().dimension_log2);
        all.clear(w);
        for (int side = 0; side < 2; ++side)
            visit<visited::positions>(w, side, block, [&](int position, int, int) { all.insert(w, position); });
        w.sync();
        return all;
    }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void write_crowded(Worker& w, wide_leaf_writer<T> const& writer, int first,
                                                      int block) const {
        position_set const all = unite(w, block);
        int const entries = all.count(w);
        for (int i = w.rank(); i < entries; i += w.size()) writer.set_value(first + i, T(-0.0));
        w.sync();
        for (int side = 0; side < 2; ++side) {
            T const own_factor = factor(side);
            visit<visited::entries>(w, side, block, [&](int position, int row, int column, T value) {
                writer.add(first + all.index_of(position), row, column, own_factor * value);
            });
            w.sync();
        }
    }
    /// f(position in the block, row and column in the wide leaf, value as it is stored), or without the value; the
    /// lanes share the entries.
    template <visited What, class Worker, class F>
    COPSE_HOST_DEVICE COPSE_INLINE void visit(Worker& w, int side, int block, F f) const {
        int const count = memory_.count[side][block];
        if (count == 0) return;
        leaf_order const order = sum_.order();
        visit_wide<What>(w, leaf(side), memory_.first[side][block], count,
                         [&](int, int row, int column, auto... value) {
                             f(order.position(row & order.mask(), column & order.mask()), row, column, value...);
                         });
    }

    addition<T> const& sum_;
    block_table::header* head_;
    storage& memory_;
    int number_;
    int first_;
    int blocks_;
};

/// Memory for the places of a table's blocks. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE void begin_wide(Worker& w, addition<T> const& sum, block_table::header* head) {
    wide_places const places(head);
    std::uint64_t const offset = sum.temporary.reserve(w, places.bytes());
    if (w.rank() == 0) {
        head->places = reinterpret_cast<std::int32_t*>(sum.temporary.memory + offset);
        head->pending = places.ranges();
    }
    w.sync();
}

/// The node, once all ranges are counted, and its reference; false where the rule has leaves of their own for so many
/// entries in so few blocks. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE bool place_wide(Worker& w, addition<T> const& sum, block_table::header* head) {
    wide_places const places(head);
    int const entries = sum_before(w, places.before_ranges(), places.ranges());
    if (!stays_wide(entries, head->count)) return false;
    std::uint64_t const node = sum.nodes.reserve(w, wide_leaf::bytes(entries, sizeof(T)));
    if (w.rank() == 0) {
        wide_leaf_writer<T>::prepare(sum.nodes.memory + node, entries);
        head->node = sum.reference(node, wide_leaf::shape(entries));
        *head->pair.result = head->node;
        count_node(w, sum, head->node, entries);
    }
    w.sync();
    return true;
}

}  // namespace copse::detail
