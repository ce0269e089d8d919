#include "bench/harness/columns.hpp"

#include <algorithm>
#include <cmath>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/memory.hpp>
#include <limits>
#include <utility>

namespace copse::bench {
namespace {

constexpr std::int64_t base_count = 3;

template <class T>
T factor_of(std::int64_t column) {
    return std::ldexp(T(1), static_cast<int>(column / base_count % 32));
}

}  // namespace

template <class T>
columns_problem<T>::columns_problem(std::string const& matrix, csr<T> const& a, bool transpose, std::int64_t k)
    : columns(k) {
    for (int set = 0; set < std::min(base_count, k); ++set)
        bases.push_back({matrix, a, transpose, signed_values<T>(transpose ? a.row_count : a.column_count, 2017, set)});
}

template <class T>
buffer<T> columns_problem<T>::x(dense_layout layout) const {
    buffer<T> memory(host_memory(), x_rows() * columns);
    bool const by_rows = layout == dense_layout::row_major;
    detail::for_stretches(x_rows(), 1 << 12, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            for (std::int64_t c = 0; c < columns; ++c)
                memory.data()[by_rows ? i * columns + c : c * x_rows() + i] =
                    factor_of<T>(c) * bases[static_cast<std::size_t>(c % base_count)].x[static_cast<std::size_t>(i)];
    });
    return memory;
}

template <class T>
double columns_problem<T>::largest_error(dense_view<T const> const& y) const {
    std::vector<double> errors(static_cast<std::size_t>(columns));
    detail::parallel_for(columns, 1, [&](std::int64_t c) {
        std::vector<T> column(static_cast<std::size_t>(y_rows()));
        for (std::int64_t i = 0; i < y_rows(); ++i)
            column[static_cast<std::size_t>(i)] = y.data()[i * y.row_step() + c * y.column_step()] / factor_of<T>(c);
        auto const& expected = bases[static_cast<std::size_t>(c % base_count)].expected;
        errors[static_cast<std::size_t>(c)] = reference::max_error<T>(column, expected.y, expected.bound);
    });
    return *std::max_element(errors.begin(), errors.end());
}

template <class T>
race_record describe(columns_problem<T> const& what, std::string format, std::int64_t bytes, int threads,
                     double convert_seconds) {
    auto r = describe(what.bases.front(), std::move(format), bytes, threads, convert_seconds);
    auto const more = (what.columns - 1) * (what.x_rows() + what.y_rows()) * static_cast<std::int64_t>(sizeof(T));
    r.bench = r.m.op = "spmm";
    r.m.vectors = what.columns;
    r.m.moved_bytes += more;
    r.m.csr_moved_bytes += more;
    return r;
}

template <class T>
columns_product<T>::columns_product(race_record r, columns_problem<T> const& what, dense_layout layout)
    : entrant(std::move(r)),
      what_(what),
      layout_(layout),
      x_(what.x(layout)),
      y_(host_memory(), what.y_rows() * what.columns) {}

template <class T>
void columns_product<T>::set_up(int) {
    detail::for_stretches(y_.size(), 1 << 16, [&](std::int64_t first, std::int64_t last) {
        std::fill(y_.data() + first, y_.data() + last, std::numeric_limits<T>::quiet_NaN());
    });
}

#define COPSE_INSTANTIATE(T)            \
    template struct columns_problem<T>; \
    template class columns_product<T>;  \
    template race_record describe(columns_problem<T> const&, std::string, std::int64_t, int, double);
COPSE_INSTANTIATE(float)
COPSE_INSTANTIATE(double)
#undef COPSE_INSTANTIATE

}  // namespace copse::bench
