// Compaction by the executor, in its memory.
//
//   b = copse::compact(gpu, b);          // b's nodes are in memory of their own: the other matrix's can be freed
#pragma once

#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/executor.hpp>

namespace copse {

/// Does what compact(a, options) does (formats/hisparse_edit.hpp). The executor, in whose memory `a` must be, copies
/// the leaves. The host reads the inner nodes and, from a GPU, 16 bytes of each wide leaf and of each diagonal leaf.
/// With any of its options the content goes through the host. Waits.
/// Throws argument_error for a matrix in another memory, shape_error when the nodes take more than 64 GiB,
/// std::bad_alloc, cuda_error.
template <class T, any_executor Executor>
hisparse<T> compact(Executor& executor, hisparse<T> const& a, compact_options options = {});

}  // namespace copse
