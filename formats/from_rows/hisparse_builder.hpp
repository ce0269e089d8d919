// Conversion to HiSparse (hisparse §3.2): count, allocate once, fill.
//
//   1  every block row (d rows) counts its entries and how many blocks of d x d they are in, for each block of level 1:
//      which sub-trees are wide leaves is known now, before anything is kept for single blocks (planned_sections)
//   2  in the other sub-trees every block row sorts its entries into blocks: the leaves, their sizes and kinds; they
//      are put in the order of the tree, inner nodes formed bottom-up: now every address is known
//   3  one allocation; every block row writes its entries into its leaves and its sections of wide leaves
//      (wide_sections), inner nodes write their references
#pragma once

#include <copse/formats/hisparse.hpp>
#include <cstdint>
#include <memory>
#include <span>

namespace copse::detail {

/// Rows that have entries, in order. A csr with every row, or the few rows of a hyper-sparse matrix.
template <class T>
struct compressed_rows {
    std::int64_t row_count;
    std::int64_t column_count;
    std::span<std::int32_t const> row_ids;  // empty: row i is the i-th
    std::span<std::int64_t const> offsets;
    std::span<std::int32_t const> column_indices;
    std::span<T const> values;

    std::int64_t stored_rows() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
    std::int64_t row_id(std::int64_t k) const { return row_ids.empty() ? k : row_ids[static_cast<std::size_t>(k)]; }
};

/// Builds in host memory; the result has one arena. Parallel (OpenMP).
template <class T>
hisparse_content build_tree(compressed_rows<T> const& rows, int dimension_log2);

/// The same content in another memory.
hisparse_content place(hisparse_content&& built, std::shared_ptr<memory> const& where);

}  // namespace copse::detail
