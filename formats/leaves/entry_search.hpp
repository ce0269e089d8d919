// Binary search: among the entries of a leaf, the children of an inner node, and other keys that ascend.
#pragma once

#include <copse/runtime/config.hpp>

namespace copse::detail {

/// The first i in 0 .. count - 1 with key_of(i) >= key; count if there is none. Keys ascend.
template <class Count, class Key, class KeyOf>
COPSE_HOST_DEVICE COPSE_INLINE Count lower_bound(Count count, Key key, KeyOf key_of) {
    Count first = 0;
    while (count > 0) {
        Count const half = count / 2;
        if (key_of(first + half) < key) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/// The same, in few steps if the result is near `guess`, 0 <= guess <= count.
template <class Key, class KeyOf>
COPSE_HOST_DEVICE COPSE_INLINE int lower_bound_near(int guess, int count, Key key, KeyOf key_of) {
    int first = 0, last = count;
    if (guess < count && key_of(guess) < key) {
        int step = 1;
        first = guess + 1;
        while (first + step - 1 < count && key_of(first + step - 1) < key) {
            first += step;
            step *= 2;
        }
        if (first + step - 1 < count) last = first + step - 1;
    } else {
        if (guess == 0 || key_of(guess - 1) < key) return guess;
        last = guess - 1;
    }
    return first + lower_bound(last - first, key, [&](int k) { return key_of(first + k); });
}

/// Where the last search in a leaf ended: entries that ascend as the leaf's do are found in a step or two.
struct entry_cursor {
    int entry = 0;
    int streak = 0;
    int before = 0;  // entries of the streaks before that one
};

}  // namespace copse::detail
