// Compressed rows on the cpu.
#pragma once

#include <copse/algebra/flat/flat_product.hpp>
#include <copse/cpu/flat/csr_parts.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

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
