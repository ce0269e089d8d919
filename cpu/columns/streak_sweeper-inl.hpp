// Streaks of leaves, several columns at once, on one core: row by row through all streaks that meet a row, while later
// leaves are fetched. column_sums-inl.hpp has the arithmetic.
#if defined(COPSE_CPU_RUN_SWEEP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_RUN_SWEEP_INL_HPP
#undef COPSE_CPU_RUN_SWEEP_INL_HPP
#else
#define COPSE_CPU_RUN_SWEEP_INL_HPP
#endif

#include <hwy/highway.h>
#include <algorithm>
#include <copse/cpu/columns/column_sums-inl.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

/// Fetches leaves line by line in step with the arithmetic: a leaf's streaks are read side by side, each a stream of
/// its own for the hardware, and many lines at once fill the buffers behind which the loads of X wait.
template <class T>
class leaf_fetcher {
  public:
    HWY_INLINE leaf_fetcher(node_reader const& tree, leaf_fetch& state) : tree_(tree), state_(state) {}

    HWY_INLINE void begin(leaf_piece const& piece) { state_.unread += fetched_bytes<T>(piece); }
    /// Call before `bytes` more of the leaves that have begun are multiplied.
    HWY_INLINE void step(std::int64_t bytes) {
        bytes = std::min(bytes, state_.unread);
        state_.unread -= bytes;
        state_.missing += bytes;
        while (state_.missing > 0 && (state_.line < state_.line_end || open_next())) {
            __builtin_prefetch(state_.line, 0, 2);
            state_.line += 64;
            state_.missing -= 64;
        }
    }
    /// All that has begun is multiplied.
    HWY_INLINE void end() { step(state_.unread); }

  private:
    HWY_INLINE bool open_next() {
        for (; state_.next != state_.end; ++state_.next) {
            std::int64_t const bytes = fetched_bytes<T>(*state_.next);
            if (bytes == 0) continue;
            state_.line = tree_.address(state_.next++->leaf.reference);
            state_.line_end = state_.line + bytes;
            return true;
        }
        return false;
    }

    node_reader const& tree_;
    leaf_fetch& state_;
};

/// What a sweep fetches before rows that it adds up.
template <class T, class V>
struct leaves_ahead {
    rows_ahead<V> x;
    leaf_fetcher<T>& leaves;
    std::int64_t bytes_of_row;

    HWY_INLINE void fetch(std::int64_t r, int rows) const {
        x.fetch(r, rows);
        leaves.step(rows * bytes_of_row);
    }
};

/// Goes through the streaks of some leaves row by row: a row's sums are loaded once for all streaks that meet it. Two
/// sets of bits have the rows where streaks begin, and those where they end. Value: V, if each streak has one value.
template <class T, class V, class Value>
class streak_sweeper {
  public:
    HWY_INLINE bool is_empty() const { return count_ == 0; }
    HWY_INLINE bool has_room(int streaks) const { return count_ + streaks <= most_streaks; }
    /// Streaks first .. last - 1, for which there must be room; `values` become those of streak `last`.
    HWY_INLINE void take(streak_list const& list, int first, int last, streak_value_list<T>& values,
                         column_rows<V> const& x) {
        for (int k = first; k < last; ++k, ++count_) {
            int const row = list.row(k), length = list.length(k), end = row + length;
            if constexpr (has_one_value<Value>)
                value_of_[count_] = static_cast<V>(*values.first);
            else
                value_of_[count_] = values.first - row;
            values.first += values.of_streak(length);
            x_of_[count_] = x.x + (list.column(k) - row) * x.x_step;
            end_of_[count_] = static_cast<std::int16_t>(end);
            next_[count_] = has(begins_, row) ? head_[row] : std::int16_t{-1};
            head_[row] = static_cast<std::int16_t>(count_);
            begins_[row / 64] |= std::uint64_t{1} << (row % 64);
            ends_[end / 64] |= std::uint64_t{1} << (end % 64);
        }
    }

    /// Adds what was taken; then there is nothing.
    HWY_INLINE void add(column_rows<V> const& x, block_row_sums<V>& to, leaf_fetcher<T>& leaves) {
        if (count_ == 0) return;
        to.begin();
        sweep<sums_are::there>(x, to, leaves, to_sums<V>());
    }
    /// Writes the block row's rows: what `sums` hold, and what was taken.
    HWY_INLINE void write(column_rows<V> const& x, block_row_sums<V> const& sums, leaf_fetcher<T>& leaves,
                          to_output<V> const& y) {
        if (sums.begun)
            sweep<sums_are::there>(x, sums, leaves, y);
        else
            sweep<sums_are::none>(x, sums, leaves, y);
    }

    static constexpr int most_streaks = 512;

  private:
    static constexpr int words = 5;  // rows 0 .. 256

    /// Rows between two ends or beginnings of streaks have the same streaks. Rows without streaks are written, too.
    template <sums_are Before, class To>
    HWY_INLINE void sweep(column_rows<V> const& x, block_row_sums<V> const& sums, leaf_fetcher<T>& leaves,
                          To const& to) {
        std::int64_t begun = 0;
        auto const add_to = [&](std::int64_t row) HWY_ATTR {
            if (row == begun || (active_ == 0 && !writes<To>)) return;
            add_common_rows<Before>(
                x_, values_, active_, begun, row, x, sums.sums, sums.step,
                leaves_ahead<T, V>{{last_of(x_, active_, x.x), x.x_step}, leaves, active_ * bytes_of_entry}, to);
        };
        for (int word = 0; word < words; ++word) {
            std::uint64_t bits = begins_[word] | ends_[word];
            for (; bits != 0; bits &= bits - 1) {
                int const row = 64 * word + __builtin_ctzll(bits);
                add_to(row);
                if (has(ends_, row)) drop(row);
                if (has(begins_, row))
                    for (int s = head_[row]; s >= 0; s = next_[s]) activate(s);
                begun = row;
            }
        }
        if (writes<To>) add_to(sums.rows);
        count_ = 0;
        std::fill_n(begins_, words, 0);
        std::fill_n(ends_, words, 0);
    }
    template <class To>
    static constexpr bool writes = !std::is_same_v<To, to_sums<V>>;
    static constexpr std::int64_t bytes_of_entry = has_one_value<Value> ? 0 : sizeof(T);

    static HWY_INLINE bool has(std::uint64_t const* bits, int row) { return (bits[row / 64] >> (row % 64) & 1) != 0; }
    HWY_INLINE void activate(int s) {
        x_[active_] = x_of_[s];
        values_[active_] = value_of_[s];
        active_end_[active_++] = end_of_[s];
    }
    HWY_INLINE void drop(int row) {
        int kept = 0;
        for (int k = 0; k < active_; ++k) {
            if (active_end_[k] == row) continue;
            x_[kept] = x_[k];
            values_[kept] = values_[k];
            active_end_[kept++] = active_end_[k];
        }
        active_ = kept;
    }

    std::uint64_t begins_[words] = {}, ends_[words] = {};
    int count_ = 0;
    std::int16_t head_[256];  // of the rows in begins_: the streak that came last
    std::int16_t next_[most_streaks];
    V const* x_of_[most_streaks];
    Value value_of_[most_streaks];
    std::int16_t end_of_[most_streaks];
    int active_ = 0;
    V const* x_[most_streaks];
    Value values_[most_streaks];
    std::int16_t active_end_[most_streaks];
};

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
