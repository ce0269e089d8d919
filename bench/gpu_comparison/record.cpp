#include "bench/gpu_comparison/record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/json_value.hpp"

namespace copse::bench {
namespace {

using nlohmann::ordered_json;

std::optional<double> best_seconds(std::vector<race_record> const& records, bool keeps_transpose) {
    std::optional<double> best;
    for (auto const& r : records)
        if (r.library == "cusparse" && r.has_times() && r.keeps_transpose == keeps_transpose)
            best = best ? std::min(*best, r.m.seconds) : r.m.seconds;
    return best;
}

}  // namespace

void compare_with_cusparse(std::vector<race_record>& records) {
    auto const from_a = best_seconds(records, false), from_transpose = best_seconds(records, true);
    for (auto& r : records) {
        if (!r.has_times()) continue;
        if (from_a) r.times_cusparse = *from_a / r.m.seconds;
        if (from_transpose) r.times_transposed = *from_transpose / r.m.seconds;
    }
}

std::string json_line(race_record const& r, gpu_session const& session) {
    ordered_json object{{"bench", r.bench}};
    object.update(to_json(r.m));
    object["library"] = r.library;
    object["variant"] = r.variant;
    object["clock"] = r.clock;
    object["event_seconds"] = or_null(r.event_seconds);
    object["run_seconds"] = or_null(r.run_seconds);
    object["task_seconds"] = or_null(r.task_seconds);
    object["batches"] = or_null(r.batches);
    object["launches"] = or_null(r.launches);
    object["prepare_seconds"] = or_null(r.prepare_seconds);
    object["kept_bytes"] = r.kept_bytes;
    object["prepare_peak_bytes"] = or_null(r.prepare_peak_bytes);
    object["peak_bytes"] = or_null(r.peak_bytes);
    object["sets"] = r.sets;
    object["seed"] = session.seed;
    object["refused"] = r.is_refused;
    object["failure"] = r.failure.empty() ? ordered_json(nullptr) : ordered_json(r.failure);
    object["times_cusparse"] = or_null(r.times_cusparse);
    object["times_cusparse_of_transpose"] = or_null(r.times_transposed);
    object["copy_gbytes_per_second"] = session.copy_gbytes_per_second;
    object["fraction_of_copy"] =
        r.has_times() ? ordered_json(r.m.gbytes_per_second() / session.copy_gbytes_per_second) : ordered_json(nullptr);
    object["gpu"] = session.gpu;
    object["compute_capability"] = session.compute_capability;
    object["multiprocessors"] = session.multiprocessors;
    object["l2_bytes"] = session.l2_bytes;
    object["driver"] = session.driver;
    object["runtime"] = session.runtime;
    object["cusparse"] = session.cusparse;
    object["date"] = session.date;
    object["commit"] = session.commit;
    if (!r.has_times()) {
        for (auto const* key : {"seconds", "first_seconds", "gflops", "gbytes_per_second", "csr_gbytes_per_second",
                                "min_seconds", "max_seconds", "spread"})
            object[key] = nullptr;
    }
    return json_line(object);
}

std::string left_out_line(std::string const& bench, std::string const& op, std::string const& matrix,
                          std::string const& type) {
    return json_line(
        ordered_json{{"bench", bench}, {"op", op}, {"matrix", matrix}, {"type", type}, {"left_out", true}});
}

}  // namespace copse::bench
