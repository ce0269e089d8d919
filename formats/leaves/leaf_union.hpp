// From positions in any order to a leaf: which kind it becomes, and where each entry goes.
//
// The positions may come from two sources that share some, as in an addition. Each source has every position at most
// once. Two ways, for the leaf's size:
//
//   small_union    up to small_leaf positions: an entry's place is the number of smaller positions
//   large_union    any number: sets of bits
//
// For lanes that work together. A CPU comes here for few entries, and for dense leaves that
// algebra/sums/add_leaves_cpu.hpp leaves to it; it does the rest by vectors (leaf_union_cpu.hpp).
//
// All members but place() are collective: every lane of the worker calls them.
#pragma once

#include <copse/formats/leaves/diagonal_streaks.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/formats/leaves/position_set.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/memory/bits.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

inline constexpr int small_leaf = 64;

class small_union {
  public:
    /// Memory that the lanes share.
    struct storage {
        std::uint32_t keys[small_leaf];
        std::uint32_t sorted[small_leaf];
        std::uint8_t partner[small_leaf];  // of an entry of the second source: the equal one of the first, + 1
        std::uint8_t place[small_leaf];
        std::uint32_t links[2];
    };

    COPSE_HOST_DEVICE small_union(storage& memory, leaf_order order) : memory_(memory), order_(order) {}

    /// Entry i is at `position`. Before the first count: all entries, and a sync.
    COPSE_HOST_DEVICE void set(int i, int position) const { memory_.keys[i] = static_cast<std::uint32_t>(position); }

    /// Entries first .. of `count` are the second source.
    template <class Worker>
    COPSE_HOST_DEVICE leaf_shape shape(Worker& w, int first, int count, std::int64_t value_bytes) {
        if (w.rank() == 0) memory_.links[0] = memory_.links[1] = 0;
        for (int i = first + w.rank(); i < count; i += w.size()) {
            int partner = 0;
            for (int j = 0; j < first; ++j)
                if (memory_.keys[j] == memory_.keys[i]) partner = j + 1;
            memory_.partner[i] = static_cast<std::uint8_t>(partner);
        }
        w.sync();
        int mine = 0;
        for (int i = first + w.rank(); i < count; i += w.size()) {
            if (memory_.partner[i] == 0) continue;
            memory_.keys[i] = ~std::uint32_t{0};  // below nobody
            ++mine;
        }
        int const shared = w.reduce(mine, [](int a, int b) { return a + b; });
        w.sync();
        sort(w, count);
        return link(w, count - shared, value_bytes);
    }

    template <class T, class Worker>
    COPSE_HOST_DEVICE void write_streaks(Worker& w, leaf_writer<T> const& writer) const {
        if (w.rank() != 0 || !writer.has_streaks()) return;
        int streak = 0;
        streaks_.first.for_each([&](int i) { writer.begin_streak(streak++, static_cast<int>(memory_.sorted[i])); });
        streak = 0;
        streaks_.last.for_each(
            [&](int i) { writer.end_streak(streak++, order_.row(static_cast<int>(memory_.sorted[i]))); });
    }

    /// Where the value of entry i goes; the coordinates are written.
    template <class T, class Worker>
    COPSE_HOST_DEVICE T& place(Worker& w, leaf_writer<T> const& writer, int i) const {
        int const index = index_of(i);
        auto const position = static_cast<int>(memory_.sorted[index]);
        if (writer.is_list()) return writer.other(index, position);
        if (!writer.has_streaks()) return writer.placed(w, position, [&] { return index; });
        std::uint64_t const in_streaks = streaks_.members.words[0];
        int const before = bit_count(in_streaks & ((std::uint64_t{1} << index) - 1));
        return (in_streaks >> index & 1) != 0 ? writer.in_run(before) : writer.other(index - before, position);
    }
    /// The number of entries before entry i in leaf_order.
    COPSE_HOST_DEVICE int index_of(int i) const { return memory_.place[has_partner(i) ? memory_.partner[i] - 1 : i]; }
    /// Whether entry i of the second source has its position from the first.
    COPSE_HOST_DEVICE bool has_partner(int i) const { return memory_.keys[i] == ~std::uint32_t{0}; }

