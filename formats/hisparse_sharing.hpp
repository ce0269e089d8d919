// What matrices share: how many bytes, and how to stop it.
//
//   auto b = copse::edit(a, changes);
//   copse::shared_bytes(a, b);           // nearly all of them
//   b = copse::compact(b);               // b's nodes in memory of its own: a may go
//   b = copse::compact(b, {.share_identical = true});  // and equal ones among them once
#pragma once

#include <copse/formats/hisparse.hpp>
#include <cstdint>

namespace copse {

struct compact_options {
    /// Store sub-trees that are equal byte by byte once, as hisparse_options::share_identical does. Sums and pruned
    /// matrices are made without it; after this they store such sub-trees once again.
    bool share_identical = false;
};

/// The same matrix with its nodes alone in one arena of the same memory, in the order of a traversal. A sub-tree that
/// stands in several places stays one. Shares nothing with `a`. Time and memory are proportional to the reachable
/// nodes. Content in device memory goes through the host, which algebra/compact.hpp avoids. Throws shape_error when
/// they take more than 64 GiB, cuda_error.
template <class T>
hisparse<T> compact(hisparse<T> const& a, compact_options options = {});

/// Bytes of the nodes that a's root leads to, each counted once, by a walk over them. a.bytes() is what its arenas
/// take: the rest belongs to other matrices or to nobody. Throws cuda_error.
template <class T>
std::int64_t reachable_bytes(hisparse<T> const& a);

/// Bytes of the nodes that both roots lead to, each counted once, by a walk over both. Throws cuda_error.
template <class T>
std::int64_t shared_bytes(hisparse<T> const& a, hisparse<T> const& b);

}  // namespace copse
