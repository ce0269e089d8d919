// New matrices from a matrix: with other values, a part of it, its Kronecker product with a small one, and a copy with
// memory of its own.
//
//   a = copse::with_values(cpu, a, values);          // every step of a simulation
//   plan = copse::update(plan, a);                   // keeps its lists: the structure is the same
//
//   auto part = copse::sub_matrix(cpu, copse::transposed(a), {100, 500}, {0, 64});  // rows 100 .. 599, columns 0 .. 63
//
//   auto blocks = copse::kronecker(cpu, a, b);       // each entry of A becomes a block: a_ij B
//   auto system = copse::kronecker(cpu, b, a);       // each entry of B becomes a block: b_kl A
//
//   part = copse::compact(gpu, part);                // its nodes are in memory of their own: A can be freed
#pragma once

#include <copse/formats/coo.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
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

/// Does what compact(a, options) does (formats/hisparse_edit.hpp). The executor, in whose memory `a` must be, copies
/// the leaves. The host reads the inner nodes and, from a GPU, 16 bytes of each wide leaf and of each diagonal leaf.
/// With any of its options the content goes through the host. Waits.
/// Throws argument_error for a matrix in another memory, shape_error when the nodes take more than 64 GiB,
/// std::bad_alloc, cuda_error.
template <class T, any_executor Executor>
hisparse<T> compact(Executor& executor, hisparse<T> const& a, compact_options options = {});

}  // namespace copse