  private:
    template <class Worker>
    COPSE_HOST_DEVICE void sort(Worker& w, int count) const {
        for (int i = w.rank(); i < count; i += w.size()) {
            if (has_partner(i)) continue;
            std::uint32_t const key = memory_.keys[i];
            int smaller = 0;
            for (int j = 0; j < count; ++j) smaller += memory_.keys[j] < key ? 1 : 0;
            memory_.place[i] = static_cast<std::uint8_t>(smaller);
            memory_.sorted[smaller] = key;
        }
        w.sync();
    }
    template <class Worker>
    COPSE_HOST_DEVICE leaf_shape link(Worker& w, int entries, std::int64_t value_bytes) {
        for (int i = 1 + w.rank(); i < entries; i += w.size())
            if (memory_.sorted[i] == memory_.sorted[i - 1] + 1 &&
                !order_.begins_diagonal(static_cast<int>(memory_.sorted[i])))
                w.set_bits(&memory_.links[i / 32], 1u << (i % 32));
        w.sync();
        streaks_ = find_streaks(bit_row<1>{{memory_.links[0] | static_cast<std::uint64_t>(memory_.links[1]) << 32}});
        return smallest_leaf(entries, streaks_.first.count(), streaks_.members.count(),
                             std::int64_t{1} << order_.dimension_log2, value_bytes);
    }

    storage& memory_;
    leaf_order order_;
    streak_bits<1> streaks_{};
};

class large_union {
  public:
    COPSE_HOST_DEVICE static constexpr std::size_t bytes(std::size_t d) { return 2 * position_set::bytes(d); }

    /// `memory`: bytes(d), shared by the lanes.
    COPSE_HOST_DEVICE large_union(std::byte* memory, leaf_order order)
        : all_(memory, order.dimension_log2),
          in_streaks_(memory + position_set::bytes(std::size_t{1} << order.dimension_log2), order.dimension_log2),
          order_(order) {}

    /// First of all; then insert() and a sync.
    template <class Worker>
    COPSE_HOST_DEVICE void clear(Worker& w) const {
        all_.clear(w);
    }
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void insert(Worker& w, int position) const {
        all_.insert(w, position);
    }
    /// Neighbours on a diagonal, by one lane.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void insert_streak(Worker& w, int first_position, int count) const {
        all_.insert_run(w, first_position, count);
    }
    COPSE_HOST_DEVICE bool contains(int position) const { return all_.contains(position); }
    /// After shape(): the number of entries before `position` in leaf_order.
    COPSE_HOST_DEVICE int index_of(int position) const { return all_.index_of(position); }

    template <class Worker>
    COPSE_HOST_DEVICE leaf_shape shape(Worker& w, std::int64_t value_bytes) {
        int const entries = all_.count(w);
        counts_ = find_all_streaks(w, all_, in_streaks_, order_.dimension_log2);
        return smallest_leaf(entries, counts_.streaks, counts_.in_streaks, std::int64_t{1} << order_.dimension_log2,
                             value_bytes);
    }

    template <class T, class Worker>
    COPSE_HOST_DEVICE void write_streaks(Worker& w, leaf_writer<T> const& writer) const {
        if (!writer.has_streaks()) return;
        int const d = 1 << order_.dimension_log2;
        int const portion = (d + w.size() - 1) / w.size();
        with_words(order_.dimension_log2, [&]<int Words>() {
            int begun = counts_.streaks_before;
            int ended = begun;
            for (int diagonal = w.rank() * portion; diagonal < d && diagonal < (w.rank() + 1) * portion; ++diagonal) {
                if (!has_streaks<Words>(diagonal)) continue;
                streak_bits<Words> const found = find_streaks<Words>(all_, diagonal);
                found.first.for_each([&](int row) { writer.begin_streak(begun++, diagonal * d + row); });
                found.last.for_each([&](int row) { writer.end_streak(ended++, row); });
            }
            return 0;
        });
    }

    template <class T, class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE T& place(Worker& w, leaf_writer<T> const& writer, int position) const {
        if (writer.is_list()) return writer.other(all_.index_of(position), position);
        if (!writer.has_streaks()) return writer.placed(w, position, [&] { return all_.index_of(position); });
        if (in_streaks_.contains(position)) return writer.in_run(in_streaks_.index_of(position));
        return writer.other(all_.index_of(position) - in_streaks_.index_of(position), position);
    }

  private:
    template <int Words>
    COPSE_HOST_DEVICE bool has_streaks(int diagonal) const {
        std::uint64_t any = 0;
        for (int i = 0; i < Words; ++i) any |= in_streaks_.word(diagonal * Words + i);
        return any != 0;
    }

    position_set all_;
    position_set in_streaks_;
    leaf_order order_;
    streak_counts counts_{};
};

}  // namespace copse::detail
