// bench/run --papers
#include <copse/runtime/error.hpp>
#include <filesystem>
#include <utility>

#include "bench/harness/load.hpp"
#include "bench/harness/threads.hpp"
#include "bench/harness/timing.hpp"
#include "bench/matrices_left.hpp"
#include "bench/modes.hpp"
#include "bench/paper_tables.hpp"

namespace copse::bench {
namespace {

std::string folder_of(arguments const& a) {
    if (a.matrices.size() > 1) throw argument_error("--papers takes one folder of matrices");
    auto const folder = a.matrices.empty() ? "" : a.matrices.front();
    std::error_code ignored;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
        throw argument_error("--papers takes a folder of matrices; '" + folder + "' is none");
    return folder;
}

/// If not, standard error has been told why.
template <class T>
bool fits_in_memory(paper_matrix const& m) {
    try {
        check_memory("'" + m.name + "'", bytes_needed(m, sizeof(T)));
        return true;
    } catch (copse::error const& e) {
        fmt::print(stderr, " left out: {}\n", one_line(e.what()));
        return false;
    }
}

}  // namespace

int paper_mode(arguments const& a, json_lines& lines) {
    auto const folder = folder_of(a);
    int const threads = use_threads(a.threads), ceiling_repeats = a.quick ? 5 : 15;
    int const repeats = a.repeats > 0 ? a.repeats : a.quick ? 3 : 9;
    fmt::print(stderr, "measuring the bandwidth ..\n");
    paper_options const options{threads, repeats, (repeats + 1) / 2};
    auto const targets = make_targets(threads);
    auto const where = this_machine();
    ceilings const measured{measure_triad(threads, ceiling_repeats, a.triad_bytes()),
                            measure_gpu_copy(ceiling_repeats)};
    matrices_left left(a.measured, a.seconds);
    lines.add(run_object("papers", threads, where, measured));
    auto const matrices = a.quick ? few_paper_matrices() : paper_matrices();
    return for_each_matrix(matrices, a.type, [&]<class T>(paper_matrix const& m) {
        if (!left.take(shown_name(m, folder), type_name<T>, lines) || !fits_in_memory<T>(m)) return 0;
        paper_result result;
        double const seconds =
            seconds_of([&] { result = measure_paper_matrix<T>(m, folder, options, targets, show_step); });
        fmt::print(stderr, " {}\n", human_seconds(seconds));
        for (auto const& object : paper_objects(result, where, measured)) lines.add(object);
        for (auto const& note : result.notes) lines.add_note(note);
        return count_wrong(result.records);
    });
}

}  // namespace copse::bench
