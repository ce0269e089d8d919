// Products with one leaf, on one core: y[row] += value * x[column], with y and x at the leaf's first row and column. y has
// d elements, also where the matrix ends before: zeros are added to those that the leaf has no entries for.
// For sources that Highway compiles once for each instruction set. hisparse §5, algorithm 1.
//
// T: type of the matrix, V: of the vectors (T, or double beside float).
#if defined(COPSE_CPU_LEAF_PRODUCTS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_LEAF_PRODUCTS_INL_HPP
#undef COPSE_CPU_LEAF_PRODUCTS_INL_HPP
#else
#define COPSE_CPU_LEAF_PRODUCTS_INL_HPP
#endif

#include <hwy/highway.h>
#include <copse/formats/tree_view.hpp>
#include <cstdint>
#include <cstring>
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
#endif

/// y[row + i] += values[i] * x[i], i < count. Vectors begin at multiples of their length in y, whole ones, of which lanes
/// outside of the run get 0: runs that follow one another meet in the same rows, and a load that does not find all it
/// wants in one store waits until the stores are in the cache. 0.42 ns per entry of poisson3d:40, where vectors that
/// begin with the run take 0.63.
template <class T, class V, class Ahead>
HWY_INLINE void add_run(T const* HWY_RESTRICT values, V const* HWY_RESTRICT x, int row, int count, V* HWY_RESTRICT y,
                        Ahead& ahead) {
    y += row;
    constexpr int line = 64 / sizeof(T);
    hn::ScalableTag<V> const tag;
#if HWY_MEM_OPS_MIGHT_FAULT
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    int i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::StoreU(hn::MulAdd(load_values(tag, values + i), hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)), tag, y + i);
        if ((i & (line - lanes)) == 0) ahead.step();
    }
    for (; i < count; ++i) y[i] += static_cast<V>(values[i]) * x[i];
#else
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    std::int64_t const before = row & (lanes - 1), end = before + count;
    values -= before;
    x -= before;
    y -= before;
    auto const add_some = [&](std::int64_t i, std::int64_t first, std::int64_t last) HWY_ATTR {
        auto const v = load_some(tag, values + i, first, last);
        hn::StoreU(hn::MulAdd(v, load_some(tag, x + i, first, last), hn::LoadU(tag, y + i)), tag, y + i);
    };
    // Both ends by masks, also where they are whole vectors: nobody could foretell which of them are.
    add_some(0, before, end);
    ahead.step();
    std::int64_t i = lanes;
    for (; i + lanes < end; i += lanes) {
        hn::StoreU(hn::MulAdd(load_values(tag, values + i), hn::LoadU(tag, x + i), hn::LoadU(tag, y + i)), tag, y + i);
        if (lanes >= line || (i & (line - lanes)) == 0) ahead.step();
    }
    if (i < end) add_some(i, 0, end - i);
#endif
}

/// A list of entries. Neighbours in a leaf differ in row and in column, so additions do not wait for one another.
/// Gathers and scatters lost: a conflict needs a test, and eight loads and stores take as long one by one.
template <class Coordinate, class T, class V, class Ahead>
HWY_INLINE void add_list(T const* HWY_RESTRICT values, Coordinate const* HWY_RESTRICT rows,
                         Coordinate const* HWY_RESTRICT columns, int count, V const* HWY_RESTRICT x, V* HWY_RESTRICT y,
                         Ahead& ahead) {
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        if (i % (64 / sizeof(T)) == 0) ahead.step();
        V const a = static_cast<V>(values[i]) * x[columns[i]];
        V const b = static_cast<V>(values[i + 1]) * x[columns[i + 1]];
        V const c = static_cast<V>(values[i + 2]) * x[columns[i + 2]];
        V const d = static_cast<V>(values[i + 3]) * x[columns[i + 3]];
        y[rows[i]] += a;
        y[rows[i + 1]] += b;
        y[rows[i + 2]] += c;
        y[rows[i + 3]] += d;
    }
    for (; i < count; ++i) y[rows[i]] += static_cast<V>(values[i]) * x[columns[i]];
}

template <class T, class V, class Ahead>
HWY_INLINE void add_leaf(sparse_leaf_view<T> const& leaf, V const* x, V* y, Ahead& ahead) {
    add_list(leaf.values, leaf.rows, leaf.columns, leaf.count, x, y, ahead);
}

template <class T, class V, class Ahead>
HWY_INLINE void add_leaf(diagonal_leaf_view<T> const& leaf, V const* x, V* y, Ahead& ahead) {
    add_leaf(leaf.others, x, y, ahead);
    T const* values = leaf.run_values;
    for (int k = 0; k < leaf.runs; ++k) {
        int const count = leaf.last[k] + 1;
        add_run(values, x + leaf.first_columns[k], leaf.first_rows[k], count, y, ahead);
        values += count;
    }
}

/// Entries first .. last - 1 of a wide leaf; y begins at row first_row of it.
template <class T, class V>
HWY_INLINE void add_leaf(wide_leaf_view<T> const& leaf, int first, int last, int first_row, V const* x, V* y) {
    fetches_nothing nothing;
    add_list(leaf.values + first, leaf.rows + first, leaf.columns + first, last - first, x, y - first_row, nothing);
}

