// Row-parallel SpMV. Each thread takes one contiguous stretch of rows with its portion of rows plus entries, so that
// neither long rows nor many empty ones leave a thread behind: with equal portions of rows, the first of two threads
// would have 76 % of the entries of an R-MAT matrix.
#include <algorithm>
#include <cmath>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/flat/csr_rows.hpp>
#include <copse/cpu/flat/row_portions.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/cpu/reference/shapes.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace copse {
namespace {

// Equal portions of rows plus entries.
template <class T>
std::int64_t first_row(csr<T> const& a, std::int64_t part, std::int64_t parts) {
    return detail::first_row(part, parts, a.row_count, [&](std::int64_t row) { return row + a.row_offsets[row]; });
}

template <class T>
T scaled(T beta, T y) {
    return beta == 0 ? T{0} : beta * y;
}

template <class T>
void scale(int threads, T beta, std::span<T> y) {
    auto const count = static_cast<std::int64_t>(y.size());
    T* const out = y.data();
    detail::for_parts(threads, [=](int part) {
        auto const last = detail::part_begin(part + 1, threads, count);
        for (auto i = detail::part_begin(part, threads, count); i < last; ++i) out[i] = scaled(beta, out[i]);
    });
}

template <class T>
void multiply(int threads, T alpha, csr<T> const& a, T const* x, T beta, T* y) {
    detail::for_parts(threads, [&](int part) {
        detail::multiply_rows(detail::arrays_of(a), first_row(a, part, threads), first_row(a, part + 1, threads), alpha,
                              x, beta, y);
    });
}

template <class T>
void scatter(csr<T> const& a, std::int64_t first, std::int64_t last, T alpha, T const* x,
             detail::scattered_output<T>& out) {
    auto const* offsets = a.row_offsets.data();
    auto const* columns = a.column_indices.data();
    auto const* values = a.values.data();
    T* const sums = out.sums;
    for (auto row = first; row < last; ++row) {
        auto const begin = offsets[row];
        auto const end = offsets[row + 1];
        if (begin == end) continue;
        out.cover(columns[begin], columns[end - 1], a.column_count);
        T const factor = alpha * x[row];
        for (auto k = begin; k < end; ++k) sums[columns[k]] += values[k] * factor;
    }
}

// y <- y + all outputs but the first, which is y, in the order of the threads.
template <class T>
void gather(int threads, std::vector<detail::scattered_output<T>> const& outputs, std::span<T> y) {
    auto const count = static_cast<std::int64_t>(y.size());
    detail::for_parts(threads, [&](int part) {
        auto const first = detail::part_begin(part, threads, count);
        auto const last = detail::part_begin(part + 1, threads, count);
        for (int other = 1; other < threads; ++other) {
            auto const& out = outputs[other];
            auto const end = std::min(last, out.end);
            for (auto j = std::max(first, out.begin); j < end; ++j) y[j] += out.sums[j];
        }
    });
}

// The first thread adds to y itself, the others to arrays of their own, which are added at the end. Atomic additions to
// y took 3 to 5 times as long on stencils, power laws and dense rows (2 threads, double).
template <class T>
void multiply_transposed(int threads, T alpha, csr<T> const& a, T const* x, T beta, std::span<T> y) {
    scale(threads, beta, y);
    std::vector<detail::scattered_output<T>> outputs(threads);
    outputs[0] = {y.data(), 0, a.column_count};
    std::vector<std::unique_ptr<T[]>> owned;
    for (int part = 1; part < threads; ++part) {
        owned.push_back(std::make_unique_for_overwrite<T[]>(y.size()));
        outputs[part].sums = owned.back().get();
    }
    detail::for_parts(threads, [&](int part) {
        scatter(a, first_row(a, part, threads), first_row(a, part + 1, threads), alpha, x, outputs[part]);
    });
    gather(threads, outputs, y);
}

// An alpha that is not finite must not meet parts of sums.
template <class T>
void multiply_transposed_by_sums(int threads, T alpha, csr<T> const& a, T const* x, T beta, std::span<T> y) {
    std::vector<T> sums(y.size());
    multiply_transposed(threads, T(1), a, x, T(0), std::span<T>(sums));
    auto const count = static_cast<std::int64_t>(y.size());
    T* const out = y.data();
    detail::for_parts(threads, [&](int part) {
        auto const last = detail::part_begin(part + 1, threads, count);
        for (auto i = detail::part_begin(part, threads, count); i < last; ++i)
            out[i] = alpha * sums[static_cast<std::size_t>(i)] + scaled(beta, out[i]);
    });
}

}  // namespace

template <class T>
void spmv(int threads, T alpha, csr<T> const& a, bool transposed, std::span<T const> x, T beta, std::span<T> y) {
    if (threads < 1) {
        throw argument_error("spmv: threads is " + std::to_string(threads) + "; it must be 1 or more");
    }
    detail::check_product_shapes(a.row_count, a.column_count, transposed, x.size(), y.size());
    if (alpha == 0) {
        scale(threads, beta, y);
    } else if (transposed && !std::isfinite(alpha)) {
        multiply_transposed_by_sums(threads, alpha, a, x.data(), beta, y);
    } else if (transposed) {
        multiply_transposed(threads, alpha, a, x.data(), beta, y);
    } else {
        multiply(threads, alpha, a, x.data(), beta, y.data());
    }
}

template void spmv(int, float, csr<float> const&, bool, std::span<float const>, float, std::span<float>);
template void spmv(int, double, csr<double> const&, bool, std::span<double const>, double, std::span<double>);

}  // namespace copse
