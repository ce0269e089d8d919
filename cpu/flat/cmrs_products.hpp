// Strips of CMRS times a vector, on one core.
#pragma once

#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/flat/stretch_parts.hpp>
#include <copse/formats/cmrs.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// y <- factor * A * x + beta * y for the rows in strips first .. last - 1. beta == 0 does not read y. Padding is not
/// multiplied. Instantiated for float, double.
template <class T>
void multiply_strips(cmrs_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p);

/// out += factor * A^T * x for the entries of strips first .. last - 1.
template <class T>
void scatter_strips(cmrs_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
                    scattered_output<T>& out);

template <class T>
struct cpu_product<cmrs<T>> {
    static std::vector<std::int64_t> parts(cmrs_content<T> const& a, std::int64_t wanted) {
        auto const* const offsets = a.strip_offsets.data();
        return stretch_parts(a.strip_count, wanted,
                             [&](std::int64_t strip) { return offsets[strip] + strip * a.height; });
    }
    static row_carry<T> multiply(cmrs_content<T> const& a, std::int64_t begin, std::int64_t end,
                                 flat_product<T> const& p) {
        multiply_strips(a.view(), begin, end, p);
        return {};
    }
    static void scatter(cmrs_content<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
                        scattered_output<T>& out) {
        scatter_strips(a.view(), begin, end, p, out);
    }
};

}  // namespace copse::detail
