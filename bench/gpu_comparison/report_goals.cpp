// The goals for one GPU, each with what was measured of it.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "bench/gpu_comparison/report_tables.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

// --- who takes part
// ---------------------------------------------------------------------------------------------------

using condition = std::function<bool(measured const&)>;

bool has(measured const& m, char const* part) {
    return m.name.find(part) != m.name.npos;
}
bool is_ours(measured const& m) {
    return m.is_ours();
}
bool is_cusparse(measured const& m) {
    return m.library == "cusparse";
}
bool is_replay(measured const& m) {
    return m.name == "copse hisparse plan";
}
/// From A as it is stored, without an explicit transposition.
bool is_own_transposed(measured const& m) {
    return is_cusparse(m) && !has(m, "csr2csc") && !has(m, "stored");
}
bool turns_in_each_call(measured const& m) {
    return is_cusparse(m) && has(m, "csr2csc");
}
bool is_many(measured const& m) {
    return m.entries > 20'000'000;
}
bool is_large_stencil(measured const& m) {
    auto const begins = [&](char const* with) { return m.matrix.rfind(with, 0) == 0; };
    return m.entries > 10'000'000 && (begins("stencil27:") || begins("poisson2d:") || begins("poisson3d:"));
}

// --- what they did
// ----------------------------------------------------------------------------------------------------

/// Of each matrix one number.
using by_matrix = std::map<std::string, double>;

/// The least that `value` says of those who take part.
by_matrix least(std::vector<measured> const& all, char const* operation, condition const& takes_part,
                std::optional<double> measured::*value = &measured::seconds) {
    by_matrix found;
    for (auto const& m : all) {
        if (m.type != "double" || m.bench == "papers" || m.operation != operation || !m.seconds) continue;
        if (!(m.*value) || !takes_part(m)) continue;
        auto const [at, is_new] = found.try_emplace(m.matrix, *(m.*value));
        if (!is_new) at->second = std::min(at->second, *(m.*value));
    }
    return found;
}

geometric_mean mean_of(by_matrix const& a) {
    geometric_mean mean;
    for (auto const& [matrix, number] : a) mean.add(number);
    return mean;
}

/// a / b where both were measured.
by_matrix quotient(by_matrix const& a, by_matrix const& b) {
    by_matrix quotients;
    for (auto const& [matrix, number] : a)
        if (auto const other = b.find(matrix); other != b.end()) quotients[matrix] = number / other->second;
    return quotients;
}

// --- the goals
// --------------------------------------------------------------------------------------------------------

enum class limit { at_least, at_most };

struct goal {
    char const* what;
    limit how;
    double wanted;
    geometric_mean figure;

    std::string verdict() const {
        auto const value = figure.value();
        if (!value) return "not measured";
        return (how == limit::at_least ? *value >= wanted : *value <= wanted) ? "met" : "not met";
    }
};

std::vector<goal> goals_of_products(std::vector<measured> const& all) {
    auto const cusparse = least(all, "A x", is_cusparse), replay = least(all, "A x", is_replay);
    auto const turned = least(all, "A^T x", is_replay);
    auto const one_shot =
        least(all, "A x", [](measured const& m) { return m.name == "copse hisparse device" && is_many(m); });
    auto const shares = least(
        all, "A x", [](measured const& m) { return is_replay(m) && is_large_stencil(m); }, &measured::fraction_of_copy);
    return {{"A x: cuSPARSE's best time over our best", limit::at_least, 1.3,
             mean_of(quotient(cusparse, least(all, "A x", is_ours)))},
            {"A x: cuSPARSE's best time over HiSparse's replay", limit::at_least, 1.15,
             mean_of(quotient(cusparse, replay))},
            {"A x of stencils above 10 million entries: share of the copy bandwidth, replay", limit::at_least, 0.85,
             mean_of(shares)},
            {"A^T x over A x, replays", limit::at_most, 1.1, mean_of(quotient(turned, replay))},
            {"A^T x: cuSPARSE's own transposed product over the replay", limit::at_least, 5,
             mean_of(quotient(least(all, "A^T x", is_own_transposed), turned))},
            {"A x above 20 million entries, large too: one-shot by the device controller over the replay",
             limit::at_most, 3, mean_of(quotient(one_shot, replay))}};
}

std::vector<goal> goals_of_sums(std::vector<measured> const& all) {
    auto const sum = least(all, "A + B", is_ours);
    return {{"A + B: csrgeam2's best time over ours", limit::at_least, 4,
             mean_of(quotient(least(all, "A + B", is_cusparse), sum))},
            {"A^T + B^T over A + B", limit::at_most, 1.05, mean_of(quotient(least(all, "A^T + B^T", is_ours), sum))},
            {"A + B^T: csr2csc and csrgeam2 over ours", limit::at_least, 5,
             mean_of(quotient(least(all, "A + B^T", turns_in_each_call), least(all, "A + B^T", is_ours)))}};
}

std::vector<goal> goals_of_conversions(std::vector<measured> const& all) {
    auto const products = [&](condition const& takes_part) {
        return mean_of(least(all, "convert", takes_part, &measured::net_products));
    };
    auto const to = [&](char const* format) {
        return products([format](measured const& m) { return m.name == format; });
    };
    return {{"conversion to CSR5, in products of CSR", limit::at_most, 3, to("csr5")},
            {"conversion to CMRS, unsorted", limit::at_most, 2, to("cmrs unsorted")},
            {"conversion to SELL-P", limit::at_most, 12, to("sellp")},
            {"conversion to HiSparse, the best controller", limit::at_most, 10,
             products([](measured const& m) { return has(m, "hisparse"); })}};
}

}  // namespace

std::string goal_table(std::vector<measured> const& all) {
    if (all.empty()) return "";
    auto goals = goals_of_products(all);
    for (auto const& more : {goals_of_sums(all), goals_of_conversions(all)})
        goals.insert(goals.end(), more.begin(), more.end());
    measure::table t("lrrrl");
    t.add({"times in double", "wanted", "measured", "matrices", ""});
    for (auto const& g : goals)
        t.add({g.what, fmt::format("{} {:.2f}", g.how == limit::at_least ? "at least" : "at most", g.wanted),
               g.figure.text(2), std::to_string(g.figure.count()), g.verdict()});
    return "## Goals\n\nGeometric means over the matrices of all stages but `papers` that have both sides.\n\n" +
           t.markdown() + '\n';
}

}  // namespace copse::bench
