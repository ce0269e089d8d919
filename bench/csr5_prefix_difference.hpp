// CSR5's product as its paper has it (Liu & Vinter, algorithms 6 and 8), for comparison with the library's, which sums
// the open ends of a tile's columns by a scan that carries flags.
//
//   Algorithm 6      in <- inclusive prefix sums of red
//                    sum of a segment = in[its last] - in[its first] + red[its first]
//
// One scan over all columns, whatever rows they are of: what one row adds is in the sums of those behind it, and is
// taken away again. That is exact for integers. In floating point the row's rounding stays, and Inf or NaN of one row
// makes NaN of its neighbours in the tile.
#pragma once

#include <copse/formats/csr5.hpp>
#include <span>
#include <vector>

namespace copse::bench {

/// How open ends are put together: as algorithm 6 does, or each segment on its own. All else is the same.
enum class segment_sums { prefix_differences, segment_by_segment };

/// y <- alpha * A * x + beta * y
/// A: in the host's memory, not transposed, its scale 1; x: as many elements as columns, y: as rows; they must not
/// overlap. Plain loops, a tile after the other, on `threads` OpenMP threads. beta == 0 does not read y.
template <class T>
void multiply_csr5_plainly(int threads, segment_sums how, T alpha, csr5<T> const& a, std::span<T const> x, T beta,
                           std::span<T> y);

/// For each row, by how much A x by prefix differences may be off: they round what whole tiles add up.
///   (size + 3 + tiles) eps  sum over the row's tiles of  sum over the tile's entries of |a_ij| |x_j|
/// size: of a tile; tiles: of the row. Behind the last full tile the row's entries alone count.
template <class T>
std::vector<long double> prefix_difference_bound(csr5<T> const& a, std::span<T const> x);

}  // namespace copse::bench
