#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>

namespace copse {

cpu::cpu(int threads) {
    if (threads < 0)
        throw argument_error("cpu: threads is " + std::to_string(threads) + "; it must be 0 (all) or more");
    if (threads == 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    team_ = std::make_unique<detail::thread_team>(threads);
}

namespace detail {

void idle_backoff::wait() {
    if (++rounds_ < 64)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

}  // namespace detail
}  // namespace copse
