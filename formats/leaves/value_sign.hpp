// The sign of a leaf's values: the reference to the leaf says whether they count as they are stored or negated. Views
// have the values as they are stored. Who reads them applies the sign once for the leaf where a factor follows, else to
// each value:
//
//   sum += signed_factor(leaf, factor) * value          -(f * v) and (-f) * v have the same bits, unless v is NaN
//   value_sign<T> const sign(leaf); ... sign(value)     the sign bit alone changes, also of zeros and of NaN
#pragma once

#include <copse/formats/leaves/entry_values.hpp>
#include <copse/formats/node.hpp>
#include <copse/runtime/config.hpp>
#include <cstring>

namespace copse::detail {

/// What stored values of the leaf are multiplied by.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T signed_factor(child_reference leaf, T factor) {
    return leaf.negative() ? -factor : factor;
}

/// The sign bit of a value of this type.
template <class T>
inline constexpr value_word<T> sign_bit = value_word<T>{1} << (8 * sizeof(T) - 1);

/// Gives each value the sign that it counts with.
template <class T>
class value_sign {
  public:
    COPSE_HOST_DEVICE COPSE_INLINE explicit value_sign(bool negative) : mask_(negative ? sign_bit<T> : 0) {}
    COPSE_HOST_DEVICE COPSE_INLINE explicit value_sign(child_reference leaf) : value_sign(leaf.negative()) {}

    COPSE_HOST_DEVICE COPSE_INLINE T operator()(T value) const {
        value_word<T> bits;
        memcpy(&bits, &value, sizeof bits);
        bits ^= mask_;
        memcpy(&value, &bits, sizeof bits);
        return value;
    }

  private:
    value_word<T> mask_;
};

/// With the other sign, also of zero and NaN.
template <class T>
COPSE_HOST_DEVICE COPSE_INLINE T negated(T value) {
    return value_sign<T>(true)(value);
}

}  // namespace copse::detail
