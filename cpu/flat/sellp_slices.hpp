// Slices of SELL-P times a vector, on one core.
#pragma once

#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/flat/stretch_parts.hpp>
#include <copse/formats/sellp.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// y <- factor * A * x + beta * y for the rows in slices first .. last - 1, with the widest vectors that the core has.
/// beta == 0 does not read y. Padding is not multiplied. Instantiated for float, double.
template <class T>
void multiply_slices(sellp_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p);

/// out += factor * A^T * x for the entries of slices first .. last - 1.
template <class T>
void scatter_slices(sellp_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
                    scattered_output<T>& out);

template <class T>
struct cpu_product<sellp<T>> {
    static std::vector<std::int64_t> parts(sellp_content<T> const& a, std::int64_t wanted) {
        auto const* const offsets = a.slice_offsets.data();
        return stretch_parts(a.slice_count, wanted,
                             [&](std::int64_t slice) { return offsets[slice] + slice * a.options.slice_rows; });
    }
    static row_carry<T> multiply(sellp_content<T> const& a, std::int64_t begin, std::int64_t end,
                                 flat_product<T> const& p) {
        multiply_slices(a.view(), begin, end, p);
        return {};
    }
    static void scatter(sellp_content<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
                        scattered_output<T>& out) {
        scatter_slices(a.view(), begin, end, p, out);
    }
};

}  // namespace copse::detail
