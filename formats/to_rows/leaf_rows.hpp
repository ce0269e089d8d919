// The leaves of one block row, entry by entry to where its row is.
//
//   count(leaf) of each    how many entries each row has: a streak counts by its ends
//   begin_rows(first)      places[row]: where the row's first entry goes; the rows lie behind each other
//   place(leaf) of each    by ascending column; places[row] becomes where the row ends
//
// Entries ascend along diagonals (leaf_order). A row meets the diagonals at columns row, row + 1, ... d - 1, then 0, 1,
// ... row - 1: from either part of a leaf, left of the main diagonal or right of it, a row's entries come by ascending
// column, and the left part goes first. Of a transposed leaf they come by descending column; it is read backwards, and
// the main diagonal belongs to its left part.
#pragma once

#include <algorithm>
#include <bit>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace copse::detail {

/// One thread's workplace. Lists, dense leaves and leaves with streaks.
template <class T>
class leaf_rows {
  public:
    explicit leaf_rows(node_reader const& tree)
        : tree_(tree), places_(static_cast<std::size_t>(tree.dimension())), streak_ends_(places_.size() + 1) {}

    /// Other leaves are block_row_writer's (hisparse_entries.cpp).
    static bool reads(child_reference leaf) {
        return with_kind(leaf.kind(), [](auto owner) { return has_body<decltype(owner)>; });
    }

    void count(child_reference leaf) {
        with_body(leaf, [&](auto const& view) { count_leaf(view); });
    }

    /// Entry `first` is the first of the block row. After all leaves are counted.
    void begin_rows(std::int64_t first) {
        std::int64_t streaks = 0;
        for (std::size_t row = 0; row < places_.size(); ++row) {
            streaks += streak_ends_[row];
            std::int64_t const entries = places_[row] + streaks;
            places_[row] = first;
            first += entries;
        }
    }

    /// scale * value, with the leaf's sign, and column to columns[i], values[i] where entry i of all is the row's next.
    void place(child_reference leaf, std::int32_t first_column, T scale, std::int32_t* columns, T* values) {
        target const to{first_column, scale, value_sign<T>(leaf), columns, values};
        with_body(leaf, [&](auto const& view) { put_leaf(view, leaf.transposed(), to); });
    }

    /// Where row `row` of the block row ends, after all leaves are placed.
    std::int64_t end(std::size_t row) const { return places_[row]; }

    /// Forgets the block row.
    void clear() {
        std::fill(places_.begin(), places_.end(), 0);
        std::fill(streak_ends_.begin(), streak_ends_.end(), 0);
    }

  private:
    struct target {
        std::int32_t first_column;
        T scale;
        value_sign<T> sign;
        std::int32_t* columns;
        T* values;

        void put(std::int64_t place, int column, T value) const {
            columns[place] = first_column + column;
            values[place] = scale * sign(value);
        }
    };

    /// Which of a leaf's others, or of its streaks, are left of the main diagonal and which are right of it, each in
    /// the order in which they are placed.
    struct sides {
        std::vector<std::uint16_t> numbers[2];
        std::size_t counts[2];

        /// Transposed: from the last, and the main diagonal is left.
        /// diagonal(i): column - row.
        template <bool Transposed, class Diagonal>
        void find(int count, Diagonal diagonal) {
            if (numbers[0].size() < static_cast<std::size_t>(count))
                for (auto& some : numbers) some.resize(static_cast<std::size_t>(count));
            std::size_t left = 0, right = 0;
            for (int k = 0; k < count; ++k) {
                int const i = Transposed ? count - 1 - k : k;
                bool const is_left = diagonal(i) < (Transposed ? 1 : 0);
                // No branch: others change sides too often for one to be foretold.
                numbers[0][left] = numbers[1][right] = static_cast<std::uint16_t>(i);
                left += is_left ? 1 : 0;
                right += is_left ? 0 : 1;
            }
            counts[0] = left;
            counts[1] = right;
        }
        std::span<std::uint16_t const> side(int i) const { return std::span(numbers[i]).first(counts[i]); }
    };

    template <class Leaf>
    static constexpr bool has_body = requires(leaf_rows& rows, decltype(Leaf::template view<T>(nullptr, {}, 0)) leaf) {
        rows.count_leaf(leaf);
    };
    template <class F>
    void with_body(child_reference leaf, F f) {
        with_kind(leaf.kind(), [&](auto owner) {
            if constexpr (has_body<decltype(owner)>) f(tree_.view_of<decltype(owner), T>({leaf, 0, 0}));
        });
    }

    void count_leaf(sparse_leaf_view<T> const& leaf) {
        for (int i = 0; i < leaf.count; ++i) ++places_[leaf.rows[i]];
    }
    void count_leaf(diagonal_leaf_view<T> const& leaf) {
        count_leaf(leaf.others);
        for (leaf_streak<T> const streak : leaf.each_streak()) {
            ++streak_ends_[static_cast<std::size_t>(streak.row)];
            --streak_ends_[static_cast<std::size_t>(streak.row + streak.count)];
        }
    }

