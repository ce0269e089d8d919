// Streaks of one value each, several at once, on one core; what leaf_products-inl.hpp says holds here.
//
// Up to four neighbours in a list are added at once, if they have most of their rows in common. A vector of y is then
// loaded and stored once for all of them.
//
//   rows     0                                n
//            | a | a a a a a a a a a a a |          edges, where not all have entries: by masks
//            | b | b b b b b b b b b b b | b |
//            |   | c c c c c c c c c c c | c |
#if defined(COPSE_CPU_ONE_VALUE_STREAKS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_ONE_VALUE_STREAKS_INL_HPP
#undef COPSE_CPU_ONE_VALUE_STREAKS_INL_HPP
#else
#define COPSE_CPU_ONE_VALUE_STREAKS_INL_HPP
#endif

#include <hwy/highway.h>
#include <algorithm>
#include <copse/cpu/leaves/diagonal_leaf-inl.hpp>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

/// Elements of x in front of a streak's and behind them that its group reads, and does not use.
inline constexpr std::int64_t streak_room = 32;

template <class V>
class streak_group {
  public:
    template <class Streak>
    HWY_INLINE streak_group(Streak const& streak, V const* x)
        : first_(streak.row), last_(streak.row + streak.count), begin_(first_), end_(last_) {
        put(streak, x);
    }

    /// False, and nothing, where it has few rows in common with the others.
    template <class Streak>
    HWY_INLINE bool take(Streak const& streak, V const* x) {
        int const end_of_it = streak.row + streak.count, begin = std::max(begin_, streak.row),
                  end = std::min(end_, end_of_it), first = std::min(first_, streak.row),
                  last = std::max(last_, end_of_it);
        if (count_ == most || last - first - (end - begin) > most_rows_apart) return false;
        begin_ = begin, end_ = end, first_ = first, last_ = last;
        put(streak, x);
        return true;
    }

    HWY_INLINE void add(V* y) const {
        switch (count_) {
            case 1:
                return add_all<1>(y);
            case 2:
                return add_all<2>(y);
            case 3:
                return add_all<3>(y);
            default:
                return add_all<4>(y);
        }
    }

  private:
    static constexpr int most = 4;
    static constexpr int most_rows_apart = 16;  // and a vector has at most 16 lanes: see streak_room

    template <class Streak>
    HWY_INLINE void put(Streak const& streak, V const* x) {
        rows_[count_] = streak.row;
        ends_[count_] = streak.row + streak.count;
        x_[count_] = x + (std::int64_t{streak.column} - streak.row);
        values_[count_++] = static_cast<V>(streak.value);
    }

    template <int N>
    HWY_INLINE void add_all(V* HWY_RESTRICT y) const {
        hn::ScalableTag<V> const tag;
        auto const lanes = static_cast<int>(hn::Lanes(tag));
        int const begin = (begin_ + lanes - 1) & -lanes, end = end_ & -lanes;
        int r = first_ & -lanes;
        for (; r < begin; r += lanes) add_edge<N>(r, lanes, y);
        for (; r < end; r += lanes) {
            auto sum = hn::LoadU(tag, y + r);
            for (int k = 0; k < N; ++k) sum = hn::MulAdd(hn::Set(tag, values_[k]), hn::LoadU(tag, x_[k] + r), sum);
            hn::StoreU(sum, tag, y + r);
        }
        for (; r < last_; r += lanes) add_edge<N>(r, lanes, y);
    }
    /// Rows that not all of them have.
    template <int N>
    HWY_INLINE void add_edge(int r, int lanes, V* HWY_RESTRICT y) const {
        hn::ScalableTag<V> const tag;
        auto sum = hn::LoadU(tag, y + r);
        for (int k = 0; k < N; ++k) {
            int const first = std::clamp(rows_[k] - r, 0, lanes), last = std::clamp(ends_[k] - r, 0, lanes);
            auto const which = hn::AndNot(hn::FirstN(tag, static_cast<std::size_t>(first)),
                                          hn::FirstN(tag, static_cast<std::size_t>(last)));
            // Neither values nor x are all finite. (Loads by masks may fault without AVX-512, says Highway.)
            auto const value = hn::IfThenElseZero(which, hn::Set(tag, values_[k]));
            sum = hn::MulAdd(value, hn::IfThenElseZero(which, hn::LoadU(tag, x_[k] + r)), sum);
        }
        hn::StoreU(sum, tag, y + r);
    }

    int count_ = 0;
    int first_, last_;  // rows of any
    int begin_, end_;   // rows of all
    int rows_[most];
    int ends_[most];
    V const* x_[most];  // from row 0 on, along the diagonal
    V values_[most];
};

/// Whether a group may have the streak: not at the ends of x.
template <class Streak>
HWY_INLINE bool has_room(Streak const& streak, std::int64_t x_size) {
    return streak.column >= streak_room && std::int64_t{streak.column} + streak.count + streak_room <= x_size;
}

/// y[row + i] += value * x[column + i], i < streak.count, for each streak of a list. Whole vectors of y are written.
template <class Streak, class V>
HWY_INLINE void add_one_value_streaks(Streak const* streaks, std::int32_t count, V const* x, std::int64_t x_size,
                                      V* y) {
    fetches_nothing nothing;
    for (std::int32_t i = 0; i < count;) {
        if (!has_room(streaks[i], x_size)) {
            add_run(one_value<V>{static_cast<V>(streaks[i].value)}, x + streaks[i].column, streaks[i].row,
                    streaks[i].count, y, nothing);
            ++i;
            continue;
        }
        streak_group<V> group(streaks[i], x);
        for (++i; i < count && has_room(streaks[i], x_size) && group.take(streaks[i], x); ++i) {
        }
        group.add(y);
    }
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
