#include "bench/gpu_comparison/conversion_record.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/harness/json_value.hpp"
#include "bench/harness/measurement.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

std::string text_of(std::optional<std::int64_t> const& bytes) {
    return bytes ? measure::human_bytes(static_cast<double>(*bytes)) : "";
}

std::string row(conversion_record const& r) {
    if (!r.failure.empty()) return fmt::format("| {} | {} | | | | | | |\n", r.format, measure::one_line(r.failure));
    if (!r.is_right) return fmt::format("| {} | WRONG | | | | | | |\n", r.format);
    auto const in_products = [&](std::optional<double> seconds) {
        return seconds ? fmt::format("{:.1f}", *seconds / r.product_seconds) : std::string();
    };
    return fmt::format("| {} | {:.3f} | {} | {} | {} | {} | {} | {} |\n", r.format, 1e3 * r.seconds,
                       r.there_seconds ? fmt::format("{:.3f}", 1e3 * *r.there_seconds) : "",
                       in_products(r.there_seconds), in_products(r.back_seconds), text_of(r.bytes),
                       text_of(r.peak_bytes), text_of(r.back_peak_bytes));
}

/// Milliseconds and memory of what follows the conversions that were right, or nothing.
std::string follow_up_table(std::vector<conversion_record> const& records) {
    std::string rows;
    for (auto const& r : records)
        for (auto const& [key, text, most_repeats] : follow_up_names)
            if (auto const one = r.after.find(key); r.has_times() && one != r.after.end())
                rows += fmt::format("| {} | {} | {} | {} |\n", r.format, text,
                                    one->second.seconds ? fmt::format("{:.3f}", 1e3 * *one->second.seconds)
                                                        : measure::one_line(one->second.failure),
                                    text_of(one->second.peak_bytes));
    return rows.empty() ? "" : "\n| of | then | ms | peak |\n|---|---|---:|---:|\n" + rows;
}

}  // namespace

std::string json_line(conversion_record const& r, gpu_session const& session) {
    using measure::or_null;
    auto const in_products = [&](std::optional<double> seconds) {
        return r.has_times() && seconds ? ordered_json(*seconds / r.product_seconds) : ordered_json(nullptr);
    };
    ordered_json object{{"bench", r.bench},
                        {"op", "convert"},
                        {"matrix", r.matrix},
                        {"type", r.type},
                        {"format", r.format},
                        {"entries", r.entries},
                        {"bytes", r.bytes},
                        {"right", r.is_right},
                        {"product_seconds", r.product_seconds},
                        {"seconds", r.has_times() ? ordered_json(r.seconds) : ordered_json(nullptr)},
                        {"there_seconds", or_null(r.there_seconds)},
                        {"back_seconds", or_null(r.back_seconds)},
                        {"net_products", in_products(r.there_seconds)},
                        {"peak_bytes", or_null(r.peak_bytes)},
                        {"back_peak_bytes", or_null(r.back_peak_bytes)},
                        {"refused", r.is_refused},
                        {"failure", r.failure.empty() ? ordered_json(nullptr) : ordered_json(r.failure)},
                        {"copy_gbytes_per_second", session.copy_gbytes_per_second},
                        {"gpu", session.gpu},
                        {"driver", session.driver},
                        {"runtime", session.runtime},
                        {"date", session.date},
                        {"commit", session.commit}};
    std::string failures;
    for (auto const& [key, text, most_repeats] : follow_up_names) {
        auto const one = r.after.find(key);
        auto const found = one == r.after.end() ? follow_up{} : one->second;
        object[std::string(key) + "_seconds"] = or_null(found.seconds);
        object[std::string(key) + "_peak_bytes"] = or_null(found.peak_bytes);
        if (!found.failure.empty())
            failures += fmt::format("{}{}: {}", failures.empty() ? "" : "; ", text, found.failure);
    }
    object["failure_behind"] = failures.empty() ? ordered_json(nullptr) : ordered_json(failures);
    return measure::json_line(object);
}

std::string conversion_table(std::vector<conversion_record> const& records) {
    if (records.empty()) return "";
    auto const& first = records.front();
    auto text = fmt::format(
        "### conversions of {}, {}\n\n{} entries; product of csr {:.4f} ms\n\n"
        "| to | ms from the host | ms from rows there | in products | back, in products | bytes | peak | peak of the "
        "way back |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|\n",
        measure::one_line(first.matrix), first.type, measure::with_commas(first.entries), 1e3 * first.product_seconds);
    for (auto const& r : records) text += row(r);
    return text + follow_up_table(records) + '\n';
}

}  // namespace copse::bench
