#include "bench/harness/race.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "bench/harness/timing.hpp"

namespace copse::bench::measure {
namespace {

/// Of this process, by what Linux says; false where there is no such thing.
bool is_another_thread_running() {
    namespace fs = std::filesystem;
    std::error_code none;
    auto const own = std::to_string(gettid());
    for (auto const& thread : fs::directory_iterator("/proc/self/task", none)) {
        if (thread.path().filename() == own) continue;
        std::string line;
        std::getline(std::ifstream(thread.path() / "stat"), line);
        auto const name_end = line.rfind(')');  // "number (name) state ..."
        if (name_end != std::string::npos && line.compare(name_end, 3, ") R") == 0) return true;
    }
    return false;
}

/// The seconds of one run.
double run_once(entrant const& e, bool is_checked) {
    e.what.prepare();
    let_threads_rest();
    // A clock that has not moved would make an infinite speed.
    double const seconds = std::max(e.what.time_run(), 1e-9);
    if (is_checked) e.record.max_error = std::max(e.record.max_error, e.error());
    return seconds;
}

void record_memory(entrant const& e, memory_probe const& probe) {
    e.what.prepare();
    e.record.memory = probe([&] { e.what.run(); });
    e.record.max_error = std::max(e.record.max_error, e.error());
}

void record_times(measurement& m, std::vector<double> times) {
    m.repeats = static_cast<int>(times.size());
    if (times.empty()) times.push_back(m.first_seconds);
    std::sort(times.begin(), times.end());
    m.seconds = quantile(times, 0.5);
    m.min_seconds = times.front();
    m.max_seconds = times.back();
    m.spread = (quantile(times, 0.75) - quantile(times, 0.25)) / m.seconds;
}

}  // namespace

double work::time_run() {
    return seconds_of([&] { run(); });
}

void let_threads_rest() {
    using namespace std::chrono_literals;
    for (int i = 0; i < 300 && is_another_thread_running(); ++i) std::this_thread::sleep_for(1ms);
}

void take_turns(std::vector<entrant> const& entrants, int repeats, checks which, memory_probe const& probe) {
    std::vector<std::vector<double>> times(entrants.size());
    for (auto const& e : entrants) e.record.first_seconds = run_once(e, true);
    for (int round = 0; round < repeats; ++round) {
        bool const is_checked = which == checks::every_run || round == repeats - 1;
        for (std::size_t i = 0; i < entrants.size(); ++i)
            if (entrants[i].record.is_right()) times[i].push_back(run_once(entrants[i], is_checked));
    }
    for (std::size_t i = 0; i < entrants.size(); ++i) record_times(entrants[i].record, std::move(times[i]));
    for (auto const& e : entrants)
        if (probe && e.record.is_right()) record_memory(e, probe);
}

double quantile(std::vector<double> const& sorted, double p) {
    double const position = p * static_cast<double>(sorted.size() - 1);
    auto const below = static_cast<std::size_t>(position);
    auto const above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace copse::bench::measure
