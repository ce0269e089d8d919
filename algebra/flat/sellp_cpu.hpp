// SELL-P on the cpu: parts are stretches of slices.
#pragma once

#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/flat/stretch_parts.hpp>
#include <copse/cpu/flat/sellp_slices.hpp>
#include <copse/formats/sellp.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

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
