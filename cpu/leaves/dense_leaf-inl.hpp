// Products with dense leaves on one core; what leaf_products-inl.hpp says holds here.
#if defined(COPSE_CPU_DENSE_LEAF_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_DENSE_LEAF_INL_HPP
#undef COPSE_CPU_DENSE_LEAF_INL_HPP
#else
#define COPSE_CPU_DENSE_LEAF_INL_HPP
#endif

#include <hwy/highway.h>
#include <algorithm>
#include <copse/cpu/leaves/sparse_leaf-inl.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

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
    entry_values<T> const values = leaf.values.from(i * d);
    for (int word = 0; word < d; word += 32)
        for (std::uint32_t bits = leaf.presence[(i * d + word) / 32]; bits != 0; bits &= bits - 1) {
            int const j = word + __builtin_ctz(bits);
            y[j] += static_cast<V>(values[j]) * xi;
        }
}

/// The values of stored rows, for loads of whole vectors.
template <class T>
class dense_values {
  public:
    dense_values(dense_leaf_view<T> const& leaf) : leaf_(leaf.values), d_(1 << leaf.dimension_log2) {
        if (leaf_.once()) std::fill_n(same_, 4 * d_, leaf_[0]);
    }
    /// Of rows i .. i + 3, one after the other.
    T const* rows(int i) const { return leaf_.once() ? same_ : leaf_.data() + i * d_; }

  private:
    entry_values<T> leaf_;
    int d_;
    alignas(64) T same_[4 * 256];
};

template <class T, class V, class Ahead>
HWY_INLINE void add_leaf(dense_leaf_view<T> const& leaf, wanted_entries all, V const* x, V* y, Ahead&) {
    int const d = 1 << leaf.dimension_log2;
    V const sign = all.negative ? V(-1) : V(1);
    dense_values<T> const values(leaf);
    if (leaf.transposed && !leaf.presence) {
        for (int i = 0; i < d; i += 4) {
            V const four[] = {sign * x[i], sign * x[i + 1], sign * x[i + 2], sign * x[i + 3]};
            add_four_columns(values.rows(i), d, four, y);
        }
        return;
    }
    for (int i = 0; i < d; ++i) {
        bool any = leaf.presence == nullptr;
        for (int word = 0; !any && word < d; word += 32) any = leaf.presence[(i * d + word) / 32] != 0;
        if (!any) continue;  // rows and columns outside of the matrix are among these
        if (leaf.transposed)
            add_dense_column(leaf, i, sign * x[i], y);
        else if (leaf.presence)
            y[i] += sign * dense_row<false>(values.rows(i), leaf.presence, i * d, d, x);
        else
            y[i] += sign * dense_row<true>(values.rows(i), nullptr, 0, d, x);
    }
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
