// Where a traced run's workers write what they did: a header, records, samples, in the run's memory.
//
//   run_view::trace --> | counters, sizes, queues | records ... | samples ... |        null: the run is not traced
//
// A record takes its place by one addition to a counter; past the end it is only counted. Nobody reads before the run
// is over. write_record() is called by one thread of a block when a task function has returned, so that kernels have
// registers for it. (As a function that is not inlined it took small kernels from 40 registers to 48, by the rules of
// calls.)
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/queue.hpp>
#include <copse/runtime/trace.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// The machine by which a trace is written. A machine on which somebody watches each access names a plain one, so that
/// a run goes the same way whether it is traced or not.
template <class Machine>
struct trace_machine {
    using type = Machine;
};
template <class Machine>
requires requires {
    typename Machine::unwatched;
}
struct trace_machine<Machine> {
    using type = typename Machine::unwatched;
};

/// In memory only: a block's first and last record, which become one.
inline constexpr auto block_begins = static_cast<trace_kind>(100);
inline constexpr auto block_ends = static_cast<trace_kind>(101);

/// Whose record it is.
struct trace_place {
    std::int32_t launch;
    std::int32_t block;
    std::int32_t place;
};
inline constexpr std::int32_t launched_by_host = -1;

/// Of more queues the first ones are sampled.
inline constexpr int most_sampled_queues = 64;

/// Machine: the one by which it is written.
template <class Machine>
struct trace_memory {
    // Counters, of what was to be written; zero at first.
    alignas(128) std::uint64_t written;
    std::uint64_t sampled;
    std::uint64_t next_sample;  // not before this time
    std::uint32_t launches;
    // Times by the run's clock; 0: not known.
    std::uint64_t begin;
    std::uint64_t end;
    // As they are during the run.
    alignas(128) std::uint64_t capacity;
    std::uint64_t sample_capacity;
    std::uint64_t sample_nanoseconds;
    std::int32_t queue_count;
    queue_view<std::byte, Machine> queues[most_sampled_queues];

    static constexpr std::size_t bytes_of(trace_options const& options) {
        return sizeof(trace_memory) +
               static_cast<std::size_t>(options.records + options.samples) * sizeof(trace_record);
    }
    COPSE_HOST_DEVICE trace_record* records() { return reinterpret_cast<trace_record*>(this + 1); }
    COPSE_HOST_DEVICE trace_record* samples() { return records() + capacity; }
};
/// Of a run whose workers have this machine.
template <class Machine>
using run_trace_memory = trace_memory<typename trace_machine<Machine>::type>;

/// Samples all queues, unless that was done a short while ago.
template <class Machine>
COPSE_HOST_DEVICE void sample_queues(trace_memory<Machine>& trace, std::uint64_t now) {
    std::uint64_t const due = Machine::load_relaxed(&trace.next_sample);
    if (now < due || trace.sample_capacity == 0) return;
    if (Machine::exchange_if(&trace.next_sample, due, now + trace.sample_nanoseconds) != due) return;
    std::uint64_t const first = Machine::add_relaxed(&trace.sampled, static_cast<std::uint64_t>(trace.queue_count));
    COPSE_NO_UNROLL
    for (std::int32_t i = 0; i < trace.queue_count; ++i) {
        std::uint64_t const at = first + static_cast<std::uint64_t>(i);
        if (at >= trace.sample_capacity) return;
        trace_record& sample = trace.samples()[at];
        sample = trace_record();
        sample.begin = sample.end = static_cast<std::int64_t>(now);
        sample.count = trace.queues[i].approximate_fill();
        sample.kind = trace_kind::fill;
        sample.queue = i;
    }
}

/// From any thread, once for each record. Samples the queues behind a batch and a launch.
template <class Machine>
COPSE_HOST_DEVICE void write_record(trace_memory<Machine>& trace, trace_kind kind, std::int32_t queue,
                                    std::int64_t count, std::uint64_t begin, std::uint64_t end, trace_place of) {
    if (std::uint64_t const at = Machine::add_relaxed(&trace.written, std::uint64_t{1}); at < trace.capacity)
        trace.records()[at] = {static_cast<std::int64_t>(begin),
                               static_cast<std::int64_t>(end),
                               count,
                               kind,
                               queue,
                               of.launch,
                               of.block,
                               of.place};
    if (kind == trace_kind::batch || kind == trace_kind::launch) sample_queues(trace, end);
}

/// The number of the launch that is about to be made, from 0.
template <class Run>
COPSE_HOST_DEVICE std::int32_t next_launch(Run const& run) {
    using machine = typename trace_machine<typename Run::machine>::type;
    return run.trace ? static_cast<std::int32_t>(machine::add_relaxed(&run.trace->launches, std::uint32_t{1})) : 0;
}

}  // namespace copse::detail
