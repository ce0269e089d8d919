#include "bench/product_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <copse/runtime/error.hpp>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>

#include "bench/format_report.hpp"
#include "bench/peers/peers.hpp"
#include "bench/races.hpp"
#include "bench/report.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

using measure::human_seconds;
using measure::measurement;

measurement const* fastest_hisparse(race all) {
    return fastest(all, [](measurement const& m) { return m.format == "hisparse" && m.on == "cpu"; });
}

measurement const* fastest_of_ours(race all) {
    return fastest(all, [](measurement const& m) {
        return m.on == "cpu" && !is_peer(m.format) && m.format != "csr-of-transpose";
    });
}

std::string name_or_none(measurement const* m) {
    return m ? format_name(*m) : "-";
}

std::string time_or_none(measurement const* m) {
    return m ? human_seconds(m->seconds) : "-";
}

/// b's time over a's; none where one is missing.
std::optional<double> speed(measurement const* a, measurement const* b) {
    return a && b ? std::optional(b->seconds / a->seconds) : std::nullopt;
}

std::string times(std::optional<double> ratio) {
    return ratio ? fmt::format("{:.2f}x", *ratio) : "-";
}

/// Of one race.
struct ratios {
    std::optional<double> hisparse;   // speed in times of the fastest peer's
    std::optional<double> ours;       // the same of the best of our formats
    std::optional<double> transpose;  // of A^T x, in times of A x by HiSparse
};

/// The A x that the A^T x of `all` belongs to; null for an A x.
measurement const* plain_hisparse(std::vector<race> const& races, race all) {
    if (!all.front().transpose) return nullptr;
    for (auto const& other : races)
        if (!other.front().transpose && other.front().matrix == all.front().matrix &&
            other.front().type == all.front().type)
            return fastest_hisparse(other);
    return nullptr;
}

std::string mean_of(std::vector<ratios> const& all, std::optional<double> ratios::*which) {
    double sum = 0;
    int count = 0;
    for (auto const& one : all) {
        if (!(one.*which)) continue;
        sum += std::log(*(one.*which));
        ++count;
    }
    return count == 0 ? "-" : times(std::exp(sum / count));
}

std::string format_title(std::vector<measurement> const& records, std::string const& mode) {
    bool const has_peers = std::any_of(records.begin(), records.end(), [](auto const& m) { return is_peer(m.format); });
    return fmt::format("Our formats {}, times the speed of {}", mode == "plan" ? "from plans" : "one-shot",
                       has_peers ? "the fastest peer" : "plain CSR");
}

/// None without peers.
std::optional<measure::table> peer_table(std::vector<measurement> const& records) {
    measure::table t("lllrlrrlrrr");
    t.add({"", "matrix", "type", "fastest peer", "", "hisparse", "vs peer", "best of ours", "", "vs peer",
           "A^T x vs A x"});
    auto const races = races_of(records);
    std::map<std::pair<std::string, std::string>, std::vector<ratios>> by_product;
    for (auto const& all : races) {
        auto const* peer = fastest_peer(all);
        if (peer == nullptr) continue;
        auto const* tree = fastest_hisparse(all);
        auto const* best = fastest_of_ours(all);
        ratios const r{speed(tree, peer), speed(best, peer), speed(tree, plain_hisparse(races, all))};
        auto const product = operation_of(*peer);
        t.add({product, measure::one_line(peer->matrix), peer->type, time_or_none(peer), name_or_none(peer),
               time_or_none(tree), times(r.hisparse), name_or_none(best), time_or_none(best), times(r.ours),
               times(r.transpose)});
        by_product[{peer->type, product}].push_back(r);
    }
    if (by_product.empty()) return std::nullopt;
    for (auto const& [key, all] : by_product)
        t.add({key.second, fmt::format("geometric mean of {}", all.size()), key.first, "", "", "",
               mean_of(all, &ratios::hisparse), "", "", mean_of(all, &ratios::ours), mean_of(all, &ratios::transpose)});
    return t;
}

std::vector<std::string> matrices_of(std::vector<measurement> const& records, std::string const& type) {
    std::map<std::string, double> fullness;
    std::vector<std::string> names;
    for (auto const& m : records) {
        if (m.type != type || fullness.contains(m.matrix)) continue;
        fullness[m.matrix] = m.entries_per_block.value_or(0);
        names.push_back(m.matrix);
    }
    std::stable_sort(names.begin(), names.end(),
                     [&](std::string const& a, std::string const& b) { return fullness[a] < fullness[b]; });
    return names;
}

