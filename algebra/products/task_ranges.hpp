// Runs that are a handful of queue entries: ranges of items, nothing pushed.
#pragma once

#include <copse/runtime/report.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/seed.hpp>
#include <cstdint>

namespace copse::detail {

/// Items 0 .. count - 1 of a task.
template <class Task>
struct task_range {
    Task task;
    std::int64_t count;
};

/// The ranges as one run: run_tasks(options, seeds, tasks...) is run() on the executor.
template <class Run, class... Tasks>
run_report run_ranges(Run const& run_tasks, task_range<Tasks> const&... ranges) {
    run_options options;
    (options.template capacity<Tasks>(0, 0, 1), ...);
    return run_tasks(options, (seed_range<Tasks>(0, ranges.count) + ...), ranges.task...);
}

}  // namespace copse::detail
