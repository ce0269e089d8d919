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

/// op(A) with other values: `values` has one for each entry of op(A), row by row, columns ascending, as
/// to_csr(a).values does; in the executor's memory. `a` stays as it was. The result has a's state and its nodes at the
/// same places, with new values: a copy of its arenas. With a scale s, v is stored as v / s, as by edit().
/// The first call for a structure (and direction) looks up where each entry is stored, on the CPU, which takes about as
/// long as to_csr(a); 8 bytes for each entry are kept for the calls that follow, as long as a matrix has the structure.
/// Where `a` shares nodes within itself (hisparse_options::share_identical), op(A) is converted anew instead: the
/// result has no state then, and needs a plan of its own. Waits.
/// Throws shape_error for another number of values; argument_error for the wrong memory, where the scale is 0 or not
/// finite, and for a value that edit() would refuse; std::bad_alloc, cuda_error.
template <class T, any_executor Executor>
hisparse<T> with_values(Executor& executor, hisparse<T> const& a, std::type_identity_t<vector_view<T const>> values);

}  // namespace copse
