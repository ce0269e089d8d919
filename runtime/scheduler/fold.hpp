// What workers and tiles do by plus, min_op and max_op (runtime/worker.hpp).
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/worker.hpp>
#include <type_traits>

namespace copse::detail {

/// A call goes into `if constexpr (check_operand<T>())`, so that the static_assert is all that the compiler has to say.
template <class T>
constexpr bool check_operand() {
    bool constexpr fits = (std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)) || std::is_same_v<T, float> ||
                          std::is_same_v<T, double>;
    static_assert(fits, "copse: min, max and exchange_if are for integers of 4 and 8 bytes, float and double");
    return fits;
}

/// sum <- op(sum, value). Not atomic.
template <class Op, class Sum, class V>
COPSE_HOST_DEVICE COPSE_INLINE void add_one(Sum& sum, V value) {
    if constexpr (std::is_same_v<Op, plus>)
        sum += value;
    else if constexpr (check_operand<Sum>())
        sum = Op()(sum, value);
}

/// *p <- op(*p, value), for min_op or max_op. Atomic, relaxed. A machine may have fold_integer(p, value, op).
template <class Machine, class T, class Op>
COPSE_HOST_DEVICE void fold_relaxed(T* p, T value, Op op) {
    if constexpr (std::is_integral_v<T> && requires { Machine::fold_integer(p, value, op); }) {
        Machine::fold_integer(p, value, op);
    } else {
        T seen = Machine::load_relaxed(p);
        for (T wanted = op(seen, value); !same_bits(wanted, seen); wanted = op(seen, value)) {
            T const before = Machine::exchange_if_relaxed(p, seen, wanted);
            if (same_bits(before, seen)) return;
            seen = before;
        }
    }
}

/// *p <- op(*p, value), as the worker's member of that name does.
template <class Worker, class T, class Op>
COPSE_HOST_DEVICE void fold(Worker const& w, T* p, T value, Op) {
    if constexpr (std::is_same_v<Op, plus>)
        w.add(p, value);
    else if constexpr (std::is_same_v<Op, min_op>)
        w.min(p, value);
    else
        w.max(p, value);
}

}  // namespace copse::detail
