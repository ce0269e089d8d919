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

/// Our products of one mode on the cpu.
class products {
  public:
    products(race all, std::string mode) : all_(all), mode_(std::move(mode)) {}

    /// The record of the format, or null.
    measurement const* of(std::string const& format) const {
        auto const name = format == "csr" && mode_ == "oneshot" ? flat_csr : format;
        return copse::bench::fastest(
            all_, [&](measurement const& m) { return m.on == "cpu" && m.mode == mode_ && m.format == name; });
    }

    /// The format that is fastest; empty without any.
    std::string fastest() const {
        std::string best;
        for (auto const* format : formats)
            if (of(format) && (best.empty() || of(format)->seconds < of(best)->seconds)) best = format;
        return best;
    }

    /// What auto multiplies by: HiSparse where the format that the rule gives refused the matrix. Empty for records
    /// without auto.
    std::string taken() const {
        auto const best = fastest();
        if (best.empty() || !of(best)->auto_format) return "";
        auto const& wanted = *of(best)->auto_format;
        return of(wanted) ? wanted : of("hisparse") ? "hisparse" : "";
    }

    /// The speed of what auto takes in times of that of the fastest.
    double taken_over_fastest() const { return of(fastest())->seconds / of(taken())->seconds; }

  private:
    race all_;
    std::string mode_;
};

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

std::vector<std::string> cells(products const& ours, measurement const& yardstick, ratio_columns& means) {
    std::vector<std::string> row{operation_of(yardstick), measure::one_line(yardstick.matrix), yardstick.type};
    for (std::size_t i = 0; i < formats.size(); ++i) {
        auto const* m = ours.of(formats[i]);
        row.push_back(m ? means.add(i, yardstick.seconds / m->seconds) : "-");
    }
    row.insert(row.end(), {ours.fastest(), ours.taken(), means.add(auto_column, ours.taken_over_fastest())});
    return row;
}

}  // namespace

std::optional<measure::table> format_table(std::vector<measurement> const& records, std::string const& mode) {
    measure::table t("lllrrrrrllr");
    std::vector<std::string> head{"", "matrix", "type"};
    head.insert(head.end(), formats.begin(), formats.end());
    head.insert(head.end(), {"fastest", "auto", "vs fastest"});
    t.add(head);
    std::map<std::pair<std::string, std::string>, ratio_columns> means;
    for (auto const& all : races_of(records)) {
        products const ours(all, mode);
        if (ours.taken().empty()) continue;
        auto const* yardstick = fastest_peer(all);
        if (yardstick == nullptr)
            yardstick = fastest(all, [](measurement const& m) { return m.format == "csr" && m.mode == "oneshot"; });
        if (yardstick != nullptr) t.add(cells(ours, *yardstick, means[{all.front().type, operation_of(all.front())}]));
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

std::string auto_summary(std::vector<measurement> const& records, std::string const& mode) {
    int hits = 0, count = 0;
    for (auto const& all : races_of(records)) {
        products const ours(all, mode);
        if (ours.taken().empty()) continue;
        ++count;
        hits += 1.1 * ours.taken_over_fastest() >= 1;
    }
    return count == 0 ? ""
                      : fmt::format("auto: within 10 % of the fastest format in {} of {} {}product{}{}\n", hits, count,
                                    mode == "plan" ? "" : "one-shot ", count == 1 ? "" : "s",
                                    mode == "plan" ? " from plans" : "");
}

}  // namespace copse::bench
