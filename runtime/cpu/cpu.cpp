#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/processors.hpp>
#include <string>

namespace copse {

cpu::cpu(int threads, std::shared_ptr<copse::memory> memory) : memory_(memory ? std::move(memory) : host_memory()) {
    if (memory_->space() != memory_space::host)
        throw argument_error("cpu: memory is a device's; give memory that the host can read, such as host_memory()");
    if (threads < 0)
        throw argument_error("cpu: threads is " + std::to_string(threads) +
                             "; it must be 0 (one for each processor) or more");
    team_ = std::make_unique<detail::thread_team>(threads > 0 ? threads : usable_processors());
    if (team_->size() < threads)
        throw argument_error("cpu: threads is " + std::to_string(threads) + ", but the system starts only " +
                             std::to_string(team_->size()) + "; ask for fewer");
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
