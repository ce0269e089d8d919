#include "bench/format_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "bench/races.hpp"

namespace copse::bench {
namespace {

using measure::measurement;

constexpr std::array formats{"hisparse", "csr", "csr5", "sellp", sorted_sellp, "cmrs"};

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

/// None where the format took no part.
using ratio = std::optional<double>;

std::string text_of(ratio r) {
    return r ? fmt::format("{:.2f}x", *r) : "-";
}

/// The speed of each format in times of that of the yardstick, and of what auto takes in times of that of the fastest.
std::vector<ratio> ratios_of(products const& ours, measurement const& yardstick) {
    std::vector<ratio> ratios;
    for (auto const* format : formats) {
        auto const* m = ours.of(format);
        ratios.push_back(m ? ratio(yardstick.seconds / m->seconds) : std::nullopt);
    }
    ratios.push_back(ours.taken_over_fastest());
    return ratios;
}

class geometric_means {
  public:
    void add(std::vector<ratio> const& ratios) {
        for (std::size_t i = 0; i < ratios.size(); ++i)
            if (ratios[i]) logarithms_[i].push_back(std::log(*ratios[i]));
    }
    ratio of(std::size_t column) const {
        auto const& all = logarithms_[column];
        if (all.empty()) return std::nullopt;
        return std::exp(std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()));
    }

  private:
    std::array<std::vector<double>, formats.size() + 1> logarithms_;
};

/// The cells of ratios, with `names` before the last.
std::vector<std::string> row_of(std::vector<std::string> cells, std::vector<ratio> const& ratios,
                                std::vector<std::string> const& names) {
    for (std::size_t i = 0; i < formats.size(); ++i) cells.push_back(text_of(ratios[i]));
    cells.insert(cells.end(), names.begin(), names.end());
    cells.push_back(text_of(ratios.back()));
    return cells;
}

}  // namespace

std::vector<std::string> goal_groups_of(std::string const& matrix) {
    static std::map<std::string, std::vector<std::string>> const groups{
        {"poisson2d", {"regular", "stencils"}},
        {"poisson3d", {"regular", "stencils"}},
        {"stencil27", {"regular", "stencils"}},
        {"elasticity", {"regular"}},
        {"epidemiology", {"regular"}},
        {"trefethen", {"regular"}},
        {"qcd", {"regular"}},
        {"banded", {"regular"}},
        {"dense", {"regular"}},
        {"rmat", {"irregular"}},
        {"circuit", {"irregular"}},
        {"dense_row", {"irregular"}},
    };
    auto const found = groups.find(matrix.substr(0, matrix.find(':')));
    return found == groups.end() ? std::vector<std::string>() : found->second;
}

std::optional<measure::table> format_table(std::vector<measurement> const& records, std::string const& mode) {
    measure::table t("lllrrrrrrllr");
    std::vector<std::string> head{"", "matrix", "type"};
    head.insert(head.end(), formats.begin(), formats.end());
    head.insert(head.end(), {"fastest", "auto", "vs fastest"});
    t.add(head);
    std::map<std::array<std::string, 3>, geometric_means> means;  // by type, product and group; "": all matrices
    for (auto const& all : races_of(records)) {
        products const ours(all, mode);
        if (ours.taken().empty()) continue;
        auto const* yardstick = fastest_peer(all);
        if (yardstick == nullptr)
            yardstick = fastest(all, [](measurement const& m) { return m.format == "csr" && m.mode == "oneshot"; });
        if (yardstick == nullptr) continue;
        auto const &type = yardstick->type, &matrix = yardstick->matrix;
        auto const product = operation_of(*yardstick);
        auto const ratios = ratios_of(ours, *yardstick);
        t.add(row_of({product, measure::one_line(matrix), type}, ratios, {ours.fastest(), ours.taken()}));
        means[{type, product, ""}].add(ratios);
        for (auto const& group : goal_groups_of(matrix)) means[{type, product, group}].add(ratios);
    }
    if (means.empty()) return std::nullopt;
    for (auto const& [key, columns] : means) {
        auto const& [type, product, group] = key;
        std::vector<ratio> ratios;
        for (std::size_t i = 0; i <= formats.size(); ++i) ratios.push_back(columns.of(i));
        t.add(row_of({product, "geometric mean" + (group.empty() ? "" : ", " + group), type}, ratios, {"", ""}));
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