/// Bits 0 .. lanes - 1 of the presence words from `position` on, which is a multiple of `lanes`.
template <class Tag>
HWY_INLINE hn::Mask<Tag> load_presence(Tag tag, std::uint32_t const* presence, int position) {
    std::uint64_t const bits = presence[position / 32] >> (position % 32);
    std::uint8_t bytes[8];
    std::memcpy(bytes, &bits, 8);
    return hn::LoadMaskBits(tag, bytes);
}

/// A row of a dense leaf times x. Places without an entry are neither read in x nor multiplied.
template <bool Full, class T, class V>
HWY_INLINE V dense_row(T const* HWY_RESTRICT values, std::uint32_t const* presence, int first, int d,
                       V const* HWY_RESTRICT x) {
#if HWY_MEM_OPS_MIGHT_FAULT
    constexpr bool by_vectors = Full;
#else
    constexpr bool by_vectors = true;
#endif
    V sum = V(0);
    if constexpr (by_vectors) {
        hn::ScalableTag<V> const tag;
        auto const lanes = static_cast<int>(hn::Lanes(tag));
        auto even = hn::Zero(tag), odd = hn::Zero(tag);
        auto const load = [&](int j) HWY_ATTR {
            if constexpr (Full) return hn::LoadU(tag, x + j);
            return hn::MaskedLoad(load_presence(tag, presence, first + j), tag, x + j);
        };
        for (int j = 0; j < d; j += 2 * lanes) {  // d is a multiple of 64
            even = hn::MulAdd(load_values(tag, values + j), load(j), even);
            odd = hn::MulAdd(load_values(tag, values + j + lanes), load(j + lanes), odd);
        }
        sum = hn::GetLane(hn::SumOfLanes(tag, hn::Add(even, odd)));
    } else {
        for (int j = 0; j < d; ++j)
            if ((presence[(first + j) / 32] >> ((first + j) % 32) & 1) != 0) sum += static_cast<V>(values[j]) * x[j];
    }
    return sum;
}

/// Four columns of a leaf with all entries, so that y is loaded and stored once for them.
template <class T, class V>
HWY_INLINE void add_four_columns(T const* HWY_RESTRICT values, int d, V const* x, V* HWY_RESTRICT y) {
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto const a = hn::Set(tag, x[0]), b = hn::Set(tag, x[1]), c = hn::Set(tag, x[2]), e = hn::Set(tag, x[3]);
    for (int j = 0; j < d; j += lanes) {
        auto const first = hn::MulAdd(load_values(tag, values + j), a, hn::Mul(load_values(tag, values + d + j), b));
        auto const second = hn::MulAdd(load_values(tag, values + 2 * d + j), c,
                                       hn::MulAdd(load_values(tag, values + 3 * d + j), e, hn::LoadU(tag, y + j)));
        hn::StoreU(hn::Add(first, second), tag, y + j);
    }
}

template <class T, class V>
HWY_INLINE void add_dense_column(dense_leaf_view<T> const& leaf, int i, V xi, V* HWY_RESTRICT y) {
    int const d = 1 << leaf.dimension_log2;
    T const* const values = leaf.values + i * d;
    for (int word = 0; word < d; word += 32)
        for (std::uint32_t bits = leaf.presence[(i * d + word) / 32]; bits != 0; bits &= bits - 1) {
            int const j = word + __builtin_ctz(bits);
            y[j] += static_cast<V>(values[j]) * xi;
        }
}

template <class T, class V>
HWY_INLINE void add_leaf(dense_leaf_view<T> const& leaf, V const* x, V* y) {
    int const d = 1 << leaf.dimension_log2;
    if (leaf.transposed && !leaf.presence) {
        for (int i = 0; i < d; i += 4) add_four_columns(leaf.values + i * d, d, x + i, y);
        return;
    }
    for (int i = 0; i < d; ++i) {
        bool any = leaf.presence == nullptr;
        for (int word = 0; !any && word < d; word += 32) any = leaf.presence[(i * d + word) / 32] != 0;
        if (!any) continue;  // rows and columns outside of the matrix are among these
        if (leaf.transposed)
            add_dense_column(leaf, i, x[i], y);
        else if (leaf.presence)
            y[i] += dense_row<false>(leaf.values + i * d, leaf.presence, i * d, d, x);
        else
            y[i] += dense_row<true>(leaf.values + i * d, nullptr, 0, d, x);
    }
}

/// Any leaf; of a wide one entries first .. last - 1, with y at the block of rows that the first is in.
template <class T, class V, class Ahead>
HWY_INLINE void add_node(tree_view const& tree, node leaf, std::int32_t first, std::int32_t last, V const* x, V* y,
                         Ahead& ahead) {
    switch (leaf.reference.kind()) {
        case node_kind::sparse:
            return add_leaf(tree.sparse_leaf<T>(leaf), x, y, ahead);
        case node_kind::diagonal:
            return add_leaf(tree.diagonal_leaf<T>(leaf), x, y, ahead);
        case node_kind::dense:
            return add_leaf(tree.dense_leaf<T>(leaf), x, y);
        case node_kind::wide: {
            auto const wide = tree.wide_leaf<T>(leaf);
            int const first_row = wide.rows[first] >> tree.dimension_log2() << tree.dimension_log2();
            return add_leaf(wide, first, last, first_row, x, y);
        }
    }
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
