#include <algorithm>
#include <cmath>
#include <copse/cpu/reference.hpp>
#include <copse/cpu/reference/shapes.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace copse::reference {

template <class T>
void spmv(T alpha, csr<T> const& a, bool transposed, std::span<T const> x, T beta, std::span<T> y) {
    detail::check_product_shapes(a.row_count, a.column_count, transposed, x.size(), y.size());
    std::vector<long double> sums(y.size(), 0);
    if (alpha != 0) {
        for (std::int64_t row = 0; row < a.row_count; ++row) {
            for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
                auto const i = transposed ? a.column_indices[k] : row;
                auto const j = transposed ? row : a.column_indices[k];
                if (std::isnan(sums[i])) continue;  // and stays so; arithmetic with it takes a hundred times as long
                sums[i] += static_cast<long double>(a.values[k]) * x[j];
            }
        }
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
        long double result = 0;
        if (alpha != 0) result += alpha * sums[i];
        if (beta != 0) result += static_cast<long double>(beta) * y[i];
        y[i] = static_cast<T>(result);
    }
}

template <class T>
std::vector<long double> spmv_error_bound(T alpha, csr<T> const& a, bool transposed, std::span<T const> x, T beta,
                                          std::span<T const> y) {
    detail::check_product_shapes(a.row_count, a.column_count, transposed, x.size(), y.size());
    std::vector<long double> magnitudes(y.size(), 0);
    std::vector<std::int64_t> entries(y.size(), 0);
    std::vector<long double> bound(y.size(), 0);  // the sums first, where their signs count
    for (std::int64_t row = 0; alpha != 0 && row < a.row_count; ++row) {
        for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
            auto const i = transposed ? a.column_indices[k] : row;
            auto const j = transposed ? row : a.column_indices[k];
            if (std::isnan(magnitudes[i])) continue;
            magnitudes[i] += std::abs(static_cast<long double>(a.values[k])) * std::abs(x[j]);
            ++entries[i];
            if (std::isinf(alpha)) bound[i] += static_cast<long double>(a.values[k]) * x[j];
        }
    }
    long double const scale = std::abs(static_cast<long double>(alpha));
    long double const underflow = std::max(scale, 1.0L) * std::numeric_limits<T>::denorm_min();
    for (std::size_t i = 0; i < y.size(); ++i) {
        long double const sum = std::exchange(bound[i], 0);
        if (!std::isfinite(alpha)) {  // nor is the result: its class counts
            long double const of_sum =
                static_cast<long double>(entries[i]) *
                (std::numeric_limits<T>::epsilon() * magnitudes[i] + std::numeric_limits<T>::denorm_min());
            bool const is_rounded = magnitudes[i] > 0 && std::isfinite(magnitudes[i]);
            if (std::isinf(alpha) && is_rounded && std::abs(sum) <= of_sum) bound[i] = any_not_finite;
            continue;
        }
        long double magnitude = 0;
        if (alpha != 0) magnitude += scale * magnitudes[i];
        if (beta != 0) magnitude += std::abs(static_cast<long double>(beta)) * std::abs(y[i]);
        if (magnitude == 0) continue;  // every product is exactly zero, and so is the result
        long double const operations = static_cast<long double>(entries[i] + 3);
        bound[i] = operations * (std::numeric_limits<T>::epsilon() * magnitude + underflow);
    }
    return bound;
}

template <class T>
std::vector<T> columns_of(dense_view<T const> a) {
    std::vector<T> all;
    for (std::int64_t c = 0; c < a.column_count(); ++c)
        for (std::int64_t i = 0; i < a.row_count(); ++i)
            all.push_back(a.data()[i * a.row_step() + c * a.column_step()]);
    return all;
}

