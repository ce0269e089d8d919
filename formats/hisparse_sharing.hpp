// How many bytes matrices share, and how to copy a matrix so that it shares none.
//
//   auto b = copse::edit(a, changes);
//   copse::shared_bytes(a, b);           // nearly all of them
//   b = copse::compact(b);               // b's nodes are in memory of their own: a's memory can be freed
//   b = copse::compact(b, {.share_identical = true});  // and equal sub-trees are stored once
#pragma once

#include <copse/formats/hisparse.hpp>
#include <cstdint>

namespace copse {

struct compact_options {
    /// Store sub-trees that are equal byte by byte once, as hisparse_options::share_identical does. add() and prune()
    /// store such sub-trees several times.
    bool share_identical = false;
    /// Store values that repeat in a leaf once, as hisparse_options::values does; otherwise they stay as they are.
    bool values_once = false;
    /// Store sub-trees once with their transposes, or the negatives of these, as hisparse_options::share_transposed
    /// does.
    bool share_transposed = false;
};

/// Returns the same matrix with its nodes in one new arena of the same memory, in the order of a traversal. A sub-tree
/// with several parents stays one sub-tree. The result shares nothing with `a`. Time and memory are proportional to the
/// reachable nodes. Content in device memory goes through the host; algebra/compact.hpp avoids that. Throws shape_error
/// when the nodes take more than 64 GiB, cuda_error.
template <class T>
hisparse<T> compact(hisparse<T> const& a, compact_options options = {});

/// Bytes of the nodes that a's root leads to, each counted once, by a walk over them. a.bytes() counts all bytes of the
/// arenas; the other ones belong to other matrices or are unused. Throws cuda_error.
template <class T>
std::int64_t reachable_bytes(hisparse<T> const& a);

/// Bytes of the nodes that both roots lead to, each counted once, by a walk over both. Throws cuda_error.
template <class T>
std::int64_t shared_bytes(hisparse<T> const& a, hisparse<T> const& b);

}  // namespace copse
