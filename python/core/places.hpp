// Where a matrix lies, and which executor converts and multiplies it: "cpu", "cuda:0", or "emulated:0", with which
// tests take the way of a GPU's matrices on any machine.
#pragma once

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/memory.hpp>
#include <string>

namespace copse::python {

enum class place_kind { cpu, emulated, gpu };

struct place {
    place_kind kind = place_kind::cpu;
    int device = 0;

    memory_space space() const { return kind == place_kind::gpu ? memory_space::device : memory_space::host; }
    std::string name() const;
    bool operator==(place const&) const = default;
};

/// Throws argument_error for other names than the three above.
place place_of(std::string const& name);

/// The executor of the calling thread: with as many threads as use_threads() said. It lives as long as the process, as
/// the others do.
cpu& executor();
emulated& emulated_executor();
/// Made at the first call for the device. Throws cuda_error, with the reason.
gpu& gpu_executor(int device);

/// f(executor&)
template <class F>
decltype(auto) on(place where, F const& f) {
    switch (where.kind) {
        case place_kind::emulated:
            return f(emulated_executor());
        case place_kind::gpu:
            return f(gpu_executor(where.device));
        default:
            return f(executor());
    }
}

/// From now on the calling thread's calls run on `threads` threads; 0: one for each usable processor. Returns the
/// previous number. Throws argument_error below 0.
int use_threads(int threads);
/// What the calling thread's last use_threads() was given; 0 without one.
int asked_threads();

}  // namespace copse::python
