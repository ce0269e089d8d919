// A leaf with streaks along diagonals (node_kind::diagonal): what a stencil's leaf consists of.
//
//   | streaks (2 bytes) | others (2 bytes) | rows[q] | columns[q] | first row, first column, length - 1 [streaks] |
//   | values of the others [q] | values of the streaks |
//
// q: padded number of the others, which are a list; both parts ascend in leaf_order. Values start at a multiple of 16
// bytes; those of streak k + 1 follow those of streak k.
//
// Values once: bit 15 of the number of streaks: the others have 16 bytes of one value; bit 14: each streak has one
// value for all its entries.
#pragma once

#include <copse/formats/leaves/leaf_memory.hpp>
#include <copse/formats/leaves/leaf_stretch.hpp>
#include <copse/formats/leaves/sparse_leaf.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

/// Entries (row + i, column + i) with values[i], i < count.
template <class T>
struct leaf_streak {
    int row;
    int column;
    int count;
    entry_values<T> values;
};

/// Where streaks stand, as op(A) sees them.
struct streak_list {
    std::uint8_t const* first_rows = nullptr;
    std::uint8_t const* first_columns = nullptr;
    std::uint8_t const* last = nullptr;  // length - 1
    int count = 0;

    COPSE_HOST_DEVICE int row(int k) const { return first_rows[k]; }
    COPSE_HOST_DEVICE int column(int k) const { return first_columns[k]; }
    COPSE_HOST_DEVICE int length(int k) const { return last[k] + 1; }
};

/// The values of streaks, one after the other: of each entry, or of each streak.
template <class T>
struct streak_value_list {
    T const* first = nullptr;
    stored_values stored = stored_values::each;

    COPSE_HOST_DEVICE COPSE_INLINE bool once() const { return stored == stored_values::once; }
    /// How many a streak of `length` entries has.
    COPSE_HOST_DEVICE COPSE_INLINE int of_streak(int length) const { return once() ? 1 : length; }
};

/// The streaks of a list one after the other: for (leaf_streak<T> streak : streak_range<T>(list, values)) ...
template <class T>
class streak_range {
  public:
    COPSE_HOST_DEVICE COPSE_INLINE streak_range(streak_list const& list, streak_value_list<T> const& values)
        : list_(list), values_(values) {}

    class iterator {
      public:
        COPSE_HOST_DEVICE COPSE_INLINE iterator(streak_list const& list, int k, streak_value_list<T> const& values)
            : list_(list), k_(k), values_(values) {}
        COPSE_HOST_DEVICE COPSE_INLINE leaf_streak<T> operator*() const {
            return {list_.row(k_), list_.column(k_), list_.length(k_), {values_.first, values_.stored}};
        }
        COPSE_HOST_DEVICE COPSE_INLINE iterator& operator++() {
            values_.first += values_.of_streak(list_.length(k_++));
            return *this;
        }
        COPSE_HOST_DEVICE COPSE_INLINE bool operator!=(iterator const& end) const { return k_ != end.k_; }

      private:
        streak_list list_;
        int k_;
        streak_value_list<T> values_;
    };
    COPSE_HOST_DEVICE COPSE_INLINE iterator begin() const { return {list_, 0, values_}; }
    COPSE_HOST_DEVICE COPSE_INLINE iterator end() const { return {list_, list_.count, {}}; }

  private:
    streak_list list_;
    streak_value_list<T> values_;
};

/// A leaf with streaks, as op(A) sees it: single entries and streaks.
template <class T>
struct diagonal_leaf_view {
    sparse_leaf_view<T> others;
    streak_list streaks;
    streak_value_list<T> streak_values;

    COPSE_HOST_DEVICE COPSE_INLINE streak_range<T> each_streak() const { return {streaks, streak_values}; }
};

namespace detail {

struct diagonal_leaf {
    static constexpr node_kind kind = node_kind::diagonal;
    static constexpr char const* name = "diagonal leaf";
    static constexpr leaf_kinds kinds = leaf_kinds::diagonal;

