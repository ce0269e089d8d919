// Loops over elements as tasks: an item is a stretch of them, and a run is a handful of queue entries, ranges of items.
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>

namespace copse::detail {

/// Items that `count` elements make.
constexpr std::int64_t stretches(std::int64_t count, std::int64_t stretch) {
    return (count + stretch - 1) / stretch;
}

/// f(i) for the elements item * stretch .. (item + 1) * stretch - 1 below `count`, by the worker's lanes in turn.
template <class Worker, class F>
COPSE_HOST_DEVICE void for_stretch(Worker& w, std::int64_t item, std::int64_t stretch, std::int64_t count, F f) {
    std::int64_t const begin = item * stretch, end = begin + stretch < count ? begin + stretch : count;
    for (std::int64_t i = begin + w.rank(); i < end; i += w.size()) f(i);
}

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

/// What comes before a product that adds to y: y <- beta * y on elements item * stretch .. (item + 1) * stretch - 1.
/// beta == 0 does not read y.
template <class T>
struct scale_output {
    using item = std::int64_t;
    static constexpr int width = 128;
    static constexpr char const* name = "scale y";
    static constexpr std::int64_t stretch = 4096;

    T* y;
    std::int64_t size;
    T beta;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item which, Worker& w) const {
        if (beta == T(0))
            for_stretch(w, which, stretch, size, [&](std::int64_t i) { y[i] = T(0); });
        else
            for_stretch(w, which, stretch, size, [&](std::int64_t i) { y[i] *= beta; });
    }
};

}  // namespace copse::detail
