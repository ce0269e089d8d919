// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <algorithm>
#include <copse/cpu/columns/column_products.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/columns/column_products.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <copse/cpu/columns/streak_sweeper-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

/// Rows of X that a list's entries meet far apart are fetched this many entries ahead.
constexpr int fetched_ahead = 12;

/// Not inlined: callers have no registers left for a loop that wants ten.
template <bool Fetch, class Vectors, class T, class Coordinate, class V>
HWY_NOINLINE void add_list_pass(Vectors vectors, entry_values<T> values, Coordinate const* rows,
                                Coordinate const* columns, int count, V const* x, std::int64_t x_step, V* sums,
                                std::int64_t step) {
    for (int i = 0; i < count; ++i) {
        if (Fetch && i + fetched_ahead < count) {
            auto const* const line = reinterpret_cast<std::byte const*>(x + columns[i + fetched_ahead] * x_step);
            for (int n = 0; n < Vectors::count; ++n) __builtin_prefetch(line + 64 * n);
        }
        add_entry(vectors, static_cast<V>(values[i]), x + columns[i] * x_step, sums + rows[i] * step);
    }
}

/// sums: of the row that `rows` count from.
template <bool Fetch, class T, class Coordinate, class V>
HWY_INLINE void add_list(entry_values<T> const& values, Coordinate const* rows, Coordinate const* columns, int count,
                         column_rows<V> const& x, V* sums, std::int64_t step) {
    for_each_pass<V>(x.columns, [&](auto vectors, int c) HWY_ATTR {
        add_list_pass<Fetch>(vectors, values, rows, columns, count, x.x + c, x.x_step, sums + c, step);
    });
}

/// Adds leaves to the sums of d rows, one after the other.
template <class T, class V>
class leaf_adder {
  public:
    HWY_INLINE leaf_adder(node_reader const& tree, column_rows<V> const& x, block_row_sums<V> const& sums,
                          leaf_fetch& fetch)
        : tree_(tree), all_x_(x), sums_(sums), leaves_(tree, fetch) {}

    HWY_INLINE void add(leaf_piece const& piece) {
        leaves_.begin(piece);
        x_ = all_x_.from(piece.leaf.column);
        add_any(all_leaves(), piece);
    }
    HWY_INLINE void end(column_output<V> const* y) {
        if (y && !waiting_.is_empty() && goes_straight(*y)) {
            waiting_.write(all_x_, sums_, leaves_, {*y, y->goes_past_caches()});
        } else {
            waiting_.add(all_x_, sums_, leaves_);
            sums_.begin();
            if (y) write_columns(*y, sums_.sums, sums_.step, sums_.rows);
        }
        leaves_.end();
    }

  private:
    /// Leaves with this many streaks or fewer wait for others, so that a row's sums are complete in registers.
    static constexpr int few_streaks = 12;
    /// Entries of a list after which leaves ahead are fetched.
    static constexpr int list_stretch = 64;

    /// Whether Y is written from registers.
    static HWY_INLINE bool goes_straight(column_output<V> const& y) {
        return y.column_step == 1 && (y.is_in_lines() || !y.goes_past_caches());
    }

    template <class... Leaf>
    HWY_INLINE void add_any(leaf_owners<Leaf...>, leaf_piece const& piece) {
        node_kind const kind = piece.leaf.reference.kind();
        (void)((kind == Leaf::kind && (add_leaf(tree_.view_of<Leaf, T>(piece.leaf), piece), true)) || ...);
    }

    /// The values with the leaf's sign: a negated copy where that is not the stored one. Each is used for several
    /// columns.
    HWY_INLINE entry_values<T> values_of(leaf_piece const& piece, entry_values<T> const& stored, int count) {
        if (!piece.leaf.reference.negative()) return stored;
        return stored.once() ? entry_values<T>(negated_copy(stored.data(), 1), stored_values::once)
                             : entry_values<T>(negated_copy(stored.data(), count));
    }
    HWY_INLINE T const* negated_copy(T const* values, int count) {
        negated_.resize(static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) negated_[static_cast<std::size_t>(i)] = -values[i];
        return negated_.data();
    }

