// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <copse/cpu/columns/row_products.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/columns/row_products.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <copse/cpu/columns/column_sums-inl.hpp>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

/// Rows of X are fetched this many of a row's places ahead, in the rows behind too.
constexpr std::int64_t places_ahead = 16;

template <class T>
HWY_INLINE void multiply(row_slots<T> const& a, std::int64_t begin, std::int64_t end, column_rows<T> const& x, T* sums,
                         std::int64_t step) {
    hn::ScalableTag<T> const tag;
    auto const lanes = static_cast<int>(hn::Lanes(tag));
    std::int64_t const last_place = a.places_of(end - 1).end - 1;
    for_each_pass<T>(x.columns, [&](auto vectors, int c) HWY_ATTR {
        constexpr int count = decltype(vectors)::count;
        T* to = sums + c;
        for (std::int64_t slot = begin; slot < end; ++slot, to += step) {
            auto const places = a.places_of(slot);
            hn::Vec<decltype(tag)> sum[count];
            for (int n = 0; n < count; ++n) sum[n] = hn::Zero(tag);
            for (std::int64_t k = places.first; k < places.end && a.columns[k] >= 0; k += places.step) {
                std::int64_t const ahead = k + places_ahead * places.step;
                if (ahead <= last_place && a.columns[ahead] >= 0)
                    __builtin_prefetch(x.x + a.columns[ahead] * x.x_step + c);
                auto const v = hn::Set(tag, a.values[k]);
                T const* const from = x.x + a.columns[k] * x.x_step + c;
                for (int n = 0; n < count; ++n) sum[n] = hn::MulAdd(v, vectors.load(tag, from, n), sum[n]);
            }
            for (int n = 0; n < count; ++n) hn::StoreU(sum[n], tag, to + n * lanes);
        }
    });
}

template <class T>
HWY_INLINE void scatter(row_slots<T> const& a, std::int64_t begin, std::int64_t end, column_rows<T> const& x, T* sums,
                        std::int64_t step) {
    for_each_pass<T>(x.columns, [&](auto vectors, int c) HWY_ATTR {
        for (std::int64_t slot = begin; slot < end; ++slot) {
            auto const places = a.places_of(slot);
            T const* const from = x.x + a.row_in(slot) * x.x_step + c;
            for (std::int64_t k = places.first; k < places.end && a.columns[k] >= 0; k += places.step)
                add_entry(vectors, a.values[k], from, sums + a.columns[k] * step + c);
        }
    });
}

#define COPSE_OF_TYPE(T)                                                                                             \
    void multiply_##T(row_slots<T> const& a, std::int64_t begin, std::int64_t end, column_rows<T> const& x, T* sums, \
                      std::int64_t step) {                                                                           \
        multiply(a, begin, end, x, sums, step);                                                                      \
    }                                                                                                                \
    void scatter_##T(row_slots<T> const& a, std::int64_t begin, std::int64_t end, column_rows<T> const& x, T* sums,  \
                     std::int64_t step) {                                                                            \
        scatter(a, begin, end, x, sums, step);                                                                       \
    }
COPSE_OF_TYPE(float)
COPSE_OF_TYPE(double)
#undef COPSE_OF_TYPE

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);
HWY_EXPORT(scatter_float);
HWY_EXPORT(scatter_double);

}  // namespace

#define COPSE_OF_TYPE(T)                                                                                             \
    template <>                                                                                                      \
    void multiply_rows_columns(row_slots<T> const& a, std::int64_t begin, std::int64_t end, column_rows<T> const& x, \
                               T* sums, std::int64_t step) {                                                         \
        if (begin < end) HWY_DYNAMIC_DISPATCH(multiply_##T)(a, begin, end, x, sums, step);                           \
    }                                                                                                                \
    template <>                                                                                                      \
    void scatter_rows_columns(row_slots<T> const& a, std::int64_t begin, std::int64_t end, column_rows<T> const& x,  \
                              T* sums, std::int64_t step) {                                                          \
        HWY_DYNAMIC_DISPATCH(scatter_##T)(a, begin, end, x, sums, step);                                             \
    }
COPSE_OF_TYPE(float)
COPSE_OF_TYPE(double)
#undef COPSE_OF_TYPE

}  // namespace copse::detail
#endif  // HWY_ONCE
