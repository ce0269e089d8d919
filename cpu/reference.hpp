// The oracle: products and sums written as their formulas, in long double, one thread, one loop. Every other
// implementation is held to the error bounds in this file, which come from the arithmetic and from nothing else.
#pragma once

#include <algorithm>
#include <cmath>
#include <copse/cpu/shapes.hpp>
#include <copse/formats/csr.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace copse::reference {

/// y <- alpha op(A) x + beta y,   op(A) = A, or A^T when `transposed`
/// op(A): m x n; x: n elements; y: m elements; x and y must not overlap.
/// Sums in long double and rounds once, so intermediate results do not overflow where those in T might.
/// alpha == 0 reads neither A's entries nor x; beta == 0 does not read y. Throws shape_error.
template <class T>
void spmv(T alpha, csr<T> const& a, bool transposed, std::span<T const> x, T beta, std::span<T> y) {
    check_product_shapes(a.row_count, a.column_count, transposed, x.size(), y.size());
    std::vector<long double> sums(y.size(), 0);
    if (alpha != 0) {
        for (std::int64_t row = 0; row < a.row_count; ++row) {
            for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
                auto const i = transposed ? a.column_indices[k] : row;
                auto const j = transposed ? row : a.column_indices[k];
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

/// For each row i of op(A), what an implementation in T may be off by, whatever the order of its sums:
///   (entries_i + 3) eps (|alpha| sum_j |a_ij| |x_j| + |beta| |y_i|)
/// with `y` as it was before the product and eps = numeric_limits<T>::epsilon(), twice the unit roundoff. Where that
/// sum is not zero, the smallest positive T for each operation is added: products may underflow. Throws shape_error.
/// Higham, Accuracy and Stability of Numerical Algorithms, §3.1.
template <class T>
std::vector<long double> spmv_error_bound(T alpha, csr<T> const& a, bool transposed, std::span<T const> x, T beta,
                                          std::span<T const> y) {
    check_product_shapes(a.row_count, a.column_count, transposed, x.size(), y.size());
    std::vector<long double> magnitudes(y.size(), 0);
    std::vector<std::int64_t> entries(y.size(), 0);
    for (std::int64_t row = 0; alpha != 0 && row < a.row_count; ++row) {
        for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
            auto const i = transposed ? a.column_indices[k] : row;
            auto const j = transposed ? row : a.column_indices[k];
            magnitudes[i] += std::abs(static_cast<long double>(a.values[k])) * std::abs(x[j]);
            ++entries[i];
        }
    }
    long double const scale = std::abs(static_cast<long double>(alpha));
    long double const underflow = std::max(scale, 1.0L) * std::numeric_limits<T>::denorm_min();
    std::vector<long double> bound(y.size(), 0);
    for (std::size_t i = 0; i < y.size(); ++i) {
        long double magnitude = 0;
        if (alpha != 0) magnitude += scale * magnitudes[i];
        if (beta != 0) magnitude += std::abs(static_cast<long double>(beta)) * std::abs(y[i]);
        if (magnitude == 0) continue;  // every product is exactly zero, and so is the result
        long double const operations = static_cast<long double>(entries[i] + 3);
        bound[i] = operations * (std::numeric_limits<T>::epsilon() * magnitude + underflow);
    }
    return bound;
}

/// max_i |computed_i - expected_i| / bound_i, at most 1 for a correct implementation; 0 without elements.
/// NaN and infinities compare as classes: both NaN or the same infinity count 0, one of a kind counts infinity; so does
/// a difference where the bound is 0. Throws shape_error unless all three have the same length.
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
        if (!std::isfinite(computed[i]) || !std::isfinite(expected[i])) return infinity;
        long double const error = std::abs(static_cast<long double>(computed[i]) - expected[i]);
        largest = std::max(largest, bound[i] > 0 ? static_cast<double>(error / bound[i]) : infinity);
    }
    return largest;
}

/// C = alpha op(A) + beta op(B), and for each of its entries what an implementation in T may be off by.
template <class T>
struct sum {
    csr<T> c;
    std::vector<long double> bound;
};

/// C has an entry wherever op(A) or op(B) has one, explicit zeros included. Each is computed in long double and rounded
/// once. The bound of an entry is
///   2 eps (|alpha| |a_ij| + |beta| |b_ij|)
/// which is the rounding of two products, of their sum and of this one, with the smallest positive T for each product
/// that may underflow. Throws shape_error when op(A) and op(B) differ in shape.
template <class T>
sum<T> add(T alpha, csr<T> const& a, bool transpose_a, T beta, csr<T> const& b, bool transpose_b) {
    check_sum_shapes(a.row_count, a.column_count, transpose_a, b.row_count, b.column_count, transpose_b);
    csr<T> const left = transpose_a ? transpose(a) : a;
    csr<T> const right = transpose_b ? transpose(b) : b;
    sum<T> result;
    result.c.row_count = left.row_count;
    result.c.column_count = left.column_count;
    for (std::int64_t row = 0; row < left.row_count; ++row) {
        auto i = left.row_offsets[row];
        auto j = right.row_offsets[row];
        auto const last_i = left.row_offsets[row + 1];
        auto const last_j = right.row_offsets[row + 1];
        while (i < last_i || j < last_j) {
            bool const in_a = i < last_i && (j == last_j || left.column_indices[i] <= right.column_indices[j]);
            bool const in_b = j < last_j && (i == last_i || right.column_indices[j] <= left.column_indices[i]);
            result.c.column_indices.push_back(in_a ? left.column_indices[i] : right.column_indices[j]);
            long double const from_a = in_a ? static_cast<long double>(alpha) * left.values[i++] : 0;
            long double const from_b = in_b ? static_cast<long double>(beta) * right.values[j++] : 0;
            result.c.values.push_back(static_cast<T>(from_a + from_b));
            long double const magnitude = std::abs(from_a) + std::abs(from_b);
            result.bound.push_back(magnitude == 0 ? 0
                                                  : 2 * (std::numeric_limits<T>::epsilon() * magnitude +
                                                         std::numeric_limits<T>::denorm_min()));
        }
        result.c.row_offsets.push_back(result.c.entry_count());
    }
    return result;
}

/// The same sum as those have it who do not store zeros.
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

/// The largest error of `computed` in units of the bound, as above; infinity where it has another shape, or entries in
/// other places.
template <class T>
double max_error(csr<T> const& computed, sum<T> const& expected) {
    auto const& c = expected.c;
    bool const alike = computed.row_count == c.row_count && computed.column_count == c.column_count &&
                       computed.row_offsets == c.row_offsets && computed.column_indices == c.column_indices &&
                       computed.values.size() == c.values.size();
    if (!alike) return std::numeric_limits<double>::infinity();
    return max_error<T>(computed.values, c.values, expected.bound);
}

}  // namespace copse::reference
