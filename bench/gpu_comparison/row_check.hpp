// Whether y is A x, row by row, by a sum in twice the precision, or A^T x, by sums of doubles in whatever order: what
// products of large matrices are held to on the GPU. Host and device run the same code. The bound is that of
// cpu/reference.hpp. A row's entries are shared by lanes: it may have a fifth of all.
#pragma once

#include <cmath>
#include <copse/formats/csr_matrix.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <limits>

namespace copse::bench {

/// a * x, rounded: never made one with an addition behind it, which would break the sum below.
COPSE_HOST_DEVICE inline double rounded_product(double a, double x) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, x);
#else
    return a * x;
#endif
}

/// A sum of products of doubles as if in twice the precision (Ogita, Rump, Oishi: Accurate sum and dot product, Dot2),
/// and the sum of their magnitudes. Floats are exact in doubles, and so are their products.
struct careful_sum {
    double high = 0;
    double low = 0;
    double magnitude = 0;
    std::int64_t count = 0;

    COPSE_HOST_DEVICE void add(double a, double x) {
        double const product = rounded_product(a, x);
        double const product_error = std::fma(a, x, -product);
        double const sum = high + product;
        double const back = sum - high;
        low += ((high - (sum - back)) + (product - back)) + product_error;
        high = sum;
        magnitude += std::fabs(product);
        ++count;
    }
    /// Adds what another sum has.
    COPSE_HOST_DEVICE void add(careful_sum const& other) {
        double const sum = high + other.high;
        double const back = sum - high;
        low += ((high - (sum - back)) + (other.high - back)) + other.low;
        high = sum;
        magnitude += other.magnitude;
        count += other.count;
    }
    COPSE_HOST_DEVICE double value() const { return high + low; }
};

/// Of row i of A x: the entries lane, lane + lanes, ...
template <class T>
COPSE_HOST_DEVICE careful_sum sum_part(csr_matrix_view<T> const& a, T const* x, std::int64_t i, int lane, int lanes) {
    careful_sum sum;
    for (auto k = a.row_offsets[i] + lane; k < a.row_offsets[i + 1]; k += lanes)
        sum.add(static_cast<double>(a.values[k]), static_cast<double>(x[a.column_indices[k]]));
    return sum;
}

/// What an element of y is to be, the products' magnitudes together, and how many they are: a whole number.
struct element_sum {
    double value = 0;
    double magnitude = 0;
    double count = 0;
};

COPSE_HOST_DEVICE inline element_sum element_of(careful_sum const& sum) {
    return {sum.value(), sum.magnitude, static_cast<double>(sum.count)};
}

/// Of A^T x: what the same entries of row i of A add to the elements of their columns. add(p, value): *p <- *p + value.
template <class T, class Add>
COPSE_HOST_DEVICE void scatter_part(csr_matrix_view<T> const& a, T const* x, std::int64_t i, int lane, int lanes,
                                    element_sum* sums, Add const& add) {
    for (auto k = a.row_offsets[i] + lane; k < a.row_offsets[i + 1]; k += lanes) {
        double const product = static_cast<double>(a.values[k]) * static_cast<double>(x[i]);
        element_sum& to = sums[a.column_indices[k]];
        add(&to.value, product);
        add(&to.magnitude, std::fabs(product));
        add(&to.count, 1.0);
    }
}

/// |y - sum| in units of what arithmetic in T may be off by; NaN becomes infinity.
template <class T>
COPSE_HOST_DEVICE double error_of(T y, careful_sum const& sum) {
    double const epsilon = sizeof(T) == 4 ? 0x1p-23 : 0x1p-52, tiny = sizeof(T) == 4 ? 0x1p-149 : 0x1p-1074;
    double const difference = std::fabs(static_cast<double>(y) - sum.value());
    if (difference == 0) return 0;
    double const bound = sum.magnitude == 0 ? 0 : static_cast<double>(sum.count + 3) * (epsilon * sum.magnitude + tiny);
    return difference <= bound * 1e300 && bound > 0 ? difference / bound : HUGE_VAL;
}

/// The same of an element. is_rounded: its sum is one of doubles, as scatter_part() makes it, and may be off by as much
/// again as y where T is double.
template <class T>
COPSE_HOST_DEVICE double error_of(T y, element_sum const& sum, bool is_rounded) {
    auto const count = static_cast<std::int64_t>(sum.count);
    std::int64_t const allowed = !is_rounded ? count : sizeof(T) == 8 ? 2 * count + 3 : count + 1;
    return error_of(y, careful_sum{sum.value, 0, sum.magnitude, allowed});
}

}  // namespace copse::bench
