#include "bench/addition_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "bench/peers/peers.hpp"
#include "bench/report.hpp"
#include "cli/race.hpp"
#include "cli/text.hpp"

namespace copse::bench {
namespace {

using measure::human_seconds;
using measure::measurement;
using measure::with_commas;

std::string sum_of(measurement const& m) {
    return fmt::format("A{} + B{}", m.transpose ? "^T" : "", m.plus->transpose ? "^T" : "");
}

/// The records of the first matrix, type and sum.
std::span<measurement const> first_race(std::span<measurement const> records) {
    auto const is_other = [&first = records.front()](measurement const& m) {
        return m.matrix != first.matrix || m.type != first.type || sum_of(m) != sum_of(first);
    };
    return records.first(std::find_if(records.begin(), records.end(), is_other) - records.begin());
}

/// The fastest library that was right, or null.
measurement const* fastest_peer(std::span<measurement const> race) {
    measurement const* best = nullptr;
    for (auto const& m : race)
        if (is_peer(m.format) && m.is_right() && (best == nullptr || m.seconds < best->seconds)) best = &m;
    return best;
}

/// The one of this format, if it was right, or null.
measurement const* find(std::span<measurement const> race, std::string const& format) {
    for (auto const& m : race)
        if (m.format == format && m.is_right()) return &m;
    return nullptr;
}

/// `other` may be null.
std::string times_faster(measurement const& m, measurement const* other) {
    return other ? fmt::format("{:.2f}x", other->seconds / m.seconds) : "-";
}

std::vector<std::string> cells(measurement const& m, std::span<measurement const> race, ceilings const& measured) {
    auto const convert = m.convert_seconds == 0 ? "-" : human_seconds(m.convert_seconds);
    auto const threads = std::to_string(m.threads);
    if (!m.is_right()) {
        auto const wrong = fmt::format("WRONG by {:.3g} bounds", m.max_error);
        return {sum_of(m), m.format, threads, convert, wrong, "-", "-", "-", "-", "-", "-", "-"};
    }
    return {sum_of(m),
            m.format,
            threads,
            convert,
            human_seconds(m.first_seconds),
            human_seconds(m.seconds),
            fmt::format("{:.0f} %", 100 * m.spread),
            fmt::format("{:.0f}", 1e-6 * m.entries_per_second()),
            fmt::format("{:.2f}", m.gbytes_per_second()),
            fmt::format("{:.0f} %", 100 * fraction_of_ceiling(m, measured)),
            times_faster(m, find(race, "csr")),
            times_faster(m, fastest_peer(race))};
}

}  // namespace

std::string peer_heading() {
    if (peers().empty()) return "compared with no other library: none was found (bench/run --peers installs them)\n\n";
    std::string text;
    for (auto const& p : peers()) text += (text.empty() ? "compared with " : ", ") + p.version;
    return text + "\n\n";
}

std::string addition_table(std::vector<measurement> const& records, ceilings const& measured) {
    auto const& m = records.front();
    measure::table t("llrrrrrrrrrr");
    t.add({"", "format", "threads", "convert", "first", "median", "spread", "Mentries/s", "GB/s", "of ceiling",
           "vs csr", "vs peers"});
    for (std::span<measurement const> rest = records; !rest.empty();) {
        auto const race = first_race(rest);
        for (auto const& record : race) t.add(cells(record, race, measured));
        rest = rest.subspan(race.size());
    }
    return fmt::format("{}: {} x {}, {} entries; B: {}; A + B: {}; {}\n", measure::one_line(m.matrix),
                       with_commas(m.rows), with_commas(m.columns), with_commas(m.entries),
                       with_commas(m.plus->entries), with_commas(m.plus->result_entries), m.type) +
           t.text("  ") + '\n';
}

std::string addition_summary(std::vector<measurement> const& records) {
    measure::table t("lllrllr");
    t.add({"matrix", "type", "", "fastest peer", "", "format", "speed"});
    std::map<std::vector<std::string>, std::vector<double>> ratios;
    for (std::span<measurement const> rest = records; !rest.empty();) {
        auto const race = first_race(rest);
        rest = rest.subspan(race.size());
        auto const* best = fastest_peer(race);
        if (best == nullptr) continue;
        for (auto const& m : race) {
            if (is_peer(m.format) || !m.is_right()) continue;
            t.add({measure::one_line(m.matrix), m.type, sum_of(m), human_seconds(best->seconds), best->format, m.format,
                   times_faster(m, best)});
            ratios[{m.type, sum_of(m), m.format}].push_back(best->seconds / m.seconds);
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
