// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <copse/cpu/columns/column_products.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/columns/write_columns.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <hwy/cache_control.h>

#include <copse/cpu/columns/column_sums-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

/// Rows of Y that lie by rows.
template <class Vectors, class V>
HWY_INLINE void write_row(Vectors vectors, column_output<V> const& y, V const* sums, V* to) {
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    auto const f = hn::Set(tag, y.factor);
    for (int n = 0; n < Vectors::count; ++n) {
        auto result = hn::Mul(f, hn::LoadU(tag, sums + n * lanes));
        if (y.beta != V(0)) result = hn::MulAdd(hn::Set(tag, y.beta), vectors.load(tag, to, n), result);
        vectors.store(tag, result, to, n);
    }
}

/// to[i] <- factor * sums[i], past the caches: no line is read before it is written.
template <class V>
HWY_INLINE void write_past_caches(V factor, V const* sums, V* to, std::int64_t count) {
    hn::ScalableTag<V> const tag;
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    auto const f = hn::Set(tag, factor);
    std::int64_t i = 0;
    for (; i < count && reinterpret_cast<std::uintptr_t>(to + i) % 64 != 0; ++i) to[i] = factor * sums[i];
    for (; i + lanes <= count; i += lanes) hn::Stream(hn::Mul(f, hn::LoadU(tag, sums + i)), tag, to + i);
    for (; i < count; ++i) to[i] = factor * sums[i];
}

template <class V>
HWY_INLINE void write_all(column_output<V> const& y, V const* sums, std::int64_t step, std::int64_t rows) {
    if (y.column_step == 1) {
        if (y.goes_past_caches()) {
            if (y.row_step == step)
                write_past_caches(y.factor, sums, y.y, rows * step);
            else
                for (std::int64_t i = 0; i < rows; ++i)
                    write_past_caches(y.factor, sums + i * step, y.y + i * y.row_step, y.columns);
            return;
        }
        for_each_pass<V>(y.columns, [&](auto vectors, int c) HWY_ATTR {
            for (std::int64_t i = 0; i < rows; ++i)
                write_row(vectors, y, sums + (i * step + c), y.y + (i * y.row_step + c));
        });
        return;
    }
    for (int c = 0; c < y.columns; ++c) {
        V* const to = y.y + c * y.column_step;
        if (y.beta == V(0))
            for (std::int64_t i = 0; i < rows; ++i) to[i] = y.factor * sums[i * step + c];
        else
            for (std::int64_t i = 0; i < rows; ++i) to[i] = y.factor * sums[i * step + c] + y.beta * to[i];
    }
}

void write_float(column_output<float> const& y, float const* sums, std::int64_t step, std::int64_t rows) {
    write_all(y, sums, step, rows);
}
void write_double(column_output<double> const& y, double const* sums, std::int64_t step, std::int64_t rows) {
    write_all(y, sums, step, rows);
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(write_float);
HWY_EXPORT(write_double);

}  // namespace

template <>
void write_columns(column_output<float> const& y, float const* sums, std::int64_t step, std::int64_t rows) {
    HWY_DYNAMIC_DISPATCH(write_float)(y, sums, step, rows);
}
template <>
void write_columns(column_output<double> const& y, double const* sums, std::int64_t step, std::int64_t rows) {
    HWY_DYNAMIC_DISPATCH(write_double)(y, sums, step, rows);
}

void flush_columns() {
    hwy::FlushStream();
}

}  // namespace copse::detail
#endif  // HWY_ONCE
