// The program behind bench/run: SpMV and transposed SpMV of HiSparse beside plain CSR and, with --peers, other
// libraries; or, with --add, additions beside them; or, with --sizes, bytes per entry; or the papers' tables
// (--papers); or the flat formats with other sizes (--tune).
//
// Progress goes to standard error, tables to standard output, records as JSON lines to the file of --json; --report
// writes these lines, the tables as Markdown and pictures into a folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <copse/runtime/error.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/addition.hpp"
#include "bench/addition_report.hpp"
#include "bench/comparison.hpp"
#include "bench/json_file.hpp"
#include "bench/paper_mode.hpp"
#include "bench/product_report.hpp"
#include "bench/report.hpp"
#include "bench/size_mode.hpp"
#include "bench/suite.hpp"
#include "bench/tuning_mode.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/text.hpp"
#include "bench/harness/threads.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

struct arguments {
    std::vector<std::string> matrices;
    bool add = false;
    bool sizes = false;
    bool papers = false;
    bool tune = false;
    bool gpu = false;
    bool peers = false;
    bool quick = false;
    std::string json;
    std::string measured;  // --papers, --tune
    int seconds = 0;       // the same
    std::string report;  // a folder
    std::string type;    // empty: double; of sizes both; mixed of products only
    int threads = 0;
    int repeats = 0;  // 0: as many as the suite has by default
    int node_dimension = 128;
    int triad_megabytes = 0;  // 0: default_triad_bytes()
};

/// What all matrices are measured with, and what came of it.
struct session {
    bool add;
    comparison_options options;
    std::vector<std::unique_ptr<measure::target>> targets;
    machine where;
    ceilings measured;
    json_file json;
    std::vector<measure::measurement> records;
    std::vector<std::string> notes;  // on peers that could not take part
    int failures = 0;
};

void complain(std::string const& message) {
    fmt::print(stderr, "copse_bench: error: {}\n", measure::one_line(message));
}

template <class T>
std::vector<measure::measurement> compare_all(session& s, std::string const& matrix, progress const& show) {
    if (s.add) return compare_additions<T>(matrix, s.options, show);
    return compare<T>(matrix, s.options, s.targets, show, [&](std::string const& why) { s.notes.push_back(why); });
}

/// Those from `first` on: behind the line of the progress, which they would break.
void show_notes(session const& s, std::size_t first) {
    for (std::size_t i = first; i < s.notes.size(); ++i) fmt::print(stderr, "copse_bench: {}\n", s.notes[i]);
}

/// A matrix that cannot be measured does not keep the others from it.
template <class T>
void measure_matrix(session& s, std::string const& matrix, std::string const& position) {
    fmt::print(stderr, "{} {}, {}:", position, measure::one_line(matrix),
               s.options.mixed ? "mixed" : measure::type_name<T>);
    auto const show = [](std::string const& step) { fmt::print(stderr, " {} ..", step); };
    std::size_t const notes_before = s.notes.size();
    try {
        std::vector<measure::measurement> found;
        double const seconds = measure::seconds_of([&] { found = compare_all<T>(s, matrix, show); });
        fmt::print(stderr, " {}\n", measure::human_seconds(seconds));
        show_notes(s, notes_before);
        cli::print(s.add ? addition_table(found, s.measured) : matrix_table(found, s.measured));
        for (auto const& m : found) {
            s.json.add(json_line(m, s.where, s.measured));
            if (m.is_right()) continue;
            ++s.failures;
            complain(fmt::format("{}: the result of {} on {} is wrong", matrix, m.format, m.on));
        }
        s.records.insert(s.records.end(), found.begin(), found.end());
    } catch (copse::error const& e) {
        fmt::print(stderr, "\n");
        show_notes(s, notes_before);
        ++s.failures;
        complain(e.what());
    }
}

