// SpMV and transposed SpMV on a GPU: HiSparse under each controller beside cuSPARSE, in one process.
//
// Progress goes to standard error, Markdown tables to standard output, records as JSON lines to the file of --json.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <copse/runtime/error.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "bench/gpu_comparison/cusparse_library.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/record.hpp"
#include "bench/gpu_comparison/session.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "cli/load.hpp"
#include "cli/options.hpp"
#include "cli/target.hpp"
#include "cli/text.hpp"
#include "cli/threads.hpp"
#include "cli/timing.hpp"

namespace copse::bench {
namespace {

struct arguments {
    std::vector<std::string> matrices;
    bool quick = false;
    bool no_cusparse = false;
    std::string json;
    std::string type = "both";
    std::vector<std::string> controllers{"persistent", "host", "device"};
    int threads = 0;
    int repeats = 21;
    int seconds = 1000000;
    int seed = -1;
    int node_dimension = 128;
};

/// What all matrices are measured with, and what came of it.
struct comparison {
    arguments a;
    gpu& executor;
    gpu_clock& clock;
    cusparse_library const* cusparse;
    gpu_session session;
    int threads;
    std::vector<gpu_record> records;
    int failures = 0;
};

void complain(std::string const& message) {
    fmt::print(stderr, "copse_spmv_gpu: error: {}\n", measure::one_line(message));
}

void show(std::string const& step) {
    fmt::print(stderr, " {} ..", step);
    std::fflush(stderr);
}

/// As soon as there are any: what comes later may hang.
void write_lines(comparison const& c, std::vector<gpu_record> const& records) {
    if (c.a.json.empty()) return;
    std::ofstream file(c.a.json, std::ios::app);
    for (auto const& r : records) file << json_line(r, c.session);
    if (!file.flush()) throw error("cannot write '" + c.a.json + "'");
}

template <class T>
std::vector<gpu_record> measure_product(comparison& c, matrix_copies<T> const& matrix, bool transpose) {
    gpu_problem<T> const problem(c.executor, matrix, transpose, c.session.seed);
    std::vector<gpu_competitor<T>> competitors;
    if (c.cusparse) competitors = cusparse_on_gpu(*c.cusparse, c.executor, problem);
    competitors.push_back(plan_on_gpu(c.executor, problem));
    for (auto const& name : c.a.controllers)
        competitors.push_back(hisparse_on_gpu(c.executor, problem, measure::controller_named(name)));
    race_on_gpu(c.clock, problem, competitors, {.repeats = c.a.repeats});
    std::vector<gpu_record> records;
    for (auto& competitor : competitors) {
        competitor.record.m.threads = c.threads;
        records.push_back(std::move(competitor.record));
    }
    compare_with_cusparse(records);
    write_lines(c, records);
    return records;
}

/// What cuSPARSE does not offer is no failure; a wrong result is, whoever gave it.
void count_failures(comparison& c, std::vector<gpu_record> const& found) {
    for (auto const& r : found) {
        if (r.has_times() || (!r.is_ours() && !r.failure.empty())) continue;
        ++c.failures;
        complain(fmt::format("{}, {}: {} {}, {}: {}", r.m.matrix, r.m.type, r.library, r.variant,
                             r.m.transpose ? "A^T x" : "A x", r.failure.empty() ? "the result is wrong" : r.failure));
    }
}

void keep(comparison& c, std::vector<gpu_record> const& found) {
    cli::print(matrix_table(found, c.session));
    count_failures(c, found);
    c.records.insert(c.records.end(), found.begin(), found.end());
}

template <class T>
void measure_matrix(comparison& c, std::string const& name) {
    fmt::print(stderr, "{}, {}:", measure::one_line(name), measure::type_name<T>);
    try {
        std::vector<gpu_record> found;
        double const seconds = measure::seconds_of([&] {
            show("load");
            auto a = measure::load_matrix<T>(name);
            show("convert");
            auto const matrix = copy_matrix(c.executor, name, std::move(a), c.a.node_dimension);
            for (bool const transpose : {false, true}) {
                show(transpose ? "A^T x" : "A x");
                auto const records = measure_product(c, matrix, transpose);
                found.insert(found.end(), records.begin(), records.end());
            }
        });
        fmt::print(stderr, " {}\n", measure::human_seconds(seconds));
        keep(c, found);
    } catch (gpu_lost const&) {
        throw;
    } catch (copse::error const& e) {  // does not keep the other matrices from it
        fmt::print(stderr, "\n");
        ++c.failures;
        complain(name + ": " + e.what());
    }
}

void measure_all(comparison& c) {
    auto const& matrices = !c.a.matrices.empty() ? c.a.matrices : c.a.quick ? quick_gpu_suite() : gpu_suite();
    auto const start = std::chrono::steady_clock::now();
    for (auto const& matrix : matrices) {
        if (std::chrono::steady_clock::now() - start > std::chrono::seconds(c.a.seconds)) {
            fmt::print(stderr, "{}: left out, because the time of --seconds is over\n", measure::one_line(matrix));
            continue;
        }
        if (c.a.type != "float") measure_matrix<double>(c, matrix);
        if (c.a.type != "double") measure_matrix<float>(c, matrix);
    }
    cli::print(summary_table(c.records));
}

cusparse_library const* find_cusparse(arguments const& a, gpu_session& session) {
    if (a.no_cusparse) {
        session.cusparse = "left out";
        return nullptr;
    }
    std::string why;
    auto const* library = load_cusparse(why);
    session.cusparse = library ? cusparse_version(*library) : "not there: " + why;
    return library;
}

int run(arguments const& a) {
    int const threads = measure::use_threads(a.threads);
    if (!a.json.empty()) measure::check_output(a.json);
    gpu executor;
    gpu_clock clock(executor);
    gpu_session session = describe_session(executor);
    session.seed = a.seed >= 0 ? a.seed : static_cast<std::int64_t>(std::random_device{}() >> 1);
    auto const* cusparse = find_cusparse(a, session);
    fmt::print(stderr, "measuring the copy bandwidth ..\n");
    session.copy_gbytes_per_second = clock.copy_gbytes_per_second(20);
    cli::print(heading(session));
    comparison c{a, executor, clock, cusparse, session, threads, {}, 0};
    measure_all(c);
    return c.failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void add_options(CLI::App& app, arguments& a) {
    app.set_help_flag("-h,--help", "print this help");
    app.get_formatter()->column_width(38);
    app.add_option("matrix", a.matrices, "Matrix Market files or generators (default: a suite of generated ones)")
        ->type_name("");
    app.add_flag("--quick", a.quick, "a shorter suite of smaller matrices");
    app.add_option("--json", a.json, "add the measurements to this file, one JSON object a line")->type_name("file");
    cli::add_choice(app, "--type", a.type, {"double", "float", "both"}, "of the values (default both)");
    app.add_option("--controllers", a.controllers, "some of persistent, host and device, in this order (default all)")
        ->check(CLI::IsMember({"persistent", "host", "device"}).description(""))
        ->type_name("name,...")
        ->delimiter(',');
    app.add_flag("--no-cusparse", a.no_cusparse, "measure our products alone");
    cli::add_threads(app, a.threads);
    cli::add_whole(app, "--repeat", a.repeats, 1, 1000000, "timed runs of each product (default 21)");
    cli::add_whole(app, "--seconds", a.seconds, 1, 1000000, "start no matrix after this long");
    cli::add_whole(app, "--seed", a.seed, 0, 2147483647, "of the vectors (default: another one each time)");
    cli::add_node_dimension(app, a.node_dimension);
    app.footer(
        "Ends with status 4 when a call hangs or leaves the GPU unusable, naming it in the last line.\n"
        "bench/gpu runs this as one of its stages.");
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    try {
        CLI::App app("SpMV and transposed SpMV on a GPU: HiSparse beside cuSPARSE, checked and timed",
                     "copse_spmv_gpu");
        arguments a;
        add_options(app, a);
        try {
            app.parse(argc, argv);
        } catch (CLI::Success const& e) {
            return app.exit(e);
        }
        return run(a);
    } catch (gpu_lost const& e) {
        fmt::print(stderr, "\ncopse_spmv_gpu: the GPU is lost after {}\n", copse::measure::one_line(e.what()));
        return watchdog::exit_status;
    } catch (std::exception const& e) {
        complain(e.what());
        return EXIT_FAILURE;
    }
}
