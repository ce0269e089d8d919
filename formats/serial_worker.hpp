// A worker outside any run: one lane. For functions that host code and tasks share.
#pragma once

#include <cstdint>

namespace copse::detail {

struct serial_worker {
    static constexpr bool on_cpu = true;
    static constexpr int rank() { return 0; }
    static constexpr int size() { return 1; }
    void sync() const {}
    template <class T>
    T shuffle(T value, int) const {
        return value;
    }
    template <class T, class Op>
    T reduce(T value, Op) const {
        return value;
    }
    template <class T, class Op>
    T inclusive_scan(T value, Op) const {
        return value;
    }
    void set_bits(std::uint32_t* p, std::uint32_t bits) const { *p |= bits; }
};

}  // namespace copse::detail
