// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time. A
// part is slices begin .. end - 1.
#include <algorithm>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/flat/row_portions.hpp>
#include <copse/cpu/flat/stream_prefetch.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/flat/sellp_product.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <hwy/highway.h>

#include <copse/cpu/flat/column_indices-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int most_slice_rows = 128;

/// x at the columns of one vector's places, 0 where a place is padding. steps: 0, 1, 2 ..., made once.
template <class T, class Tag, class Steps>
HWY_INLINE hn::Vec<Tag> elements_at(Tag tag, std::int32_t const* columns, Steps steps, T const* x) {
    hn::Rebind<std::int32_t, Tag> const narrow;
    hn::RebindToSigned<Tag> const wide;
    auto const found = hn::LoadU(narrow, columns);
    // Neighbouring rows of stencils and bands have neighbouring columns: one load then, where a gather is eight.
    // Padding's -1 is no neighbour of column 0.
    if (hn::AllTrue(narrow, hn::Eq(found, hn::Add(hn::Set(narrow, columns[0]), steps))) && columns[0] >= 0)
        return hn::LoadU(tag, x + columns[0]);
    // Padding reads x[0], which is thrown away: it may be NaN.
    auto const index = to_width(tag, found);
    auto const gathered = hn::GatherIndex(tag, x, hn::Max(index, hn::Zero(wide)));
    return hn::IfThenZeroElse(hn::RebindMask(tag, hn::Lt(index, hn::Zero(wide))), gathered);
}

/// Vectors of rows `first_row` .. of a slice, Count of them side by side; sums[i] for the slice's row i.
template <int Count, class T, class Prefetcher>
HWY_INLINE void sum_rows(std::int32_t const* HWY_RESTRICT columns, T const* HWY_RESTRICT values, std::int64_t width,
                         std::int64_t b, T const* HWY_RESTRICT x, T* HWY_RESTRICT sums, Prefetcher& prefetcher) {
    hn::ScalableTag<T> const tag;
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    auto const steps = hn::Iota(hn::Rebind<std::int32_t, decltype(tag)>(), 0);
    hn::Vec<decltype(tag)> s[Count];
    for (auto& one : s) one = hn::Zero(tag);
    for (std::int64_t k = 0; k < width; ++k, columns += b, values += b) {
        prefetcher.before(columns, values);
        for (int i = 0; i < Count; ++i)
            s[i] =
                hn::MulAdd(hn::LoadU(tag, values + i * lanes), elements_at(tag, columns + i * lanes, steps, x), s[i]);
    }
    for (int i = 0; i < Count; ++i) hn::StoreU(s[i], tag, sums + i * lanes);
}

/// Slices of fewer rows than a vector has lanes: several columns of the slice in one.
template <class T, class Prefetcher>
HWY_INLINE void sum_columns(std::int32_t const* HWY_RESTRICT columns, T const* HWY_RESTRICT values, std::int64_t places,
                            int b, T const* HWY_RESTRICT x, T* HWY_RESTRICT sums, Prefetcher& prefetcher) {
    hn::ScalableTag<T> const tag;
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    HWY_ALIGN T by_lane[hn::MaxLanes(tag)];
    auto const steps = hn::Iota(hn::Rebind<std::int32_t, decltype(tag)>(), 0);
    auto s = hn::Zero(tag);
    std::int64_t k = 0;
    for (; k + lanes <= places; k += lanes) {
        prefetcher.before(columns + k, values + k);
        s = hn::MulAdd(hn::LoadU(tag, values + k), elements_at(tag, columns + k, steps, x), s);
    }
    hn::Store(s, tag, by_lane);
    for (int i = 0; i < b; ++i) sums[i] = by_lane[i];
    for (int i = b; i < lanes; ++i) sums[i & (b - 1)] += by_lane[i];
    for (; k < places; ++k)
        if (columns[k] >= 0) sums[k & (b - 1)] += values[k] * x[columns[k]];
}

template <class T, class Prefetcher>
HWY_INLINE void sum_slice(sellp_view<T> const& a, std::int64_t slice, T const* x, T* sums, Prefetcher& prefetcher) {
    auto const lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
    auto const* const columns = a.column_indices + a.slice_offsets[slice];
    auto const* const values = a.values + a.slice_offsets[slice];
    int const b = a.slice_rows;
    if (b < lanes) {
        auto const places = a.slice_offsets[slice + 1] - a.slice_offsets[slice];
        return sum_columns(columns, values, places, b, x, sums, prefetcher);
    }
    auto const width = a.width_of(slice);
    int i = 0;
    for (; i + 4 * lanes <= b; i += 4 * lanes) sum_rows<4>(columns + i, values + i, width, b, x, sums + i, prefetcher);
    if (i + 2 * lanes <= b) {
        sum_rows<2>(columns + i, values + i, width, b, x, sums + i, prefetcher);
        i += 2 * lanes;
    }
    if (i < b) sum_rows<1>(columns + i, values + i, width, b, x, sums + i, prefetcher);
}

