// Conversion to HiSparse (hisparse §3.2): count, allocate once, fill.
//
//   1  every block row (d rows) counts its entries and how many blocks of d x d they are in, for each block of level 1:
//      which sub-trees are wide leaves is known now, before anything is kept for single blocks (planned_sections)
//   2  in the other sub-trees every block row sorts its entries into blocks: the leaves, their sizes and kinds; they
//      are put in the order of the tree, inner nodes formed bottom-up: now every address is known
//   3  one allocation; every block row writes its entries into its leaves and its sections of wide leaves
//      (wide_sections)
//   4  where values that repeat are stored once: each leaf that takes less so, in its place. If there are any, all
//      nodes are planned again, and the leaves moved to a second allocation
//   5  inner nodes write their references
#pragma once

#include <copse/formats/csr/compressed_rows.hpp>
#include <copse/formats/from_rows/half_rows.hpp>
#include <copse/formats/hisparse.hpp>
#include <memory>

namespace copse::detail {

/// Builds in host memory; the result has one arena. half: `rows` are its rows; the result is the whole matrix, with the
/// other half as references. Parallel (OpenMP).
template <class T>
hisparse_content build_tree(compressed_rows<T> const& rows, int dimension_log2, stored_values values,
                            half_rows<T> const* half = nullptr);

/// The same content in another memory.
hisparse_content place(hisparse_content&& built, std::shared_ptr<memory> const& where);

}  // namespace copse::detail
