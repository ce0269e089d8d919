#include "watched.hpp"

#include "matrix.hpp"
#include "module.hpp"

#include <chrono>
#include <copse/runtime/cancellable.hpp>
#include <future>
#include <stop_token>
#include <system_error>
#include <thread>

namespace copse::python {

void run_watched(std::int64_t entries, std::function<void()> const& f) {
    if (entries < least_watched_entries) return f();
    std::stop_source stop;
    std::packaged_task<void()> task([&, threads = asked_threads()] {
        use_threads(threads);
        cancellable const scope(stop.get_token());
        f();
    });
    std::future<void> done = task.get_future();
    std::jthread worker;
    try {
        worker = std::jthread(std::ref(task));
    } catch (std::system_error const&) {  // the system starts no thread: without Ctrl-C, then
        return f();
    }
    std::optional<nb::python_error> raised;
    while (done.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
        if (raised) continue;
        {
            nb::gil_scoped_acquire const gil;
            if (PyErr_CheckSignals() != 0) raised.emplace();
        }
        if (raised) stop.request_stop();
    }
    worker.join();
    if (raised) throw *std::move(raised);
    done.get();
}

}  // namespace copse::python
