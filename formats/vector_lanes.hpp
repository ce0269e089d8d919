// How wide this machine's vectors are, for formats that are laid out by it.
#pragma once

namespace copse::detail {

/// Elements of T in the widest vectors that the SIMD sources use here. Instantiated for float and double.
template <class T>
int vector_lanes();

}  // namespace copse::detail
