// Binary search among the entries of a leaf, and among the children of an inner node.
#pragma once

#include <copse/runtime/config.hpp>

namespace copse::detail {

/// The first i in 0 .. count - 1 with key_of(i) >= key; count if there is none. Keys ascend.
template <class Key, class KeyOf>
COPSE_HOST_DEVICE COPSE_INLINE int lower_bound(int count, Key key, KeyOf key_of) {
    int first = 0;
    while (count > 0) {
        int const half = count / 2;
        if (key_of(first + half) < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

}  // namespace copse::detail
