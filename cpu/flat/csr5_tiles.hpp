// Full tiles of CSR5 times a vector, on one core, with the widest vectors that it has.
#pragma once

#include <copse/cpu/flat/operands.hpp>
#include <copse/formats/csr5/layout.hpp>
#include <cstdint>

namespace copse::detail {

/// The largest height of tiles that are multiplied in SIMD.
inline constexpr int most_simd_sigma = 32;

/// A row whose end has not been seen, and where it goes then.
template <class T>
struct open_row {
    std::int64_t row = -1;  // -1: none
    T sum = T(0);
    bool is_own = true;  // it begins in the part that is multiplied; else it goes to `carry`
    row_carry<T> carry;

    void close(flat_product<T> const& p) {
        if (row < 0) return;
        if (is_own)
            p.write(row, sum);
        else
            carry = {row, sum};
        is_own = true;
    }
};

/// Full tiles first .. last - 1, of at most most_simd_sigma rows: writes the rows that end in them, and rows without
/// entries between rows; `open` goes from tile to tile. Instantiated for float, double.
template <class T>
void multiply_csr5_tiles(csr5_view<T> const& a, std::int64_t first, std::int64_t last, flat_product<T> const& p,
                         open_row<T>& open);

}  // namespace copse::detail
