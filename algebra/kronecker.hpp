// The Kronecker product with a small matrix: of a stencil's blocks, say, or of many equal systems.
//
//   auto blocks = copse::kronecker(cpu, a, b);       // each entry of A becomes a block: a_ij B
//   auto system = copse::kronecker(cpu, b, a);       // each entry of B becomes a block: b_kl A
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>
#include <type_traits>

namespace copse {

/// C = op(A) (x) B: c_(i p + k, j q + l) = a_ij b_kl, an entry for each pair of entries.
/// op(A): m x n; B: p x q, in any order, duplicates summed, explicit zeros kept; C: m p x n q, with A's node dimension
/// and state (A's scale is C's), in the executor's memory, where A must be, too. C shares nothing with A.
/// B is small: each leaf of C looks at all entries of B for each entry of A that may reach it. While it runs this takes
/// the memory of a tree_building (tree_building.hpp) for all entries of C and p q leaves for each leaf of A. Waits.
/// Throws shape_error for a C of more than 2^31 rows or columns, or that may take more than 64 GiB, and for entries
/// outside of B; argument_error for a matrix in another memory; std::bad_alloc; cuda_error.
template <class T, any_executor Executor>
hisparse<T> kronecker(Executor& executor, hisparse<T> const& a, std::type_identity_t<coo<T>> const& b);

/// C = B (x) op(A): c_(k m + i, l n + j) = b_kl a_ij. Otherwise as above, with four leaves of C for each leaf of A and
/// each entry of B. Where b_kl is 1, and k m and l n are multiples of a node's rows, C shares the node with A and keeps
/// A's memory until it is compacted (hisparse_edit.hpp).
template <class T, any_executor Executor>
hisparse<T> kronecker(Executor& executor, std::type_identity_t<coo<T>> const& b, hisparse<T> const& a);

}  // namespace copse
