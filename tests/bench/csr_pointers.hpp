// What the checks of GPU benchmarks read, of rows on the host.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/csr_matrix.hpp>

namespace copse::bench {

template <class T>
csr_matrix_view<T> pointers_to(csr<T> const& a) {
    return {a.row_count, a.column_count, a.row_offsets.data(), a.column_indices.data(), a.values.data()};
}

}  // namespace copse::bench
