// Rows of sums in registers, for products with several columns on one core. For sources that Highway compiles once for
// each instruction set; column_products.hpp says what X and sums are.
//
// At eight columns and more instructions bind, not bytes. Loads for each multiply-add of a vector:
//
//   an entry alone                    X, sums, and a store of sums
//   streaks along diagonals that have    X, 1/R of the value (the value, where each entry has its own); sums are loaded
//   rows in common, R rows at once    and stored once for all streaks, or never: rows of Y are written from registers
#if defined(COPSE_CPU_COLUMN_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_COLUMN_SUMS_INL_HPP
#undef COPSE_CPU_COLUMN_SUMS_INL_HPP
#else
#define COPSE_CPU_COLUMN_SUMS_INL_HPP
#endif

#include <hwy/highway.h>
#include <copse/cpu/columns/column_products.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Columns that one pass takes: Count whole vectors.
template <int Count>
struct whole_vectors {
    static constexpr int count = Count;
    template <class Tag, class V>
    HWY_INLINE hn::Vec<Tag> load(Tag tag, V const* p, int n) const {
        return hn::LoadU(tag, p + n * static_cast<int>(hn::Lanes(tag)));
    }
    template <class Tag, class V>
    HWY_INLINE void store(Tag tag, hn::Vec<Tag> v, V* p, int n) const {
        hn::StoreU(v, tag, p + n * static_cast<int>(hn::Lanes(tag)));
    }
};
/// Fewer columns than a vector has lanes. Memory behind them is neither read nor written.
struct part_of_vector {
    static constexpr int count = 1;
    std::size_t columns;
    template <class Tag, class V>
    HWY_INLINE hn::Vec<Tag> load(Tag tag, V const* p, int) const {
#if HWY_MEM_OPS_MIGHT_FAULT
        HWY_ALIGN V lanes[hn::MaxLanes(tag)] = {};
        for (std::size_t c = 0; c < columns; ++c) lanes[c] = p[c];
        return hn::Load(tag, lanes);
#else
        return hn::MaskedLoad(hn::FirstN(tag, columns), tag, p);
#endif
    }
    template <class Tag, class V>
    HWY_INLINE void store(Tag tag, hn::Vec<Tag> v, V* p, int) const {
#if HWY_MEM_OPS_MIGHT_FAULT
        HWY_ALIGN V lanes[hn::MaxLanes(tag)];
        hn::Store(v, tag, lanes);
        for (std::size_t c = 0; c < columns; ++c) p[c] = lanes[c];
#else
        hn::BlendedStore(v, hn::FirstN(tag, columns), tag, p);
#endif
    }
};

/// pass(vectors, first column) for stretches of the columns.
template <class V, class Pass>
HWY_INLINE void for_each_pass(int columns, Pass pass) {
    auto const lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<V>()));
    int c = 0;
    for (; c + 4 * lanes <= columns; c += 4 * lanes) pass(whole_vectors<4>(), c);
    if (c + 2 * lanes <= columns) {
        pass(whole_vectors<2>(), c);
        c += 2 * lanes;
    }
    if (c + lanes <= columns) {
        pass(whole_vectors<1>(), c);
        c += lanes;
    }
    if (c < columns) pass(part_of_vector{static_cast<std::size_t>(columns - c)}, c);
}

/// sums += value * x for one row each.
template <class Vectors, class V>
HWY_INLINE void add_entry(Vectors vectors, V value, V const* x, V* sums) {
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto const v = hn::Set(tag, value);
    for (int n = 0; n < Vectors::count; ++n)
        hn::StoreU(hn::MulAdd(v, vectors.load(tag, x, n), hn::LoadU(tag, sums + n * lanes)), tag, sums + n * lanes);
}

// What is multiplied in row r of a streak: its one value, or what it has there.
template <class V>
HWY_INLINE V value_in(V value, std::int64_t) {
    return value;
}
template <class T>
HWY_INLINE T value_in(T const* values, std::int64_t r) {
    return values[r];
}
template <class Value>
inline constexpr bool has_one_value = !std::is_pointer_v<Value>;

/// What sums hold before products are added to them: nothing yet, 0 being meant, or what others have added.
enum class sums_are { none, there };

/// Where sums go from registers: back.
template <class V>
struct to_sums {
    HWY_INLINE V* row(V* sums, std::int64_t, int) const { return sums; }
    HWY_INLINE std::int64_t step(std::int64_t of_sums) const { return of_sums; }
    template <class Vectors, class Tag>
    HWY_INLINE void store(Vectors, Tag tag, hn::Vec<Tag> sum, V* to) const {
        hn::StoreU(sum, tag, to);
    }
};
/// Or to Y by rows. (A loop over sums in the first cache took poisson3d:100 with a value for each entry 1.2 times as
/// long: memory writes while nothing is read.)
template <class V>
struct to_output {
    column_output<V> y;
    bool past_caches;  // rows are whole lines

