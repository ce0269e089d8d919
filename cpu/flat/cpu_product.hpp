// What a flat format brings for its products on the cpu executor, in a header of its own (csr5_parts.hpp).
#pragma once

#include <copse/cpu/flat/operands.hpp>
#include <copse/cpu/flat/scattered_output.hpp>
#include <cstdint>
#include <vector>

namespace copse::detail {

/// For a Matrix whose values are of type T; all functions run on one core:
///
///   static std::vector<std::int64_t> parts(content const&, std::int64_t wanted);
///     Boundaries of parts with about equal work, ascending, in a unit of the format's own; `wanted` + 1 of them at
///     most, and two at least. Depends on nothing else.
///   static row_carry<T> multiply(content const&, std::int64_t begin, std::int64_t end, flat_product<T> const&);
///     Writes all rows that begin in the part (rows without entries too), with the sums of the part's own entries.
///   static void scatter(content const&, std::int64_t begin, std::int64_t end, flat_product<T> const&,
///                       scattered_output<T>&);
///     Adds factor * A^T * x, for the entries of the part.
template <class Matrix>
struct cpu_product;

}  // namespace copse::detail
