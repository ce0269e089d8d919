#include <algorithm>
#include <bit>
#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/misuse.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>
#include <numeric>
#include <string>

namespace copse::detail {
namespace {

[[noreturn]] void throw_failure(failure_record const& failure, char const* refusal, std::string const& queue) {
    switch (failure.kind) {
        case failure_kind::queue_full:
            throw queue_full(queue, failure.capacity, failure.items, failure.code == queue_full_of_ranges);
        case failure_kind::task_failed:
            throw task_error(queue, failure.code);
        case failure_kind::scratch_exceeded:
            throw_misuse(queue, exceeded_scratch(failure.code, failure.capacity, failure.items));
        case failure_kind::refused:
            throw argument_error(refusal);
        case failure_kind::launch_failed:
            throw cuda_error("the controller could not launch a kernel for queue '" + queue + "': CUDA error " +
                             std::to_string(failure.code));
        case failure_kind::stalled:
            throw stalled("a kernel launched for queue '" + queue +
                          "' did not start, and no item of the run came or went, for " + std::to_string(failure.code) +
                          " ms; if other work keeps the GPU busy, set a longer stall_seconds");
        case failure_kind::cancelled:
            throw cancelled();
        case failure_kind::none:
            break;
    }
    throw error("queue '" + queue + "': the run failed and gave no reason; this is a defect of copse: report it");
}

}  // namespace

std::vector<std::size_t> by_priority(fact_list tasks) {
    std::vector<std::size_t> places(tasks.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::stable_sort(places.begin(), places.end(),
                     [&](std::size_t a, std::size_t b) { return tasks[a].priority > tasks[b].priority; });
    return places;
}

std::string range_name_of(fact_list tasks) {
    std::string text;
    for (task_facts const& task : tasks) text += (text.empty() ? "copse " : ", ") + task.name();
    return text;
}

std::uint32_t ring_capacity(std::string const& queue, char const* what, std::int64_t count, std::int64_t more) {
    std::int64_t constexpr most = std::int64_t{1} << 31;
    if (count < 0 || more < 0 || count > most - more)
        throw argument_error("run_options: the capacity of queue '" + queue + "' is " + std::to_string(count) + ' ' +
                             what + (more == 0 ? "" : " and " + std::to_string(more) + " of spill") +
                             "; it must lie between 0 and 2^31");
    return count + more == 0 ? 0 : std::bit_ceil(static_cast<std::uint32_t>(count + more));
}

run_layout lay_out(std::byte* base, run_options const& options, fact_list tasks) {
    run_layout layout{};
    memory_cursor cursor(base);
    layout.control = cursor.take<run_counters>(1);
    for (task_facts const& task : tasks) {
        queue_capacity const capacity = options.of(*task.type);
        queue_memory queue{};
        queue.capacity = ring_capacity(task.name(), "items", capacity.items, capacity.spill);
        queue.counters = cursor.take<ring_counters>(1);
        queue.tickets = cursor.take<std::uint32_t>(queue.capacity);
        queue.range_capacity = task.takes_ranges ? ring_capacity(task.name(), "ranges", capacity.ranges) : 0;
        queue.counters_of_ranges = cursor.take<range_counters>(1);
        queue.ranges = cursor.take<range_entry>(queue.range_capacity);
        queue.statistics = cursor.take<queue_statistics>(1);
        layout.queues.push_back(queue);
    }
    layout.zero_bytes = cursor.bytes();
    for (std::size_t i = 0; i < tasks.size(); ++i)
        layout.queues[i].items = cursor.take(layout.queues[i].capacity * tasks[i].item_bytes, tasks[i].item_alignment);
    if (trace const* const to = options.traced()) {
        using memory = trace_memory<cpu_machine>;  // as large as every machine's
        layout.trace = cursor.take(memory::bytes_of(to->options()), alignof(memory));
    }
    layout.bytes = cursor.bytes();
    return layout;
}

void throw_failure(failure_record const& failure, char const* refusal, fact_list tasks) {
    if (failure.state != 0) throw_failure(failure, refusal, tasks[static_cast<std::size_t>(failure.queue)].name());
}

run_report make_report(fact_list tasks, queue_figures const* figures) {
    run_report report;
    for (task_facts const& task : tasks) {
        auto const& [done, peak_fill, capacity] = *figures++;
        report.queues.push_back({task.name(), static_cast<std::int64_t>(done.items),
                                 static_cast<std::int64_t>(done.batches), static_cast<std::int64_t>(done.launches),
                                 peak_fill, capacity, static_cast<double>(done.nanoseconds) * 1e-9});
    }
    return report;
}

}  // namespace copse::detail
