// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <copse/cpu/flat/csr_rows.hpp>
#include <copse/cpu/flat/stream_prefetch.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/flat/csr_rows.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <hwy/highway.h>

#include <copse/cpu/flat/column_indices-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, class Prefetcher>
HWY_INLINE T row_times(T const* HWY_RESTRICT values, std::int32_t const* HWY_RESTRICT columns, std::int64_t count,
                       T const* HWY_RESTRICT x, Prefetcher& prefetcher) {
    hn::ScalableTag<T> const tag;
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    T sum = 0;
    std::int64_t k = 0;
    // Short rows are faster one entry at a time: as many entries as gathers take to pay for the sum over lanes.
    if (HWY_MAX_BYTES >= 32 && count >= 2 * lanes) {
        auto sums = hn::Zero(tag);
        for (; k + lanes <= count; k += lanes) {
            prefetcher.before(columns + k, values + k);
            sums =
                hn::MulAdd(hn::LoadU(tag, values + k), hn::GatherIndex(tag, x, load_indices(tag, columns + k)), sums);
        }
        sum = hn::GetLane(hn::SumOfLanes(tag, sums));
    }
    for (; k < count; ++k) sum += values[k] * x[columns[k]];
    return sum;
}

template <class T>
void multiply(csr_matrix_view<T> const& a, std::int64_t first, std::int64_t last, T alpha, T const* x, T beta, T* y) {
    auto const* const offsets = a.row_offsets;
    auto const* const columns = a.column_indices;
    auto const* const values = a.values;
    if (first == last) return;
    entry_prefetcher<T> prefetcher(columns + offsets[first], values + offsets[first]);
    for (std::int64_t row = first; row < last; ++row) {
        std::int64_t const begin = offsets[row];
        prefetcher.before(columns + begin, values + begin);
        T const sum = row_times(values + begin, columns + begin, offsets[row + 1] - begin, x, prefetcher);
        y[row] = alpha * sum + (beta == 0 ? T(0) : beta * y[row]);
    }
}

void multiply_float(csr_matrix_view<float> const& a, std::int64_t first, std::int64_t last, float alpha, float const* x,
                    float beta, float* y) {
    multiply(a, first, last, alpha, x, beta, y);
}
void multiply_double(csr_matrix_view<double> const& a, std::int64_t first, std::int64_t last, double alpha,
                     double const* x, double beta, double* y) {
    multiply(a, first, last, alpha, x, beta, y);
}
float entries_float(float const* values, std::int32_t const* columns, std::int64_t count, float const* x) {
    prefetches_nothing nothing;
    return row_times(values, columns, count, x, nothing);
}
double entries_double(double const* values, std::int32_t const* columns, std::int64_t count, double const* x) {
    prefetches_nothing nothing;
    return row_times(values, columns, count, x, nothing);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);
HWY_EXPORT(entries_float);
HWY_EXPORT(entries_double);

}  // namespace

template <>
void multiply_rows(csr_matrix_view<float> const& a, std::int64_t first, std::int64_t last, float alpha, float const* x,
                   float beta, float* y) {
    HWY_DYNAMIC_DISPATCH(multiply_float)(a, first, last, alpha, x, beta, y);
}
template <>
void multiply_rows(csr_matrix_view<double> const& a, std::int64_t first, std::int64_t last, double alpha,
                   double const* x, double beta, double* y) {
    HWY_DYNAMIC_DISPATCH(multiply_double)(a, first, last, alpha, x, beta, y);
}
template <>
float multiply_entries(float const* values, std::int32_t const* columns, std::int64_t count, float const* x) {
    return HWY_DYNAMIC_DISPATCH(entries_float)(values, columns, count, x);
}
template <>
double multiply_entries(double const* values, std::int32_t const* columns, std::int64_t count, double const* x) {
    return HWY_DYNAMIC_DISPATCH(entries_double)(values, columns, count, x);
}

}  // namespace copse::detail
#endif  // HWY_ONCE
