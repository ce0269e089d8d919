#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <string>
#include <system_error>

namespace copse {

cpu::cpu(int threads) {
    if (threads < 0)
        throw argument_error("cpu: threads is " + std::to_string(threads) + "; it must be 0 (all) or more");
    if (threads == 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    try {
        team_ = std::make_unique<detail::thread_team>(threads);
    } catch (std::system_error const& e) {
        throw argument_error("cpu: " + std::to_string(threads) + " threads cannot be started (" + e.what() +
                             "); ask for fewer");
    }
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
