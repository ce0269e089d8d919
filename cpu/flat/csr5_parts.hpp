// A part of a CSR5 matrix times a vector, on one core. A part is tiles begin .. end - 1, of which the last may be the
// tail.
#pragma once

#include <algorithm>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// Rows whose first entry (for rows without entries: the next one) is in the part are written with the sums of the
/// part's entries, and those behind the last entry by the last part; what the part has of an earlier row is returned.
template <class T>
row_carry<T> multiply_csr5_part(csr5_view<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p);

/// out += factor * A^T * x for the part's entries.
template <class T>
void scatter_csr5_part(csr5_view<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
                       scattered_output<T>& out);

template <class T>
struct cpu_product<csr5<T>> {
    /// Equal numbers of tiles are equal numbers of entries.
    static std::vector<std::int64_t> parts(csr5_content<T> const& a, std::int64_t wanted) {
        std::int64_t const tiles = a.view().tile_count();
        std::int64_t const count = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(tiles, 1));
        std::vector<std::int64_t> boundaries;
        for (std::int64_t part = 0; part <= count; ++part) boundaries.push_back(part_begin(part, count, tiles));
        return boundaries;
    }
    static row_carry<T> multiply(csr5_content<T> const& a, std::int64_t begin, std::int64_t end,
                                 flat_product<T> const& p) {
        return multiply_csr5_part(a.view(), begin, end, p);
    }
    static void scatter(csr5_content<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
                        scattered_output<T>& out) {
        scatter_csr5_part(a.view(), begin, end, p, out);
    }
};

}  // namespace copse::detail
