// Each program here breaks one rule and must be refused with one line, which its first line quotes. EXECUTOR is cpu or
// emulated. tests/compile_fail.py compiles the programs of a folder together.
#pragma once

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

/// A task that keeps the rules, to be changed in one point.
struct blameless {
    using item = int;
    static constexpr int width = 1;
    template <class Worker>
    void operator()(item, Worker&) const {}
};
