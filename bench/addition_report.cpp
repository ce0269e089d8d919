#include "bench/addition_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/peers/peers.hpp"
#include "bench/races.hpp"
#include "bench/report.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

using measure::human_seconds;
using measure::measurement;
using measure::with_commas;

/// The one of this format, if it was right, or null.
measurement const* find(race all, std::string const& format) {
    return fastest(all, [&](measurement const& m) { return m.format == format; });
}

std::vector<std::string> cells(measurement const& m, race all, ceilings const& measured) {
    auto const convert = m.convert_seconds == 0 ? "-" : human_seconds(m.convert_seconds);
    auto const threads = std::to_string(m.threads);
    if (!m.is_right()) {
        auto const wrong = fmt::format("WRONG by {:.3g} bounds", m.max_error);
        return {operation_of(m), m.format, threads, convert, wrong, "-", "-", "-", "-", "-", "-", "-"};
    }
    return {operation_of(m),
            m.format,
            threads,
            convert,
            human_seconds(m.first_seconds),
            human_seconds(m.seconds),
            fmt::format("{:.0f} %", 100 * m.spread),
            fmt::format("{:.0f}", 1e-6 * m.entries_per_second()),
            fmt::format("{:.2f}", m.gbytes_per_second()),
            fmt::format("{:.0f} %", 100 * fraction_of_ceiling(m, measured)),
            times_faster(m, find(all, "csr")),
            times_faster(m, fastest_peer(all))};
}

}  // namespace

std::string addition_table(std::vector<measurement> const& records, ceilings const& measured) {
    auto const& m = records.front();
    measure::table t("llrrrrrrrrrr");
    t.add({"", "format", "threads", "convert", "first", "median", "spread", "Mentries/s", "GB/s", "of ceiling",
           "vs csr", "vs peers"});
    for (auto const& all : races_of(records))
        for (auto const& record : all) t.add(cells(record, all, measured));
    return fmt::format("{}: {} x {}, {} entries; B: {}; A + B: {}; {}\n", measure::one_line(m.matrix),
                       with_commas(m.rows), with_commas(m.columns), with_commas(m.entries),
                       with_commas(m.plus->entries), with_commas(m.plus->result_entries), m.type) +
           t.text("  ") + '\n';
}

std::string addition_summary(std::vector<measurement> const& records) {
    measure::table t("lllrllr");
    t.add({"matrix", "type", "", "fastest peer", "", "format", "speed"});
    std::map<std::vector<std::string>, std::vector<double>> ratios;
    for (auto const& all : races_of(records)) {
        auto const* best = fastest_peer(all);
        if (best == nullptr) continue;
        for (auto const& m : all) {
            if (is_peer(m.format) || !m.is_right()) continue;
            t.add({measure::one_line(m.matrix), m.type, operation_of(m), human_seconds(best->seconds), best->format,
                   m.format, times_faster(m, best)});
            ratios[{m.type, operation_of(m), m.format}].push_back(best->seconds / m.seconds);
        }
    }
    if (ratios.empty()) return "";
    for (auto& [key, all] : ratios) {
        std::sort(all.begin(), all.end());
        t.add({fmt::format("median of {}", all.size()), key[0], key[1], "", "", key[2],
               fmt::format("{:.2f}x", measure::quantile(all, 0.5))});
    }
    return "Our formats, times the speed of the fastest peer:\n" + t.text("  ");
}

}  // namespace copse::bench
