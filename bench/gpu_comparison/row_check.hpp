// Whether y is A x, row by row, by a sum in twice the precision: what large cases are held to on the GPU. Host and
// device run the same code. The bound is that of cpu/reference.hpp.
#pragma once

#include <cmath>
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
    COPSE_HOST_DEVICE double value() const { return high + low; }
};

/// |y - sum| in units of what arithmetic in T may be off by; NaN becomes infinity.
template <class T>
COPSE_HOST_DEVICE double error_of(T y, careful_sum const& sum) {
    double const epsilon = sizeof(T) == 4 ? 0x1p-23 : 0x1p-52, tiny = sizeof(T) == 4 ? 0x1p-149 : 0x1p-1074;
    double const difference = std::fabs(static_cast<double>(y) - sum.value());
    if (difference == 0) return 0;
    double const bound = sum.magnitude == 0 ? 0 : static_cast<double>(sum.count + 3) * (epsilon * sum.magnitude + tiny);
    return difference <= bound * 1e300 && bound > 0 ? difference / bound : HUGE_VAL;
}

}  // namespace copse::bench