void measure_all(session& s, arguments const& a, std::vector<std::string> const& matrices) {
    auto const runs = matrices.size() * (a.type == "both" ? 2 : 1);
    std::size_t run = 0;
    auto const position = [&] { return fmt::format("[{}/{}]", ++run, runs); };
    for (auto const& matrix : matrices) {
        if (a.type != "float") measure_matrix<double>(s, matrix, position());
        if (a.type == "float" || a.type == "both") measure_matrix<float>(s, matrix, position());
        // After each: a run that is ended early has its report.
        if (!a.report.empty()) write_report(a.report, s.where, s.measured, s.records, s.notes);
    }
    if (runs > 1 && !s.records.empty())
        cli::print(s.add
                       ? addition_summary(s.records)
                       : summary_table(s.records) + '\n' + format_summary(s.records) + '\n' + peer_summary(s.records));
}

std::vector<std::string> const& suite(arguments const& a) {
    if (a.sizes && !a.quick) return size_suite();
    if (a.add) return a.quick ? quick_addition_suite() : addition_suite();
    return a.quick ? quick_suite() : default_suite();
}

/// The file for the JSON lines: that of --json, or one in the folder of --report, which is made.
std::string json_path(arguments const& a) {
    if (a.report.empty()) return a.json;
    std::error_code failure;
    std::filesystem::create_directories(a.report, failure);
    if (failure) throw argument_error("cannot make the folder '" + a.report + "': " + failure.message());
    return a.report + "/spmv.jsonl";
}

/// Two threads where other libraries take part, unless the user says otherwise.
comparison_options options_of(arguments const& a) {
    bool const has_peers = a.add || a.peers;
    int const repeats = a.quick ? 5 : a.peers && !a.add ? 7 : 15;
    return {measure::use_threads(has_peers && a.threads == 0 ? 2 : a.threads), a.repeats > 0 ? a.repeats : repeats,
            a.node_dimension, a.peers, a.type == "mixed"};
}

std::size_t triad_bytes(arguments const& a) {
    return a.triad_megabytes > 0 ? static_cast<std::size_t>(a.triad_megabytes) * 1'000'000 : default_triad_bytes();
}

int measure_papers(arguments const& a) {
    if (a.matrices.size() > 1) throw argument_error("--papers takes one folder of matrices");
    return run_papers({.folder = a.matrices.empty() ? "" : a.matrices.front(),
                       .quick = a.quick,
                       .json = a.json,
                       .measured = a.measured,
                       .seconds = a.seconds,
                       .type = a.type,
                       .threads = a.threads,
                       .repeats = a.repeats,
                       .triad_bytes = triad_bytes(a)});
}

int tune(arguments const& a) {
    return run_tuning({.matrices = with_files_of_folders(a.matrices),
                       .quick = a.quick,
                       .gpu = a.gpu,
                       .json = a.json,
                       .measured = a.measured,
                       .seconds = a.seconds,
                       .type = a.type,
                       .threads = a.threads,
                       .repeats = a.repeats});
}

