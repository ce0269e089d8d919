// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time. A
// part is strips begin .. end - 1.
//
// Entry k of a strip adds to sums[k mod 4][its row]: neighbours, which are mostly of one row, do not wait for one
// another. Four such sets of sums: eight took 7 % longer on rows of 5 to 7 entries and as long on rmat:13. In
// registers, one vector of sums for each row and a comparison with every row, it took 1.6 to 2.3 times as long; with
// products from gathers 1.3 to 1.6 times. (In cache, double, AVX-512, strips of 16 rows.)
#include <algorithm>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/flat/index_range.hpp>
#include <copse/cpu/flat/row_shares.hpp>
#include <copse/cpu/flat/stream_prefetch.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/flat/cmrs_product.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int sets = 4;
constexpr int most_height = 16;

template <class T>
struct strip_sums {
    HWY_ALIGN T by_set[sets][most_height];

    HWY_INLINE void clear() {
        hn::CappedTag<T, most_height> const tag;
        auto const lanes = static_cast<int>(hn::Lanes(tag));
        for (auto& set : by_set)
            for (int row = 0; row < most_height; row += lanes) hn::Store(hn::Zero(tag), tag, set + row);
    }
    /// Into the first set.
    HWY_INLINE T const* total() {
        hn::CappedTag<T, most_height> const tag;
        auto const lanes = static_cast<int>(hn::Lanes(tag));
        for (int row = 0; row < most_height; row += lanes) {
            auto sum = hn::Load(tag, by_set[0] + row);
            for (int set = 1; set < sets; ++set) sum = hn::Add(sum, hn::Load(tag, by_set[set] + row));
            hn::Store(sum, tag, by_set[0] + row);
        }
        return by_set[0];
    }
};

template <class T>
HWY_INLINE void add_entries(cmrs_view<T> const& a, std::int64_t begin, std::int64_t end, T const* HWY_RESTRICT x,
                            strip_sums<T>& sums, entry_prefetcher<T>& prefetcher) {
    auto const* const HWY_RESTRICT words = a.words;
    auto const* const HWY_RESTRICT values = a.values;
    int const row_bits = a.row_bits;
    std::uint32_t const row_mask = (1u << row_bits) - 1;
    std::int64_t k = begin;
    for (; k + sets <= end; k += sets) {
        prefetcher.before(words + k, values + k);
        T products[sets];
        std::uint32_t rows[sets];
        for (int set = 0; set < sets; ++set) {
            std::uint32_t const word = words[k + set];
            products[set] = values[k + set] * x[word >> row_bits];
            rows[set] = word & row_mask;
        }
        for (int set = 0; set < sets; ++set) sums.by_set[set][rows[set]] += products[set];
    }
    for (; k < end; ++k) sums.by_set[0][words[k] & row_mask] += values[k] * x[words[k] >> row_bits];
}

/// The same where places may be padding.
template <class T>
HWY_INLINE void add_places(cmrs_view<T> const& a, std::int64_t begin, std::int64_t end, T const* HWY_RESTRICT x,
                           strip_sums<T>& sums) {
    for (auto k = begin; k < end; ++k)
        if (a.words[k] != a.padding)
            sums.by_set[k % sets][a.row_of(a.words[k])] += a.values[k] * x[a.column_of(a.words[k])];
}

template <class T>
row_carry<T> multiply(cmrs_content<T> const& content, std::int64_t first, std::int64_t last, flat_product<T> const& p) {
    if (first == last) return {};
    cmrs_view<T> const a = content.view();
    strip_sums<T> sums;
    entry_prefetcher<T> prefetcher(a.words + a.strip_offsets[first], a.values + a.strip_offsets[first]);
    for (auto strip = first; strip < last; ++strip) {
        sums.clear();
        if (a.per_row == 0)
            add_entries(a, a.strip_offsets[strip], a.strip_offsets[strip + 1], p.x, sums, prefetcher);
        else
            add_places(a, a.strip_offsets[strip], a.strip_offsets[strip + 1], p.x, sums);
        T const* const HWY_RESTRICT total = sums.total();
        T* const HWY_RESTRICT y = p.y + a.first_row(strip);
        int const rows = a.rows_in(strip);
        if (p.beta == 0)
            for (int row = 0; row < rows; ++row) y[row] = p.factor * total[row];
        else
            for (int row = 0; row < rows; ++row) y[row] = p.factor * total[row] + p.beta * y[row];
    }
    return {};
}

auto multiply_float() {
    return multiply<float>;
}
auto multiply_double() {
    return multiply<double>;
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

template <class T>
std::vector<std::int64_t> parts(cmrs_content<T> const& a, std::int64_t wanted) {
    auto const* const offsets = a.strip_offsets.data();
    return stretch_parts(a.strip_count, wanted, [&](std::int64_t strip) { return offsets[strip] + strip * a.height; });
}

/// Padding's word is the largest that there is: not among those that are compared.
template <class T>
index_range range_without_padding(cmrs_view<T> const& a, std::int64_t begin, std::int64_t end) {
    index_range range{a.padding, 0};
    for (auto k = begin; k < end; ++k) {
        range.least = std::min(range.least, a.words[k]);
        range.most = std::max(range.most, a.words[k] == a.padding ? 0 : a.words[k]);
    }
    return range;
}

template <class T>
void scatter(cmrs_content<T> const& content, std::int64_t first, std::int64_t last, flat_product<T> const& p,
             scattered_output<T>& out) {
    cmrs_view<T> const a = content.view();
    for (auto strip = first; strip < last; ++strip) {
        auto const begin = a.strip_offsets[strip], end = a.strip_offsets[strip + 1];
        if (begin == end) continue;
        auto const [least, most] =
            a.per_row > 0 ? range_without_padding(a, begin, end) : range_of(a.words + begin, end - begin);
        out.cover(a.column_of(least), a.column_of(most), a.column_count);
        T factors[HWY_NAMESPACE::most_height];
        for (int row = 0; row < a.rows_in(strip); ++row) factors[row] = p.factor * p.x[a.first_row(strip) + row];
        for (auto k = begin; k < end; ++k) {
            if (a.per_row > 0 && a.words[k] == a.padding) continue;
            out.sums[a.column_of(a.words[k])] += a.values[k] * factors[a.row_of(a.words[k])];
        }
    }
}

}  // namespace

template <>
cpu_product<cmrs<float>> cpu_product_of() {
    return {parts<float>, HWY_DYNAMIC_DISPATCH(multiply_float)(), scatter<float>};
}
template <>
cpu_product<cmrs<double>> cpu_product_of() {
    return {parts<double>, HWY_DYNAMIC_DISPATCH(multiply_double)(), scatter<double>};
}

}  // namespace copse::detail
#endif  // HWY_ONCE
