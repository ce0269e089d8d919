// A worker outside any run: one lane. For functions that host code and tasks share.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

struct serial_worker {
    static constexpr bool on_cpu = true;
    COPSE_HOST_DEVICE static constexpr int rank() { return 0; }
    COPSE_HOST_DEVICE static constexpr int size() { return 1; }
    COPSE_HOST_DEVICE void sync() const {}
    template <class T>
    COPSE_HOST_DEVICE T shuffle(T value, int) const {
        return value;
    }
    template <class T, class Op>
    COPSE_HOST_DEVICE T reduce(T value, Op) const {
        return value;
    }
    template <class T, class Op>
    COPSE_HOST_DEVICE T inclusive_scan(T value, Op) const {
        return value;
    }
    COPSE_HOST_DEVICE void set_bits(std::uint32_t* p, std::uint32_t bits) const { *p |= bits; }
};

}  // namespace copse::detail
