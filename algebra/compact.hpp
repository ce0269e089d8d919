// Compaction where the matrix is.
//
//   b = copse::compact(gpu, b);          // b's nodes in memory of its own: what it shared them with may go
#pragma once

#include <copse/formats/hisparse_sharing.hpp>

namespace copse {

class cpu;
class emulated;
class gpu;

/// compact(a, options) (formats/hisparse_sharing.hpp) by the executor, in whose memory `a` must be: it copies the
/// leaves. The host sees the inner nodes and, from a GPU, 16 bytes of each wide leaf and of each with runs along
/// diagonals. With share_identical the content goes through the host. Waits.
/// Throws argument_error for a matrix in another memory, shape_error when the nodes take more than 64 GiB,
/// std::bad_alloc, cuda_error.
template <class T>
hisparse<T> compact(cpu& executor, hisparse<T> const& a, compact_options options = {});
template <class T>
hisparse<T> compact(emulated& executor, hisparse<T> const& a, compact_options options = {});
template <class T>
hisparse<T> compact(gpu& executor, hisparse<T> const& a, compact_options options = {});

}  // namespace copse