    HWY_INLINE void add_leaf(sparse_leaf_view<T> const& leaf, leaf_piece const& piece) {
        sums_.begin();
        auto const values = values_of(piece, leaf.values, leaf.count);
        for (int first = 0; first < leaf.count; first += list_stretch) {
            int const count = std::min(list_stretch, leaf.count - first);
            leaves_.step(count * static_cast<std::int64_t>(sizeof(T) + 1));
            add_list<false>(values.from(first), leaf.rows + first, leaf.columns + first, count, x_, sums_.sums,
                            sums_.step);
        }
    }
    HWY_INLINE void add_leaf(wide_leaf_view<T> const& leaf, leaf_piece const& part) {
        int const first = part.first, log2 = tree_.dimension_log2(), first_row = leaf.rows[first] >> log2 << log2;
        sums_.begin();
        add_list<true>(values_of(part, leaf.values.from(first), part.last - first), leaf.rows + first,
                       leaf.columns + first, part.last - first, x_, sums_.sums - first_row * sums_.step, sums_.step);
    }
    HWY_INLINE void add_leaf(diagonal_leaf_view<T> const& leaf, leaf_piece const& piece) {
        if (leaf.others.count > 0) add_leaf(leaf.others, piece);
        streak_value_list<T> values = leaf.streak_values;
        bool const negative = piece.leaf.reference.negative();
        if (negative) {
            int count = 0;
            for (int k = 0; k < leaf.streaks.count; ++k) count += values.of_streak(leaf.streaks.length(k));
            values.first = negated_copy(values.first, count);
        }
        if (values.once()) {
            streak_sweeper<T, V, V> sweep;
            add_all(sweep, leaf.streaks, values);
            sweep.add(x_, sums_, leaves_);
        } else if (leaf.streaks.count <= few_streaks && !negative) {  // the copy does not wait
            if (!waiting_.has_room(leaf.streaks.count)) waiting_.add(all_x_, sums_, leaves_);
            waiting_.take(leaf.streaks, 0, leaf.streaks.count, values, x_);
        } else {
            streak_sweeper<T, V, T const*> sweep;
            add_all(sweep, leaf.streaks, values);
            sweep.add(x_, sums_, leaves_);
        }
    }
    template <class Sweep>
    HWY_INLINE void add_all(Sweep& sweep, streak_list const& list, streak_value_list<T>& values) {
        for (int first = 0; first < list.count; first += Sweep::most_streaks) {
            if (first > 0) sweep.add(x_, sums_, leaves_);
            sweep.take(list, first, std::min(list.count, first + Sweep::most_streaks), values, x_);
        }
    }
    HWY_INLINE void add_leaf(dense_leaf_view<T> const& leaf, leaf_piece const&);

    node_reader const& tree_;
    column_rows<V> const& all_x_;
    block_row_sums<V> sums_;
    column_rows<V> x_ = {};
    leaf_fetcher<T> leaves_;
    streak_sweeper<T, V, T const*> waiting_;
    std::vector<T> negated_;
};

/// Rows r .. r + Rows - 1 of a leaf with all entries: value (i, j) is values[i * row_step + j * column_step].
template <int Rows, class Vectors, class T, class V>
HWY_INLINE void add_dense_rows(Vectors vectors, T const* values, std::int64_t row_step, std::int64_t column_step, int d,
                               V const* x, std::int64_t x_step, V* sums, std::int64_t step) {
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    hn::Vec<decltype(tag)> sum[Rows][Vectors::count];
    for (int i = 0; i < Rows; ++i)
        for (int n = 0; n < Vectors::count; ++n) sum[i][n] = hn::LoadU(tag, sums + i * step + n * lanes);
    for (int j = 0; j < d; ++j, x += x_step, values += column_step)
        for (int n = 0; n < Vectors::count; ++n) {
            auto const of_x = vectors.load(tag, x, n);
            for (int i = 0; i < Rows; ++i)
                sum[i][n] = hn::MulAdd(hn::Set(tag, static_cast<V>(values[i * row_step])), of_x, sum[i][n]);
        }
    for (int i = 0; i < Rows; ++i)
        for (int n = 0; n < Vectors::count; ++n) hn::StoreU(sum[i][n], tag, sums + i * step + n * lanes);
}

template <class T, class V>
HWY_INLINE void leaf_adder<T, V>::add_leaf(dense_leaf_view<T> const& leaf, leaf_piece const& piece) {
    sums_.begin();
    column_rows<V> const x = x_;
    V* const sums = sums_.sums;
    std::int64_t const step = sums_.step;
    int const d = 1 << leaf.dimension_log2;
    entry_values<T> const values = values_of(piece, leaf.values, d * d);
    if (!leaf.presence) {
        std::int64_t const row = values.once()     ? 0
                                 : leaf.transposed ? 1
                                                   : d,
                           column = values.once()     ? 0
                                    : leaf.transposed ? d
                                                      : 1;
        for_each_pass<V>(x.columns, [&](auto vectors, int c) HWY_ATTR {
            constexpr int rows = decltype(vectors)::count == 4 ? 2 : 4;  // d is a multiple of 64
            for (int r = 0; r < d; r += rows)
                add_dense_rows<rows>(vectors, values.data() + r * row, row, column, d, x.x + c, x.x_step,
                                     sums + (r * step + c), step);
        });
        return;
    }
    for_each_pass<V>(x.columns, [&](auto vectors, int c) HWY_ATTR {
        for (int word = 0; word < d * d / 32; ++word)
            for (std::uint32_t bits = leaf.presence[word]; bits != 0; bits &= bits - 1) {
                int const i = 32 * word + __builtin_ctz(bits), major = i >> leaf.dimension_log2, minor = i & (d - 1);
                int const row = leaf.transposed ? minor : major, column = leaf.transposed ? major : minor;
                add_entry(vectors, static_cast<V>(values[i]), x.x + column * x.x_step + c, sums + row * step + c);
            }
    });
}