namespace {

/// f(column of x, column of y) for each column, both copied.
template <class T, class F>
void for_each_column(dense_view<T const> x, dense_view<T const> y, F f) {
    if (x.column_count() != y.column_count()) throw shape_error("spmm: X and Y must have as many columns");
    std::vector<T> of_x = columns_of(x), of_y = columns_of(y);
    auto const m = static_cast<std::size_t>(y.row_count()), n = static_cast<std::size_t>(x.row_count());
    for (std::size_t c = 0; c < static_cast<std::size_t>(x.column_count()); ++c)
        f(std::span<T const>(of_x).subspan(c * n, n), std::span<T>(of_y).subspan(c * m, m),
          static_cast<std::int64_t>(c));
}

}  // namespace

template <class T>
void spmm(T alpha, csr<T> const& a, bool transposed, dense_view<T const> x, T beta, dense_view<T> y) {
    for_each_column<T>(x, y, [&](std::span<T const> of_x, std::span<T> of_y, std::int64_t c) {
        spmv<T>(alpha, a, transposed, of_x, beta, of_y);
        for (std::int64_t i = 0; i < y.row_count(); ++i)
            y.data()[i * y.row_step() + c * y.column_step()] = of_y[static_cast<std::size_t>(i)];
    });
}

template <class T>
std::vector<long double> spmm_error_bound(T alpha, csr<T> const& a, bool transposed, dense_view<T const> x, T beta,
                                          dense_view<T const> y) {
    std::vector<long double> all;
    for_each_column<T>(x, y, [&](std::span<T const> of_x, std::span<T const> of_y, std::int64_t) {
        auto const bound = spmv_error_bound<T>(alpha, a, transposed, of_x, beta, of_y);
        all.insert(all.end(), bound.begin(), bound.end());
    });
    return all;
}

template <class T>
double max_error(std::span<T const> computed, std::span<T const> expected, std::span<long double const> bound) {
    if (computed.size() != expected.size() || computed.size() != bound.size()) {
        throw shape_error(std::to_string(computed.size()) + " computed elements, " + std::to_string(expected.size()) +
                          " expected and " + std::to_string(bound.size()) + " bounds: their numbers must be equal");
    }
    constexpr auto infinity = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (std::size_t i = 0; i < computed.size(); ++i) {
        if (computed[i] == expected[i] || (std::isnan(computed[i]) && std::isnan(expected[i]))) continue;
        if (bound[i] == any_not_finite && !std::isfinite(computed[i])) continue;
        if (!std::isfinite(computed[i]) || !std::isfinite(expected[i])) return infinity;
        long double const error = std::abs(static_cast<long double>(computed[i]) - expected[i]);
        largest = std::max(largest, bound[i] > 0 ? static_cast<double>(error / bound[i]) : infinity);
    }
    return largest;
}

namespace {

/// Whether a factor times a value, both finite, is not.
template <class T>
bool overflows(T factor, T value, long double product) {
    return std::isfinite(factor) && std::isfinite(value) && std::abs(product) > std::numeric_limits<T>::max();
}

}  // namespace

template <class T>
sum<T> add(T alpha, csr<T> const& a, bool transpose_a, T beta, csr<T> const& b, bool transpose_b) {
    detail::check_sum_shapes(a.row_count, a.column_count, transpose_a, b.row_count, b.column_count, transpose_b);
    csr<T> const turned_a = transpose_a ? transpose(a) : csr<T>();
    csr<T> const turned_b = transpose_b ? transpose(b) : csr<T>();
    csr<T> const& left = transpose_a ? turned_a : a;
    csr<T> const& right = transpose_b ? turned_b : b;
    sum<T> result;
    result.c.row_count = left.row_count;
    result.c.column_count = left.column_count;
    result.c.row_offsets.reserve(static_cast<std::size_t>(left.row_count) + 1);
    for (std::int64_t row = 0; row < left.row_count; ++row) {
        auto i = left.row_offsets[row];
        auto j = right.row_offsets[row];
        auto const last_i = left.row_offsets[row + 1];
        auto const last_j = right.row_offsets[row + 1];
        while (i < last_i || j < last_j) {
            bool const in_a = i < last_i && (j == last_j || left.column_indices[i] <= right.column_indices[j]);
            bool const in_b = j < last_j && (i == last_i || right.column_indices[j] <= left.column_indices[i]);
            result.c.column_indices.push_back(in_a ? left.column_indices[i] : right.column_indices[j]);
            T const of_a = in_a ? left.values[i++] : T(0), of_b = in_b ? right.values[j++] : T(0);
            long double const from_a = static_cast<long double>(alpha) * of_a;
            long double const from_b = static_cast<long double>(beta) * of_b;
            result.c.values.push_back(static_cast<T>((in_a ? from_a : 0) + (in_b ? from_b : 0)));
            long double const magnitude = (in_a ? std::abs(from_a) : 0) + (in_b ? std::abs(from_b) : 0);
            bool const any_result = in_a && in_b && (overflows(alpha, of_a, from_a) || overflows(beta, of_b, from_b));
            result.bound.push_back(any_result       ? sum<T>::no_bound
                                   : magnitude == 0 ? 0
                                                    : 2 * (std::numeric_limits<T>::epsilon() * magnitude +
                                                           std::numeric_limits<T>::denorm_min()));
        }
        result.c.row_offsets.push_back(result.c.entry_count());
    }
    return result;
}

