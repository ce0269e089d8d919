#include <pthread.h>

#include <copse/runtime/cpu/processes.hpp>

namespace copse::detail {
namespace {

std::atomic<unsigned> generation{0};

// Before main(): also a child that was made before the library's first use has none of what other users of OpenMP or
// CUDA started in its parent.
[[maybe_unused]] bool const is_counted =
    pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); }) == 0;

}  // namespace

unsigned process_generation() noexcept {
    return generation.load(std::memory_order_relaxed);
}

}  // namespace copse::detail
