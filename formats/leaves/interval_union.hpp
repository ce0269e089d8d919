// The union of two leaves that consist of few streaks and few other entries: intervals of positions (leaf_order) are
// united, not entries. A streak of n entries from position p on is [p, p + n), an entry that is in none [p, p + 1).
//
//   A      [------)     [--)         [-)
//   B          [------)    [---)         [-)       neighbours on one diagonal; a diagonal's border parts them
//   C      [----------) [------)     [-) [-)       joints: as many entries of C, side by side
//
// A leaf's intervals are disjoint, and lie on one diagonal each. A joint is a streak of C if it has at least
// shortest_streak entries (diagonal_streaks.hpp has the same rule for sets of bits). Each lane has one interval, and
// later one joint. Intervals are sorted by counting those before each, so that a leaf may come in any order, transposed
// for one.
//
// For lanes that work together; all members are collective. Only unions that are leaves with streaks are written.
#pragma once

#include <copse/formats/leaves/diagonal_leaf.hpp>
#include <copse/formats/leaves/diagonal_streaks.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/leaf_writer.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

template <class T>
COPSE_HOST_DEVICE COPSE_INLINE int interval_count(diagonal_leaf_view<T> const& leaf) {
    return leaf.streaks.count + leaf.others.count;
}

class interval_union {
  public:
    static constexpr int most = 64;

    /// Positions first .. last of an operand. Their values begin at this distance from the leaf's first value.
    struct interval {
        std::uint16_t first;
        std::uint16_t last;
        std::int32_t value;
    };
    /// Positions first .. last of C. How many entries of C come before them in leaf_order, and how many of these are in
    /// streaks if this is one, in none if this is none.
    struct joint {
        std::uint16_t first;
        std::uint16_t last;
        std::int32_t before;
        std::int32_t before_alike;

        COPSE_HOST_DEVICE bool is_streak() const { return last - first + 1 >= shortest_streak; }
    };
    struct totals {
        std::int32_t entries = 0;
        std::int32_t in_streaks = 0;
        std::int32_t streaks = 0;
    };
    /// Memory that the lanes share.
    struct storage {
        std::uint32_t keys[most];  // first position * most + lane
        std::uint32_t sorted[most];
        interval intervals[most];  // A's, then B's; each ascend
        joint joints[most];
        totals all;
        std::int32_t joint_count;
    };

    template <class T, class Worker>
    COPSE_HOST_DEVICE static bool fits(Worker const&, diagonal_leaf_view<T> const& a, diagonal_leaf_view<T> const& b) {
        static_assert(Worker::size() <= most);
        return interval_count(a) + interval_count(b) <= Worker::size();
    }

    COPSE_HOST_DEVICE interval_union(storage& memory, leaf_order order) : memory_(memory), order_(order) {}

    /// First of all, for A and B that fit and are not both empty.
    template <class T, class Worker>
    COPSE_HOST_DEVICE leaf_shape shape(Worker& w, diagonal_leaf_view<T> const& a, diagonal_leaf_view<T> const& b) {
        of_a_ = interval_count(a);
        count_ = of_a_ + interval_count(b);
        interval mine{};
        take(w, a, 0, mine);
        take(w, b, of_a_, mine);
        sort(w, mine);
        join(w);
        count_joints(w);
        totals const& all = memory_.all;
        return smallest_leaf(all.entries, all.streaks, all.in_streaks, std::int64_t{1} << order_.dimension_log2,
                             sizeof(T));
    }

    template <class T, class Worker>
    COPSE_HOST_DEVICE void write_streaks(Worker& w, leaf_writer<T> const& writer) const {
        if (w.rank() >= memory_.joint_count) return;
        joint const own = memory_.joints[w.rank()];
        if (!own.is_streak()) return;
        writer.begin_streak(streak_, own.first);
        writer.end_streak(streak_, order_.row(own.last));
    }

