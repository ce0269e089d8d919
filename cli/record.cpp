#include "cli/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <copse/runtime/error.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/text.hpp"

namespace copse::cli {
namespace {

std::int64_t entries_of_operands(record const& r) {
    return r.a.entries + (r.plus ? r.plus->b.entries : 0);
}

/// A product multiplies and adds for each entry; a sum multiplies each entry of A and of B, and adds those that meet.
double gflops(record const& r) {
    return 1e-9 * static_cast<double>(2 * entries_of_operands(r) - (r.plus ? r.plus->result_entries : 0)) / r.seconds;
}

double gbytes_per_second(std::int64_t bytes, record const& r) {
    return 1e-9 * static_cast<double>(bytes) / r.seconds;
}

std::string to_text(operand_shape const& m) {
    return fmt::format("{}: {} x {}, {} entries", m.matrix, with_commas(m.rows), with_commas(m.columns),
                       with_commas(m.entries));
}

nlohmann::ordered_json to_json(access_profile const& profile) {
    using json = nlohmann::ordered_json;
    json queues = json::array(), lines = json::array();
    for (access_total const& total : profile.totals())
        queues.push_back({{"task", total.task}, {"bytes", total.bytes}, {"moved_bytes", total.moved_bytes}});
    for (access_line const& line : profile.lines)
        lines.push_back({{"task", line.task},
                         {"file", line.file},
                         {"line", line.line},
                         {"access", name_of(line.kind)},
                         {"requests", line.requests},
                         {"lane_accesses", line.lane_accesses},
                         {"idle_lanes", line.idle_lanes()},
                         {"bytes", line.bytes},
                         {"sectors", line.sectors},
                         {"least_sectors", line.least_sectors},
                         {"passes", line.passes},
                         {"least_passes", line.least_passes}});
    return {{"calibrated", access_profile::is_calibrated}, {"queues", std::move(queues)}, {"lines", std::move(lines)}};
}

std::string operand(char const* name, bool transpose) {
    return std::string(name) + (transpose ? "^T" : "");
}

/// "; converted in 1.2 ms, planned in 3.4 ms". A plan of rows (tuned_plan) is made with its matrix: one time for both.
std::string preparation(record const& r) {
    std::string const plan = r.plan_seconds ? "planned in " + human_seconds(*r.plan_seconds) : "";
    if (r.format == "csr") return plan.empty() ? "" : ", " + plan;
    if (r.plan_seconds && r.convert_seconds == 0) return "; converted and " + plan;
    return "; converted in " + human_seconds(r.convert_seconds) + (plan.empty() ? "" : ", " + plan);
}

}  // namespace

std::string peak_text(memory_peak const& most) {
    auto const text = [](std::int64_t bytes) { return human_bytes(static_cast<double>(bytes)); };
    std::string const host = most.bytes ? text(*most.bytes) : "this system does not count it";
    return most.device_bytes ? host + ", of the GPU's " + text(*most.device_bytes) : host;
}

void add_peak(nlohmann::ordered_json& object, std::string const& prefix, memory_peak const& most) {
    object[prefix + "peak_bytes"] = most.bytes ? nlohmann::ordered_json(*most.bytes) : nullptr;
    if (most.device_bytes) object[prefix + "device_peak_bytes"] = *most.device_bytes;
}

nlohmann::ordered_json to_json(record const& r) {
    using json = nlohmann::ordered_json;
    auto const or_null = [](auto const& value) { return value ? json(*value) : json(nullptr); };
    json object{{"op", r.plus ? "add" : "spmv"},
                {"transpose", r.a.transpose},
                {"matrix", r.a.matrix},
                {"format", r.format},
                {"on", r.on},
                {"controller", or_null(r.controller)},
                {"type", r.type},
                {"threads", r.threads},
                {"rows", r.a.rows},
                {"cols", r.a.columns},
                {"entries", r.a.entries},
                {"bytes", r.bytes},
                {"moved_bytes", r.moved_bytes},
                {"convert_seconds", r.convert_seconds},
                {"seconds", r.seconds},
                {"plan_seconds", or_null(r.plan_seconds)},
                {"first_seconds", r.first_seconds},
                {"mode", r.mode},
                {"gflops", gflops(r)},
                {"gbytes_per_second", gbytes_per_second(r.moved_bytes, r)},
                {"csr_gbytes_per_second", gbytes_per_second(r.csr_moved_bytes, r)},
                {"max_error", std::min(r.max_error, std::numeric_limits<double>::max())},
                {"node_dimension", or_null(r.node_dimension)},
                {"repeats", r.repeats},
                {"min_seconds", r.min_seconds},
                {"max_seconds", r.max_seconds},
                {"spread", r.spread}};
    if (r.tune_seconds) object["tune_seconds"] = *r.tune_seconds;
    if (r.memory) add_peak(object, "", *r.memory);
    if (r.profile) object["profile"] = to_json(*r.profile);
    if (!r.plus) return object;
    object.update({{"matrix_b", r.plus->b.matrix},
                   {"transpose_b", r.plus->b.transpose},
                   {"rows_b", r.plus->b.rows},
                   {"cols_b", r.plus->b.columns},
                   {"entries_b", r.plus->b.entries},
                   {"result_entries", r.plus->result_entries},
                   {"result_bytes", r.plus->result_bytes},
                   {"entries_per_second", static_cast<double>(entries_of_operands(r)) / r.seconds}});
    return object;
}

std::string to_text(record const& r) {
    table t("ll");
    if (r.plus) {
        auto const& b = r.plus->b;
        t.add({"sum", "C = alpha " + operand("A", r.a.transpose) + " + beta " + operand("B", b.transpose)});
        t.add({"A", to_text(r.a) + ", " + r.type});
        t.add({"B", to_text(b)});
        t.add({"C", with_commas(r.plus->result_entries) + " entries, " +
                        human_bytes(static_cast<double>(r.plus->result_bytes))});
    } else {
        t.add({"product", "y <- alpha " + operand("A", r.a.transpose) + " x + beta y"});
        t.add({"A", to_text(r.a) + ", " + r.type});
    }
    if (!r.format_reason.empty()) t.add({"auto", r.format + ": " + r.format_reason});
    auto const mean = per_entry(r.bytes, entries_of_operands(r));
    auto const dimension = r.node_dimension ? fmt::format(" with d = {}", *r.node_dimension) : "";
    if (r.tune_seconds) t.add({"tuned", "in " + human_seconds(*r.tune_seconds)});
    t.add({"format", r.format + dimension + ": " + human_bytes(static_cast<double>(r.bytes)) +
                         (mean.empty() ? "" : ", " + mean + " per entry") + preparation(r)});
    auto const controller = r.controller ? ", controller " + *r.controller : "";
    auto const cpu = r.on == "cpu" ? fmt::format(", {} thread{}", r.threads, r.threads == 1 ? "" : "s") : "";
    t.add({"on", r.on + controller + cpu + (r.fallback_reason.empty() ? "" : ", taken by auto: " + r.fallback_reason)});
    t.add({"first run", human_seconds(r.first_seconds)});
    if (r.repeats > 0) {
        t.add({fmt::format("median of {}", r.repeats),
               fmt::format("{} ({} to {})", human_seconds(r.seconds), human_seconds(r.min_seconds),
                           human_seconds(r.max_seconds))});
    }
    t.add({"speed", fmt::format("{:.2f} GFLOP/s, {:.2f} GB/s moved; CSR would move {:.2f} GB/s in this time", gflops(r),
                                gbytes_per_second(r.moved_bytes, r), gbytes_per_second(r.csr_moved_bytes, r))});
    if (r.memory) t.add({"memory at most", peak_text(*r.memory)});
    t.add({"check",
           fmt::format("{}: largest error is {:.3g} of the bound", r.is_right() ? "right" : "WRONG", r.max_error)});
    return r.profile ? t.text() + '\n' + to_text(*r.profile) : t.text();
}

void report(record const& r, bool as_json, std::string const& output, std::function<void()> const& write) {
    as_json ? print(to_json(r)) : print(to_text(r));
    if (!r.is_right())
        throw error(fmt::format("the result is wrong: it is off by {:.3g} times what rounding can explain{}",
                                r.max_error, output.empty() ? "" : "; nothing was written to '" + output + "'"));
    if (!output.empty()) write_output(write);
}

}  // namespace copse::cli
