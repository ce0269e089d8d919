// The product with one leaf, on one core, with the widest vectors that it has. hisparse §5, algorithm 1.
#pragma once

#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>

namespace copse::detail {

/// y[row] += factor * value * x[column] for a leaf's entries, whose values have the leaf's sign, x and y at its first
/// column and row; of a wide leaf for entries first .. last - 1, which are all in the d rows that y begins with. rows:
/// of y, at most 256. Instantiated for float and double.
template <class T>
void add_leaf_product(node_reader const& tree, node leaf, std::int32_t first, std::int32_t last, T factor, T const* x,
                      T* y, int rows);

}  // namespace copse::detail
