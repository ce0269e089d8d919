#include "bench/gpu_comparison/watchdog.hpp"

#include <signal.h>
#include <unistd.h>

#include <stdexcept>

namespace copse::bench {
namespace {

bool is_there = false;
std::string message;  // complete before the alarm is set; the handler only reads it

extern "C" void copse_end_process(int) {
    [[maybe_unused]] auto const written = write(STDERR_FILENO, message.data(), message.size());
    _exit(watchdog::exit_status);
}

}  // namespace

watchdog::watchdog(std::string const& program, std::string const& what, unsigned seconds) {
    if (is_there) throw std::logic_error("a watchdog within another one, whose alarm it would take away");
    is_there = true;
    message = "\n" + program + ": no answer from " + what + "\n";
    signal(SIGALRM, copse_end_process);
    alarm(seconds);
}
watchdog::~watchdog() {
    alarm(0);
    is_there = false;
}

}  // namespace copse::bench
