// A part of a matrix, by ranges of rows and columns.
//
//   auto b = copse::sub_matrix(cpu, copse::transposed(a), {100, 500}, {0, 64});     // rows 100 .. 599, columns 0 .. 63
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>

namespace copse {

/// B = op(A)[rows, columns]: b_ij = op(A)_(rows.first + i, columns.first + j), and an entry where op(A) has one.
/// B is rows.count x columns.count, with A's node dimension and state, in the executor's memory, where A must be, too.
/// Ranges may begin anywhere and may be empty. A node of A that lies in B as it lies in A, which takes offsets that are
/// multiples of its rows, is shared with A, whose memory B then keeps until it is compacted (hisparse_edit.hpp).
/// While it runs it takes the memory of a tree_building (tree_building.hpp) for four leaves for each leaf of A, or one
/// if the ranges begin at multiples of d. Waits.
/// Throws shape_error for ranges outside of op(A), and for a result that may take more than 64 GiB; argument_error for
/// a matrix in another memory; std::bad_alloc; cuda_error.
template <class T, any_executor Executor>
hisparse<T> sub_matrix(Executor& executor, hisparse<T> const& a, index_range rows, index_range columns);

}  // namespace copse
