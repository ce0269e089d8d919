#include <copse/runtime/cpu/tile.hpp>

namespace copse::detail {
namespace {

struct alignas(64) padded_lock {
    std::atomic_flag flag = ATOMIC_FLAG_INIT;
};
constexpr std::size_t lock_count = 1024;
padded_lock locks[lock_count];

}  // namespace

std::atomic_flag& stripe_lock(void const* p) noexcept {
    // Fibonacci hashing: tiles lie at multiples of a power of two.
    std::uint64_t const hash = reinterpret_cast<std::uintptr_t>(p) / 16 * 0x9e3779b97f4a7c15u;
    return locks[hash >> 54].flag;
}

}  // namespace copse::detail
