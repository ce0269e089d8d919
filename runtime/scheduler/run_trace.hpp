// The trace of a run, on the host: its memory is made ready in front of the run, and read behind it.
//
//   host_trace trace(options, view, {"cpu", "", "steady_clock"});     nothing where the run is not traced
//   ...                                                              the run; an exception leaves what was recorded
//   trace.finish();
//
// Runs on a GPU have device memory, which gpu_run.cuh copies in and out.
#pragma once

#include <algorithm>
#include <chrono>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/controller.hpp>
#include <copse/runtime/scheduler/run_view.hpp>
#include <copse/runtime/trace.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace copse::detail {

/// steady_clock's nanoseconds.
inline std::int64_t host_nanoseconds(std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now()) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

char const* name_of(controller which);

struct trace_source {
    std::string executor;
    std::string controller;
    std::string clock;
};

/// What a run left in its memory; times are the clock's.
struct raw_trace {
    std::vector<trace_record> records;
    std::vector<trace_record> samples;
    std::uint64_t dropped_records = 0;
    std::uint64_t dropped_samples = 0;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // 0: not known, because the run ended in an error
};

/// Adds a run to `to`. A block whose end was dropped ends with the run.
void add_run(trace& to, raw_trace raw, trace_source source, std::vector<std::string> queues, std::int64_t host_begin);

/// The header of a run's trace, with nothing written yet.
template <class Machine, class... Tasks>
trace_memory<Machine> fresh_trace(run_view<Machine, Tasks...> const& run, trace_options const& options) {
    using machine = typename trace_memory<Machine>::machine;
    trace_memory<Machine> trace{};
    trace.capacity = static_cast<std::uint64_t>(options.records);
    trace.sample_capacity = static_cast<std::uint64_t>(options.samples);
    trace.sample_nanoseconds = static_cast<std::uint64_t>(options.sample_nanoseconds);
    auto const add = [&]<class Task>() {
        if (trace.queue_count == most_sampled_queues) return;
        auto const& [ring, ranges, statistics] = queue_of<Task>(run);
        trace.queues[trace.queue_count++] =
            queue_view<std::byte, machine>{{ring.counters, ring.tickets, nullptr, ring.capacity, ring.capacity_log2},
                                           {ranges.counters, ranges.entries, ranges.capacity},
                                           statistics};
    };
    (add.template operator()<Tasks>(), ...);
    return trace;
}

/// How many of the written records found room.
inline std::uint64_t kept(std::uint64_t written, std::uint64_t capacity) {
    return std::min(written, capacity);
}

/// Counters and times, without records.
template <class Machine>
raw_trace raw_trace_of(trace_memory<Machine> const& header) {
    raw_trace raw;
    raw.dropped_records = header.written - kept(header.written, header.capacity);
    raw.dropped_samples = header.sampled - kept(header.sampled, header.sample_capacity);
    raw.begin = header.begin;
    raw.end = header.end;
    return raw;
}

template <class Machine, class... Tasks>
class host_trace {
  public:
    host_trace(run_options const& options, run_view<Machine, Tasks...> const& run, trace_source source)
        : to_(options.traced()), memory_(run.trace) {
        if (!to_) return;
        source_ = std::move(source);
        host_begin_ = host_nanoseconds();
        *memory_ = fresh_trace(run, to_->options());
    }
    /// A run that ends in an error. Where no memory is left for its trace, there is none.
    ~host_trace() {
        try {
            finish();
        } catch (...) {
        }
    }
    host_trace(host_trace const&) = delete;
    host_trace& operator=(host_trace const&) = delete;

    /// When all threads of the run have ended.
    void finish() {
        if (!to_) return;
        trace& to = *std::exchange(to_, nullptr);
        auto& header = *memory_;
        raw_trace raw = raw_trace_of(header);
        raw.records.assign(header.records(), header.records() + kept(header.written, header.capacity));
        raw.samples.assign(header.samples(), header.samples() + kept(header.sampled, header.sample_capacity));
        add_run(to, std::move(raw), std::move(source_), {task_name<Tasks>()...}, host_begin_);
    }

  private:
    trace* to_;
    trace_memory<Machine>* memory_;
    trace_source source_;
    std::int64_t host_begin_ = 0;
};

}  // namespace copse::detail