template <class T>
sum<T> without_zeros(sum<T> const& from) {
    sum<T> result;
    result.c.row_count = from.c.row_count;
    result.c.column_count = from.c.column_count;
    for (std::int64_t row = 0; row < from.c.row_count; ++row) {
        for (auto k = from.c.row_offsets[row]; k < from.c.row_offsets[row + 1]; ++k) {
            if (from.c.values[k] == 0) continue;
            result.c.column_indices.push_back(from.c.column_indices[k]);
            result.c.values.push_back(from.c.values[k]);
            result.bound.push_back(from.bound[k]);
        }
        result.c.row_offsets.push_back(result.c.entry_count());
    }
    return result;
}

template <class T>
double max_error(csr<T> const& computed, sum<T> const& expected) {
    auto const& c = expected.c;
    bool const alike = computed.row_count == c.row_count && computed.column_count == c.column_count &&
                       computed.row_offsets == c.row_offsets && computed.column_indices == c.column_indices &&
                       computed.values.size() == c.values.size();
    if (!alike) return std::numeric_limits<double>::infinity();
    std::vector<T> values = computed.values;
    for (std::size_t k = 0; k < values.size(); ++k)
        if (expected.bound[k] == sum<T>::no_bound) values[k] = c.values[k];
    return max_error<T>(values, c.values, expected.bound);
}

template void spmv(float, csr<float> const&, bool, std::span<float const>, float, std::span<float>);
template void spmv(double, csr<double> const&, bool, std::span<double const>, double, std::span<double>);
template std::vector<long double> spmv_error_bound(float, csr<float> const&, bool, std::span<float const>, float,
                                                   std::span<float const>);
template std::vector<long double> spmv_error_bound(double, csr<double> const&, bool, std::span<double const>, double,
                                                   std::span<double const>);
template std::vector<float> columns_of(dense_view<float const>);
template std::vector<double> columns_of(dense_view<double const>);
template void spmm(float, csr<float> const&, bool, dense_view<float const>, float, dense_view<float>);
template void spmm(double, csr<double> const&, bool, dense_view<double const>, double, dense_view<double>);
template std::vector<long double> spmm_error_bound(float, csr<float> const&, bool, dense_view<float const>, float,
                                                   dense_view<float const>);
template std::vector<long double> spmm_error_bound(double, csr<double> const&, bool, dense_view<double const>, double,
                                                   dense_view<double const>);
template double max_error(std::span<float const>, std::span<float const>, std::span<long double const>);
template double max_error(std::span<double const>, std::span<double const>, std::span<long double const>);
template sum<float> add(float, csr<float> const&, bool, float, csr<float> const&, bool);
template sum<double> add(double, csr<double> const&, bool, double, csr<double> const&, bool);
template sum<float> without_zeros(sum<float> const&);
template sum<double> without_zeros(sum<double> const&);
template double max_error(csr<float> const&, sum<float> const&);
template double max_error(csr<double> const&, sum<double> const&);

}  // namespace copse::reference
