// Symmetric and skew matrices of which one half is given: which entries count, and their mirror images.
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/steps/sort_by_row.hpp>
#include <copse/formats/views.hpp>
#include <cstdint>
#include <string_view>

namespace copse::detail {

/// Throws shape_error if a symmetric or skew matrix is not square.
void check_square(std::int64_t row_count, std::int64_t column_count, view_options const& options,
                  std::string_view whose);

/// Two entries of a view that lie on different sides of the diagonal, indices from 0.
[[noreturn]] void throw_both_sides(std::int64_t row, std::int64_t column, std::int64_t other_row,
                                   std::int64_t other_column, view_options const& options, std::string_view whose);

/// An entry on the diagonal of a skew matrix, row from 0.
template <class T>
[[noreturn]] void throw_skew_diagonal(std::int64_t row, T value, view_options const& options, std::string_view whose);

/// Appends the mirror images of the entries off the diagonal, in the order of these. Parallel.
template <class T>
void append_mirrors(coo<T>& a, matrix_symmetry symmetry);

/// The entries of a half as they lie, then their mirror images. entries: of a square matrix of n rows, indices within
/// it. Throws shape_error for entries on both sides of the diagonal where the view does not say which half counts, and
/// for one that is not zero on the diagonal of a skew matrix. Parallel.
template <class T>
coo<T> with_mirrors(entries_view<T> const& entries, std::int64_t n, view_options const& options,
                    std::string_view whose);

}  // namespace copse::detail
