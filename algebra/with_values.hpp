// New values on the structure of a matrix.
//
//   a = copse::with_values(cpu, a, values);          // every step of a simulation
//   plan = copse::update(plan, a);                   // keeps its lists: the structure is the same
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <type_traits>

namespace copse {

/// Returns op(A) with other values. `values` has one value for each entry of op(A), row by row, columns ascending, as
/// to_csr(a).values has them; they lie in the executor's memory. `a` stays as it was. The result is a copy of a's
/// arenas with new values: it has a's state, and its nodes lie at the same places. With a scale s, v is stored as v /
/// s, as by edit(). The first call for a structure (and direction) finds where each entry is stored, on the CPU, which
/// takes about as long as to_csr(a). The places, 8 bytes for each entry, are kept for later calls until no matrix has
/// the structure any more.
/// If `a` shares nodes within itself (hisparse_options::share_identical, share_transposed), and all entries that a
/// stored value stands for are given the same one, bit by bit (the one with the other sign bit where the value counts
/// negatively), the result shares them, too: a symmetric or skew matrix with twins keeps its structure, and its plan,
/// as long as the values are symmetric, or skew. Otherwise, and if `a` stores values that repeat once
/// (hisparse_options::values), op(A) is converted anew, with a value for each entry and nothing shared: the result has
/// no state, and needs a new plan; values given to that result keep its structure. Waits.
/// Throws shape_error if there are more or fewer values than entries; argument_error if `a` or `values` is in another
/// memory, if the scale is 0 or not finite, and for a value that edit() would refuse; std::bad_alloc, cuda_error.
template <class T, any_executor Executor>
hisparse<T> with_values(Executor& executor, hisparse<T> const& a, std::type_identity_t<vector_view<T const>> values);

}  // namespace copse
