// The factor f of a product y_i <- f s_i + beta y_i, s_i being the sum over the entries stored in row i. Where f is Inf
// or NaN, it must meet each whole sum once, also that of a row without entries (0).
//
// Most products that add to y apply f to parts of a sum: leaf by leaf, tile by tile, to x or to values. For a finite f
// that is the same, but for rounding. With f = Inf, parts of both signs would make NaN of Inf - Inf, and a part that is
// 0 would make NaN of Inf * 0, though f times the row's sum is no NaN. Products with such an f therefore write the sums
// to memory of their own (f = 1, beta = 0), and one more task writes y. A finite f costs a comparison for each product.
#pragma once

#include <cmath>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/memory.hpp>
#include <cstdint>
#include <memory>

namespace copse::detail {

/// f. alpha == 0 decides first, also where the scale is Inf or NaN: the product reads neither A nor x then.
template <class V>
V product_factor(V alpha, V scale) {
    return alpha == V(0) ? V(0) : alpha * scale;
}

/// y <- factor * sums + beta * y on elements item * stretch .. (item + 1) * stretch - 1. beta == 0 does not read y.
template <class T>
struct scale_sums {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "scale sums";
    static constexpr std::int64_t stretch = 4096;

    T const* sums;
    T* y;
    std::int64_t size;
    T factor;
    T beta;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        for_stretch(w, which, stretch, size,
                    [&](std::int64_t i) { y[i] = beta == T(0) ? factor * sums[i] : factor * sums[i] + beta * y[i]; });
    }
};

/// multiply(f, beta, y) where f is finite. Else multiply(1, 0, sums), and then scale(range) for the range of scale_sums
/// that writes y. The sums are in `workspace` until scale() is back.
template <class T, class Multiply, class Scale>
run_report multiply_by_sums(std::shared_ptr<memory> const& workspace, T factor, T beta, vector_view<T> y,
                            Multiply multiply, Scale scale) {
    if (std::isfinite(factor)) return multiply(factor, beta, y);
    buffer<T> const sums(workspace, y.size());
    run_report report = multiply(T(1), T(0), sums.view());
    scale_sums<T> const task{sums.data(), y.data(), y.size(), factor, beta};
    run_report const last = scale(task_range<scale_sums<T>>{task, stretches(y.size(), task.stretch)});
    report.queues.insert(report.queues.end(), last.queues.begin(), last.queues.end());
    report.seconds += last.seconds;
    return report;
}

}  // namespace copse::detail
