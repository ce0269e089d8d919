#include "bench/tuning_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/measurement.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

bool is_like(tuning_race const& a, tuning_race const& b) {
    return a.format == b.format && a.type == b.type && a.on == b.on;
}

/// Races that belong together, each group in the order of the matrices.
std::vector<std::vector<tuning_race>> groups_of(std::vector<tuning_race> const& races) {
    std::vector<std::vector<tuning_race>> groups;
    for (auto const& race : races) {
        auto const found =
            std::find_if(groups.begin(), groups.end(), [&](auto const& group) { return is_like(group.front(), race); });
        if (found == groups.end())
            groups.push_back({race});
        else
            found->push_back(race);
    }
    return groups;
}

std::string cell(tuning_race const& race, std::string const& size) {
    auto const found =
        std::find_if(race.sizes.begin(), race.sizes.end(), [&](tried_size const& s) { return s.size == size; });
    auto const* const chosen = race.of_default();
    if (found == race.sizes.end() || found->seconds == 0 || chosen == nullptr || chosen->seconds == 0) return "-";
    if (found->is_default) return "default " + measure::human_seconds(found->seconds);
    return fmt::format("{:.2f}", found->seconds / chosen->seconds);
}

/// The fastest on average of the sizes that took part in as many races as any did.
size_summary best_of(std::vector<size_summary> const& all) {
    int most = 0;
    for (auto const& one : all) most = std::max(most, one.matrices);
    size_summary best{"", 1, 0};
    for (auto const& one : all)
        if (one.matrices == most && (best.matrices == 0 || one.relative < best.relative)) best = one;
    return best;
}

/// CSR5 on executors that choose by the rule.
std::string rule_text(std::vector<tuning_race> const& group) {
    if (group.front().format != "csr5" || group.front().on == "cpu") return "";
    auto const [rule, relative] = fit_sigma_rule(group);
    return fmt::format("  best <r, s, t, u>: <{}, {}, {}, {}>, {:.3f} times the default's time\n", rule.r, rule.s,
                       rule.t, rule.u, relative);
}

std::string group_text(std::vector<tuning_race> const& group) {
    auto const& first = group.front();
    auto const all = summarize(group);
    measure::table t("l" + std::string(group.size() + 3, 'r'));
    std::vector<std::string> header{"size"};
    for (auto const& race : group) header.push_back(measure::one_line(race.matrix));
    header.insert(header.end(), {"geometric mean", "of", "near best"});
    t.add(header);
    for (auto const& one : all) {
        std::vector<std::string> row{one.size};
        for (auto const& race : group) row.push_back(cell(race, one.size));
        row.push_back(one.matrices > 0 ? fmt::format("{:.3f}", one.relative) : "-");
        row.push_back(std::to_string(one.matrices));
        row.push_back(std::to_string(one.near_best));
        t.add(row);
    }
    auto const best = best_of(all);
    return fmt::format("{}, {}, {}: time in units of the default's\n", first.format, first.type, first.on) +
           t.text("  ") + rule_text(group) +
           (best.matrices == 0
                ? "  the default took no part\n\n"
                : fmt::format(
                      "  best: {}; the default loses {:.1f} %; a second matrix like the default's takes {:.3f}\n\n",
                      best.size, 100 * (1 / best.relative - 1), noise_of(group)));
}

}  // namespace

std::string tuning_report(std::vector<tuning_race> const& races) {
    std::string text;
    for (auto const& group : groups_of(races)) text += group_text(group);
    return text;
}

std::vector<std::string> tuning_json_lines(tuning_race const& race, machine const& where) {
    using json = nlohmann::ordered_json;
    std::vector<std::string> lines;
    auto const* const chosen = race.of_default();
    for (auto const& s : race.sizes) {
        bool const took_part = s.seconds > 0;
        json object{{"op", "tune"},  {"format", race.format}, {"matrix", race.matrix},  {"type", race.type},
                    {"on", race.on}, {"size", s.size},        {"default", s.is_default}};
        object["seconds"] = took_part ? json(s.seconds) : json(nullptr);
        object["relative_seconds"] =
            took_part && chosen && chosen->seconds > 0 ? json(s.seconds / chosen->seconds) : json(nullptr);
        object["noise"] = race.default_again > 0 && chosen && chosen->seconds > 0
                              ? json(race.default_again / chosen->seconds)
                              : json(nullptr);
        object["bytes"] = took_part ? json(s.bytes) : json(nullptr);
        object["cpu_model"] = where.cpu_model;
        object["gpu"] = where.gpu.empty() ? json(nullptr) : json(where.gpu);
        object["date"] = where.date;
        object["commit"] = where.commit;
        lines.push_back(measure::json_line(object));
    }
    return lines;
}

}  // namespace copse::bench
