#include "bench/gpu_comparison/report_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "bench/gpu_comparison/conversion_record.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

/// Ours first, then cuSPARSE, then the rest; as they come within.
int rank_of(measured const& m) {
    return m.is_ours() ? 0 : m.library == "cusparse" ? 1 : 2;
}

std::optional<double> per_entry(measured const& m, std::optional<double> const& bytes) {
    return bytes && m.entries > 0 ? std::optional(*bytes / static_cast<double>(m.entries)) : std::nullopt;
}

struct means {
    geometric_mean cusparse, transposed, copy, csr_speed, milliseconds, by_events;
    int fastest = 0;
};

bool is_sum(measured const& m) {
    return m.operation.find('+') != m.operation.npos;
}

/// How many of the matrices fitted the L2, so that calls went round several sets of their operands.
std::string sets_text(std::vector<measured> const& all) {
    std::map<std::string, int> sets;
    for (auto const& m : all) sets[m.matrix] = std::max(sets[m.matrix], m.sets);
    auto const several = std::count_if(sets.begin(), sets.end(), [](auto const& one) { return one.second > 1; });
    return fmt::format("Several sets of inputs, by turns, for {} of {} matrices: those that fit the L2.\n", several,
                       sets.size());
}

/// The fastest of all for each matrix.
std::map<std::string, std::string> winners(std::vector<measured> const& all) {
    std::map<std::string, std::pair<double, std::string>> best;
    for (auto const& m : all) {
        if (!m.seconds) continue;
        auto const [at, is_new] = best.try_emplace(m.matrix, *m.seconds, m.name);
        if (!is_new && *m.seconds < at->second.first) at->second = {*m.seconds, m.name};
    }
    std::map<std::string, std::string> names;
    for (auto const& [matrix, one] : best) names[matrix] = one.second;
    return names;
}

std::string comparison_table(std::vector<measured> const& all) {
    std::map<std::pair<int, std::string>, means> rows;
    for (auto const& m : all) {
        if (!m.seconds) continue;
        auto& row = rows[{rank_of(m), m.name}];
        row.cusparse.add(m.times_cusparse);
        row.transposed.add(m.times_transposed);
        row.copy.add(m.fraction_of_copy);
        row.csr_speed.add(m.csr_gbytes_per_second);
        row.milliseconds.add(1e3 * *m.seconds);
        if (m.event_seconds) row.by_events.add(1e3 * *m.event_seconds);
    }
    for (auto const& [matrix, name] : winners(all))
        for (auto& [key, row] : rows) row.fastest += key.second == name;
    // Sums wait, and their times are the wall clock's; what events around them say is beside it, as products are timed.
    bool const has_both_clocks = is_sum(all.front());
    measure::table t(has_both_clocks ? "lrrrrrrrr" : "lrrrrrr");
    std::vector<std::string> head{"by", "matrices", "x cuSPARSE", "x stored A^T", "CSR GB/s", "of copy", "fastest on"};
    if (has_both_clocks) head.insert(head.end(), {"ms", "ms by events"});
    t.add(head);
    for (auto const& [key, row] : rows) {
        std::vector<std::string> cells{key.second,
                                       std::to_string(row.copy.count()),
                                       row.cusparse.text(2),
                                       row.transposed.text(2),
                                       row.csr_speed.text(0),
                                       row.copy.text(2),
                                       std::to_string(row.fastest)};
        if (has_both_clocks) cells.insert(cells.end(), {row.milliseconds.text(4), row.by_events.text(4)});
        t.add(cells);
    }
    return t.markdown() + '\n' + sets_text(all);
}

/// By competitor, type and matrix.
using key = std::tuple<std::string, std::string, std::string>;

std::string format_of(measured const& m) {
    return m.name.substr(0, m.name.rfind(' '));
}

