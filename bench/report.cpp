#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <copse/formats/statistics.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "bench/peers/peers.hpp"
#include "bench/races.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

using measure::human_bytes;
using measure::human_seconds;
using measure::measurement;
using measure::with_commas;

std::string per_entry(measurement const& m) {
    return m.entries == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(m.bytes) / static_cast<double>(m.entries));
}

std::string place(measurement const& m) {
    return m.controller ? m.on + ", " + *m.controller : m.on;
}

nlohmann::ordered_json or_null(std::string const& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

std::vector<std::string> cells(measurement const& m, race all, measurement const* csr, ceilings const& measured) {
    auto const seconds_or_none = [](double seconds) { return seconds == 0 ? "-" : human_seconds(seconds); };
    std::vector<std::string> cells{operation_of(m),
                                   format_name(m),
                                   place(m),
                                   std::to_string(m.threads),
                                   per_entry(m),
                                   seconds_or_none(m.convert_seconds),
                                   seconds_or_none(m.plan_seconds.value_or(0))};
    auto const add = [&](std::vector<std::string> const& more) { cells.insert(cells.end(), more.begin(), more.end()); };
    if (m.is_right())
        add({human_seconds(m.first_seconds), human_seconds(m.seconds), fmt::format("{:.0f} %", 100 * m.spread),
             fmt::format("{:.2f}", m.gflops()), fmt::format("{:.2f}", m.gbytes_per_second()),
             fmt::format("{:.0f} %", 100 * fraction_of_ceiling(m, measured)), times_faster(m, csr),
             times_faster(m, fastest_peer(all))});
    else
        add({fmt::format("WRONG by {:.3g} bounds", m.max_error), "-", "-", "-", "-", "-", "-", "-"});
    return cells;
}

/// The first of the records with this format and direction; null where there is none.
measurement const* find(std::span<measurement const> records, std::string_view format, bool transpose,
                        std::string_view mode = "oneshot") {
    auto const found = std::find_if(records.begin(), records.end(), [&](measurement const& m) {
        return m.format == format && m.transpose == transpose && m.mode == mode;
    });
    return found == records.end() ? nullptr : &*found;
}

/// Those of the first matrix and type.
std::span<measurement const> first_matrix(std::span<measurement const> records) {
    auto const is_other = [&](measurement const& m) {
        return m.matrix != records.front().matrix || m.type != records.front().type;
    };
    return records.first(std::find_if(records.begin(), records.end(), is_other) - records.begin());
}

}  // namespace

std::string format_name(measurement const& m) {
    auto name = m.node_dimension ? fmt::format("{} d={}", m.format, *m.node_dimension) : m.format;
    return m.mode == "oneshot" ? name : name + ' ' + m.mode;
}

double fraction_of_ceiling(measurement const& m, ceilings const& measured) {
    auto const ceiling = m.on == "gpu" ? measured.gpu_copy.value() : measured.triad.gbytes_per_second;
    return m.gbytes_per_second() / ceiling;
}

std::string heading(machine const& where, ceilings const& measured) {
    auto const& triad = measured.triad;
    auto text = fmt::format(
        "cpu: {}, {} thread{}; triad {:.2f} GB/s (best; median {:.2f}; three arrays of {}; 24 bytes per element,\n"
        "     write-allocate not counted)\n",
        where.cpu_model, triad.threads, triad.threads == 1 ? "" : "s", triad.gbytes_per_second,
        triad.median_gbytes_per_second, human_bytes(static_cast<double>(triad.array_bytes)));
    if (measured.gpu_copy) text += fmt::format("gpu: {}; copy {:.0f} GB/s (median)\n", where.gpu, *measured.gpu_copy);
    if (where.load_average > 1)
        text += fmt::format("load average before the start {:.1f}: the machine is not quiet, times are worth little\n",
                            where.load_average);
    return text + fmt::format("commit {}, {}\n\n", where.commit, where.date);
}

std::string peer_heading(bool adds) {
    std::string here, absent;
    for (auto const& p : peers()) {
        if (adds && !p.adds) continue;
        if (p.version)
            here += (here.empty() ? "compared with " : ", ") + *p.version;
        else
            absent += "without " + p.absence + '\n';
    }
    return (here.empty() ? "compared with no other library" : here) + '\n' + absent + '\n';
}

std::string matrix_title(measurement const& m) {
    return fmt::format("{}: {} x {}, {} entries, {}", measure::one_line(m.matrix), with_commas(m.rows),
                       with_commas(m.columns), with_commas(m.entries), m.type);
}

measure::table matrix_rows(std::span<measurement const> records, ceilings const& measured) {
    measure::table t("lllrrrrrrrrrrrr");
    t.add({"", "format", "on", "threads", "B/entry", "convert", "plan", "first", "median", "spread", "GFLOP/s", "GB/s",
           "of ceiling", "vs csr", "vs peers"});
    for (auto const& all : races_of(records))
        for (auto const& record : all) t.add(cells(record, all, find(all, "csr", record.transpose), measured));
    return t;
}

std::string matrix_table(std::vector<measurement> const& records, ceilings const& measured) {
    return matrix_title(records.front()) + '\n' + matrix_rows(records, measured).text("  ") + '\n';
}

std::string summary_table(std::vector<measurement> const& records) {
    measure::table t("llrrrrrrrr");
    t.add({"matrix", "type", "B/entry coo", "csr", "hisparse", "A x", "by plan", "A^T x", "by plan",
           "by plan, vs csr of A^T"});
    for (std::span<measurement const> rest = records; !rest.empty();) {
        auto const one = first_matrix(rest);
        auto const& csr = *find(one, "csr", false);  // takes part in all races
        auto const* const plan = find(one, "hisparse", false, "plan");
        auto const* const oneshot = find(one, "hisparse", false);  // not with mixed types
        auto coo = csr;
        coo.bytes = coo_bytes(csr.entries, csr.type == "float" ? sizeof(float) : sizeof(double));
        auto const faster = [&](bool transpose, std::string_view mode, std::string_view than) {
            auto const* const tree = find(one, "hisparse", transpose, mode);
            return tree ? times_faster(*tree, find(one, than, transpose)) : "-";
        };
        t.add({measure::one_line(csr.matrix), csr.type, per_entry(coo), per_entry(csr),
               per_entry(oneshot ? *oneshot : *plan), faster(false, "oneshot", "csr"), faster(false, "plan", "csr"),
               faster(true, "oneshot", "csr"), faster(true, "plan", "csr"), faster(true, "plan", "csr-of-transpose")});
        rest = rest.subspan(one.size());
    }
    return "HiSparse on the cpu, times the speed of plain CSR:\n" + t.text("  ");
}

std::string json_line(measurement const& m, machine const& where, ceilings const& measured) {
    auto object = to_json(m);
    object["triad_gbytes_per_second"] = measured.triad.gbytes_per_second;
    object["gpu_copy_gbytes_per_second"] = nullptr;
    if (measured.gpu_copy) object["gpu_copy_gbytes_per_second"] = *measured.gpu_copy;
    object["fraction_of_ceiling"] = fraction_of_ceiling(m, measured);
    object["entries_per_block"] = nullptr;
    if (m.entries_per_block) object["entries_per_block"] = *m.entries_per_block;
    object["auto_format"] = or_null(m.auto_format.value_or(""));
    object["cpu_model"] = where.cpu_model;
    object["gpu"] = or_null(where.gpu);
    object["load_average"] = where.load_average;
    object["date"] = where.date;
    object["commit"] = where.commit;
    return measure::json_line(object);
}

}  // namespace copse::bench