    /// factor_a A + factor_b B, entry by entry of C: its value is written once and never read. The same bits as
    /// additions to a C of -0, first A's, then B's.
    template <class T, class Worker>
    COPSE_HOST_DEVICE void write_values(Worker& w, leaf_writer<T> const& writer, diagonal_leaf_view<T> const& a,
                                        T factor_a, diagonal_leaf_view<T> const& b, T factor_b) const {
        int constexpr at_once = 2;  // loads that are on their way together
        cursor in_a{0, of_a_}, in_b{of_a_, count_};
        joint own{1, 0, 0, 0};  // of no entries
        int next = 0;
        int const entries = memory_.all.entries;
        COPSE_NO_UNROLL
        for (int first = w.rank(); first < entries; first += at_once * w.size()) {
            T const *from_a[at_once], *from_b[at_once];
            T addend_a[at_once], addend_b[at_once];
            int position[at_once], place[at_once];
            bool in_streak[at_once];
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                int const entry = first + i * w.size();
                bool const there = entry < entries;
                while (there && entry - own.before > own.last - own.first) own = memory_.joints[next++];
                int const k = entry - own.before;
                position[i] = own.first + k;
                place[i] = own.before_alike + k;
                in_streak[i] = own.is_streak();
                from_a[i] = there ? find(a, position[i], in_a) : nullptr;
                from_b[i] = there ? find(b, position[i], in_b) : nullptr;
            }
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                addend_a[i] = from_a[i] != nullptr ? w.load_stream(in_global_memory(from_a[i])) : T(0);
                addend_b[i] = from_b[i] != nullptr ? w.load_stream(in_global_memory(from_b[i])) : T(0);
            }
            COPSE_UNROLL
            for (int i = 0; i < at_once; ++i) {
                if (first + i * w.size() >= entries) break;
                T value = T(-0.0);
                if (from_a[i] != nullptr) value += factor_a * addend_a[i];
                if (from_b[i] != nullptr) value += factor_b * addend_b[i];
                (in_streak[i] ? writer.in_run(place[i]) : writer.other(place[i], position[i])) = value;
            }
        }
    }

  private:
    /// Lanes `first` .. have an interval of the leaf each: streaks, then others.
    template <class T, class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void take(Worker& w, diagonal_leaf_view<T> const& leaf, int first,
                                             interval& mine) const {
        int const k = w.rank() - first, other = k - leaf.streaks.count;
        bool const is_streak = k >= 0 && other < 0, is_other = other >= 0 && k < interval_count(leaf);
        int const length = is_streak ? leaf.streaks.length(k) : 1;
        int const stored = is_streak ? leaf.streak_values.of_streak(length) : 0;
        int const before = w.inclusive_scan(stored, [](int x, int y) { return x + y; }) - stored;
        if (!is_streak && !is_other) return;
        int const position = is_streak ? order_.position(leaf.streaks.row(k), leaf.streaks.column(k))
                                       : order_.position(leaf.others.rows[other], leaf.others.columns[other]);
        T const* const value = is_streak ? leaf.streak_values.first + before : leaf.others.values.at(other);
        mine = {static_cast<std::uint16_t>(position), static_cast<std::uint16_t>(position + length - 1),
                static_cast<std::int32_t>(value - leaf.others.values.data())};
    }

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void sort(Worker& w, interval const& mine) const {
        std::uint32_t const key = std::uint32_t{mine.first} * most + static_cast<std::uint32_t>(w.rank());
        memory_.keys[w.rank()] = key;
        w.sync();
        if (w.rank() < count_) {
            int before_in_a = 0, before_in_b = 0;
            for (int i = 0; i < of_a_; ++i) before_in_a += memory_.keys[i] < key ? 1 : 0;
            for (int i = of_a_; i < count_; ++i) before_in_b += memory_.keys[i] < key ? 1 : 0;
            memory_.sorted[before_in_a + before_in_b] = std::uint32_t{mine.first} << 16 | mine.last;
            memory_.intervals[w.rank() < of_a_ ? before_in_a : of_a_ + before_in_b] = mine;
        }
        w.sync();
    }

    /// An interval begins a joint if no earlier one reaches it or ends just before it on its diagonal.
    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void join(Worker& w) const {
        int const i = w.rank();
        bool const is_there = i < count_;
        auto const end_of = [&](int k) { return static_cast<int>(memory_.sorted[k] & 0xffff) + 1; };
        int const first = is_there ? static_cast<int>(memory_.sorted[i] >> 16) : 0;
        int const reached =
            w.inclusive_scan(is_there && i > 0 ? end_of(i - 1) : 0, [](int x, int y) { return x > y ? x : y; });
        bool const begins = is_there && (first > reached || (first == reached && order_.begins_diagonal(first)));
        int const number = w.inclusive_scan(begins ? 1 : 0, [](int x, int y) { return x + y; });
        if (begins) {
            memory_.joints[number - 1].first = static_cast<std::uint16_t>(first);
            if (number > 1) memory_.joints[number - 2].last = static_cast<std::uint16_t>(reached - 1);
        }
        if (i == count_ - 1) {
            int const end = end_of(i);
            memory_.joints[number - 1].last = static_cast<std::uint16_t>((end > reached ? end : reached) - 1);
            memory_.joint_count = number;
        }
        w.sync();
    }

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_INLINE void count_joints(Worker& w) {
        bool const is_there = w.rank() < memory_.joint_count;
        joint* const own = &memory_.joints[w.rank()];
        bool const is_streak = is_there && own->is_streak();
        totals mine;
        if (is_there) mine.entries = own->last - own->first + 1;
        if (is_streak) mine = {mine.entries, mine.entries, 1};
        totals const through = w.inclusive_scan(mine, [](totals const& x, totals const& y) {
            return totals{x.entries + y.entries, x.in_streaks + y.in_streaks, x.streaks + y.streaks};
        });
        int const before = through.entries - mine.entries, before_in_streaks = through.in_streaks - mine.in_streaks;
        streak_ = through.streaks - 1;
        if (is_there) {
            own->before = before;
            own->before_alike = is_streak ? before_in_streaks : before - before_in_streaks;
        }
        if (w.rank() == w.size() - 1) memory_.all = through;
        w.sync();
    }

    /// One of a leaf's intervals, in registers, and where the next one is.
    struct cursor {
        int next;
        int end;
        int first = 0;
        int last = -1;
        int value = 0;
    };
    /// The leaf's value at a position, null if there is none. For positions that ascend.
    template <class T>
    COPSE_HOST_DEVICE COPSE_INLINE T const* find(diagonal_leaf_view<T> const& leaf, int position, cursor& at) const {
        while (at.last < position && at.next < at.end) {
            interval const& next = memory_.intervals[at.next++];
            at.first = next.first;
            at.last = next.last;
            at.value = next.value;
        }
        if (at.last < position || at.first > position) return nullptr;
        return entry_values<T>(leaf.others.values.data() + at.value, leaf.streak_values.stored).at(position - at.first);
    }

    storage& memory_;
    leaf_order order_;
    int of_a_ = 0;
    int count_ = 0;
    int streak_ = 0;  // of C: this lane's, if its joint is one
};

}  // namespace copse::detail