    /// f(line, first, position, bits): of the 32 stored in a line from `first` on, those with a bit are entries.
    template <class F>
    static void for_each_word(dense_leaf_view<T> const& leaf, F f) {
        int const d = 1 << leaf.dimension_log2;
        for (int line = 0, position = 0; line < d; ++line)
            for (int first = 0; first < d; first += 32, position += 32)
                if (std::uint32_t const bits = leaf.entries_from(position)) f(line, first, position, bits);
    }

    void count_leaf(dense_leaf_view<T> const& leaf) {
        for_each_word(leaf, [&](int line, int first, int, std::uint32_t bits) {
            if (leaf.transposed)
                for (int i = 0; i < 32; ++i) places_[static_cast<std::size_t>(first + i)] += bits >> i & 1;
            else
                places_[static_cast<std::size_t>(line)] += std::popcount(bits);
        });
    }

    void put_leaf(dense_leaf_view<T> const& leaf, bool, target to) {
        for_each_word(leaf, [&](int line, int first, int position, std::uint32_t bits) {
            entry_values<T> const values = leaf.values.from(position);
            if (leaf.transposed)
                for (; bits != 0; bits &= bits - 1) {
                    int const i = std::countr_zero(bits);
                    to.put(places_[static_cast<std::size_t>(first + i)]++, line, values[i]);
                }
            else
                places_[static_cast<std::size_t>(line)] =
                    place_word(places_[static_cast<std::size_t>(line)], first, values, bits, to);
        });
    }
    /// Entries side by side in a row. Returns where it goes on.
    static std::int64_t place_word(std::int64_t place, int column, entry_values<T> values, std::uint32_t bits,
                                   target to) {
        if (bits == ~0u) {
            for (int i = 0; i < 32; ++i) to.put(place + i, column + i, values[i]);
            return place + 32;
        }
        for (; bits != 0; bits &= bits - 1) {
            int const i = std::countr_zero(bits);
            to.put(place++, column + i, values[i]);
        }
        return place;
    }

    void put_leaf(sparse_leaf_view<T> const& leaf, bool transposed, target to) {
        in_streaks_.clear();
        transposed ? place_lists<true>(leaf, to) : place_lists<false>(leaf, to);
    }
    void put_leaf(diagonal_leaf_view<T> const& leaf, bool transposed, target to) {
        in_streaks_.clear();
        for (leaf_streak<T> const streak : leaf.each_streak()) in_streaks_.push_back(streak);
        transposed ? place_lists<true>(leaf.others, to) : place_lists<false>(leaf.others, to);
    }
    /// Others, and what is in in_streaks_.
    template <bool Transposed>
    void place_lists(sparse_leaf_view<T> const& list, target to) {
        std::uint8_t const *const rows = list.rows, *const columns = list.columns;
        others_.template find<Transposed>(list.count, [=](int i) { return columns[i] - rows[i]; });
        streaks_.template find<Transposed>(static_cast<int>(in_streaks_.size()), [&](int i) {
            return in_streaks_[static_cast<std::size_t>(i)].column - in_streaks_[static_cast<std::size_t>(i)].row;
        });
        for (int side : {0, 1}) place_side(list, others_.side(side), streaks_.side(side), to);
    }

    /// Others before the streaks that they are before; on the same diagonal they are in rows of their own.
    void place_side(sparse_leaf_view<T> const& list, std::span<std::uint16_t const> others,
                    std::span<std::uint16_t const> streaks, target to) {
        std::size_t done = 0;
        for (std::size_t const number : streaks) {
            auto const [row, column, count, values] = in_streaks_[number];
            for (; done < others.size(); ++done) {
                std::size_t const i = others[done];
                if (list.columns[i] - list.rows[i] >= column - row) break;  // ascends on one side
                place_other(list, i, to);
            }
            std::int64_t* const places = places_.data() + row;
            for (int i = 0; i < count; ++i) to.put(places[i]++, column + i, values[i]);
        }
        for (std::size_t const i : others.subspan(done)) place_other(list, i, to);
    }
    void place_other(sparse_leaf_view<T> const& leaf, std::size_t i, target to) {
        to.put(places_[leaf.rows[i]]++, leaf.columns[i], leaf.values[static_cast<int>(i)]);
    }

    node_reader const tree_;
    std::vector<std::int64_t> places_;       // of each row; its entries, while leaves are counted
    std::vector<std::int64_t> streak_ends_;  // streaks that begin in a row, less those that ended in the one before
    sides others_;
    sides streaks_;
    std::vector<leaf_streak<T>> in_streaks_;
};

}  // namespace copse::detail
