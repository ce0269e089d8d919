#include "bench/gpu_comparison/conversion_record.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/harness/json_value.hpp"
#include "bench/harness/measurement.hpp"

namespace copse::bench {
std::string json_line(conversion_record const& r, gpu_session const& session) {
    using nlohmann::ordered_json;
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
    return json_line(object);
}

}  // namespace copse::bench
