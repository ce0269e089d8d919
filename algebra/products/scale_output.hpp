// y <- beta * y by tasks: what comes before a product that adds to y.
#pragma once

#include <copse/algebra/products/stretches.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// y <- beta * y on elements item * stretch .. (item + 1) * stretch - 1. beta == 0 does not read y.
template <class T>
struct scale_output {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "scale y";
    static constexpr std::int64_t stretch = 4096;

    T* y;
    std::int64_t size;
    T beta;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        if (beta == T(0))
            for_stretch(w, which, stretch, size, [&](std::int64_t i) { y[i] = T(0); });
        else
            for_stretch(w, which, stretch, size, [&](std::int64_t i) { y[i] *= beta; });
    }
};

}  // namespace copse::detail
