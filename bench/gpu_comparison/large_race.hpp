// The comparison of products whose operands are on the GPU and nowhere else: checked there, timed in turn.
#pragma once

#include <algorithm>
#include <copse/runtime/error.hpp>
#include <copse/runtime/report.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/race_times.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {

/// What preparing leaves on the GPU, and what of it a run reads as a plan's lists.
struct prepared_bytes {
    std::int64_t kept = 0;
    std::int64_t lists = 0;
};

template <class T>
class large_race {
  public:
    large_race(gpu_program& program, large_problem<T> const& problem) : program_(program), problem_(problem) {
        options_.program = program.name();
    }

    using run_function = std::function<std::optional<run_report>()>;
    using prepare_function = std::function<prepared_bytes()>;

    /// run(): gives its report where there is one. prepare(): once, before.
    void add(gpu_record r, run_function run, prepare_function prepare = {}) {
        if (!program_.is_left_out(r.name()))
            entrants_.push_back({std::move(r), std::move(run), std::move(prepare), {}, {}});
    }

    /// One that cannot take part, and why.
    void refuse(gpu_record r, std::string const& why) {
        r.failure = why;
        r.is_refused = true;
        entrants_.push_back({std::move(r), {}, {}, {}, {}});
    }

    /// As race_on_gpu. Throws gpu_lost.
    std::vector<gpu_record> run() {
        for (auto& one : entrants_) guarded(one, [&] { check_first(one); });
        for (int round = 0; round < program_.arguments().repeats; ++round)
            for (auto& one : entrants_)
                if (has_turn(one.times.seconds.size(), one.times.total, options_))
                    guarded(one, [&] {
                        auto const call = timed(one);
                        one.times.add(call, is_by_wall(one), one.report);
                    });
        std::vector<gpu_record> records;
        for (auto& one : entrants_) {
            guarded(one, [&] {
                forget_result();
                timed(one);
                check(one);
            });
            record_times(one.record, one.times);
            records.push_back(std::move(one.record));
        }
        return records;
    }

  private:
    struct entrant {
        gpu_record record;
        run_function run;
        prepare_function prepare;
        race_times times;
        std::optional<run_report> report;  // of the last run
    };

    static bool is_by_wall(entrant const& one) { return one.record.clock == "wall"; }

    void forget_result() { poison(program_.executor(), problem_.y.data(), problem_.y.bytes()); }

    void check_first(entrant& one) {
        if (one.prepare) {
            watchdog const limit(program_.name(), race_name(one.record), 4 * options_.hang_seconds);
            program_.executor().release_workspace();  // what it takes from it is to be counted, as of a run below
            prepared_bytes bytes;
            one.record.prepare_peak_bytes = peak_bytes_of(
                [&] { one.record.prepare_seconds = measure::seconds_of([&] { bytes = one.prepare(); }); });
            one.record.kept_bytes = bytes.kept;
            one.record.m.moved_bytes += bytes.lists;
        }
        program_.executor().release_workspace();
        forget_result();
        call_seconds first;
        one.record.peak_bytes = peak_bytes_of([&] { first = timed(one); });
        one.record.m.first_seconds = is_by_wall(one) ? first.wall : first.events;
        check(one);
    }
    void check(entrant& one) {
        auto const error = error_on_gpu(program_.executor(), problem_.a, problem_.transpose, problem_.x, problem_.y);
        one.record.m.max_error = std::max(one.record.m.max_error, error);
    }
    call_seconds timed(entrant& one) {
        watchdog const limit(program_.name(), race_name(one.record), options_.hang_seconds);
        auto const work = [&] { one.report = one.run(); };
        return is_by_wall(one) ? program_.clock().time_waiting(work) : program_.clock().time_queued(work);
    }

    /// Work of one who is still in the race.
    template <class Work>
    void guarded(entrant& one, Work const& work) {
        if (!one.record.has_times()) return;
        try {
            work();
        } catch (copse::error const& e) {
            one.record.failure = e.what();
            throw_if_lost(race_name(one.record) + ": " + e.what());
        }
    }

    gpu_program& program_;
    large_problem<T> const& problem_;
    gpu_race_options options_;
    std::vector<entrant> entrants_;
};

}  // namespace copse::bench
