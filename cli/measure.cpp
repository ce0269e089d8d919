#include "cli/measure.hpp"

#include <malloc.h>

#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/trace.hpp>
#include <fstream>
#include <string>

namespace copse::cli {
namespace {

/// Of a line such as "VmHWM:    1234 kB".
std::optional<std::int64_t> bytes_in_status(std::string const& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (std::int64_t kilobytes = 0; word == name && status >> kilobytes) return 1024 * kilobytes;
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> host_peak_bytes_of(std::function<void()> const& work) {
    trim_host_memory();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    std::ofstream file("/proc/self/clear_refs");
    bool const is_restarted = static_cast<bool>(file << "5" << std::flush);
    auto const before = bytes_in_status("VmRSS:");
    work();
    auto const most = bytes_in_status("VmHWM:");
    if (!is_restarted || !before || !most) return std::nullopt;
    return std::max<std::int64_t>(0, *most - *before);
}

void trace_work(std::string const& file, std::function<void()> const& work) {
    trace to({.records = std::int64_t{1} << 20});
    try {
        tracing const here(to);
        work();
    } catch (...) {
        if (!to.runs().empty()) to.write(file);
        throw;
    }
    if (to.runs().empty())
        throw argument_error(
            "--trace: nothing to trace: this work runs no tasks. Products and sums with --format hisparse do (--mode "
            "oneshot, on a GPU), and conversions to hisparse with --on gpu or emulated; plans and flat formats have "
            "kernels and loops of their own");
    to.write(file);
}

void measure(record& r, repeated_work const& work, int repeats, checks which, memory_probe const& peak,
             std::string const& trace_file) {
    auto const check = [&] { r.max_error = std::max(r.max_error, work.error()); };
    auto const run_once = [&](bool is_checked) {
        double seconds = 0;
        work.prepare();
        timed(seconds, work.run);
        if (is_checked) check();
        return std::max(seconds, 1e-9);  // a clock that has not moved would make an infinite speed
    };
    r.first_seconds = run_once(true);
    std::vector<double> times;
    for (int i = 0; i < repeats && r.is_right(); ++i)
        times.push_back(run_once(which == checks::every_run || i == repeats - 1));
    r.repeats = static_cast<int>(times.size());
    if (times.empty()) times.push_back(r.first_seconds);
    std::sort(times.begin(), times.end());
    r.seconds = quantile(times, 0.5);
    r.min_seconds = times.front();
    r.max_seconds = times.back();
    r.spread = (quantile(times, 0.75) - quantile(times, 0.25)) / r.seconds;
    if (peak && r.is_right()) {
        work.prepare();
        r.memory = peak(work.run);
        check();
    }
    if (!trace_file.empty() && r.is_right()) {
        work.prepare();
        trace_work(trace_file, work.run);
        check();
    }
}

double quantile(std::vector<double> const& sorted, double p) {
    double const position = p * static_cast<double>(sorted.size() - 1);
    auto const below = static_cast<std::size_t>(position);
    auto const above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace copse::cli
