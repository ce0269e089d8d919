// Compaction where the matrix is.
//
//   b = copse::compact(gpu, b);          // b's nodes in memory of its own: what it shared them with may go
#pragma once

#include <copse/formats/hisparse_sharing.hpp>
#include <copse/runtime/executor.hpp>

namespace copse {

/// compact(a, options) (formats/hisparse_sharing.hpp) by the executor, in whose memory `a` must be: it copies the
/// leaves. The host sees the inner nodes and, from a GPU, 16 bytes of each wide leaf and of each with streaks along
/// diagonals. With share_identical the content goes through the host. Waits.
/// Throws argument_error for a matrix in another memory, shape_error when the nodes take more than 64 GiB,
/// std::bad_alloc, cuda_error.
template <class T, any_executor Executor>
hisparse<T> compact(Executor& executor, hisparse<T> const& a, compact_options options = {});

}  // namespace copse
