#include "bench/format_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "bench/races.hpp"

namespace copse::bench {
namespace {

using measure::measurement;

constexpr std::array formats{"hisparse", "csr", "csr5", "sellp", "cmrs"};

bool is_planned_here(measurement const& m) {
    return m.on == "cpu" && m.mode == "plan";
}

/// The record of the format's plan, or null.
measurement const* plan_of(race all, std::string const& format) {
    return fastest(all, [&](measurement const& m) { return is_planned_here(m) && m.format == format; });
}

/// What auto multiplies by: HiSparse where the format that the rule gives refused the matrix.
measurement const* taken_by_auto(race all) {
    auto const& wanted = all.front().auto_format;
    if (!wanted) return nullptr;
    auto const* taken = plan_of(all, *wanted);
    return taken ? taken : plan_of(all, "hisparse");
}

/// Speeds as ratios, by column, for their geometric means.
class ratio_columns {
  public:
    std::string add(std::size_t column, double ratio) {
        auto& [sum, count] = columns_[column];
        sum += std::log(ratio);
        ++count;
        return text(ratio);
    }
    std::string mean(std::size_t column) const {
        auto const found = columns_.find(column);
        return found == columns_.end() ? "-" : text(std::exp(found->second.first / found->second.second));
    }

  private:
    static std::string text(double ratio) { return fmt::format("{:.2f}x", ratio); }
    std::map<std::size_t, std::pair<double, int>> columns_;
};

constexpr std::size_t auto_column = formats.size();

std::vector<std::string> cells(race all, measurement const& yardstick, ratio_columns& means) {
    std::vector<std::string> row{operation_of(all.front()), measure::one_line(all.front().matrix), all.front().type};
    for (std::size_t i = 0; i < formats.size(); ++i) {
        auto const* m = plan_of(all, formats[i]);
        row.push_back(m ? means.add(i, yardstick.seconds / m->seconds) : "-");
    }
    auto const *best = fastest(all, is_planned_here), *taken = taken_by_auto(all);
    row.push_back(best ? best->format : "-");
    row.push_back(taken ? taken->format : "-");
    row.push_back(best && taken ? means.add(auto_column, best->seconds / taken->seconds) : "-");
    return row;
}

}  // namespace

std::optional<measure::table> format_table(std::vector<measurement> const& records) {
    measure::table t("lllrrrrrllr");
    std::vector<std::string> head{"", "matrix", "type"};
    head.insert(head.end(), formats.begin(), formats.end());
    head.insert(head.end(), {"fastest", "auto", "vs fastest"});
    t.add(head);
    std::map<std::pair<std::string, std::string>, ratio_columns> means;
    for (auto const& all : races_of(records)) {
        if (!all.front().auto_format) continue;
        auto const* yardstick = fastest_peer(all);
        if (yardstick == nullptr)
            yardstick = fastest(all, [](measurement const& m) { return m.format == "csr" && m.mode == "oneshot"; });
        if (yardstick != nullptr) t.add(cells(all, *yardstick, means[{all.front().type, operation_of(all.front())}]));
    }
    if (means.empty()) return std::nullopt;
    for (auto const& [key, columns] : means) {
        std::vector<std::string> row{key.second, "geometric mean", key.first};
        for (std::size_t i = 0; i < formats.size(); ++i) row.push_back(columns.mean(i));
        row.insert(row.end(), {"", "", columns.mean(auto_column)});
        t.add(row);
    }
    return t;
}

std::string auto_summary(std::vector<measurement> const& records) {
    int hits = 0, count = 0;
    for (auto const& all : races_of(records)) {
        auto const *best = fastest(all, is_planned_here), *taken = taken_by_auto(all);
        if (best == nullptr || taken == nullptr) continue;
        ++count;
        hits += taken->seconds <= 1.1 * best->seconds;
    }
    return count == 0 ? ""
                      : fmt::format("auto: within 10 % of the fastest format in {} of {} product{}\n", hits, count,
                                    count == 1 ? "" : "s");
}

}  // namespace copse::bench
