// A part of a matrix in compressed rows times a vector, on one core. A part is a stretch of the merge path
// (formats/csr/merge_path.hpp): steps begin .. end - 1 of row_count + entry_count.
#pragma once

#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// At most `wanted` parts, with equal numbers of steps; without `splits_rows` each ends where a row does.
template <class T>
std::vector<std::int64_t> csr_parts(csr_view<T> const& a, std::int64_t wanted, bool splits_rows);

/// The rows that begin in the part, with the entries of the part, are written; what it has of an earlier row is
/// returned.
template <class T>
row_carry<T> multiply_csr_part(csr_view<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p);

/// out += factor * A^T * x for the part's entries.
template <class T>
void scatter_csr_part(csr_view<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
                      scattered_output<T>& out);

template <class T>
struct cpu_product<csr_matrix<T>> {
    static std::vector<std::int64_t> parts(csr_content<T> const& a, std::int64_t wanted) {
        return csr_parts(a.view(), wanted, a.kernel == csr_kernel::merge_path);
    }
    static row_carry<T> multiply(csr_content<T> const& a, std::int64_t begin, std::int64_t end,
                                 flat_product<T> const& p) {
        return multiply_csr_part(a.view(), begin, end, p);
    }
    static void scatter(csr_content<T> const& a, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
                        scattered_output<T>& out) {
        scatter_csr_part(a.view(), begin, end, p, out);
    }
};

}  // namespace copse::detail
