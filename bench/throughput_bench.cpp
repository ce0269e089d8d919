// How many tasks a second, and how long a launch and a hop from task to task take: copse's executors under each of
// their controllers, and on the CPU OpenMP's tasks and oneTBB beside ours, by turns in one process (harness/race.hpp).
//
//   copse_throughput_bench [--threads N] [--repeat N] [--quick] [--on cpu,emulated,gpu]
//                          [--controllers persistent,host,device] [--json FILE]
//
// {"op":"throughput", what, library, on, controller, threads, work_nanoseconds, fan_out, tasks, seconds, spread,
// least_seconds, nanoseconds_each, tasks_per_second, failure} for each:
//   tasks    each task computes for work_nanoseconds and pushes fan_out others (throughput.hpp)
//   hop      one chain of empty tasks: nanoseconds_each is the time from one to the next
//   launch   one empty task: the time of the whole run
// Behind the records of an executor is the line {"op":"done"}.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstdio>
#include <exception>

#include "bench/harness/json_value.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/threads.hpp"
#include "bench/json_lines.hpp"
#include "bench/peers/task_peers.hpp"
#include "bench/throughput.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

struct arguments {
    int threads = 0;
    int repeats = 7;
    bool quick = false;
    std::vector<std::string> on = {"cpu", "emulated", "gpu"};
    std::vector<std::string> controllers = {"persistent", "host", "device"};
    std::string json;
};

class peer_entrant final : public graph_entrant {
  public:
    peer_entrant(run_graph run_all, int threads, race_record r, task_graph const& graph)
        : graph_entrant(std::move(r), graph), run_all_(run_all), threads_(threads) {}
    void set_up(int) override { counts_.assign(static_cast<std::size_t>(graph().tasks), 0); }
    run_times run(int) override {
        return by_wall_clock([&] { run_all_(graph(), counts_.data(), threads_); });
    }
    double largest_error(int) override { return error_of(counts_); }

  private:
    run_graph run_all_;
    int threads_;
    std::vector<std::uint32_t> counts_;
};

std::vector<contender> cpu_contenders(int threads) {
    std::vector<contender> all{executor_contender(std::make_shared<cpu>(threads), "cpu", "", threads, 1)};
    std::pair<char const*, run_graph> const peers[] = {{"openmp", openmp_tasks()}, {"onetbb", onetbb_tasks()}};
    for (auto const& [library, run_all] : peers)
        if (run_all)
            all.push_back(
                {library, "cpu", "", threads, 1, [run_all = run_all, threads](race_record r, task_graph const& graph) {
                     return std::make_unique<peer_entrant>(run_all, threads, std::move(r), graph);
                 }});
    return all;
}

/// In explore mode: for the time of tests.
std::vector<contender> emulated_contenders(std::vector<std::string> const& controllers) {
    return by_controllers<emulated, emulated_options>("emulated", controllers, 1, 1.0 / 256);
}

struct one_case {
    std::string what;
    double work_nanoseconds = 0;
    task_graph graph;
};

std::vector<one_case> cases(bool quick) {
    std::vector<one_case> all{{"launch", 0, {.tasks = 1}},
                              {"hop", 0, {.tasks = quick ? 10'000 : 100'000, .fan_out = 1, .chains = 1}}};
    std::pair<double, std::int64_t> const works[] = {{0, 1 << 20}, {100, 1 << 19}, {1'000, 1 << 17}, {10'000, 1 << 14}};
    for (auto const& [nanoseconds, tasks] : works)
        for (std::int64_t const fan_out : {1, 2, 16, 128})
            all.push_back({"tasks", nanoseconds, {.tasks = quick ? tasks / 8 : tasks, .fan_out = fan_out}});
    return all;
}

/// Of one task alone on the contender's executor: the shortest of several.
double steps_per_nanosecond(contender const& c) {
    task_graph const graph{.tasks = 1, .steps = 1'000'000};
    auto const one = c.make({}, graph);
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 5; ++i) {
        one->set_up(0);
        least = std::min(least, one->run(0).seconds);
    }
    return static_cast<double>(graph.steps) / (1e9 * least);
}

