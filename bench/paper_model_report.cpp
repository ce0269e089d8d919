// What the papers ask beside speeds: iterations and heights of tiles (CSR5), the model and the use of the memory
// (CMRS).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "bench/paper_figures.hpp"
#include "bench/paper_report.hpp"
#include "bench/report.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

using measure::measurement;

std::string times(double factor) {
    return fmt::format("{:.2f}x", factor);
}

/// Of one format over a group of matrices.
struct scenario_group {
    std::vector<double> conversion, after_50, after_500;

    void add(measurement const& csr, measurement const& m) {
        conversion.push_back(m.convert_seconds / csr.seconds);
        after_50.push_back(scenario_speedup(csr, m, 50));
        after_500.push_back(scenario_speedup(csr, m, 500));
    }
};

double mean(std::vector<double> const& all) {
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

std::string mean_and_best(std::vector<double> const& all) {
    return fmt::format("{}, {}", times(mean(all)), times(*std::max_element(all.begin(), all.end())));
}

/// Groups by: on and mode, type, regular or not, format.
using scenario_groups = std::map<std::tuple<std::string, std::string, bool, std::string>, scenario_group>;

scenario_groups groups_of(std::span<paper_result const> results) {
    scenario_groups groups;
    for (auto const& r : results) {
        if (r.what.where != paper::csr5) continue;
        for (race const all : races_of(r)) {
            auto const* const csr = find(all, "csr");
            for (auto const* format : {"csr5", "sellp", "cmrs"})
                if (auto const* const m = find(all, format); m && csr)
                    groups[{format_name(*m).substr(m->format.size()) + m->on + m->controller.value_or(""), m->type,
                            !r.what.is_regular(), format}]
                        .add(*csr, *m);
        }
    }
    return groups;
}

void add_groups(measure::table& t, std::span<paper_result const> results) {
    for (auto const& [key, group] : groups_of(results)) {
        auto const& [on, type, irregular, format] = key;
        t.add({fmt::format("{} {}, mean, best", group.conversion.size(), irregular ? "irregular" : "regular"), type, on,
               format, times(mean(group.conversion)), mean_and_best(group.after_50), mean_and_best(group.after_500)});
    }
    for (bool const on_gpu : {false, true})
        for (bool const regular : {true, false}) {
            auto const f = scenario_figures_of(on_gpu, regular);
            t.add({fmt::format("the paper's {}, mean, best", regular ? "14 regular" : "10 irregular"), "double",
                   on_gpu ? "GTX 980" : "2 Xeon E5-2667", "csr5", times(f.conversion),
                   times(f.mean_50) + ", " + times(f.best_50), times(f.mean_500) + ", " + times(f.best_500)});
        }
}

bool has_csr5_matrices(std::span<paper_result const> results) {
    return std::any_of(results.begin(), results.end(),
                       [](paper_result const& r) { return r.what.where == paper::csr5; });
}

std::string in_percent(double fraction) {
    return fmt::format("{:.1f} %", 100 * fraction);
}

/// Heights that any of the races tried.
std::set<int> heights_of(std::span<paper_result const> results) {
    std::set<int> heights;
    for (auto const& r : results)
        for (auto const& one : r.sigmas)
            for (auto const& other : one.others) heights.insert(other.sigma);
    return heights;
}

std::vector<std::string> sigma_cells(paper_result const& r, sigma_race const& one, std::set<int> const& heights) {
    auto const best = one.best();
    std::vector<std::string> cells{r.what.id,
                                   r.what.name,
                                   r.records.front().type,
                                   one.on,
                                   std::to_string(one.rule),
                                   std::to_string(best.sigma),
                                   in_percent(one.loss())};
    for (int const height : heights) {
        auto const found = std::find_if(one.others.begin(), one.others.end(),
                                        [&](sigma_race::tried const& other) { return other.sigma == height; });
        cells.push_back(height == one.rule          ? "rule"
                        : found == one.others.end() ? "-"
                                                    : fmt::format("{:.2f}", found->relative));
    }
    return cells;
}

std::string efficiency(double value) {
    return fmt::format("{:.2f}", value);
}

std::vector<std::string> model_cells(paper_result const& r, race all, strips const& s, ceilings const& measured) {
    auto const& m = *find(all, "cmrs");
    auto const* const csr = find(all, "csr");
    auto const model = model_of(m, s);
    auto const traffic = traffic_of(m, s);
    double const bandwidth = bandwidth_of(m, measured);
    auto const figures = efficiency_figures_of(r.what.name);
    return {r.what.name + (is_in_cmrs_text(r.what) ? " *" : ""),
            m.type,
            m.on + (m.controller ? ", " + *m.controller : "") + (m.mode == "oneshot" ? "" : ' ' + m.mode),
            std::to_string(s.height),
            fmt::format("{:.1f}", model.row_entries),
            fmt::format("{:.2f}", model.bytes_per_byte()),
            times(model.speedup()),
            csr ? times(csr->seconds / m.seconds) : "-",
            fmt::format("{:.2f}", m.gflops()),
            efficiency(traffic.most_efficiency(m.seconds, bandwidth)),
            efficiency(traffic.least_efficiency(m.seconds, bandwidth)),
            figures ? efficiency(figures->most) : "-",
            figures ? efficiency(figures->least) : "-"};
}

}  // namespace