    COPSE_HOST_DEVICE static constexpr leaf_shape shape(std::int64_t entries, std::int64_t streaks,
                                                        std::int64_t in_streaks) {
        return {kind, static_cast<std::int32_t>(entries), static_cast<std::int32_t>(streaks),
                static_cast<std::int32_t>(in_streaks)};
    }
    COPSE_HOST_DEVICE static leaf_shape shape_of(std::byte const* memory, child_reference leaf) {
        head const counts(memory);
        leaf_shape s = shape(leaf.entries(), counts.streaks, leaf.entries() - counts.others);
        s.others_values = counts.others_values;
        s.streak_values = counts.streak_values;
        return s;
    }
    COPSE_HOST_DEVICE static constexpr std::int64_t bytes(leaf_shape s, std::int64_t, std::int64_t value_bytes) {
        return values_offset(s) + align_node((other_values(s, value_bytes) + values_in_streaks(s)) * value_bytes);
    }
    /// With at least one streak, and at most all entries in it.
    COPSE_HOST_DEVICE static constexpr std::int64_t least_bytes(std::int64_t entries, bool once, std::int64_t d,
                                                                std::int64_t value_bytes) {
        leaf_shape s = shape(entries, 1, entries);
        if (once) s.streak_values = stored_values::once;
        return bytes(s, d, value_bytes);
    }

    template <class T, leaf_place Place = leaf_place::tree>
    COPSE_HOST_DEVICE static diagonal_leaf_view<T> view(std::byte const* memory, child_reference leaf, int) {
        head const counts(memory);
        int const streaks = counts.streaks, others = counts.others;
        std::int64_t const p = padded_entries(others);
        auto const* const rows = reinterpret_cast<std::uint8_t const*>(memory + 4);
        auto const* const streak_rows = rows + 2 * p;
        auto const* const values = reinterpret_cast<T const*>(memory + values_offset(streaks, others));
        bool const flip = leaf.transposed();
        return {{entry_values<T>(values, counts.others_values), in_leaf<Place>(flip ? rows + p : rows),
                 in_leaf<Place>(flip ? rows : rows + p), others},
                {in_leaf<Place>(flip ? streak_rows + streaks : streak_rows),
                 in_leaf<Place>(flip ? streak_rows : streak_rows + streaks), streak_rows + 2 * streaks, streaks},
                {values + values_in_list(p, counts.others_values, sizeof(T)), counts.streak_values}};
    }
    template <class T>
    COPSE_HOST_DEVICE static stored_leaf stored(std::byte const*, leaf_shape s, std::int64_t d) {
        std::int64_t const list = other_values(s, sizeof(T));
        bool const padded = s.others_values == stored_values::each;
        return {bytes(s, d, sizeof(T)),
                values_offset(s),
                list + values_in_streaks(s),
                padded ? others(s) : list,
                list,
                nullptr};
    }

    template <class T>
    COPSE_HOST_DEVICE static leaf_arrays<T> places(std::byte* memory, leaf_shape s) {
        std::int64_t const p = padded_entries(others(s));
        auto* const rows = reinterpret_cast<std::uint8_t*>(memory + 4);
        auto* const values = reinterpret_cast<T*>(memory + values_offset(s));
        return {values, rows, rows + p, values + p};
    }
    /// Everything that is not an entry, and the counts. The lanes share it.
    template <class T, class Worker>
    COPSE_HOST_DEVICE static void prepare(Worker& w, std::byte* memory, leaf_shape s, std::int64_t d) {
        std::int64_t const p = padded_entries(others(s));
        sparse_leaf::clear_padding(w, places<T>(memory, s), others(s));
        if (w.rank() == 0) write_head(memory, s);
        clear_bytes(w, memory, 4 + 2 * p + 3 * s.streaks, values_offset(s));
        std::int64_t const end = values_offset(s) + (p + s.in_streaks) * static_cast<std::int64_t>(sizeof(T));
        clear_bytes(w, memory, end, bytes(s, d, sizeof(T)));
    }
    template <class T>
    COPSE_HOST_DEVICE static void begin_streak(leaf_arrays<T> const& to, leaf_shape s, int streak, int row,
                                               int column) {
        std::uint8_t* const first = to.rows + 2 * padded_entries(others(s));
        first[streak] = static_cast<std::uint8_t>(row);
        first[s.streaks + streak] = static_cast<std::uint8_t>(column);
    }
    /// By the lane that began it, with the row of its last entry.
    template <class T>
    COPSE_HOST_DEVICE static void end_streak(leaf_arrays<T> const& to, leaf_shape s, int streak, int last_row) {
        std::uint8_t* const first = to.rows + 2 * padded_entries(others(s));
        first[2 * s.streaks + streak] = static_cast<std::uint8_t>(last_row - first[streak]);
    }

