// How wide this machine's vectors are, for formats that are laid out by it.
#pragma once

namespace copse::detail {

/// Bytes of the widest vectors that the SIMD sources use here.
int vector_bytes();

}  // namespace copse::detail
