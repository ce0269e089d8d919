#include "bench/paper_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/paper_figures.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

using measure::measurement;
using measure::with_commas;

std::string from(paper_result const& r) {
    return r.source.empty() ? name_of(r.what.kind) : "file";
}

/// "gpu, persistent plan"
std::string place_of(measurement const& m) {
    auto const controller = m.controller && m.mode == "oneshot" ? ", " + *m.controller : "";
    return m.on + controller + (m.mode == "oneshot" ? "" : ' ' + m.mode);
}

/// GFLOP/s of each format, in this order; "-" for one that did not take part.
std::vector<std::string> speeds(race all, std::vector<std::string> const& formats) {
    std::vector<std::string> cells;
    for (auto const& format : formats) {
        auto const found =
            std::find_if(all.begin(), all.end(), [&](measurement const& m) { return m.format == format; });
        cells.push_back(found == all.end()  ? "-"
                        : found->is_right() ? fmt::format("{:.2f}", found->gflops())
                                            : fmt::format("WRONG by {:.3g} bounds", found->max_error));
    }
    return cells;
}

std::string gain(race all, std::string const& format) {
    auto const* const m = find(all, format);
    return m ? times_faster(*m, find(all, "csr")) : "-";
}

void append(std::vector<std::string>& to, std::vector<std::string> const& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// add(result, race) for every race of the paper's matrices.
template <class F>
void for_races(std::span<paper_result const> results, paper where, F const& add) {
    for (auto const& r : results)
        if (r.what.where == where)
            for (race const all : races_of(r)) add(r, all);
}

bool has_matrices(std::span<paper_result const> results, paper where) {
    return std::any_of(results.begin(), results.end(), [&](paper_result const& r) { return r.what.where == where; });
}

std::string notes_of(std::span<paper_result const> results) {
    std::string text;
    for (auto const& r : results)
        for (auto const& note : r.notes) text += "  " + measure::one_line(note) + '\n';
    return text.empty() ? "" : "Formats that took no part:\n" + text + '\n';
}

std::string largest_algorithm_6_error(std::span<paper_result const> results) {
    double largest = 0;
    for (auto const& r : results) largest = std::max(largest, r.algorithm_6_error.value_or(0));
    return fmt::format(
        "alg. 6: CSR5's product by algorithms 8 and 6 of its paper, plain loops; flags: the same loops, segments "
        "summed on "
        "their own.\nThe rounding that algorithm 6 lets through was up to {:.3g} times what a row's own entries "
        "explain.\n",
        largest);
}

}  // namespace

std::vector<race> races_of(paper_result const& result) {
    std::vector<race> all;
    for (race rest = result.records; !rest.empty(); rest = rest.subspan(all.back().size())) {
        auto const is_other = [&](measurement const& m) {
            return m.on != rest.front().on || m.controller != rest.front().controller || m.mode != rest.front().mode;
        };
        all.push_back(rest.first(std::find_if(rest.begin(), rest.end(), is_other) - rest.begin()));
    }
    return all;
}

measurement const* find(race all, std::string const& format) {
    return fastest(all, [&](measurement const& m) { return m.format == format; });
}

std::string csr5_table(std::span<paper_result const> results) {
    if (!has_matrices(results, paper::csr5)) return "";
    measure::table t("lllrrrrrrllrrrrrrr");
    t.add({"id", "matrix", "from", "rows", "columns", "entries", "min", "avg", "max", "type", "on", "csr", "csr5",
           "alg. 6", "flags", "sellp", "cmrs", "csr5 vs csr"});
    for_races(results, paper::csr5, [&](paper_result const& r, race all) {
        auto const& m = all.front();
        std::vector<std::string> cells{r.what.id,
                                       r.what.name,
                                       from(r),
                                       with_commas(m.rows),
                                       with_commas(m.columns),
                                       with_commas(m.entries),
                                       with_commas(r.rows.minimum),
                                       fmt::format("{:.1f}", r.rows.mean),
                                       with_commas(r.rows.maximum),
                                       m.type,
                                       place_of(m)};
        append(cells, speeds(all, {"csr", "csr5", algorithm_6, plain_flags, "sellp", "cmrs"}));
        cells.push_back(gain(all, "csr5"));
        t.add(cells);
    });
    return "CSR5's Table 2 (Liu & Vinter), GFLOP/s of A x:\n" + t.text("  ") + largest_algorithm_6_error(results) +
           '\n';
}

std::string sellp_table(std::span<paper_result const> results) {
    if (!has_matrices(results, paper::sellp)) return "";
    measure::table t("llrrrllrrrrrrrrr");
    t.add({"matrix", "from", "n", "entries", "per row", "type", "on", "csr", "csr5", "sellp", "cmrs", "sellp vs csr",
           "MKL *", "sellp *", "cusparse csr *", "hyb *"});
    for_races(results, paper::sellp, [&](paper_result const& r, race all) {
        auto const& m = all.front();
        std::vector<std::string> cells{
            r.what.name, from(r),    with_commas(m.rows), with_commas(m.entries), fmt::format("{:.2f}", r.rows.mean),
            m.type,      place_of(m)};
        append(cells, speeds(all, {"csr", "csr5", "sellp", "cmrs"}));
        cells.push_back(gain(all, "sellp"));
        auto const figures = sellp_figures_of(r.what.name);
        auto const gflops = [&](double seconds) {
            return fmt::format("{:.2f}", 2e-9 * static_cast<double>(r.what.entries) / seconds);
        };
        if (figures)
            append(cells, {gflops(figures->mkl_csr), gflops(figures->sellp), gflops(figures->cusparse_csr),
                           gflops(figures->cusparse_hyb)});
        else
            append(cells, {"-", "-", "-", "-"});
        t.add(cells);
    });
    return "SELL-P's Tables I and III (Anzt, Tomov, Dongarra), GFLOP/s of A x:\n" + t.text("  ") +
           "* from the paper's seconds, double: MKL on two Xeon E5-2670 (16 cores), the others on a Tesla K40c\n\n";
}

std::string paper_report(std::span<paper_result const> results, ceilings const& measured) {
    return csr5_table(results) + scenario_table(results) + sigma_table(results) + sellp_table(results) +
           cmrs_table(results, measured) + notes_of(results);
}

}  // namespace copse::bench