    HWY_INLINE V* row(V*, std::int64_t r, int c) const { return y.y + (r * y.row_step + c); }
    HWY_INLINE std::int64_t step(std::int64_t) const { return y.row_step; }
    template <class Vectors, class Tag>
    HWY_INLINE void store(Vectors vectors, Tag tag, hn::Vec<Tag> sum, V* to) const {
        auto const result = hn::Mul(hn::Set(tag, y.factor), sum);
        if (past_caches) return hn::Stream(result, tag, to);
        if (y.beta == V(0)) return vectors.store(tag, result, to, 0);
        vectors.store(tag, hn::MulAdd(hn::Set(tag, y.beta), vectors.load(tag, to, 0), result), to, 0);
    }
};

/// Rows r .. r + Rows - 1 of `streaks` streaks: sums += value * x, streak after streak. x[k]: where streak k would meet
/// row 0. sums: of row r, from column c on.
template <int Rows, sums_are Before, class Vectors, class V, class Value, class To>
HWY_INLINE void add_rows(Vectors vectors, V const* const* x, Value const* values, int streaks, std::int64_t r, int c,
                         std::int64_t x_step, V* sums, std::int64_t step, To const& to) {
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    hn::Vec<decltype(tag)> sum[Rows][Vectors::count];
    for (int i = 0; i < Rows; ++i)
        for (int n = 0; n < Vectors::count; ++n)
            sum[i][n] = Before == sums_are::none ? hn::Zero(tag) : hn::LoadU(tag, sums + i * step + n * lanes);
    for (int k = 0; k < streaks; ++k) {
        V const* p = x[k] + (r * x_step + c);
        auto v = hn::Set(tag, static_cast<V>(value_in(values[k], r)));
        for (int i = 0; i < Rows; ++i, p += x_step) {
            if (!has_one_value<Value> && i > 0) v = hn::Set(tag, static_cast<V>(value_in(values[k], r + i)));
            for (int n = 0; n < Vectors::count; ++n) sum[i][n] = hn::MulAdd(v, vectors.load(tag, p, n), sum[i][n]);
        }
    }
    V* const out = to.row(sums, r, c);
    for (int i = 0; i < Rows; ++i)
        for (int n = 0; n < Vectors::count; ++n) to.store(vectors, tag, sum[i][n], out + i * to.step(step) + n * lanes);
}

/// Rows of X that are met for the first time, `distance` bytes before their turn: the hardware's own streams end with
/// each page. (poisson2d:1000, k = 8: 10.6 ms for 12.1.)
template <class V>
struct rows_ahead {
    V const* x;  // of the streak whose columns are the last ones, where it would meet row 0
    std::int64_t x_step;

    HWY_INLINE void fetch(std::int64_t r, int rows) const {
        auto const* p = reinterpret_cast<std::byte const*>(x + r * x_step) + distance;
        auto const* const end = p + rows * x_step * static_cast<std::int64_t>(sizeof(V));
        for (; p < end; p += 64) __builtin_prefetch(p);
    }
    static constexpr std::int64_t distance = 6144;
};

/// The last of `count` places in X; `none` where there is none.
template <class V>
HWY_INLINE V const* last_of(V const* const* x, int count, V const* none) {
    V const* last = count > 0 ? x[0] : none;
    for (int k = 1; k < count; ++k) last = last < x[k] ? x[k] : last;
    return last;
}

/// Rows begin .. end - 1, which all of the streaks have. sums: of row 0. ahead.fetch(r, rows): before the rows from r
/// on.
template <sums_are Before, class V, class Value, class Ahead, class To>
HWY_INLINE void add_common_rows(V const* const* x, Value const* values, int streaks, std::int64_t begin,
                                std::int64_t end, column_rows<V> const& of, V* sums, std::int64_t step, Ahead ahead,
                                To to) {
    // Inlined: for short stretches the call takes as long as the sums (elasticity:32, k = 8: 8.7 to 7.4).
    for_each_pass<V>(
        of.columns, [&](auto vectors, int c) HWY_ATTR __attribute__((always_inline)) {
            constexpr int most = decltype(vectors)::count == 4 ? 2 : 4;
            std::int64_t r = begin;
            for (; r + most <= end; r += most) {
                if (c == 0) ahead.fetch(r, most);
                add_rows<most, Before>(vectors, x, values, streaks, r, c, of.x_step, sums + (r * step + c), step, to);
            }
            if (c == 0 && r < end) ahead.fetch(r, static_cast<int>(end - r));
            for (; r < end; ++r)
                add_rows<1, Before>(vectors, x, values, streaks, r, c, of.x_step, sums + (r * step + c), step, to);
        });
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
