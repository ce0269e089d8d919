#include "bench/paper_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <filesystem>

#include "bench/harness/load.hpp"
#include "bench/harness/product.hpp"
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
void race_formats(target_race<T>& r, paper_options const& options) {
    enter_all(r);
    run_race(r.entrants, on_cpu(options.repeats, false));
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

}  // namespace

std::string shown_name(paper_matrix const& m, std::string const& folder) {
    auto const file = file_of(m, folder);
    return file.empty() ? m.name + " (stand-in)" : file;
}

sigma_race::tried sigma_race::best() const {
    tried least{rule, 1};
    for (auto const& other : others)
        if (other.relative < least.relative) least = other;
    return least;
}

double bytes_needed(paper_matrix const& m, std::size_t value_bytes) {
    double const value = static_cast<double>(value_bytes), rows = static_cast<double>(m.rows);
    // CSR, CSR5, CMRS, and SELL-P with as much padding as it may have, or a generator's list of entries before; y and
    // what it is to be in each of them.
    double constexpr matrices = 5.6, vectors = 8;
    return matrices * (static_cast<double>(m.entries) * (4 + value) + 8 * rows) +
           vectors * value * (rows + static_cast<double>(m.columns)) + 32 * rows;
}

template <class T>
paper_result measure_paper_matrix(paper_matrix const& m, std::string const& folder, paper_options const& options,
                                  std::vector<std::unique_ptr<target>> const& targets, progress const& report) {
    paper_result result;
    result.what = m;
    result.source = file_of(m, folder);
    report(result.source.empty() ? "generate" : "load");
    auto const a = result.source.empty() ? stand_in<T>(m) : load_matrix<T>(result.source);
    result.rows = count_rows(a);
    problem<T> const what{shown_name(m, folder), a, false};
    for (auto const& where : targets) {
        report(where->on());
        target_race<T> here{what, *where, result};
        race_formats(here, options);
    }
    if (m.where != paper::csr5 || options.sigma_repeats == 0) return result;
    for (auto const& where : targets) {
        if (where->on() != "cpu" && !has_plans(*where)) continue;
        report("sigma");
        result.sigmas.push_back(race_heights(what, *where, options.sigma_repeats));
    }
    return result;
}

template paper_result measure_paper_matrix<float>(paper_matrix const&, std::string const&, paper_options const&,
                                                  std::vector<std::unique_ptr<target>> const&, progress const&);
template paper_result measure_paper_matrix<double>(paper_matrix const&, std::string const&, paper_options const&,
                                                   std::vector<std::unique_ptr<target>> const&, progress const&);

}  // namespace copse::bench
