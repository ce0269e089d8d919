#include "bench/size_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bench/harness/measurement.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

using measure::with_commas;

constexpr int node_dimensions[] = {64, 128, 256};

std::string per_entry(std::int64_t bytes, std::int64_t entries) {
    return entries == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(bytes) / static_cast<double>(entries));
}

std::string dimensions_text(std::vector<int> const& dimensions) {
    std::string text;
    for (int d : dimensions) text += fmt::format("{}{}", text.empty() ? "" : ", ", d);
    return text;
}

std::string limit_text(size_goal const& goal) {
    return fmt::format("{} {:.2f}", goal.is_open ? "<" : "<=", goal.limit);
}

std::string goals_text(matrix_sizes const& s) {
    std::string text;
    for (size_goal const& goal : s.goals)
        text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", goal.name, limit_text(goal),
                            goal.is_met_with(s.found.node_dimension) ? "yes" : "NO");
    return text.empty() ? "-" : text;
}

std::vector<std::string> cells(matrix_sizes const& s) {
    auto const& d = s.found;
    std::vector<std::string> row{measure::one_line(d.matrix),
                                 with_commas(d.rows),
                                 with_commas(d.columns),
                                 with_commas(d.entries),
                                 fmt::format("{:.1f}", s.entries_per_row()),
                                 fmt::format("{:.1f}", s.entries_per_block(d.node_dimension)),
                                 d.type};
    for (auto const& f : d.formats) {
        row.push_back(per_entry(f.bytes, d.entries));
        if (f.format == "csr") row.push_back(per_entry(s.csr_bytes_in_memory, d.entries));
    }
    row.push_back(goals_text(s));
    return row;
}

/// How many bytes fewer than in `format` HiSparse takes, over all matrices of a type that have entries.
std::string saving(std::vector<matrix_sizes> const& all, std::string const& type, std::string const& format) {
    std::vector<double> savings;
    for (auto const& s : all)
        if (s.found.type == type && s.found.entries > 0)
            savings.push_back(1 - s.bytes_per_entry("hisparse", s.found.node_dimension) / s.bytes_per_entry(format));
    std::sort(savings.begin(), savings.end());
    double const mean = std::accumulate(savings.begin(), savings.end(), 0.0) / static_cast<double>(savings.size());
    return fmt::format("{:.0f} % less than {} (median {:.0f} %)", 100 * mean, format == "coo" ? "COO" : "CSR",
                       100 * measure::quantile(savings, 0.5));
}

std::string savings(std::vector<matrix_sizes> const& all) {
    std::string text;
    for (std::string const type : {"float", "double"}) {
        auto const count = std::count_if(
            all.begin(), all.end(), [&](matrix_sizes const& s) { return s.found.type == type && s.found.entries > 0; });
        if (count == 0) continue;
        text += fmt::format("mean over {} matri{}, {}, d = {}: {}, {}\n", count, count == 1 ? "x" : "ces", type,
                            all.front().found.node_dimension, saving(all, type, "coo"), saving(all, type, "csr"));
    }
    return text;
}

/// "sparse leaves: 13 % of the entries at 6.90, diagonal ...; inner nodes 0.05"
std::string where_bytes_are(measure::matrix_description const& d) {
    std::string text;
    double inner = 0;
    for (auto const& l : d.levels) {
        if (!l.holds_entries()) {
            inner += static_cast<double>(l.bytes) / static_cast<double>(d.entries);
            continue;
        }
        text += fmt::format("{} leaves of {:.1f} with {:.0f} % of the entries at {}; ", l.kind,
                            static_cast<double>(l.entries) / static_cast<double>(l.nodes),
                            100 * static_cast<double>(l.entries) / static_cast<double>(d.entries),
                            per_entry(l.bytes, l.entries));
    }
    return text + fmt::format("inner nodes {:.2f}", inner);
}

std::string missed_goals(std::vector<matrix_sizes> const& all) {
    std::string text;
    int goals = 0, missed = 0;
    for (auto const& s : all) {
        int const d = s.found.node_dimension;
        for (size_goal const& goal : s.goals) {
            ++goals;
            if (goal.is_met_with(d)) continue;
            ++missed;
            text += fmt::format("  {}, {}: {} {}, but {:.2f}{}\n    {}\n", measure::one_line(s.found.matrix),
                                s.found.type, goal.name, limit_text(goal), s.bytes_per_entry("hisparse", d),
                                goal.met_with.empty() ? "" : "; met with d = " + dimensions_text(goal.met_with),
                                where_bytes_are(s.found));
        }
    }
    return fmt::format("{} of {} goals met with d = {}{}\n", goals - missed, goals, all.front().found.node_dimension,
                       missed == 0 ? "" : "; missed, and where the bytes per entry are:") +
           text;
}

}  // namespace

std::string size_table(std::vector<matrix_sizes> const& all) {
    measure::table t("lrrrrrlrrrrrrl");
    std::vector<std::string> header{"matrix",  "rows",
                                    "columns", "entries",
                                    "per row", fmt::format("per leaf d={}", all.front().found.node_dimension),
                                    "type",    "coo",
                                    "csr",     "csr, 8-byte offsets"};
    for (int d : node_dimensions) header.push_back(fmt::format("hisparse d={}", d));
    header.push_back("goals, bytes per entry");
    t.add(header);
    for (auto const& s : all) t.add(cells(s));
    return "Bytes per entry; csr: 4-byte column indices, offsets of 4 bytes up to 2^31 entries. The goals compare with "
           "that.\n" +
           t.text("  ") + savings(all) + missed_goals(all);
}

std::string size_json_line(matrix_sizes const& s, machine const& where) {
    using json = nlohmann::ordered_json;
    auto const& d = s.found;
    json formats = measure::to_json(d)["formats"];
    json goals = json::array();
    for (size_goal const& goal : s.goals)
        goals.push_back({{"goal", goal.name},
                         {"limit_bytes_per_entry", goal.limit},
                         {"below", goal.is_open},
                         {"met", goal.is_met_with(d.node_dimension)},
                         {"met_with_node_dimensions", goal.met_with}});
    return measure::json_line({{"op", "sizes"},
                               {"matrix", d.matrix},
                               {"type", d.type},
                               {"rows", d.rows},
                               {"cols", d.columns},
                               {"entries", d.entries},
                               {"entries_per_row", s.entries_per_row()},
                               {"formats", std::move(formats)},
                               {"csr_bytes_in_memory", s.csr_bytes_in_memory},
                               {"node_dimension", d.node_dimension},
                               {"goals", std::move(goals)},
                               {"date", where.date},
                               {"commit", where.commit}});
}

}  // namespace copse::bench
