#include "bench/harness/race.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <copse/formats/flat_matrix.hpp>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

/// Of this process, by what Linux says; false on other systems.
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

std::optional<double> median(std::vector<double> values) {
    return values.empty() ? std::nullopt : std::optional(timing_of(std::move(values)).median);
}

/// The timed runs of one entrant.
struct times {
    std::vector<double> seconds, events;
    // Of reports, where there are any: the run's seconds, and sums over its queues.
    std::vector<double> run, tasks, batches, launches;
    double total = 0;

    void add(run_times const& t) {
        seconds.push_back(t.seconds);
        total += t.seconds;
        if (t.events) events.push_back(*t.events);
        if (!t.report) return;
        queue_report sum;
        for (auto const& q : t.report->queues) {
            sum.seconds += q.seconds;
            sum.batches += q.batches;
            sum.launches += q.launches;
        }
        run.push_back(t.report->seconds);
        tasks.push_back(sum.seconds);
        batches.push_back(static_cast<double>(sum.batches));
        launches.push_back(static_cast<double>(sum.launches));
    }

    /// Without timed runs the first run counts.
    void describe(race_record& r) {
        auto& m = r.m;
        m.repeats = static_cast<int>(seconds.size());
        if (seconds.empty()) seconds.push_back(m.first_seconds);
        auto const all = timing_of(seconds);
        m.seconds = all.median;
        m.min_seconds = all.least;
        m.max_seconds = all.most;
        m.spread = all.spread;
        r.event_seconds = median(events);
        r.run_seconds = median(run);
        r.task_seconds = median(tasks);
        r.batches = median(batches);
        r.launches = median(launches);
    }
};

class race_in_turns {
  public:
    explicit race_in_turns(race_options const& options) : options_(options) {}

    void check_first(entrant& e) {
        guarded(e, [&] {
            call(e, 4, [&] { e.prepare(); });
            for (int set = 0; set < e.record.sets; ++set) {
                run_times first;
                if (set > 0 || !options_.peak_bytes)
                    first = checked_run(e, set, [](auto const& run) { run(); });
                else
                    first =
                        checked_run(e, set, [&](auto const& run) { e.record.peak_bytes = options_.peak_bytes(run); });
                if (set == 0) e.record.m.first_seconds = first.seconds;
            }
        });
    }
    void time_once(entrant& e, times& t) {
        bool const has_turn = t.total < options_.seconds_each || std::ssize(t.seconds) < options_.least_repeats;
        if (!has_turn) return;
        guarded(e, [&] {
            int const set = next_set(e);
            if (options_.checks_every_run) return t.add(checked_run(e, set, [](auto const& run) { run(); }));
            t.add(run(e, set));
            e.forget(set);
        });
    }
    void check_again(entrant& e) {
        if (options_.checks_every_run) return;
        guarded(e, [&] { checked_run(e, next_set(e), [](auto const& run) { run(); }); });
    }

  private:
    int next_set(entrant const& e) { return calls_++ % e.record.sets; }

    void call(entrant const& e, unsigned patience, std::function<void()> const& work) {
        options_.call ? options_.call(race_name(e.record), patience, work) : work();
    }
    run_times run(entrant& e, int set) {
        if (options_.rest) options_.rest();
        run_times t;
        call(e, 1, [&] { t = e.run(set); });
        t.seconds = std::max(t.seconds, 1e-9);  // a clock that has not moved would make an infinite speed
        return t;
    }
    /// around(run): calls run().
    template <class Around>
    run_times checked_run(entrant& e, int set, Around const& around) {
        e.set_up(set);
        run_times t;
        around([&] { t = run(e, set); });
        auto& error = e.record.m.max_error;
        call(e, 4, [&] { error = std::max(error, e.largest_error(set)); });
        e.forget(set);
        return t;
    }

    /// Work of an entrant that is still in the race.
    template <class Work>
    void guarded(entrant& e, Work const& work) {
        if (!e.record.has_times()) return;
        try {
            work();
        } catch (std::exception const& failure) {
            e.record.failure = failure.what();
            e.record.is_refused =
                dynamic_cast<too_much_padding const*>(&failure) || dynamic_cast<refusal const*>(&failure);
            for (int set = 0; set < e.record.sets; ++set) e.forget(set);
            if (!e.record.is_refused && options_.failed) options_.failed(race_name(e.record) + ": " + failure.what());
        }
    }

    race_options const& options_;
    int calls_ = 0;
};

}  // namespace

run_times by_wall_clock(std::function<void()> const& work) {
    return {.seconds = seconds_of(work)};
}

void let_threads_rest() {
    using namespace std::chrono_literals;
    for (int i = 0; i < 300 && is_another_thread_running(); ++i) std::this_thread::sleep_for(1ms);
}

race_options on_cpu(int repeats, bool checks_every_run) {
    return {.repeats = repeats, .checks_every_run = checks_every_run, .rest = let_threads_rest};
}

void run_race(std::vector<entrant*> const& entrants, race_options const& options) {
    race_in_turns race(options);
    std::vector<times> all(entrants.size());
    for (auto* const e : entrants) race.check_first(*e);
    for (int round = 0; round < options.repeats; ++round)
        for (std::size_t i = 0; i < entrants.size(); ++i) race.time_once(*entrants[i], all[i]);
    for (std::size_t i = 0; i < entrants.size(); ++i) {
        race.check_again(*entrants[i]);
        all[i].describe(entrants[i]->record);
    }
}

std::string race_name(race_record const& r) {
    return fmt::format("[{}] in {} of {}, {}", r.name(), operation_of(r.m), r.m.matrix, r.m.type);
}

}  // namespace copse::bench
