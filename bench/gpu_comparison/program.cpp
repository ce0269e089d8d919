#include "bench/gpu_comparison/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <copse/runtime/error.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>

#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/text.hpp"
#include "bench/harness/threads.hpp"
#include "bench/harness/timing.hpp"
#include "bench/suite.hpp"

namespace copse::bench {
namespace {

void print_line(std::string const& program, std::string const& message) {
    fmt::print(stderr, "{}: error: {}\n", program, one_line(message));
}

void add_common_options(CLI::App& app, program_arguments& a) {
    app.set_help_flag("-h,--help", "print this help");
    app.get_formatter()->column_width(38);
    app.add_option("matrix", a.matrices,
                   "Matrix Market files, folders of them, generators, or hisparse:NAME, which stands in for a matrix "
                   "of HiSparse's paper (default: a suite)")
        ->type_name("");
    app.add_flag("--quick", a.quick, "a shorter suite of smaller matrices");
    app.add_flag("--papers", a.papers, "the matrices of HiSparse's paper, as stand-ins; with --quick the smaller ones");
    app.add_option("--json", a.json,
                   "add the measurements to this file, one JSON object a line (default: standard output)")
        ->type_name("file");
    app.add_option("--bench", a.bench, "what the records call this, for reports")->type_name("name");
    app.add_flag("--resume", a.resume, "leave out what the file of --json has already");
    add_choice(app, "--type", a.type, {"double", "float", "both"}, "of the values (default both)");
    add_list(app, "--controllers", a.controllers, "some of persistent, host and device, in this order (default all)");
    app.add_option("--without", a.without, "leave a competitor out, such as 'copse hisparse device' (may be repeated)")
        ->type_name("name")
        ->allow_extra_args(false)
        ->take_all();
    app.add_flag("--no-cusparse", a.no_cusparse, "measure our own alone");
    add_threads(app, a.threads);
    add_whole(app, "--repeat", a.repeats, 1, 1000000, "timed runs of each competitor (default 21)");
    add_whole(app, "--seconds", a.seconds, 1, 1000000, "start no matrix after this long");
    add_whole(app, "--seed", a.seed, 0, 2147483647, "of the vectors (default: another one each time)");
    add_whole(app, "--sets", a.most_sets, 1, 32, "of inputs at most, where they fit the cache (default 32)");
    add_node_dimension(app, a.node_dimension);
    app.footer(
        "Ends with status 4 when a call hangs or leaves the GPU unusable, naming it in brackets in the last line.\n"
        "bench/gpu runs this as one of its stages.");
}

}  // namespace

gpu_program::gpu_program(std::string name, std::string bench, program_arguments const& a)
    : a_(a),
      name_(std::move(name)),
      bench_(a.bench.empty() ? std::move(bench) : a.bench),
      threads_(use_threads(a.threads)),
      executor_({.stall_seconds = 2}),
      clock_(executor_),
      session_(describe_session(executor_)) {
    if (!a_.json.empty()) check_output(a_.json);
    if (a_.resume) {
        measured_ = measured_products(a_.json, bench_);
        failures_ = failures_before(a_.json, bench_);
        if (failures_ != 0)
            complain(fmt::format("{} records of the runs before are of what failed: see '{}'", failures_, a_.json));
    }
    session_.seed = a_.seed >= 0 ? a_.seed : static_cast<std::int64_t>(std::random_device{}() >> 1);
    std::string why;
    if (!a_.no_cusparse) cusparse_ = load_cusparse(why);
    session_.cusparse = a_.no_cusparse ? "left out" : cusparse_ ? cusparse_version(*cusparse_) : "not there: " + why;
    fmt::print(stderr, "measuring the copy bandwidth ..\n");
    session_.copy_gbytes_per_second = clock_.copy_gbytes_per_second(20);
    fmt::print(stderr, "{}: copies {:.0f} GB/s within its memory; cuSPARSE: {}\n", session_.gpu,
               session_.copy_gbytes_per_second, one_line(session_.cusparse));
}

std::string work_on(std::string const& matrix, std::string const& type) {
    return fmt::format("work on {}, {}", matrix, type);
}

bool gpu_program::is_left_out(std::string const& competitor) const {
    int constexpr most_failures = 3;
    auto const failures = failures_of_.find(competitor);
    return std::find(a_.without.begin(), a_.without.end(), competitor) != a_.without.end() ||
           (failures != failures_of_.end() && failures->second >= most_failures);
}

bool gpu_program::is_measured(std::string const& op, std::string const& matrix, std::string const& type, bool transpose,
                              bool transpose_b) const {
    return measured_.contains(product_key(op, matrix, type, transpose, transpose_b));
}

bool gpu_program::is_converted(std::string const& matrix, std::string const& type, std::string const& format) const {
    return measured_.contains(conversion_key(matrix, type, format));
}

void gpu_program::show(std::string const& step) const {
    fmt::print(stderr, " {} ..", step);
    std::fflush(stderr);
}

void gpu_program::complain(std::string const& message) const {
    print_line(name_, message);
}

void gpu_program::fail(std::string const& message) {
    ++failures_;
    complain(message);
}

void gpu_program::race(std::vector<std::unique_ptr<entrant>> const& entrants) {
    run_race(entrants, on_gpu(executor_, name_, a_.repeats));
    std::vector<race_record> records;
    for (auto const& one : entrants) records.push_back(std::move(one->record));
    keep(std::move(records));
}

void gpu_program::keep(std::vector<race_record> records) {
    compare_with_cusparse(records);
    std::string lines;
    for (auto& r : records) {
        r.bench = bench_;
        r.m.threads = threads_;
        failures_of_[r.name()] += !r.failure.empty() && !r.is_refused;
        lines += json_line(r, session_);
    }
    write(lines);
    for (auto const& r : records) {
        if (r.has_times() || r.is_refused || (r.library == "cusparse" && !r.failure.empty())) continue;
        fail(race_name(r) + ": " + (r.failure.empty() ? "the result is wrong" : r.failure));
    }
}

void gpu_program::write(std::string const& lines) const {
    if (a_.json.empty()) return print(lines);
    std::ofstream file(a_.json, std::ios::app);
    if (!(file << lines).flush()) throw error("cannot write '" + a_.json + "'");
}

void gpu_program::measure_one(std::string const& name, std::string const& type,
                              std::function<void(std::string const&, std::string const&)> const& measure) {
    fmt::print(stderr, "{}, {}:", one_line(name), type);
    if (is_left_out(work_on(name, type))) {
        fmt::print(stderr, " left out\n");
        return;
    }
    try {
        double const seconds = seconds_of([&] { measure(name, type); });
        fmt::print(stderr, " {}\n", human_seconds(seconds));
    } catch (gpu_lost const&) {
        throw;
    } catch (format_error const& e) {  // a folder holds files that are no matrices, or not real ones
        fmt::print(stderr, " left out: {}\n", one_line(e.what()));
    } catch (copse::error const& e) {  // does not keep the other matrices from it
        fmt::print(stderr, "\n");
        throw_if_lost(fmt::format("[{}]: {}", work_on(name, type), e.what()));
        fail(name + ": " + e.what());
    } catch (std::bad_alloc const&) {
        fmt::print(stderr, "\n");
        fail(name + ": the host's memory does not hold it");
    }
}

int gpu_program::for_each_matrix(std::string const& op, std::vector<std::string> const& names,
                                 std::function<void(std::string const&, std::string const&)> const& measure,
                                 std::function<bool(std::string const&, std::string const&)> const& is_complete) {
    for (auto const& name : with_files_of_folders(names)) {
        for (std::string const type : {"double", "float"}) {
            if (a_.type != "both" && a_.type != type) continue;
            if (std::chrono::steady_clock::now() - start_ > std::chrono::seconds(a_.seconds)) {
                if (is_complete(name, type)) continue;
                fmt::print(stderr, "{}, {}: left out, because the time of --seconds is over\n", one_line(name), type);
                write(left_out_line(bench_, op, name, type));
                continue;
            }
            measure_one(name, type, measure);
        }
    }
    return failures_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run_program(std::string const& name, std::string const& description, int argc, char** argv, program_arguments& a,
                std::function<int()> const& run, std::function<void(CLI::App&)> const& add_options) {
    CLI::App app(description, name);
    try {
        add_common_options(app, a);
        if (add_options) add_options(app);
        app.parse(argc, argv);
        return run();
    } catch (CLI::Success const& e) {
        return app.exit(e);
    } catch (gpu_lost const& e) {
        fmt::print(stderr, "\n{}: the GPU is lost after {}\n", name, one_line(e.what()));
        return watchdog::exit_status;
    } catch (std::exception const& e) {
        print_line(name, e.what());
        return EXIT_FAILURE;
    }
}

}  // namespace copse::bench
