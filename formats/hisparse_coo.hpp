// From HiSparse to a list of entries on the host. The executor puts the entries in order; to_coo(a) (hisparse.hpp)
// copies the nodes to the host and does it there.
//
//   copse::coo<double> entries = copse::to_coo(gpu, a);
#pragma once

#include <algorithm>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace copse {

/// Returns the entries of the matrix with its state applied, row by row, columns ascending, as to_coo(a) does.
/// The executor makes compressed rows in its memory and copies them to the host. The host transposes them if they are
/// those of A^T, and writes a row number for each entry. Takes 8 bytes for every row in the executor's memory, and as
/// many on the host. If there are more than eight times as many rows or columns as entries, this calls to_coo(a).
/// Waits. Throws what to_csr_matrix() throws.
template <class T, class Executor>
requires requires(Executor& e, hisparse<T> const& a) {
    to_csr_matrix(e, a);
}
coo<T> to_coo(Executor& executor, hisparse<T> const& a) {
    if (std::max(a.row_count(), a.column_count()) / 8 > a.entry_count()) return to_coo(a);
    csr<T> rows = to_csr(to_csr_matrix(executor, a));
    coo<T> entries{rows.row_count, rows.column_count, {}, std::move(rows.column_indices), std::move(rows.values)};
    entries.rows.resize(entries.values.size());
    detail::parallel_for(entries.row_count, 1024, [&](std::int64_t row) {
        auto const begin = entries.rows.begin();
        auto const r = static_cast<std::size_t>(row);
        std::fill(begin + rows.row_offsets[r], begin + rows.row_offsets[r + 1], static_cast<std::int32_t>(row));
    });
    return entries;
}

}  // namespace copse
