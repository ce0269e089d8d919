// A run on the host: its memory, its trace, its report. No types of tasks: compiled once.
//
//   host_run run(options, facts_of<Tasks...>(), {"cpu", "", "steady_clock"});
//   auto const view = view_of<cpu_machine>(run.layout(), tasks...);
//   run.work(stop, [&] { ... });                 an exception leaves the trace what was recorded
//   run.end();
//   return run.report();
//
// Runs on a GPU have device memory, which gpu/run.cu copies in and out.
#pragma once

#include <algorithm>
#include <chrono>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>
#include <copse/runtime/trace.hpp>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace copse::detail {

/// steady_clock's nanoseconds.
inline std::int64_t host_nanoseconds(std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now()) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

char const* name_of(controller which);

/// Throws argument_error for a number that names none. executor: its name.
inline void check_controller(std::string const& executor, controller which) {
    if (which != controller::device && which != controller::persistent && which != controller::host)
        throw argument_error(executor + ": controller is " + std::to_string(static_cast<int>(which)) +
                             "; it must be device, persistent or host");
}

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
void add_run(trace& to, raw_trace raw, trace_source source, fact_list tasks, std::int64_t host_begin);

/// The header of a run's trace, with nothing written yet.
template <class Machine>
trace_memory<Machine> fresh_trace(run_layout const& layout, trace_options const& options) {
    trace_memory<Machine> trace{};
    trace.capacity = static_cast<std::uint64_t>(options.records);
    trace.sample_capacity = static_cast<std::uint64_t>(options.samples);
    trace.sample_nanoseconds = static_cast<std::uint64_t>(options.sample_nanoseconds);
    for (queue_memory const& queue : layout.queues) {
        if (trace.queue_count == most_sampled_queues) break;
        trace.queues[trace.queue_count++] = levels_in<Machine>(queue);
    }
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

/// A run whose memory the host reads. Its end is end(), and then report().
class host_run {
  public:
    /// Memory for it, zeroed in front.
    host_run(run_options const& options, fact_list tasks, trace_source source);
    /// A run that ends in an error. Where no memory is left for its trace, there is none.
    ~host_run();
    host_run(host_run const&) = delete;
    host_run& operator=(host_run const&) = delete;

    fact_list tasks() const { return tasks_; }
    run_layout const& layout() const { return layout_; }
    /// Null where the run is not traced.
    trace_memory<cpu_machine>* trace() const { return trace_in<cpu_machine>(layout_); }

    /// Calls `work`. A stop that is requested meanwhile ends the run as a failure does: at once, from the requester's
    /// thread, so that workers have nothing more to look at.
    template <class Work>
    void work(std::stop_token const& stop, Work const& work) {
        auto const cancel = [this] { control_in<cpu_machine>(layout_)->fail(failure_kind::cancelled, 0, 0, 0, 0); };
        std::stop_callback<decltype(cancel)> const on_stop(stop, cancel);
        work();
    }  // waits for a stop that is being recorded: the failure is read next

    /// All threads of the run have ended: its trace is complete.
    void end();
    /// Copies what the options say. Throws what failed.
    run_report report() const;

  private:
    fact_list tasks_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    run_layout layout_;
    buffer<std::byte> memory_;
    copse::trace* to_;
    trace_source source_;
    std::int64_t host_begin_ = 0;
    copy_with_report copy_;
};

}  // namespace copse::detail
