// One half of a symmetric or skew matrix, as rows that build_tree() makes a tree of in which the other half is
// references:
//
//     given, lower:  x                read:  x x             tree:   D  .        D: a leaf on the diagonal, whole
//                    x x                     x x                     L  D        L: read
//                    x . x                   x .  x x                            .: a reference to L, transposed; of a
//                    . x x x                 . x  x x                               skew matrix negative, too
//
//   the entries of the half that counts, and the mirror images of those in blocks on the diagonal that become one leaf:
//   blocks of d x d; of level 1 where the whole block is to be a wide leaf
#pragma once

#include <copse/formats/csr/compressed_rows.hpp>
#include <copse/formats/views.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace copse::detail {

/// Of each block of level 1 on the diagonal, whether the whole block is a wide leaf.
using wide_diagonal = std::vector<std::uint8_t>;

template <class T>
struct half_rows {
    matrix_symmetry symmetry = matrix_symmetry::symmetric;
    std::int64_t row_count = 0;
    buffer<std::int64_t> offsets;
    buffer<std::int32_t> columns;
    buffer<T> values;
    wide_diagonal wide;

    compressed_rows<T> rows() const {
        auto const n = static_cast<std::size_t>(values.size());
        return {row_count,           row_count,         {}, {offsets.data(), static_cast<std::size_t>(offsets.size())},
                {columns.data(), n}, {values.data(), n}};
    }
};

/// rows: every row of a square matrix, of which the view holds one half, or says which half counts. Throws shape_error
/// for entries on both sides of the diagonal where it does not say, and for one that is not zero on the diagonal of a
/// skew matrix. Parallel.
template <class T>
half_rows<T> take_half(compressed_rows<T> const& rows, view_options const& options, int dimension_log2,
                       std::string_view whose);

}  // namespace copse::detail
