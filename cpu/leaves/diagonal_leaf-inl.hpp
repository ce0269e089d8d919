// Products with streaks along diagonals on one core; what leaf_products-inl.hpp says holds here.
#if defined(COPSE_CPU_DIAGONAL_LEAF_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_DIAGONAL_LEAF_INL_HPP
#undef COPSE_CPU_DIAGONAL_LEAF_INL_HPP
#else
#define COPSE_CPU_DIAGONAL_LEAF_INL_HPP
#endif

#include <hwy/highway.h>
#include <copse/cpu/leaves/sparse_leaf-inl.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

#if !HWY_MEM_OPS_MIGHT_FAULT
/// The same of lanes first .. last - 1, 0 in the others, which are not read.
template <class Tag, class T>
HWY_INLINE hn::Vec<Tag> load_some(Tag tag, T const* p, std::int64_t first, std::int64_t last) {
    hn::Rebind<T, Tag> const stored;
    auto const which = hn::AndNot(hn::FirstN(stored, static_cast<std::size_t>(first)),
                                  hn::FirstN(stored, static_cast<std::size_t>(last)));
    if constexpr (std::is_same_v<T, hn::TFromD<Tag>>)
        return hn::MaskedLoad(which, tag, p);
    else
        return hn::PromoteTo(tag, hn::MaskedLoad(which, stored, p));
}
template <class Tag, class V, class T>
HWY_INLINE hn::Vec<Tag> load_some(Tag tag, each_value<V, T> const& streak, std::int64_t i, std::int64_t first,
                                  std::int64_t last) {
    return load_some(tag, streak.values + i, first, last);
}
template <class Tag, class V, class T>
HWY_INLINE hn::Vec<Tag> load_some(Tag tag, negated_value<V, T> const& streak, std::int64_t i, std::int64_t first,
                                  std::int64_t last) {
    return hn::Neg(load_some(tag, streak.values + i, first, last));
}
/// In other lanes x is 0, but the value must not make it NaN: those of a streak are not all finite.
template <class Tag, class V>
HWY_INLINE hn::Vec<Tag> load_some(Tag tag, one_value<V> const& streak, std::int64_t, std::int64_t first,
                                  std::int64_t last) {
    auto const which =
        hn::AndNot(hn::FirstN(tag, static_cast<std::size_t>(first)), hn::FirstN(tag, static_cast<std::size_t>(last)));
    return hn::IfThenElseZero(which, hn::Set(tag, streak.value));
}
#endif

/// y[row + i] += values[i] * x[i], i < count. Vectors begin at multiples of their length in y, whole ones, of which
/// lanes outside of the streak get 0: streaks that follow one another meet in the same rows, and a load that does not
/// find all it wants in one store waits until the stores are in the cache. 0.42 ns per entry of poisson3d:40, where
/// vectors that begin with the streak take 0.63.
template <class Values, class V, class Ahead>
HWY_INLINE void add_run(Values values, V const* HWY_RESTRICT x, int row, int count, V* HWY_RESTRICT y, Ahead& ahead) {
    y += row;
    constexpr int line = Values::in_line;
    hn::ScalableTag<V> const tag;
#if HWY_MEM_OPS_MIGHT_FAULT
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    int i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::StoreU(hn::MulAdd(values.load(tag, i), hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)), tag, y + i);
        if ((i & (line - lanes)) == 0) ahead.step();
    }
    for (; i < count; ++i) y[i] += values[i] * x[i];
#else
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    std::int64_t const before = row & (lanes - 1), end = before + count;
    x -= before;
    y -= before;
    auto const add_some = [&](std::int64_t i, std::int64_t first, std::int64_t last) HWY_ATTR {
        auto const v = load_some(tag, values, i - before, first, last);
        hn::StoreU(hn::MulAdd(v, load_some(tag, x + i, first, last), hn::LoadU(tag, y + i)), tag, y + i);
    };
    // Both ends by masks, also where they are whole vectors: nobody could foretell which of them are.
    add_some(0, before, end);
    ahead.step();
    std::int64_t i = lanes;
    for (; i + lanes < end; i += lanes) {
        hn::StoreU(hn::MulAdd(values.load(tag, i - before), hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)), tag, y + i);
        if (lanes >= line || (i & (line - lanes)) == 0) ahead.step();
    }
    if (i < end) add_some(i, 0, end - i);
#endif
}

template <class T, class V, class Ahead>
HWY_INLINE void add_leaf(diagonal_leaf_view<T> const& leaf, wanted_entries all, V const* x, V* y, Ahead& ahead) {
    add_leaf(leaf.others, all, x, y, ahead);
    for (leaf_streak<T> const streak : leaf.each_streak())
        with_values_of<V>(
            streak.values, all.negative, [&](auto values) HWY_ATTR __attribute__((always_inline)) {
                add_run(values, x + streak.column, streak.row, streak.count, y, ahead);
            });
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