double bandwidth_of(measurement const& m, ceilings const& measured) {
    return 1e9 * (m.on == "gpu" ? measured.gpu_copy.value() : measured.triad.gbytes_per_second);
}

std::string scenario_table(std::span<paper_result const> results) {
    if (!has_csr5_matrices(results)) return "";
    measure::table t("llllrrr");
    t.add({"matrix", "type", "on", "format", "conversion", "50 products", "500 products"});
    for (auto const& r : results) {
        if (r.what.where != paper::csr5) continue;
        for (race const all : races_of(r)) {
            auto const *const csr = find(all, "csr"), *const m = find(all, "csr5");
            if (csr && m)
                t.add({r.what.id + ' ' + r.what.name, m->type, m->on, format_name(*m),
                       times(m->convert_seconds / csr->seconds), times(scenario_speedup(*csr, *m, 50)),
                       times(scenario_speedup(*csr, *m, 500))});
        }
    }
    add_groups(t, results);
    return "CSR5's Table 3: conversion in products of plain CSR, and how many times faster than plain CSR conversion "
           "and "
           "products are:\n" +
           t.text("  ") + '\n';
}

std::string sigma_table(std::span<paper_result const> results) {
    auto const heights = heights_of(results);
    if (heights.empty()) return "";
    measure::table t("llllrrr" + std::string(heights.size(), 'r'));
    std::vector<std::string> header{"id", "matrix", "type", "on", "rule", "best", "loss"};
    for (int const height : heights) header.push_back(std::to_string(height));
    t.add(header);
    std::map<std::string, std::vector<double>> losses;
    for (auto const& r : results)
        for (auto const& one : r.sigmas) {
            t.add(sigma_cells(r, one, heights));
            losses[one.on].push_back(one.loss());
        }
    std::string text =
        "CSR5's Figure 9: loss of the rule's sigma against the best from 4 to 48; behind it the time with each sigma, "
        "in "
        "units of the rule's:\n" +
        t.text("  ");
    for (auto const& [on, all] : losses)
        text += fmt::format("mean loss on the {}: {}; the paper's on a GTX 980: {}\n", on, in_percent(mean(all)),
                            in_percent(sigma_loss_figure));
    return text + "On the cpu tiles of up to 32 rows are multiplied in SIMD, higher ones entry by entry.\n\n";
}

std::string cmrs_table(std::span<paper_result const> results, ceilings const& measured) {
    measure::table t("lllrrrrrrrrrr");
    t.add({"matrix", "type", "on", "h", "mu", "f (5.1)", "a (5.2)", "vs csr", "GFLOP/s", "eta-", "eta+", "paper's eta-",
           "eta+"});
    bool is_empty = true;
    for (auto const& r : results)
        for (race const all : races_of(r))
            for (auto const& s : r.of_cmrs)
                if (all.front().on == s.on && find(all, "cmrs")) {
                    t.add(model_cells(r, all, s, measured));
                    is_empty = false;
                }
    if (is_empty) return "";
    return "CMRS's model (Koza et al.) beside the measurement; * the paper's own matrices:\n" + t.text("  ") +
           "f: bytes moved for each byte asked for, a: expected gain over a warp for each row of CSR, both with "
           "segments of "
           "64 bytes on the cpu and 128 on\na GPU. eta-, eta+ (6.2): with the triad of this run as the bandwidth on "
           "the "
           "cpu, the copy on a GPU; the paper takes data sheets. Its figures\nare a K20M's, double, h = 4.\n\n";
}

}  // namespace copse::bench
