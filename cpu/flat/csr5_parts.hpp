// A part of a CSR5 matrix times a vector, on one core. A part is tiles begin .. end - 1, of which the last may be the
// tail.
#pragma once

#include <copse/cpu/flat/operands.hpp>
#include <copse/cpu/flat/scattered_output.hpp>
#include <copse/formats/csr5/layout.hpp>
#include <cstdint>

namespace copse::detail {

/// Rows whose first entry (for rows without entries: the next one) is in the part are written with the sums of the
/// part's entries, and those behind the last entry by the last part; what the part has of an earlier row is returned.
template <class T>
row_carry<T> multiply_csr5_part(csr5_view<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p);

/// out += factor * A^T * x for the part's entries.
template <class T>
void scatter_csr5_part(csr5_view<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
                       scattered_output<T>& out);

}  // namespace copse::detail