template <class T, class V>
HWY_INLINE void add_pieces(node_reader const& tree, leaf_piece const* pieces, std::int64_t count,
                           column_rows<V> const& x, block_row_sums<V> const& sums, leaf_fetch& fetch,
                           column_output<V> const* y) {
    leaf_adder<T, V> adder(tree, x, sums, fetch);
    for (std::int64_t i = 0; i < count; ++i) adder.add(pieces[i]);
    adder.end(y);
}

template <class T, class V>
HWY_INLINE void sweep_on(streak_sweep<T, V>& sweep, std::int32_t begin, std::int32_t end, column_rows<V> const& x,
                         V* sums, std::int64_t step) {
    V* const of_row_0 = sums - begin * step;
    for (std::int32_t r = begin; r < end;) {
        std::size_t kept = 0;
        std::int32_t until = end;
        for (std::size_t k = 0; k < sweep.ends.size(); ++k) {
            if (sweep.ends[k] == r) continue;
            sweep.x[kept] = sweep.x[k];
            sweep.values[kept] = sweep.values[k];
            until = std::min(until, sweep.ends[kept++] = sweep.ends[k]);
        }
        sweep.x.resize(kept);
        sweep.values.resize(kept);
        sweep.ends.resize(kept);
        for (; sweep.next < sweep.count && sweep.streaks[sweep.next].row == r; ++sweep.next) {
            value_streak<T> const& s = sweep.streaks[sweep.next];
            sweep.x.push_back(x.x + (std::int64_t{s.column} - s.row) * x.x_step);
            sweep.values.push_back(static_cast<V>(s.value));
            sweep.ends.push_back(s.row + s.count);
            until = std::min(until, s.row + s.count);
        }
        if (sweep.next < sweep.count) until = std::min(until, sweep.streaks[sweep.next].row);
        V const* const last = last_of(sweep.x.data(), static_cast<int>(sweep.x.size()), x.x);
        add_common_rows<sums_are::none>(sweep.x.data(), sweep.values.data(), static_cast<int>(sweep.ends.size()), r,
                                        until, x, of_row_0, step, rows_ahead<V>{last, x.x_step}, to_sums<V>());
        r = until;
    }
}

#define COPSE_OF_TYPES(name, T, V)                                                                                  \
    void add_##name(node_reader const& tree, leaf_piece const* pieces, std::int64_t count, column_rows<V> const& x, \
                    block_row_sums<V> sums, leaf_fetch& fetch, column_output<V> const* y) {                         \
        add_pieces<T>(tree, pieces, count, x, sums, fetch, y);                                                      \
    }                                                                                                               \
    void list_##name(T const* values, std::uint16_t const* rows, std::uint16_t const* columns, int count,           \
                     column_rows<V> const& x, V* sums, std::int64_t step) {                                         \
        add_list<true>(entry_values<T>(values), rows, columns, count, x, sums, step);                               \
    }                                                                                                               \
    void sweep_##name(streak_sweep<T, V>& sweep, std::int32_t begin, std::int32_t end, column_rows<V> const& x,     \
                      V* sums, std::int64_t step) {                                                                 \
        sweep_on(sweep, begin, end, x, sums, step);                                                                 \
    }
COPSE_OF_TYPES(float, float, float)
COPSE_OF_TYPES(double, double, double)
COPSE_OF_TYPES(mixed, float, double)
#undef COPSE_OF_TYPES

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(add_float);
HWY_EXPORT(add_double);
HWY_EXPORT(add_mixed);
HWY_EXPORT(list_float);
HWY_EXPORT(list_double);
HWY_EXPORT(list_mixed);
HWY_EXPORT(sweep_float);
HWY_EXPORT(sweep_double);
HWY_EXPORT(sweep_mixed);

}  // namespace

#define COPSE_OF_TYPES(name, T, V)                                                                                   \
    template <>                                                                                                      \
    void add_leaf_columns<T, V>(node_reader const& tree, leaf_piece const* pieces, std::int64_t count,               \
                                column_rows<V> const& x, block_row_sums<V> sums, leaf_fetch& fetch,                  \
                                column_output<V> const* y) {                                                         \
        HWY_DYNAMIC_DISPATCH(add_##name)(tree, pieces, count, x, sums, fetch, y);                                    \
    }                                                                                                                \
    template <>                                                                                                      \
    void add_list_columns<T, V>(T const* values, std::uint16_t const* rows, std::uint16_t const* columns, int count, \
                                column_rows<V> const& x, V* sums, std::int64_t step) {                               \
        HWY_DYNAMIC_DISPATCH(list_##name)(values, rows, columns, count, x, sums, step);                              \
    }                                                                                                                \
    template <>                                                                                                      \
    void begin_with_streaks<T, V>(streak_sweep<T, V> & sweep, std::int32_t begin, std::int32_t end,                  \
                                  column_rows<V> const& x, V* sums, std::int64_t step) {                             \
        HWY_DYNAMIC_DISPATCH(sweep_##name)(sweep, begin, end, x, sums, step);                                        \
    }
COPSE_OF_TYPES(float, float, float)
COPSE_OF_TYPES(double, double, double)
COPSE_OF_TYPES(mixed, float, double)
#undef COPSE_OF_TYPES

}  // namespace copse::detail
#endif  // HWY_ONCE
