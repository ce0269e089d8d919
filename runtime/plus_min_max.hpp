// The operations by which tiles and atomic calls of workers add up: plus, min_op, max_op.
//
//   auto t = w.tile(distances, n, copse::min_op());      // distances[i] <- min(distances[i], v) for each t.add(i, v)
//   int const least = w.reduce(mine, copse::min_op());
//
// The result of min_op and max_op does not depend on the order of their operands, in these cases either:
//   NaN     loses against every number. The result is NaN only if both operands are
//   zeros   -0 is less than +0
//
// For plus, NaN and zeros are as in all of floating-point arithmetic.
#pragma once

#include <bit>
#include <concepts>
#include <copse/runtime/config.hpp>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace copse {
namespace detail {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

template <class T>
COPSE_HOST_DEVICE constexpr bool same_bits(T a, T b) {
    return std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b);
}

/// Whether a < b or a > b. On a host one comparison tells this from all else, and which of them holds decides by one
/// instruction: loops with one branch that is nearly always taken.
template <class T>
COPSE_HOST_DEVICE constexpr bool differ_in_order(T a, T b) {
#if defined(__CUDA_ARCH__)
    return false;  // a choice without branches
#else
    return __builtin_islessgreater(a, b);
#endif
}

/// What changes no number by min or max: NaN; of integers the largest, or the smallest.
template <class T>
COPSE_HOST_DEVICE constexpr T last_choice(T of_integers) {
    if constexpr (std::is_floating_point_v<T>)
        return std::numeric_limits<T>::quiet_NaN();
    else
        return of_integers;
}

}  // namespace detail

/// a + b
struct plus {
    /// Changes no operand: -0 + v is v, also for v = -0.
    template <class T>
    COPSE_HOST_DEVICE static constexpr T identity() {
        return static_cast<T>(-T(0));
    }
    template <class T>
    COPSE_HOST_DEVICE constexpr T operator()(T a, T b) const {
        return static_cast<T>(a + b);
    }
};

/// The smaller of a and b.
struct min_op {
    template <class T>
    COPSE_HOST_DEVICE static constexpr T identity() {
        return detail::last_choice(std::numeric_limits<T>::max());
    }
    template <class T>
    COPSE_HOST_DEVICE constexpr T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (detail::differ_in_order(a, b)) [[likely]]
                return b < a ? b : a;
            return b < a || a != a || (a == b && std::bit_cast<detail::bits_of<T>>(b) < 0) ? b : a;
        } else {
            return b < a ? b : a;
        }
    }
};

/// The larger of a and b.
struct max_op {
    template <class T>
    COPSE_HOST_DEVICE static constexpr T identity() {
        return detail::last_choice(std::numeric_limits<T>::lowest());
    }
    template <class T>
    COPSE_HOST_DEVICE constexpr T operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>) {
            if (detail::differ_in_order(a, b)) [[likely]]
                return a < b ? b : a;
            return a < b || a != a || (a == b && std::bit_cast<detail::bits_of<T>>(b) >= 0) ? b : a;
        } else {
            return a < b ? b : a;
        }
    }
};

template <class Op>
concept tile_operation = std::same_as<Op, plus> || std::same_as<Op, min_op> || std::same_as<Op, max_op>;

}  // namespace copse