    COPSE_HOST_DEVICE static constexpr std::int64_t values_offset(std::int64_t streaks, std::int64_t others) {
        return align_node(4 + 2 * padded_entries(others) + 3 * streaks);
    }

    COPSE_HOST_DEVICE static void write_head(std::byte* memory, leaf_shape s) {
        reinterpret_cast<std::uint16_t*>(memory)[0] =
            static_cast<std::uint16_t>(s.streaks | (s.others_values == stored_values::once ? others_once_bit : 0) |
                                       (s.streak_values == stored_values::once ? streaks_once_bit : 0));
        reinterpret_cast<std::uint16_t*>(memory)[1] = static_cast<std::uint16_t>(others(s));
    }

  private:
    static constexpr int others_once_bit = 1 << 15, streaks_once_bit = 1 << 14;  // there are at most 65536 / 6 streaks

    struct head {
        int streaks;
        int others;
        stored_values others_values;
        stored_values streak_values;

        COPSE_HOST_DEVICE explicit head(std::byte const* memory) {
            int const first = reinterpret_cast<std::uint16_t const*>(memory)[0];
            streaks = first & (streaks_once_bit - 1);
            others = reinterpret_cast<std::uint16_t const*>(memory)[1];
            others_values = (first & others_once_bit) != 0 ? stored_values::once : stored_values::each;
            streak_values = (first & streaks_once_bit) != 0 ? stored_values::once : stored_values::each;
        }
    };
    COPSE_HOST_DEVICE static constexpr std::int64_t other_values(leaf_shape s, std::int64_t value_bytes) {
        return values_in_list(padded_entries(others(s)), s.others_values, value_bytes);
    }
    COPSE_HOST_DEVICE static constexpr std::int64_t values_in_streaks(leaf_shape s) {
        return s.streak_values == stored_values::once ? s.streaks : s.in_streaks;
    }
    COPSE_HOST_DEVICE static constexpr std::int32_t others(leaf_shape s) { return s.entries - s.in_streaks; }
    COPSE_HOST_DEVICE static constexpr std::int64_t values_offset(leaf_shape s) {
        return values_offset(s.streaks, others(s));
    }
};

/// Streaks as one word each, for lanes that have many at hand. Distances: pointers would be live in twice as many
/// registers.
class packed_streaks {
  public:
    COPSE_HOST_DEVICE explicit packed_streaks(streak_list const& streaks)
        : first_rows_(streaks.first_rows),
          to_columns_(static_cast<int>(streaks.first_columns - streaks.first_rows)),
          to_last_(static_cast<int>(streaks.last - streaks.first_rows)) {}

    COPSE_HOST_DEVICE COPSE_INLINE std::uint32_t operator[](int k) const {
        std::uint8_t const* const streak = first_rows_ + k;
        return streak[0] | std::uint32_t{streak[to_columns_]} << 8 | std::uint32_t{streak[to_last_]} << 16;
    }
    COPSE_HOST_DEVICE COPSE_INLINE static int row(std::uint32_t streak) { return static_cast<int>(streak & 255); }
    COPSE_HOST_DEVICE COPSE_INLINE static int column(std::uint32_t streak) {
        return static_cast<int>(streak >> 8 & 255);
    }
    COPSE_HOST_DEVICE COPSE_INLINE static std::uint32_t last(std::uint32_t streak) { return streak >> 16; }

