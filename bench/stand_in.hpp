// Matrices that stand in for those of the papers: the same numbers of rows, columns and entries, the same shortest and
// longest rows as far as a table states them, and entries placed as such a matrix has them.
//
//   lengths      a few rows of set lengths (the longest, the shortest), and between two bounds as many rows of each
//                length as a density of l^-(a + 1) gives; `a` is such that all entries are there
//   places       a window of columns is cut into as many strata as the row has runs of entries, and each stratum has
//                one, somewhere: columns ascend and differ without being sorted
//
//   pattern      lengths                                    places
//   dense        all columns                                all of them
//   blocks       half the mean to twice the mean, 48        runs of 3 in a window of 24 times the length around the
//                neighbours alike                           diagonal, 3 rows alike
//   local        shortest to longest, 16 neighbours alike   single ones in a window of 48 times the length
//   scattered    shortest to longest                        single ones in all columns
//   skewed       shortest to longest                        density of c^(-2/3)
//   long_rows    shortest to 8 times the mean; the          as local; long rows in all columns
//                longest, a quarter of it, a sixteenth ...
#pragma once

#include <copse/formats/csr.hpp>
#include <cstdint>
#include <vector>

#include "bench/paper_matrices.hpp"

namespace copse::bench {

/// Entries of each row, not of pattern::generated. The same for every machine but for rounding in pow(). Throws
/// std::logic_error where no rows are as the table states.
std::vector<std::int64_t> stand_in_lengths(paper_matrix const& m);

/// Values are random in [-1, 1); pattern::generated has the generator's. Parallel (OpenMP). Throws std::bad_alloc, and
/// what generators throw.
template <class T>
csr<T> stand_in(paper_matrix const& m);

}  // namespace copse::bench