template <class T, class Prefetcher>
void multiply_slices(sellp_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
                     Prefetcher prefetcher) {
    HWY_ALIGN T sums[most_slice_rows];
    for (std::int64_t slice = first; slice < last; ++slice) {
        sum_slice(a, slice, p.x, sums, prefetcher);
        auto const slot = a.first_slot(slice);
        int const rows = a.rows_in(slice);
        T* const HWY_RESTRICT y = p.y + slot;
        if (a.rows)
            for (int i = 0; i < rows; ++i) p.write(a.rows[slot + i], sums[i]);
        else if (p.beta == 0)
            for (int i = 0; i < rows; ++i) y[i] = p.factor * sums[i];
        else
            for (int i = 0; i < rows; ++i) y[i] = p.factor * sums[i] + p.beta * y[i];
    }
}

template <class T>
row_carry<T> multiply(sellp_content<T> const& content, std::int64_t first, std::int64_t last,
                      flat_product<T> const& p) {
    sellp_view<T> const a = content.view();
    auto const* const columns = a.column_indices + a.slice_offsets[first];
    auto const* const values = a.values + a.slice_offsets[first];
    // What the second cache holds from one product to the next is up to a tenth slower with it.
    auto const bytes = a.slice_offsets[a.slice_count] * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T));
    if (bytes > std::int64_t{1} << 20)
        multiply_slices(a, first, last, p, entry_prefetcher<T>(columns, values));
    else
        multiply_slices(a, first, last, p, prefetches_nothing{});
    return {};
}

/// Takes the slice's columns into use. Rows ascend: the first places have the least, and padding's -1 is never the
/// most.
template <class T>
HWY_INLINE void cover_slice(sellp_view<T> const& a, std::int64_t slice, scattered_output<T>& out) {
    hn::ScalableTag<std::int32_t> const tag;
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    auto const* const columns = a.column_indices + a.slice_offsets[slice];
    std::int64_t const places = a.slice_offsets[slice + 1] - a.slice_offsets[slice];
    std::int64_t least = a.column_count;
    for (int i = 0; i < a.slice_rows; ++i)
        if (columns[i] >= 0) least = std::min<std::int64_t>(least, columns[i]);
    auto most = hn::Set(tag, -1);
    std::int64_t k = 0;
    for (; k + lanes <= places; k += lanes) most = hn::Max(most, hn::LoadU(tag, columns + k));
    auto last = hn::GetLane(hn::MaxOfLanes(tag, most));
    for (; k < places; ++k) last = std::max(last, columns[k]);
    if (last >= 0) out.cover(least, last, a.column_count);
}

/// One column of a slice: sums[columns[i]] += values[i] * factors[i].
template <class T>
HWY_INLINE void scatter_column(std::int32_t const* HWY_RESTRICT columns, T const* HWY_RESTRICT values, int b,
                               T const* HWY_RESTRICT factors, T* sums) {
    hn::ScalableTag<T> const tag;
    hn::Rebind<std::int32_t, decltype(tag)> const narrow;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto const steps = hn::Iota(narrow, 0);
    int i = 0;
    for (; i + lanes <= b; i += lanes) {
        auto const found = hn::LoadU(narrow, columns + i);
        if (hn::AllTrue(narrow, hn::Eq(found, hn::Add(hn::Set(narrow, columns[i]), steps))) && columns[i] >= 0) {
            T* const to = sums + columns[i];
            hn::StoreU(hn::MulAdd(hn::LoadU(tag, values + i), hn::LoadU(tag, factors + i), hn::LoadU(tag, to)), tag,
                       to);
        } else {
            for (int lane = i; lane < i + lanes; ++lane)
                if (columns[lane] >= 0) sums[columns[lane]] += values[lane] * factors[lane];
        }
    }
    for (; i < b; ++i)
        if (columns[i] >= 0) sums[columns[i]] += values[i] * factors[i];
}

template <class T>
void scatter(sellp_content<T> const& content, std::int64_t first, std::int64_t last, flat_product<T> const& p,
             scattered_output<T>& out) {
    sellp_view<T> const a = content.view();
    HWY_ALIGN T factors[most_slice_rows] = {};
    for (auto slice = first; slice < last; ++slice) {
        auto const begin = a.slice_offsets[slice], end = a.slice_offsets[slice + 1];
        if (begin == end) continue;
        cover_slice(a, slice, out);
        auto const slot = a.first_slot(slice);
        for (int i = 0; i < a.rows_in(slice); ++i) factors[i] = p.factor * p.x[a.row_in(slot + i)];
        for (auto k = begin; k < end; k += a.slice_rows)
            scatter_column(a.column_indices + k, a.values + k, a.slice_rows, factors, out.sums);
    }
}

template <class T>
std::vector<std::int64_t> parts(sellp_content<T> const& a, std::int64_t wanted) {
    auto const* const offsets = a.slice_offsets.data();
    return stretch_parts(a.slice_count, wanted,
                         [&](std::int64_t slice) { return offsets[slice] + slice * a.options.slice_rows; });
}

cpu_product<sellp<float>> product_float() {
    return {parts<float>, multiply<float>, scatter<float>};
}
cpu_product<sellp<double>> product_double() {
    return {parts<double>, multiply<double>, scatter<double>};
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(product_float);
HWY_EXPORT(product_double);

}  // namespace

template <>
cpu_product<sellp<float>> cpu_product_of() {
    return HWY_DYNAMIC_DISPATCH(product_float)();
}
template <>
cpu_product<sellp<double>> cpu_product_of() {
    return HWY_DYNAMIC_DISPATCH(product_double)();
}

}  // namespace copse::detail
#endif  // HWY_ONCE