ordered_json record_of(contender const& c, one_case const& of, graph_entrant const& e) {
    auto const& m = e.record.m;
    auto const tasks = static_cast<double>(e.graph().tasks);
    bool const right = e.record.has_times();
    auto const number = [&](double value) { return right ? ordered_json(value) : ordered_json(nullptr); };
    return {{"op", "throughput"},
            {"what", of.what},
            {"library", c.library},
            {"on", c.on},
            {"controller", or_null(c.controller)},
            {"threads", c.threads},
            {"work_nanoseconds", of.work_nanoseconds},
            {"fan_out", e.graph().fan_out},
            {"tasks", e.graph().tasks},
            {"seconds", number(m.seconds)},
            {"spread", number(m.spread)},
            {"least_seconds", number(m.min_seconds)},
            {"nanoseconds_each", number(1e9 * m.seconds / tasks)},
            {"tasks_per_second", number(tasks / m.seconds)},
            {"failure", or_null(right          ? ""
                                : m.is_right() ? e.record.failure
                                               : "not every task ran once")}};
}

/// Whether all results were right.
bool measure(std::vector<contender> const& contenders, arguments const& a, json_lines& lines) {
    if (contenders.empty()) return true;
    bool right = true;
    double const steps = steps_per_nanosecond(contenders.front());  // of one place
    for (one_case const& of : cases(a.quick)) {
        std::vector<std::unique_ptr<graph_entrant>> entrants;
        for (contender const& c : contenders) {
            race_record r;
            r.library = c.library;
            r.variant = c.on + ' ' + c.controller;
            r.m.matrix = of.what;
            task_graph graph = of.graph;
            graph.steps = static_cast<std::int64_t>(of.work_nanoseconds * steps);
            if (graph.tasks > 1)
                graph.tasks =
                    std::max<std::int64_t>(64, static_cast<std::int64_t>(c.tasks * static_cast<double>(graph.tasks)));
            entrants.push_back(c.make(std::move(r), graph));
        }
        run_race(entrants, on_cpu(a.repeats));
        for (std::size_t i = 0; i < entrants.size(); ++i) {
            right = right && entrants[i]->record.has_times();
            lines.add(record_of(contenders[i], of, *entrants[i]));
        }
    }
    lines.add({{"op", "done"}});
    return right;
}

int run_program(int argc, char** argv) {
    arguments a;
    CLI::App app("Tasks per second, beside OpenMP's tasks and oneTBB on the CPU.");
    add_threads(app, a.threads);
    add_whole(app, "--repeat", a.repeats, 1, 1000, "Timed rounds");
    app.add_flag("--quick", a.quick, "An eighth of the tasks");
    add_list(app, "--on", a.on, "Executors: cpu, emulated, gpu");
    add_list(app, "--controllers", a.controllers, "Of emulated and gpu: persistent, host, device");
    app.add_option("--json", a.json, "Write the JSON lines to this file, too");
    CLI11_PARSE(app, argc, argv);

    int const threads = use_threads(a.threads);
    json_lines lines(a.json);
    lines.add(run_object("throughput", threads, this_machine()));
    bool right = true;
    for (std::string const& on : a.on) {
        if (on == "cpu" && !onetbb_tasks())
            lines.add_note("oneTBB takes no part: it was not found (bench/run --peers installs it)");
        if (on == "cpu") right = measure(cpu_contenders(threads), a, lines) && right;
        if (on == "emulated") right = measure(emulated_contenders(a.controllers), a, lines) && right;
#ifdef COPSE_HAS_CUDA
        if (on == "gpu") {
            std::string why;
            if (!gpu::usable(&why)) lines.add_note("gpu takes no part: " + why);
            right = measure(gpu_contenders(a.controllers), a, lines) && right;
        }
#endif
    }
    return right ? 0 : 1;
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    try {
        return copse::bench::run_program(argc, argv);
    } catch (std::exception const& e) {
        fmt::print(stderr, "copse_throughput_bench: {}\n", e.what());
        return 1;
    }
}
