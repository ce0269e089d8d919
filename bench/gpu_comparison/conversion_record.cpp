#include "bench/gpu_comparison/conversion_record.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/json_value.hpp"
#include "cli/measurement.hpp"
#include "cli/text.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

std::string row(conversion_record const& r) {
    if (!r.failure.empty()) return fmt::format("| {} | {} | | | | | | | | |\n", r.format, measure::one_line(r.failure));
    if (!r.is_right) return fmt::format("| {} | WRONG | | | | | | | | |\n", r.format);
    auto const in_products = [&](std::optional<double> seconds) {
        return seconds ? fmt::format("{:.1f}", *seconds / r.product_seconds) : std::string();
    };
    auto const bytes = [](std::optional<std::int64_t> count) {
        return count ? measure::human_bytes(static_cast<double>(*count)) : "";
    };
    return fmt::format("| {} | {:.3f} | {} | {} | {} | {} | {} | {} | {} | {} |\n", r.format, 1e3 * r.seconds,
                       r.there_seconds ? fmt::format("{:.3f}", 1e3 * *r.there_seconds) : "",
                       in_products(r.there_seconds), in_products(r.back_seconds), bytes(r.bytes), bytes(r.peak_bytes),
                       bytes(r.back_peak_bytes), bytes(r.values_peak_bytes), bytes(r.edit_peak_bytes));
}

}  // namespace

std::string json_line(conversion_record const& r, gpu_session const& session) {
    using measure::or_null;
    auto const in_products = [&](std::optional<double> seconds) {
        return r.has_times() && seconds ? ordered_json(*seconds / r.product_seconds) : ordered_json(nullptr);
    };
    ordered_json const object{{"bench", r.bench},
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
                              {"values_seconds", or_null(r.values_seconds)},
                              {"edit_seconds", or_null(r.edit_seconds)},
                              {"peak_bytes", or_null(r.peak_bytes)},
                              {"back_peak_bytes", or_null(r.back_peak_bytes)},
                              {"values_peak_bytes", or_null(r.values_peak_bytes)},
                              {"edit_peak_bytes", or_null(r.edit_peak_bytes)},
                              {"refused", r.is_refused},
                              {"failure", r.failure.empty() ? ordered_json(nullptr) : ordered_json(r.failure)},
                              {"copy_gbytes_per_second", session.copy_gbytes_per_second},
                              {"gpu", session.gpu},
                              {"driver", session.driver},
                              {"runtime", session.runtime},
                              {"date", session.date},
                              {"commit", session.commit}};
    return measure::json_line(object);
}

std::string conversion_table(std::vector<conversion_record> const& records) {
    if (records.empty()) return "";
    auto const& first = records.front();
    auto text = fmt::format(
        "### conversions of {}, {}\n\n{} entries; product of csr {:.4f} ms\n\n"
        "| to | ms from the host | ms from rows there | in products | back, in products | bytes | peak | peak of the "
        "way "
        "back | of new values | of an edit |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        measure::one_line(first.matrix), first.type, measure::with_commas(first.entries), 1e3 * first.product_seconds);
    for (auto const& r : records) text += row(r);
    return text + '\n';
}

}  // namespace copse::bench
