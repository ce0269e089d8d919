#include "cli/measurement_text.hpp"

#include <fmt/format.h>

namespace copse::cli {

using measure::human_bytes;
using measure::human_seconds;
using measure::peak_text;
using measure::with_commas;

std::string shape_text(std::string const& name, std::int64_t rows, std::int64_t columns, std::int64_t entries) {
    return fmt::format("{}: {} x {}, {} entries", name, with_commas(rows), with_commas(columns), with_commas(entries));
}

void add_execution_rows(measure::table& t, measure::measurement const& m, std::int64_t entries,
                        std::string const& fallback_reason) {
    auto const bytes = static_cast<double>(m.bytes);
    auto const per_entry =
        entries == 0 ? std::string() : fmt::format(", {:.2f} per entry", bytes / static_cast<double>(entries));
    auto const format = m.node_dimension ? fmt::format("{} with d = {}", m.format, *m.node_dimension) : m.format;
    auto const controller = m.controller ? ", controller " + *m.controller : std::string();
    auto const cpu = m.on == "cpu" ? fmt::format(", {} thread{}", m.threads, m.threads == 1 ? "" : "s") : std::string();
    auto const conversion = m.format == "csr" ? "" : "; converted in " + human_seconds(m.convert_seconds);
    auto const plan = m.plan_seconds ? ", planned in " + human_seconds(*m.plan_seconds) : std::string();
    t.add({"format", fmt::format("{}: {}{}{}{}", format, human_bytes(bytes), per_entry, conversion, plan)});
    t.add({"on", m.on + controller + cpu + (fallback_reason.empty() ? "" : ", taken by auto: " + fallback_reason)});
    t.add({"first run", human_seconds(m.first_seconds)});
    if (m.repeats > 0) {
        t.add({fmt::format("median of {}", m.repeats),
               fmt::format("{} ({} to {})", human_seconds(m.seconds), human_seconds(m.min_seconds),
                           human_seconds(m.max_seconds))});
    }
    t.add({"speed", fmt::format("{:.2f} GFLOP/s, {:.2f} GB/s moved; CSR would move {:.2f} GB/s in this time",
                                m.gflops(), m.gbytes_per_second(), m.csr_gbytes_per_second())});
    if (m.memory) t.add({"memory at most", peak_text(*m.memory)});
    t.add({"check",
           fmt::format("{}: largest error is {:.3g} of the bound", m.is_right() ? "right" : "WRONG", m.max_error)});
}

std::string wrong_result(measure::measurement const& m, std::string const& output) {
    return fmt::format("the result is wrong: it is off by {:.3g} times what rounding can explain{}", m.max_error,
                       output.empty() ? "" : "; nothing was written to '" + output + "'");
}

}  // namespace copse::cli
