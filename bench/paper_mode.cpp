#include "bench/paper_mode.hpp"

#include <fmt/format.h>

#include <copse/runtime/error.hpp>
#include <cstdlib>
#include <filesystem>

#include "bench/json_file.hpp"
#include "bench/matrices_left.hpp"
#include "bench/paper_report.hpp"
#include "bench/report.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/text.hpp"
#include "bench/harness/threads.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

struct paper_session {
    std::string folder;
    paper_options options;
    std::vector<std::unique_ptr<measure::target>> targets;
    machine where;
    ceilings measured;
    json_file json;
    matrices_left left;
    std::vector<paper_result> results = {};
    int failures = 0;
};

void complain(std::string const& message) {
    fmt::print(stderr, "copse_bench: error: {}\n", measure::one_line(message));
}

void keep(paper_session& s, paper_result result) {
    for (auto const& line : paper_json_lines(result, s.where, s.measured)) s.json.add(line);
    for (auto const& m : result.records) {
        if (m.is_right()) continue;
        ++s.failures;
        complain(fmt::format("{}: the result of {} on {} is wrong", m.matrix, m.format, m.on));
    }
    s.results.push_back(std::move(result));
}

template <class T>
void measure_one(paper_session& s, paper_matrix const& m, std::string const& position) {
    fmt::print(stderr, "{} {}, {}:", position, m.name, measure::type_name<T>);
    auto const name = shown_name(m, s.folder);
    int const left_out_before = s.left.left_out();
    if (!s.left.take(name, measure::type_name<T>, [](char const* why) { fmt::print(stderr, " {}\n", why); })) {
        if (s.left.left_out() > left_out_before) s.json.add(left_out_line(name, measure::type_name<T>));
        return;
    }
    try {
        measure::check_memory("'" + m.name + "'", bytes_needed(m, sizeof(T)));
    } catch (copse::error const& e) {
        fmt::print(stderr, " left out: {}\n", measure::one_line(e.what()));
        return;
    }
    try {
        auto const show = [](std::string const& step) { fmt::print(stderr, " {} ..", step); };
        paper_result result;
        double const seconds =
            measure::seconds_of([&] { result = measure_paper_matrix<T>(m, s.folder, s.options, s.targets, show); });
        fmt::print(stderr, " {}\n", measure::human_seconds(seconds));
        keep(s, std::move(result));
    } catch (copse::error const& e) {
        fmt::print(stderr, "\n");
        ++s.failures;
        complain(e.what());
    }
}

void measure_all(paper_session& s, paper_arguments const& a) {
    auto const matrices = a.quick ? few_paper_matrices() : paper_matrices();
    auto const runs = matrices.size() * (a.type == "both" ? 2 : 1);
    std::size_t run = 0;
    auto const position = [&] { return fmt::format("[{}/{}]", ++run, runs); };
    for (auto const& m : matrices) {
        if (a.type != "float") measure_one<double>(s, m, position());
        if (a.type == "float" || a.type == "both") measure_one<float>(s, m, position());
    }
}

void check_folder(std::string const& folder) {
    std::error_code ignored;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
        throw argument_error("--papers takes a folder of matrices; '" + folder + "' is none");
}

}  // namespace

int run_papers(paper_arguments const& a) {
    check_folder(a.folder);
    json_file json(a.json);
    int const threads = measure::use_threads(a.threads), ceiling_repeats = a.quick ? 5 : 15;
    int const repeats = a.repeats > 0 ? a.repeats : a.quick ? 3 : 9;
    fmt::print(stderr, "measuring the bandwidth ..\n");
    paper_session s{a.folder,
                    {threads, repeats, (repeats + 1) / 2},
                    make_targets(threads),
                    this_machine(),
                    {measure_triad(threads, ceiling_repeats, a.triad_bytes), measure_gpu_copy(ceiling_repeats)},
                    std::move(json),
                    {a.measured, a.seconds}};
    cli::print(heading(s.where, s.measured));
    measure_all(s, a);
    cli::print(paper_report(s.results, s.measured));
    return s.failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace copse::bench
