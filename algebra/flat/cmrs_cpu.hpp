// CMRS on the cpu: parts are stretches of strips.
#pragma once

#include <copse/algebra/flat/flat_product.hpp>
#include <copse/algebra/flat/stretch_parts.hpp>
#include <copse/cpu/flat/cmrs_products.hpp>
#include <copse/formats/cmrs.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

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
