#include "bench/gpu_comparison/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
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

/// The records of one bench.
std::vector<nlohmann::json> read(std::string const& path, std::string const& bench) {
    std::vector<nlohmann::json> found;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        auto r = nlohmann::json::parse(line, nullptr, false);
        if (r.is_object() && r.value("bench", "") == bench && r.contains("op") && !r.value("left_out", false))
            found.push_back(std::move(r));
    }
    return found;
}

/// Wrong, or without a time for a reason that is neither the format's nor cuSPARSE's.
bool has_failed(nlohmann::json const& r) {
    auto const has = [&](char const* field) { return r.contains(field) && !r[field].is_null(); };
    if (has("failure_behind")) return true;
    return !has("seconds") && !r.value("refused", false) && (r.value("library", "") != "cusparse" || !has("failure"));
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

std::string json_line(conversion_record const& r, gpu_session const& session) {
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

std::string left_out_line(std::string const& bench, std::string const& op, std::string const& matrix,
                          std::string const& type) {
    return json_line(
        ordered_json{{"bench", bench}, {"op", op}, {"matrix", matrix}, {"type", type}, {"left_out", true}});
}

std::string product_key(std::string const& op, std::string const& matrix, std::string const& type, bool transpose,
                        bool transpose_b) {
    return fmt::format("{}\n{}\n{}\n{}{}", op, matrix, type, transpose, transpose_b);
}

std::string conversion_key(std::string const& matrix, std::string const& type, std::string const& format) {
    return fmt::format("convert\n{}\n{}\n{}", matrix, type, format);
}

std::set<std::string> measured_products(std::string const& path, std::string const& bench) {
    std::set<std::string> found;
    for (auto const& r : read(path, bench)) {
        auto const op = r.value("op", ""), matrix = r.value("matrix", ""), type = r.value("type", "");
        if (op == "convert") {
            found.insert(conversion_key(matrix, type, r.value("format", "")));
            continue;
        }
        found.insert(product_key(op, matrix, type, r.value("transpose", false), r.value("transpose_b", false)));
        if (op == "add" && r.value("rows", 0LL) != r.value("cols", 0LL))
            found.insert(product_key(op, matrix, type, false, true));
    }
    return found;
}

int failures_before(std::string const& path, std::string const& bench) {
    auto const records = read(path, bench);
    return static_cast<int>(std::count_if(records.begin(), records.end(), has_failed));
}

}  // namespace copse::bench
