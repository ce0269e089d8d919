// Replaying on one core of a CPU, with the widest vectors that it has.
#pragma once

#include <copse/algebra/plans/replay.hpp>
#include <cstdint>

namespace copse::detail {

/// sums[i] <- the sum of all that the part's items give to row first_row + i. `sums` has room for whole blocks of d
/// rows; what is behind the part's rows is undefined afterwards. Instantiated for float and double, and for
/// a float matrix with double vectors.
template <class T, class V>
void sum_part(replay<T, V> const& product, std::int64_t part, V* sums);

/// y[i] <- factor * sums[i] + beta * y[i], i < count. beta == 0 does not read y.
template <class V>
void write_rows(V factor, V const* sums, V beta, V* y, std::int64_t count);

}  // namespace copse::detail