/// Edits, new values and what else is done with a HiSparse matrix.
std::string follow_up_summary(std::vector<measured> const& all) {
    struct row {
        geometric_mean conversions, peak;
    };
    std::map<std::tuple<std::string, std::string, std::size_t>, row> rows;
    for (auto const& m : all) {
        if (!m.is_conversion() || !m.seconds) continue;
        for (std::size_t i = 0; i < follow_up_names.size(); ++i) {
            auto const one = m.after.find(follow_up_names[i].key);
            if (one == m.after.end()) continue;
            auto& r = rows[{m.name, m.type, i}];
            r.conversions.add(one->second.conversions);
            r.peak.add(per_entry(m, one->second.peak_bytes));
        }
    }
    if (rows.empty()) return "";
    measure::table t("lllrrr");
    t.add({"of", "type", "then", "matrices", "in conversions", "peak bytes per entry"});
    for (auto const& [who, r] : rows)
        t.add({std::get<0>(who), std::get<1>(who), follow_up_names[std::get<2>(who)].text,
               std::to_string(r.conversions.count()), r.conversions.text(3), r.peak.text(2)});
    return "In the time of the conversion from rows there: new values, their places known (the peak: the first time); "
           "an "
           "edit of a thousand entries; the update of a plan with it; prune, every other entry being zero; compaction, "
           "which goes through the host.\n\n" +
           t.markdown() + '\n';
}

}  // namespace

std::string setting_text(std::vector<measured> const& all) {
    double copy = 0;  // of the stage that found most
    std::string gpu, cusparse;
    for (auto const& m : all) {
        copy = std::max(copy, m.copy_gbytes_per_second.value_or(0));
        if (!m.gpu.empty()) gpu = m.gpu;
        if (!m.cusparse.empty()) cusparse = m.cusparse;
    }
    if (gpu.empty()) return "";
    return fmt::format("{}: copies {:.0f} GB/s within its memory. cuSPARSE: {}.\n\n", gpu, copy,
                       cusparse.empty() ? "not asked" : measure::one_line(cusparse));
}

std::string left_out_text(std::map<std::string, matrix_count> const& counts) {
    std::string text;
    for (auto const& [bench, count] : counts)
        if (count.left_out > 0)
            text += fmt::format("{} {}: {} of {}", text.empty() ? "" : ",", bench, count.measured, count.all());
    if (text.empty()) return "";
    return "Means are of fewer matrices than their stages have, because the time was over. Measured, in either type, "
           "are of" +
           text + ".\n\n";
}

std::string comparison_tables(std::vector<measured> const& all, std::string const& bench, std::string const& title) {
    std::map<std::pair<std::string, std::string>, std::vector<measured>> groups;
    for (auto const& m : all)
        if (m.bench == bench && !m.is_conversion()) groups[{m.operation, m.type}].push_back(m);
    if (groups.empty()) return "";
    auto text = fmt::format("## {}\n\nGeometric means over the matrices.\n\n", title);
    for (auto const& [what, group] : groups)
        text += fmt::format("### {}, {}\n\n{}\n", what.first, what.second, comparison_table(group));
    return text;
}

std::string plan_table(std::vector<measured> const& all) {
    std::int64_t constexpr many = 20'000'000;
    std::map<key, double> plain, plans;
    for (auto const& m : all) {
        if (!m.is_ours() || !m.seconds) continue;
        if (m.operation == "A x") plain[{m.name, m.type, m.matrix}] = *m.seconds;
        if (m.mode == "plan") plans[{format_of(m) + m.operation, m.type, m.matrix}] = *m.seconds;
    }
    std::map<std::pair<std::string, std::string>, std::pair<geometric_mean, geometric_mean>> rows;
    for (auto const& m : all) {
        if (!m.is_ours() || !m.seconds || (m.operation != "A x" && m.operation != "A^T x")) continue;
        auto& [transposed, one_shot] = rows[{m.name, m.type}];
        auto const ours = plain.find({m.name, m.type, m.matrix});
        if (m.operation == "A^T x" && ours != plain.end()) transposed.add(ours->second / *m.seconds);
        auto const plan = plans.find({format_of(m) + m.operation, m.type, m.matrix});
        if (m.mode != "plan" && m.entries >= many && plan != plans.end()) one_shot.add(*m.seconds / plan->second);
    }
    if (rows.empty()) return "";
    measure::table t("llrr");
    t.add({"by", "type", "A^T x in speeds of A x", "time in plans, from 20 million entries"});
    for (auto const& [name, row] : rows) t.add({name.first, name.second, row.first.text(2), row.second.text(2)});
    return "## Directions and plans\n\n" + t.markdown() + '\n';
}