  private:
    std::uint8_t const* first_rows_;
    int to_columns_;
    int to_last_;
};

/// Of the others; the streaks are visit_rest()'s.
template <class T>
COPSE_HOST_DEVICE leaf_stretch<T> stretch_of(diagonal_leaf_view<T> const& leaf) {
    return stretch_of(leaf.others);
}

template <visited What, class T, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_alone(diagonal_leaf_view<T> const& leaf, F f) {
    visit_alone<What>(leaf.others, f);
    int before = leaf.others.count;
    for (leaf_streak<T> const streak : leaf.each_streak()) {
        T const* const values = streak.values.data();
        auto const visit = [&](auto value_at) {
            for (int i = 0; i < streak.count; ++i) {
                int const row = streak.row + i, column = streak.column + i;
                if (row < 0 || row > 255 || column < 0 || column > 255) __builtin_unreachable();
                visit_one<What>(f, before + i, row, column, value_at(i));
            }
        };
        // A loop of its own for each: no value's address depends on whether there is one for all. f may want to know
        // where the value lies.
        if (streak.values.once())
            visit([&](int) -> T const& { return *values; });
        else
            visit([&](int i) -> T const& { return values[i]; });
        before += streak.count;
    }
}

/// As of lists. Takes a step for each streak between the last search's and the entry's.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T const* find_entry(diagonal_leaf_view<T> const& leaf, leaf_order order, bool flip,
                                                   int row, int column, entry_cursor& at) {
    streak_list const& streaks = leaf.streaks;
    auto const position = [&](int r, int c) { return flip ? order.position(c, r) : order.position(r, c); };
    auto const begin = [&](int k) { return position(streaks.row(k), streaks.column(k)); };
    int const wanted = position(row, column);
    if (streaks.count > 0) {
        while (at.streak + 1 < streaks.count && begin(at.streak + 1) <= wanted)
            at.before += streaks.length(at.streak++);
        while (at.streak > 0 && begin(at.streak) > wanted) at.before -= streaks.length(--at.streak);
        int const i = row - streaks.row(at.streak);
        if (column - streaks.column(at.streak) == i && i >= 0 && i < streaks.length(at.streak))
            return leaf.streak_values.first + (leaf.streak_values.once() ? at.streak : at.before + i);
    }
    return find_entry(leaf.others, order, flip, row, column, at);
}

/// visit_rest() for a function that is collective: f(mine, i, row, column, value) is called equally often in all lanes,
/// with mine == false where a lane has no entry. `count`: of the entries in streaks.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_rest_together(Worker& w, diagonal_leaf_view<T> const& leaf, int before,
                                                        int count, F f) {
    int streak = 0, begin = 0;  // of the streak that this lane's entry is in
    COPSE_NO_UNROLL
    for (int first = 0; first < count; first += w.size()) {
        int const k = first + w.rank();
        bool const mine = k < count;
        while (mine && k >= begin + leaf.streaks.length(streak)) begin += leaf.streaks.length(streak++);
        f(mine, before + k, mine ? leaf.streaks.row(streak) + k - begin : 0,
          mine ? leaf.streaks.column(streak) + k - begin : 0,
          mine ? w.load_stream(leaf.streak_values.first + (leaf.streak_values.once() ? streak : k)) : T(0));
    }
}

/// Streaks, which follow `before` other entries; each is one warp's.
template <visited What, class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void visit_rest(Worker& w, diagonal_leaf_view<T> const& leaf, int before, F f) {
    int constexpr values_per_load = static_cast<int>(16 / sizeof(T));
    int constexpr lanes = Worker::size() < 32 ? Worker::size() : 32, warps = Worker::size() / lanes;
    T const* values = leaf.streak_values.first;
    bool const once = leaf.streak_values.once();
    COPSE_NO_UNROLL
    for (int streak = 0; streak < leaf.streaks.count; ++streak) {
        int const count = leaf.streaks.length(streak);
        if (streak % warps == w.rank() / lanes) {
            int const row = leaf.streaks.row(streak), column = leaf.streaks.column(streak);
            bool const single = count <= lanes;
            int const step = single ? 1 : values_per_load;
            int const skew = single || once ? 0 : misalignment(values);
            COPSE_NO_UNROLL
            for (int k = w.rank() % lanes * step - skew; k < count; k += lanes * step) {
                lane_entries<T, values_per_load> e{};
                e.mine = single ? 1 : (1u << values_per_load) - 1;
                if (What == visited::entries) {
                    e.values = load_values<values_per_load>(values + (once ? 0 : k), single || once, w);
                    if (once) e.values.fill(e.values[0]);
                }
                e.keep_own(k, count);
                COPSE_UNROLL
                for (int j = 0; j < values_per_load; ++j)
                    if ((e.mine >> j & 1) != 0)
                        visit_one<What>(f, before + k + j, row + k + j, column + k + j,
                                        e.values[static_cast<std::size_t>(j)]);
            }
        }
        before += count;
        values += leaf.streak_values.of_streak(count);
    }
}

}  // namespace detail
}  // namespace copse
