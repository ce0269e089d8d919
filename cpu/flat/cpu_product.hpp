// What a flat format brings for its products on the cpu executor, in cpu/flat/<name>_product.cpp: three functions for
// one core, which are called for a part of the matrix each.
#pragma once

#include <algorithm>
#include <copse/cpu/flat/operands.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// Where one thread adds its part of a transposed product: an array of its own, of which only what it reaches is used.
/// Elements begin .. end - 1 of `sums` are in use; the others are neither written nor read, so that untouched pages of
/// the array take no memory.
template <class T>
struct scattered_output {
    T* sums = nullptr;
    std::int64_t begin = 0;
    std::int64_t end = 0;

    /// Takes elements first .. last into use, in steps of a kilobyte or two; those from `count` on do not exist.
    void cover(std::int64_t first, std::int64_t last, std::int64_t count) {
        constexpr std::int64_t step = 256;
        if (begin == end) begin = end = first / step * step;
        if (first < begin) {
            auto const grown = first / step * step;
            std::fill(sums + grown, sums + begin, T{0});
            begin = grown;
        }
        if (last >= end) {
            auto const grown = std::min(count, (last / step + 1) * step);
            std::fill(sums + end, sums + grown, T{0});
            end = grown;
        }
    }
};

template <class Matrix>
struct cpu_product {
    using content = typename Matrix::content_type;
    using value = typename Matrix::value_type;

    /// Boundaries of parts with about equal work, ascending, in a unit of the format's own; `wanted` + 1 of them at
    /// most, and two at least. Depends on nothing else.
    std::vector<std::int64_t> (*parts)(content const& a, std::int64_t wanted);
    /// Writes all rows that begin in the part (rows without entries too), with the sums of the part's own entries;
    /// gives back what it has of an earlier row. beta == 0 does not read y. Padding is not multiplied.
    row_carry<value> (*multiply)(content const& a, std::int64_t begin, std::int64_t end, flat_product<value> const& p);
    /// out += factor * A^T * x, for the entries of the part.
    void (*scatter)(content const& a, std::int64_t begin, std::int64_t end, flat_product<value> const& p,
                    scattered_output<value>& out);
};

/// With the widest vectors that the machine has. Each format specialises it for float and double.
template <class Matrix>
cpu_product<Matrix> cpu_product_of();

}  // namespace copse::detail