int run(arguments const& a) {
    if (a.type == "mixed" && (a.add || a.sizes || a.papers || a.tune))
        throw argument_error(
            "--type mixed is for products; --add, --sizes, --papers and --tune take double, float or both");
    if (a.papers) return measure_papers(a);
    if (a.tune) return tune(a);
    auto const matrices = with_files_of_folders(a.matrices.empty() ? suite(a) : a.matrices);
    if (a.sizes) return run_sizes({matrices, a.json, a.type, a.threads, a.node_dimension});
    auto const options = options_of(a);
    json_file json(json_path(a));
    if (a.add || a.peers) keep_freed_memory();
    fmt::print(stderr, "measuring the bandwidth ..\n");
    int const ceiling_repeats = a.quick ? 5 : 15;
    session s{a.add,
              options,
              a.add ? std::vector<std::unique_ptr<measure::target>>() : make_targets(options.threads),
              this_machine(),
              {measure_triad(options.threads, ceiling_repeats, triad_bytes(a)), measure_gpu_copy(ceiling_repeats)},
              std::move(json),
              {},
              {},
              0};
    cli::print(heading(s.where, s.measured) + (a.add || a.peers ? peer_heading(a.add) : ""));
    measure_all(s, a, matrices);
    return s.failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void add_options(CLI::App& app, arguments& a) {
    app.set_help_flag("-h,--help", "print this help");
    app.get_formatter()->column_width(38);
    app.add_option("matrix", a.matrices,
                   "Matrix Market files, folders of them, or generators (default: a suite of generated ones)")
        ->type_name("");
    app.add_flag("--add", a.add,
                 "A + B, A^T + B^T and A + B^T, where B is A with its entries moved, instead of products")
        ->disable_flag_override();
    app.add_flag("--sizes", a.sizes, "bytes per entry in each format, beside the goals for them; nothing is timed")
        ->disable_flag_override()
        ->excludes("--add");
    app.add_flag(
           "--papers", a.papers,
           "the tables of the papers on CSR5, SELL-P and CMRS with stand-ins for their matrices, or with those of "
           "them that a folder has")
        ->disable_flag_override()
        ->excludes("--add", "--sizes");
    app.add_flag("--tune", a.tune, "CSR5, SELL-P and CMRS with other sizes of tiles, slices and strips")
        ->disable_flag_override()
        ->excludes("--add", "--sizes", "--papers");
    app.add_flag("--gpu", a.gpu,
                 "of --tune: on the GPU alone; --quick then takes fewer matrices, as large, and leaves out no size")
        ->disable_flag_override()
        ->needs("--tune");
    app.add_flag("--peers", a.peers,
                 "products beside other libraries, on 2 threads by default; additions are beside them anyway")
        ->disable_flag_override()
        ->excludes("--sizes", "--papers", "--tune");
    app.add_flag("--quick", a.quick, "a suite of small matrices, fewer repeats: does it all work?")
        ->disable_flag_override();
    app.add_option("--json", a.json, "write the measurements to this file, one JSON object a line")->type_name("file");
    app.add_option(
           "--measured", a.measured,
           "of --papers and --tune: leave out the matrices that this file of such objects has; the tables are of "
           "the others")
        ->type_name("file");
    cli::add_whole(app, "--seconds", a.seconds, 1, 1000000, "of --papers and --tune: start no matrix after this long");
    app.add_option("--report", a.report,
                   "write the measurements of products into this folder: spmv.jsonl, tables in spmv.md, pictures in "
                   "spmv-double.svg, spmv-float.svg, spmv-mixed.svg")
        ->type_name("folder")
        ->excludes("--json", "--add", "--sizes", "--papers", "--tune");
    cli::add_choice(app, "--type", a.type, {"double", "float", "both", "mixed"},
                    "of the values (default double; with --sizes both); mixed: products of a float matrix with double "
                    "vectors");
    cli::add_threads(app, a.threads);
    cli::add_whole(app, "--repeat", a.repeats, 1, 1000000,
                   "timed runs of each product or sum (default 15, of products with --peers 7, with --quick 5; "
                   "--papers and --tune: "
                   "9, with --quick 3, with --gpu 21)");
    cli::add_node_dimension(app, a.node_dimension);
    cli::add_whole(app, "--triad", a.triad_megabytes, 1, 1000000,
                   "MB of each array that the bandwidth is measured with: less than the cache holds gives another "
                   "ceiling (default four times the cache, 128 at least)");
    app.footer("bench/README.md says what is measured and how to read it.");
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    try {
        CLI::App app(
            "SpMV and transposed SpMV: HiSparse beside plain CSR and other libraries (--peers), or additions (--add), "
            "checked and timed; or sizes; or the papers' tables (--papers), or other sizes of the flat formats "
            "(--tune)",
            "copse_bench");
        arguments a;
        add_options(app, a);
        try {
            app.parse(argc, argv);
        } catch (CLI::Success const& e) {
            return app.exit(e);
        }
        return run(a);
    } catch (std::exception const& e) {
        complain(e.what());
        return EXIT_FAILURE;
    }
}