/// 1.3, 128, 15,625
std::string fullness_text(measurement const& m) {
    double const entries = m.entries_per_block.value_or(0);
    return entries < 100 ? fmt::format("{:.1f}", entries) : measure::with_commas(std::llround(entries));
}

bool is_flat_oneshot(measurement const& m) {
    constexpr std::array<std::string_view, 5> names{flat_csr, "csr5", "sellp", sorted_sellp, "cmrs"};
    return m.mode == "oneshot" && std::find(names.begin(), names.end(), m.format) != names.end();
}

void add_to(plot_panel& panel, measurement const& m, std::size_t column, std::size_t columns) {
    auto const name = format_name(m);
    auto found =
        std::find_if(panel.series.begin(), panel.series.end(), [&](plot_series const& s) { return s.name == name; });
    if (found == panel.series.end()) {
        panel.series.push_back({name, !is_peer(m.format), std::vector<std::optional<double>>(columns)});
        found = panel.series.end() - 1;
    }
    found->values[column] = m.csr_gbytes_per_second();
}

void write_file(std::string const& path, std::string const& text) {
    std::ofstream file(path, std::ios::binary);
    file << text << std::flush;
    if (!file) throw error("cannot write '" + path + "'");
}

}  // namespace

std::string peer_summary(std::vector<measurement> const& records) {
    auto const t = peer_table(records);
    return t ? "Ours beside the fastest peer; vs peer: times its speed:\n" + t->text("  ") : "";
}

std::string format_summary(std::vector<measurement> const& records) {
    std::string text;
    for (std::string const mode : {"plan", "oneshot"})
        if (auto const t = format_table(records, mode))
            text += (text.empty() ? "" : "\n") + format_title(records, mode) + ":\n" + t->text("  ") +
                    auto_summary(records, mode);
    return text;
}

std::string markdown_report(machine const& where, ceilings const& measured, std::vector<measurement> const& records,
                            std::vector<std::string> const& notes) {
    bool const has_peers =
        std::any_of(records.begin(), records.end(), [](measurement const& m) { return is_peer(m.format); });
    std::string text = "# Products\n\n```\n" + heading(where, measured) + (has_peers ? peer_heading(false) : "");
    text.pop_back();  // the blank line behind the heading
    text += "```\n\n";
    for (auto const& note : notes) text += "- " + note + '\n';
    if (!notes.empty()) text += '\n';
    if (auto const t = peer_table(records))
        text += "## Ours beside the fastest peer\n\n`vs peer`: times its speed.\n\n" + t->markdown() + '\n';
    for (std::string const mode : {"plan", "oneshot"})
        if (auto const t = format_table(records, mode))
            text += "## " + format_title(records, mode) + "\n\n" + t->markdown() + '\n' + auto_summary(records, mode) +
                    '\n';
    std::span<measurement const> rest = records;
    while (!rest.empty()) {
        auto const title = matrix_title(rest.front());
        auto const is_other = [&](measurement const& m) { return matrix_title(m) != title; };
        auto const one = rest.first(std::find_if(rest.begin(), rest.end(), is_other) - rest.begin());
        text += "## " + title + "\n\n" + matrix_rows(one, measured).markdown() + '\n';
        rest = rest.subspan(one.size());
    }
    return text;
}

plot product_plot(std::vector<measurement> const& records, ceilings const& measured, std::string const& type) {
    auto const names = matrices_of(records, type);
    plot p{fmt::format("Products on the cpu, {}, {} threads", type, measured.triad.threads),
           "GB/s that CSR would move in the time",
           "matrices, by entries per block that has any (in brackets)",
           std::vector<std::string>(names.size()),
           "triad",
           measured.triad.gbytes_per_second,
           {{"y <- A x", {}}, {"y <- A^T x", {}}}};
    for (auto const& m : records) {
        if (m.type != type) continue;
        auto const column = static_cast<std::size_t>(std::find(names.begin(), names.end(), m.matrix) - names.begin());
        p.columns[column] = fmt::format("{} ({})", measure::one_line(m.matrix), fullness_text(m));
        if (m.on == "cpu" && m.is_right() && m.entries > 0 && !is_flat_oneshot(m))
            add_to(p.panels[m.transpose ? 1 : 0], m, column, names.size());
    }
    return p;
}

void write_report(std::string const& folder, machine const& where, ceilings const& measured,
                  std::vector<measurement> const& records, std::vector<std::string> const& notes) {
    write_file(folder + "/spmv.md", markdown_report(where, measured, records, notes));
    for (std::string const type : {"double", "float", "mixed"}) {
        auto const p = product_plot(records, measured, type);
        if (!p.columns.empty()) write_file(folder + "/spmv-" + type + ".svg", to_svg(p));
    }
}

}  // namespace copse::bench
