// A leaf that stands at two places, once transposed, read once on one core: y[row] += value * x[column] and z[column] +=
// value * w[row], with x, z at the leaf's first column and y, w at its first row. y and z do not overlap. Otherwise what
// leaf_products-inl.hpp says holds here. Not for wide leaves.
#if defined(COPSE_CPU_BOTH_SIDES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_BOTH_SIDES_INL_HPP
#undef COPSE_CPU_BOTH_SIDES_INL_HPP
#else
#define COPSE_CPU_BOTH_SIDES_INL_HPP
#endif

#include <hwy/highway.h>
#include <algorithm>
#include <copse/cpu/leaves/leaf_products-inl.hpp>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

template <class V>
struct two_sides {
    V const* x;
    V* y;
    V const* w;
    V* z;
};

template <class Values, class V, class Ahead>
HWY_INLINE void add_list_to_both(Values values, std::uint8_t const* HWY_RESTRICT rows,
                                 std::uint8_t const* HWY_RESTRICT columns, int count, two_sides<V> s, Ahead& ahead) {
    int i = 0;
    for (; i + 2 <= count; i += 2) {  // neighbours differ in row and in column
        if (i % Values::in_line == 0) ahead.step();
        V const a = values[i], b = values[i + 1];
        V const of_a = a * s.x[columns[i]], of_b = b * s.x[columns[i + 1]];
        V const to_a = a * s.w[rows[i]], to_b = b * s.w[rows[i + 1]];
        s.y[rows[i]] += of_a;
        s.y[rows[i + 1]] += of_b;
        s.z[columns[i]] += to_a;
        s.z[columns[i + 1]] += to_b;
    }
    if (i < count) {
        s.y[rows[i]] += values[i] * s.x[columns[i]];
        s.z[columns[i]] += values[i] * s.w[rows[i]];
    }
}

template <class T, class V, class Ahead>
HWY_INLINE void add_to_both(sparse_leaf_view<T> const& leaf, two_sides<V> s, Ahead& ahead) {
    with_values_of<V>(leaf.values, [&](auto values) HWY_ATTR {
        add_list_to_both(values, leaf.rows, leaf.columns, leaf.count, s, ahead);
    });
}

/// A streak. Vectors begin at multiples of their length in y, as add_run's do; the ends go one by one, because whole
/// vectors of z would reach into rows that another thread adds to.
template <class Values, class V, class Ahead>
HWY_INLINE void add_run_to_both(Values values, int row, int column, int count, two_sides<V> s, Ahead& ahead) {
    constexpr int line = Values::in_line;
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    V const* HWY_RESTRICT x = s.x + column;
    V const* HWY_RESTRICT w = s.w + row;
    V* HWY_RESTRICT y = s.y + row;
    V* HWY_RESTRICT z = s.z + column;
    auto const add_one = [&](int i) HWY_ATTR {
        V const v = values[i];
        y[i] += v * x[i];
        z[i] += v * w[i];
    };
    int const begin = std::min(-row & (lanes - 1), count);
    int i = 0;
    for (; i < begin; ++i) add_one(i);
    ahead.step();
    for (; i + lanes <= count; i += lanes) {
        auto const v = values.load(tag, i);
        hn::StoreU(hn::MulAdd(v, hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)), tag, y + i);
        hn::StoreU(hn::MulAdd(v, hn::LoadU(tag, w + i), hn::LoadU(tag, z + i)), tag, z + i);
        if (lanes >= line || ((i - begin) & (line - lanes)) == 0) ahead.step();
    }
    for (; i < count; ++i) add_one(i);
}

template <class T, class V, class Ahead>
HWY_INLINE void add_to_both(diagonal_leaf_view<T> const& leaf, two_sides<V> s, Ahead& ahead) {
    add_to_both(leaf.others, s, ahead);
    for (leaf_streak<T> const streak : leaf.each_streak())
        with_values_of<V>(streak.values, [&](auto values) HWY_ATTR {
            add_run_to_both(values, streak.row, streak.column, streak.count, s, ahead);
        });
}

/// A stored row of a dense leaf; returns what it adds to y. Places without an entry are neither read in x nor written in
/// z, which may end there.
template <class T, class V>
HWY_INLINE V dense_row_to_both(T const* HWY_RESTRICT values, std::uint32_t const* presence, int first, int d,
                               V const* HWY_RESTRICT x, V wi, V* HWY_RESTRICT z) {
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto sum = hn::Zero(tag);
    auto const factor = hn::Set(tag, wi);
    if (!presence) {
        for (int j = 0; j < d; j += lanes) {
            auto const v = load_values(tag, values + j);
            sum = hn::MulAdd(v, hn::LoadU(tag, x + j), sum);
            hn::StoreU(hn::MulAdd(v, factor, hn::LoadU(tag, z + j)), tag, z + j);
        }
        return hn::GetLane(hn::SumOfLanes(tag, sum));
    }
#if HWY_MEM_OPS_MIGHT_FAULT
    V one_by_one = V(0);
    for (int j = 0; j < d; ++j)
        if ((presence[(first + j) / 32] >> ((first + j) % 32) & 1) != 0) {
            one_by_one += static_cast<V>(values[j]) * x[j];
            z[j] += static_cast<V>(values[j]) * wi;
        }
    return one_by_one;
#else
    for (int j = 0; j < d; j += lanes) {
        auto const has = load_presence(tag, presence, first + j);
        auto const v = load_values(tag, values + j);
        sum = hn::IfThenElse(has, hn::MulAdd(v, hn::MaskedLoad(has, tag, x + j), sum), sum);
        hn::BlendedStore(hn::MulAdd(v, factor, hn::MaskedLoad(has, tag, z + j)), has, tag, z + j);
    }
    return hn::GetLane(hn::SumOfLanes(tag, sum));
#endif
}

template <class T, class V, class Ahead>
HWY_INLINE void add_to_both(dense_leaf_view<T> const& leaf, two_sides<V> s, Ahead&) {
    if (leaf.transposed) s = {s.w, s.z, s.x, s.y};
    int const d = 1 << leaf.dimension_log2;
    dense_values<T> const values(leaf);
    for (int i = 0; i < d; ++i) {
        bool any = leaf.presence == nullptr;
        for (int word = 0; !any && word < d; word += 32) any = leaf.presence[(i * d + word) / 32] != 0;
        if (!any) continue;  // rows outside of the matrix are among these
        s.y[i] += dense_row_to_both(values.rows(i), leaf.presence, i * d, d, s.x, s.w[i], s.z);
    }
}

template <class T, class... Leaf, class V, class Ahead>
HWY_INLINE void add_node_to_both(leaf_owners<Leaf...>, node_reader const& tree, node leaf, two_sides<V> s,
                                 Ahead& ahead) {
    node_kind const kind = leaf.reference.kind();
    auto const add = [&]<class Owner>(std::type_identity<Owner>) HWY_ATTR {
        if constexpr (Owner::kind != wide_leaf::kind) add_to_both(tree.view_of<Owner, T>(leaf), s, ahead);
        return true;
    };
    (void)((kind == Leaf::kind && add(std::type_identity<Leaf>())) || ...);
}
template <class T, class V, class Ahead>
HWY_INLINE void add_node_to_both(node_reader const& tree, node leaf, two_sides<V> s, Ahead& ahead) {
    add_node_to_both<T>(all_leaves(), tree, leaf, s, ahead);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
