// Graphs of small tasks, for tasks per second and latencies: what all competitors run, and copse's executors as
// competitors. throughput_bench.cpp has the rest.
//
//   fan-out 1     task 0 pushes `chains` others; each task pushes one more, until there are `tasks`
//   fan-out f     task i pushes tasks f * i + 1 .. f * i + f, those below `tasks`
//
// Each task is pushed singly, by a task, counts itself in a place of its own, and computes for a while.
#pragma once

#include <algorithm>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/run.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/race.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {

struct task_graph {
    std::int64_t tasks = 1;
    std::int64_t fan_out = 2;
    std::int64_t chains = 64;
    std::int64_t steps = 0;  // of each task: multiplications that wait for each other
};

/// Task i: computes, and counts itself.
COPSE_HOST_DEVICE inline void compute(task_graph const& graph, std::int64_t i, std::uint32_t* counts) {
    auto x = static_cast<std::uint64_t>(i);
    COPSE_NO_UNROLL
    for (std::int64_t step = 0; step < graph.steps; ++step) x = x * 0x5851f42d4c957f2du + 1;
    counts[i] += x == ~std::uint64_t{0} ? 2 : 1;  // of no number that it meets, but the compiler cannot know
}

template <class Push>
COPSE_HOST_DEVICE void push_children(task_graph const& graph, std::int64_t i, Push const& push) {
    if (graph.fan_out == 1) {
        if (i == 0)
            for (std::int64_t k = 1; k <= graph.chains && k < graph.tasks; ++k) push(k);
        else if (i + graph.chains < graph.tasks)
            push(i + graph.chains);
        return;
    }
    std::int64_t const first = graph.fan_out * i + 1;
    for (std::int64_t k = 0; k < graph.fan_out && first + k < graph.tasks; ++k) push(first + k);
}

struct graph_task {
    using item = std::int64_t;
    static constexpr int width = 1;
    static constexpr char const* name = "task of a graph";
    task_graph graph;
    std::uint32_t* counts;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        compute(graph, i, counts);
        push_children(graph, i, [&](std::int64_t child) { w.template push<graph_task>(child); });
    }
};

/// A library, or one of copse's executors, that runs a graph.
class graph_entrant : public entrant {
  public:
    graph_entrant(race_record r, task_graph const& graph) : entrant(std::move(r)), graph_(graph) {}
    task_graph const& graph() const { return graph_; }

  protected:
    /// 0 if each task has run once.
    double error_of(std::vector<std::uint32_t> const& counts) const {
        auto const right = std::count(counts.begin(), counts.end(), 1u);
        return right == graph_.tasks ? 0 : std::numeric_limits<double>::infinity();
    }
    std::vector<std::uint32_t> zeros() const {
        return std::vector<std::uint32_t>(static_cast<std::size_t>(graph_.tasks), 0);
    }

  private:
    task_graph graph_;
};

template <class Executor>
class executor_entrant final : public graph_entrant {
  public:
    executor_entrant(Executor& executor, race_record r, task_graph const& graph)
        : graph_entrant(std::move(r), graph), executor_(executor) {}

    /// In place: another allocation between runs would take the memory that a run has freed. The next run would then
    /// start in fresh pages.
    void set_up(int) override {
        if (counts_.size() == 0) counts_ = {executor_, zeros_};
        executor_.memory()->copy_from_host(counts_.data(), zeros_.data(), zeros_.size() * sizeof(zeros_[0]));
    }
    run_times run(int) override {
        run_times t;
        auto const options = run_options().capacity<graph_task>(graph().tasks);
        t.seconds = seconds_of([&] {
            t.report = copse::run(executor_, options, seed<graph_task>(0), graph_task{graph(), counts_.data()});
        });
        return t;
    }
    double largest_error(int) override { return error_of(counts_.to_host()); }

  private:
    Executor& executor_;
    std::vector<std::uint32_t> const zeros_ = zeros();
    buffer<std::uint32_t> counts_;
};

struct contender {
    std::string library;  // copse, openmp, onetbb
    std::string on;       // cpu, emulated, gpu
    std::string controller;
    int threads;
    double tasks = 1;  // in units of those of the cpu: as many as take a bearable time
    std::function<std::unique_ptr<graph_entrant>(race_record, task_graph const&)> make;
};

template <class Executor>
contender executor_contender(std::shared_ptr<Executor> executor, std::string const& on, std::string const& controller,
                             int threads, double tasks) {
    return {"copse", on, controller, threads, tasks, [executor](race_record r, task_graph const& graph) {
                return std::make_unique<executor_entrant<Executor>>(*executor, std::move(r), graph);
            }};
}

/// An executor of its own under each controller that `names` has: persistent, host, device.
template <class Executor, class Options>
std::vector<contender> by_controllers(std::string const& on, std::vector<std::string> const& names, int threads,
                                      double tasks) {
    std::vector<contender> all;
    std::pair<controller, char const*> const controllers[] = {
        {controller::persistent, "persistent"}, {controller::host, "host"}, {controller::device, "device"}};
    for (auto const& [which, name] : controllers)
        if (std::find(names.begin(), names.end(), name) != names.end())
            all.push_back(
                executor_contender(std::make_shared<Executor>(Options{.controller = which}), on, name, threads, tasks));
    return all;
}

/// The GPU under these controllers; none where no GPU can be used (throughput_gpu.cu).
std::vector<contender> gpu_contenders(std::vector<std::string> const& controllers);

}  // namespace copse::bench
