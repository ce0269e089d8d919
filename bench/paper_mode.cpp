// bench/run --papers: products of the papers' matrices in CSR, CSR5, SELL-P and CMRS, checked and timed in turn on each
// target; and what the papers' other tables and figures ask of CSR5 and CMRS.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <filesystem>
#include <utility>

#include "bench/comparison.hpp"
#include "bench/harness/threads.hpp"
#include "bench/matrices_left.hpp"
#include "bench/modes.hpp"
#include "bench/paper_records.hpp"
#include "bench/stand_in.hpp"

namespace copse::bench {
namespace {

constexpr std::array sigmas{4, 8, 12, 16, 18, 20, 24, 32, 48};

/// The race on one target.
template <class T>
struct target_race {
    problem<T> const& what;
    target& where;
    paper_result& result;
    products<T> entrants = {};
};

/// One of a GPU's controllers also has plans, which know no controllers.
bool has_plans(target const& where) {
    return where.controller() == controller::persistent;
}

/// Converts three times, of which the median counts, and enters the product.
template <class Matrix, class T, class Options>
std::optional<Matrix> enter(target_race<T>& r, std::string const& format, Options const& options) {
    std::vector<double> seconds;
    std::optional<converted<Matrix>> a;
    try {
        for (int i = 0; i < 3; ++i) {
            a.reset();
            a = convert_to<Matrix>(r.where, r.what.matrix, r.what.a, options);
            seconds.push_back(a->seconds);
        }
    } catch (too_much_padding const& e) {
        auto const entry_bytes = static_cast<double>(r.what.a.entry_count()) * (4 + sizeof(T));
        r.result.notes.push_back(fmt::format("{}, {}, {}: padding of {:.0f} % of the entries is more than {} takes",
                                             r.what.matrix, type_name<T>, r.where.on(),
                                             100 * static_cast<double>(e.padding_bytes()) / entry_bytes, format));
        return {};
    }
    std::sort(seconds.begin(), seconds.end());
    a->seconds = seconds[1];
    r.entrants.push_back(one_shot(r.where, r.what, format, *a));
    if (has_plans(r.where)) {
        auto const plan = make_plan<flat_plan<Matrix>>(r.where, r.what.matrix, a->matrix);
        r.entrants.push_back(planned(r.where, r.what, format, *a, plan));
        r.entrants.back()->record.m.bytes = a->matrix.bytes();
    }
    return std::move(a->matrix);
}

template <class T>
void enter_all(target_race<T>& r) {
    if (r.where.on() == "cpu")
        r.entrants.push_back(csr_product(r.what, r.where.threads()));
    else
        enter<csr_matrix<T>>(r, "csr", csr_matrix_options{});
    enter<csr5<T>>(r, "csr5", csr5_options{});
    enter<sellp<T>>(r, "sellp", sellp_options{});
    if (auto const a = enter<cmrs<T>>(r, "cmrs", cmrs_options{}))
        r.result.of_cmrs.push_back({r.where.on(), a->height(), a->content()->strip_count});
}

template <class T>
void race_formats(target_race<T>& r, int repeats) {
    enter_all(r);
    run_race(r.entrants, on_cpu(repeats, false));
    std::stable_partition(r.entrants.begin(), r.entrants.end(),
                          [](auto const& one) { return one->record.m.mode == "oneshot"; });
    for (auto& one : r.entrants) {
        if (!one->record.failure.empty()) throw error(race_name(one->record) + ": " + one->record.failure);
        r.result.records.push_back(std::move(one->record.m));
    }
}

template <class T>
sigma_race race_heights(problem<T> const& what, target& where, int repeats) {
    auto const with_rule = convert_to<csr5<T>>(where, what.matrix, what.a, csr5_options{});
    sigma_race all{where.on(), with_rule.matrix.sigma(), {}};
    for (int const sigma : sigmas) {
        if (sigma == all.rule) continue;
        products<T> pair;
        pair.push_back(one_shot(where, what, "csr5", with_rule));
        auto const other = convert_to<csr5<T>>(where, what.matrix, what.a, csr5_options{.sigma = sigma});
        pair.push_back(one_shot(where, what, "csr5", other));
        run_race(pair, on_cpu(repeats));
        all.others.push_back({sigma, pair[1]->record.m.seconds / pair[0]->record.m.seconds});
    }
    return all;
}

std::string file_of(paper_matrix const& m, std::string const& folder) {
    if (folder.empty() || m.file.empty()) return "";
    for (auto const* ending : {".mtx", ".mtx.gz"})
        if (auto path = folder + "/" + m.file + ending; std::filesystem::exists(path)) return path;
    return "";
}

/// What the records call it: the file that is taken, or the name with "(stand-in)".
std::string shown_name(paper_matrix const& m, std::string const& folder) {
    auto const file = file_of(m, folder);
    return file.empty() ? m.name + " (stand-in)" : file;
}

/// About what measuring the matrix takes, in bytes.
double bytes_needed(paper_matrix const& m, std::size_t value_bytes) {
    double const value = static_cast<double>(value_bytes), rows = static_cast<double>(m.rows);
    // CSR, CSR5, CMRS, and SELL-P with as much padding as it may have, or a generator's list of entries before; y and
    // what it is to be in each of them.
    double constexpr matrices = 5.6, vectors = 8;
    return matrices * (static_cast<double>(m.entries) * (4 + value) + 8 * rows) +
           vectors * value * (rows + static_cast<double>(m.columns)) + 32 * rows;
}

/// A competitor that was wrong has is_right() false. Throws what reading the file throws, and error when memory runs
/// out.
template <class T>
paper_result measure_paper_matrix(paper_matrix const& m, std::string const& folder, int repeats,
                                  std::vector<std::unique_ptr<target>> const& targets) {
    paper_result result;
    result.what = m;
    result.source = file_of(m, folder);
    show_step(result.source.empty() ? "generate" : "load");
    auto const a = result.source.empty() ? stand_in<T>(m) : load_matrix<T>(result.source);
    result.rows = count_rows(a);
    problem<T> const what{shown_name(m, folder), a, false};
    for (auto const& where : targets) {
        show_step(where->on());
        target_race<T> here{what, *where, result};
        race_formats(here, repeats);
    }
    if (m.where != paper::csr5) return result;
    for (auto const& where : targets) {
        if (where->on() != "cpu" && !has_plans(*where)) continue;
        show_step("sigma");
        result.sigmas.push_back(race_heights(what, *where, (repeats + 1) / 2));
    }
    return result;
}

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
    int const threads = use_threads(a.threads);
    int const repeats = a.repeats > 0 ? a.repeats : a.quick ? 3 : 9;
    auto const targets = make_targets(threads);
    auto const where = this_machine();
    auto const measured = measure_ceilings(threads, a.quick ? 5 : 15, a.triad_bytes());
    matrices_left left(a.measured, a.seconds);
    lines.add(run_object("papers", threads, where, measured));
    auto const matrices = a.quick ? few_paper_matrices() : paper_matrices();
    return for_each_matrix(matrices, a.type, [&]<class T>(paper_matrix const& m) {
        if (!left.take(shown_name(m, folder), type_name<T>, lines) || !fits_in_memory<T>(m)) return 0;
        paper_result result;
        double const seconds = seconds_of([&] { result = measure_paper_matrix<T>(m, folder, repeats, targets); });
        fmt::print(stderr, " {}\n", human_seconds(seconds));
        for (auto const& object : paper_objects(result, where, measured)) lines.add(object);
        for (auto const& note : result.notes) lines.add_note(note);
        return count_wrong(result.records);
    });
}

}  // namespace copse::bench
