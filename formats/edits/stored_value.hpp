// Values as a matrix with a scale stores them.
#pragma once

#include <charconv>
#include <copse/runtime/config.hpp>
#include <limits>
#include <string>

namespace copse::detail {

/// Whether v, stored as v / scale, reads as v but for a rounding. What is not finite is kept as it is. Others are not
/// where v / scale, or that times the scale, is not finite, and where v / scale is zero or below the normal numbers,
/// which have fewer digits (and are zeros to some additions on a GPU): zero, and a v that is so small itself, may come
/// to such a one if they lose nothing. scale: finite, not 0.
template <class T>
COPSE_HOST_DEVICE constexpr bool keeps_value(T v, T scale) {
    constexpr T most = std::numeric_limits<T>::max(), least_normal = std::numeric_limits<T>::min();
    auto const size = [](T x) { return x < T(0) ? -x : x; };
    if (!(size(v) <= most)) return true;
    T const stored = v / scale, read = scale * stored;
    if (!(size(read) <= most)) return false;
    return size(stored) >= least_normal || (size(v) < least_normal && read == v);
}

/// What there is to say of a value that is not kept.
template <class T>
std::string cannot_be_stored(T v, T scale) {
    auto const digits = [](T x) {
        char text[32];
        return std::string(text, std::to_chars(text, text + sizeof text, x).ptr);
    };
    return digits(v) + " cannot be stored under the matrix's scale of " + digits(scale) +
           ": divided by the scale, the value is too large or too small to be read back";
}

}  // namespace copse::detail
