#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <copse/runtime/cpu/thread_start.hpp>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace copse::detail {
namespace {

/// join() returns a little before the system counts the thread as gone: a thread that is started in between could fail.
void wait_until_gone(long id) {
    auto const latest = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (syscall(SYS_tgkill, getpid(), id, 0) == 0 && std::chrono::steady_clock::now() < latest)
        std::this_thread::yield();
}

}  // namespace

int count_startable_threads(int wanted) {
    if (wanted <= 0) return 0;
    std::vector<std::thread> started;
    std::vector<long> ids(static_cast<std::size_t>(wanted));
    started.reserve(ids.size());
    std::atomic<bool> leaving{false};
    try {
        for (long& id : ids)
            started.emplace_back([&leaving, &id] {
                id = syscall(SYS_gettid);
                leaving.wait(false);
            });
    } catch (std::exception const&) {  // no more threads, or no memory for one
    }
    leaving = true;
    leaving.notify_all();
    for (auto& thread : started) thread.join();
    for (std::size_t i = 0; i < started.size(); ++i) wait_until_gone(ids[i]);
    return static_cast<int>(started.size());
}

}  // namespace copse::detail
