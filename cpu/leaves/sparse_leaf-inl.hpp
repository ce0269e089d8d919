// Products with lists, and with blocks of wide leaves, on one core; what leaf_products-inl.hpp says holds here.
#if defined(COPSE_CPU_SPARSE_LEAF_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_SPARSE_LEAF_INL_HPP
#undef COPSE_CPU_SPARSE_LEAF_INL_HPP
#else
#define COPSE_CPU_SPARSE_LEAF_INL_HPP
#endif

#include <hwy/highway.h>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// What the products here tell as they go: step() for each line of 64 bytes of values that they have read, roughly.
struct fetches_nothing {
    HWY_INLINE void step() {}
};

/// Values as numbers of the tag's type.
template <class Tag, class T>
HWY_INLINE hn::Vec<Tag> load_values(Tag tag, T const* p) {
    if constexpr (std::is_same_v<T, hn::TFromD<Tag>>)
        return hn::LoadU(tag, p);
    else
        return hn::PromoteTo(tag, hn::LoadU(hn::Rebind<T, Tag>(), p));
}

/// Entries first .. last - 1 of a wide leaf, all in one row of blocks of d = 2^dimension_log2; all of another leaf.
struct wanted_entries {
    int first;
    int last;
    int dimension_log2;
    bool negative;  // values count with the other sign than is stored
};

/// What is multiplied: the values of entries that stand side by side.
template <class V, class T>
struct each_value {
    T const* HWY_RESTRICT values;
    static constexpr int in_line = 64 / sizeof(T);
    HWY_INLINE V operator[](std::int64_t i) const { return static_cast<V>(values[i]); }
    /// Those of the entries from i on, as a vector.
    template <class Tag>
    HWY_INLINE hn::Vec<Tag> load(Tag tag, std::int64_t i) const {
        return load_values(tag, values + i);
    }
};
/// The same with the other sign.
template <class V, class T>
struct negated_value {
    T const* HWY_RESTRICT values;
    static constexpr int in_line = 64 / sizeof(T);
    HWY_INLINE V operator[](std::int64_t i) const { return -static_cast<V>(values[i]); }
    template <class Tag>
    HWY_INLINE hn::Vec<Tag> load(Tag tag, std::int64_t i) const {
        return hn::Neg(load_values(tag, values + i));
    }
};
/// One value for all of them.
template <class V>
struct one_value {
    V value;
    static constexpr int in_line = 64;  // a list's coordinates
    HWY_INLINE V operator[](std::int64_t) const { return value; }
    template <class Tag>
    HWY_INLINE hn::Vec<Tag> load(Tag tag, std::int64_t) const {
        return hn::Set(tag, value);
    }
};
/// f(each_value, negated_value or one_value)
template <class V, class T, class F>
HWY_INLINE void with_values_of(entry_values<T> const& values, bool negative, F f) {
    if (values.once())
        f(one_value<V>{negative ? -static_cast<V>(values[0]) : static_cast<V>(values[0])});
    else if (negative)
        f(negated_value<V, T>{values.data()});
    else
        f(each_value<V, T>{values.data()});
}

/// A list of entries. Neighbours in a leaf differ in row and in column, so additions do not wait for one another.
/// Gathers and scatters lost: a conflict needs a test, and eight loads and stores take as long one by one.
template <class Values, class Coordinate, class V, class Ahead>
HWY_INLINE void add_list(Values values, Coordinate const* HWY_RESTRICT rows, Coordinate const* HWY_RESTRICT columns,
                         int count, V const* HWY_RESTRICT x, V* HWY_RESTRICT y, Ahead& ahead) {
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        if (i % Values::in_line == 0) ahead.step();
        V const a = values[i] * x[columns[i]];
        V const b = values[i + 1] * x[columns[i + 1]];
        V const c = values[i + 2] * x[columns[i + 2]];
        V const d = values[i + 3] * x[columns[i + 3]];
        y[rows[i]] += a;
        y[rows[i + 1]] += b;
        y[rows[i + 2]] += c;
        y[rows[i + 3]] += d;
    }
    for (; i < count; ++i) y[rows[i]] += values[i] * x[columns[i]];
}
template <class T, class Coordinate, class V, class Ahead>
HWY_INLINE void add_list(entry_values<T> const& values, bool negative, Coordinate const* rows,
                         Coordinate const* columns, int count, V const* x, V* y, Ahead& ahead) {
    with_values_of<V>(
        values, negative, [&](auto of) HWY_ATTR __attribute__((always_inline)) {
            add_list(of, rows, columns, count, x, y, ahead);
        });
}

template <class T, class V, class Ahead>
HWY_INLINE void add_leaf(sparse_leaf_view<T> const& leaf, wanted_entries all, V const* x, V* y, Ahead& ahead) {
    add_list(leaf.values, all.negative, leaf.rows, leaf.columns, leaf.count, x, y, ahead);
}

/// y begins at the first of the block's rows.
template <class T, class V, class Ahead>
HWY_INLINE void add_leaf(wide_leaf_view<T> const& leaf, wanted_entries part, V const* x, V* y, Ahead&) {
    int const first = part.first, first_row = leaf.rows[first] >> part.dimension_log2 << part.dimension_log2;
    fetches_nothing nothing;
    add_list(leaf.values.from(first), part.negative, leaf.rows + first, leaf.columns + first, part.last - first, x,
             y - first_row, nothing);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