std::string conversion_summary(std::vector<measured> const& all) {
    struct row {
        geometric_mean there, back, peak, back_peak;
        double worst = 0;
    };
    std::map<std::pair<std::string, std::string>, row> rows;
    for (auto const& m : all) {
        if (!m.is_conversion() || !m.seconds) continue;
        auto& r = rows[{m.name, m.type}];
        r.there.add(m.net_products);
        r.back.add(m.back_products);
        r.worst = std::max(r.worst, m.net_products.value_or(0));
        r.peak.add(per_entry(m, m.peak_bytes));
        r.back_peak.add(per_entry(m, m.back_peak_bytes));
    }
    if (rows.empty()) return "";
    measure::table t("llrrrrrr");
    t.add({"to", "type", "matrices", "in products of CSR", "at worst", "back", "peak bytes per entry",
           "of the way back"});
    for (auto const& [name, r] : rows)
        t.add({name.first, name.second, std::to_string(r.there.count()), r.there.text(1),
               fmt::format("{:.1f}", r.worst), r.back.text(1), r.peak.text(1), r.back_peak.text(1)});
    return "## Conversions\n\nFrom compressed rows on the GPU and back; without the upload.\n\n" + t.markdown() + '\n' +
           follow_up_summary(all);
}

std::string memory_table(std::vector<measured> const& all) {
    struct row {
        geometric_mean kept, making, peak;
    };
    std::map<std::tuple<std::string, int, std::string>, row> rows;
    for (auto const& m : all) {
        if (m.is_conversion() || !m.seconds || m.type != "double" || m.entries == 0) continue;
        auto& r = rows[{m.operation, rank_of(m), m.name}];
        r.kept.add(per_entry(m, m.kept_bytes));
        r.making.add(per_entry(m, m.prepare_peak_bytes));
        r.peak.add(per_entry(m, m.peak_bytes));
    }
    if (rows.empty()) return "";
    measure::table t("llrrr");
    t.add({"", "by", "kept", "making it", "peak"});
    for (auto const& [what, r] : rows)
        t.add({std::get<0>(what), std::get<2>(what), r.kept.text(2), r.making.text(2), r.peak.text(2)});
    return "## Memory\n\nBytes on the GPU per entry of A, in double, beside operands: kept from call to call, at most "
           "while that is made (plans), and at most during a call besides. Means over the matrices where it is "
           "anything.\n\n" +
           t.markdown() + '\n';
}

std::string failure_list(std::vector<measured> const& all) {
    std::size_t constexpr most = 20;
    std::vector<std::string> lines;
    for (auto const& m : all)
        if (m.has_failed())
            lines.push_back(fmt::format("- {}, {} of {}, {}: {}\n", m.name, m.operation, measure::one_line(m.matrix),
                                        m.type, m.failure.empty() ? "wrong" : measure::one_line(m.failure)));
        else if (!m.failure_behind.empty())
            lines.push_back(fmt::format("- {}, behind the conversion of {}, {}: {}\n", m.name,
                                        measure::one_line(m.matrix), m.type, measure::one_line(m.failure_behind)));
    if (lines.empty()) return "";
    std::string text = "## Failures\n\n";
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) text += lines[i];
    if (lines.size() > most) text += fmt::format("- and {} more\n", lines.size() - most);
    return text + '\n';
}

}  // namespace copse::bench
