#include "bench/gpu_comparison/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/harness/json_value.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

using measure::or_null;
using nlohmann::ordered_json;

std::optional<double> best_seconds(std::vector<gpu_record> const& records, bool keeps_transpose) {
    std::optional<double> best;
    for (auto const& r : records)
        if (r.library == "cusparse" && r.has_times() && r.keeps_transpose == keeps_transpose)
            best = best ? std::min(*best, r.m.seconds) : r.m.seconds;
    return best;
}

std::string times(std::optional<double> const& ratio) {
    return ratio ? fmt::format("{:.2f}", *ratio) : "";
}

/// has_both_clocks: with the time by events behind the other.
std::string row(gpu_record const& r, gpu_session const& session, bool has_both_clocks) {
    auto const name = fmt::format("| {} | {} {} |", operation_of(r), r.library, r.variant);
    auto const* const none = has_both_clocks ? " | | | | | | | | | | |" : " | | | | | | | | | |";
    if (!r.failure.empty()) return fmt::format("{} {}{} |\n", name, measure::one_line(r.failure), none);
    if (!r.m.is_right()) return fmt::format("{} WRONG{} {:.3g} |\n", name, none, r.m.max_error);
    auto const by_events = r.event_seconds ? fmt::format(" {:.4f} |", 1e3 * *r.event_seconds) : std::string("  |");
    auto const bytes = [](std::optional<std::int64_t> count) {
        return count ? measure::human_bytes(static_cast<double>(*count)) : "";
    };
    return fmt::format("{} {:.4f} |{} {:.0f}% | {:.0f} | {:.0f} | {:.2f} | {} | {} | {} | {} | {} | {:.2g} |\n", name,
                       1e3 * r.m.seconds, has_both_clocks ? by_events : "", 100 * r.m.spread, r.m.gbytes_per_second(),
                       r.m.csr_gbytes_per_second(), r.m.gbytes_per_second() / session.copy_gbytes_per_second,
                       times(r.times_cusparse), times(r.times_transposed), bytes(r.kept_bytes),
                       bytes(r.prepare_peak_bytes), bytes(r.peak_bytes), r.m.max_error);
}

}  // namespace

std::string operation_of(gpu_record const& r) {
    return operation_of(r.m);
}

void compare_with_cusparse(std::vector<gpu_record>& records) {
    auto const from_a = best_seconds(records, false), from_transpose = best_seconds(records, true);
    for (auto& r : records) {
        if (!r.has_times()) continue;
        if (from_a) r.times_cusparse = *from_a / r.m.seconds;
        if (from_transpose) r.times_transposed = *from_transpose / r.m.seconds;
    }
}

std::string json_line(gpu_record const& r, gpu_session const& session) {
    ordered_json object{{"bench", r.bench}};
    object.update(measure::to_json(r.m));
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
    return measure::json_line(object);
}

std::string left_out_line(std::string const& bench, std::string const& op, std::string const& matrix,
                          std::string const& type) {
    return measure::json_line(
        ordered_json{{"bench", bench}, {"op", op}, {"matrix", matrix}, {"type", type}, {"left_out", true}});
}

std::string heading(gpu_session const& s) {
    return fmt::format(
        "{}, compute capability {}.{}, {} multiprocessors, L2 {}; the driver supports CUDA {}, this program is of CUDA "
        "{}\n"
        "cuSPARSE: {}\n"
        "copy on the device: {:.0f} GB/s (bytes read and written; median)\n"
        "commit {}, {}, seed {}\n\n"
        "ms: median. Who waits in each call (ours but HiSparse's plan, and all sums): wall clock around it, launches "
        "included. Who does not: CUDA events around the call, launch latency hidden. ms by events, of sums: median "
        "between CUDA events around the call, its waits for the host included.\n"
        "GB/s: the bytes that the format takes, with x and y once each, or with the sum; CSR GB/s: the bytes of CSR "
        "instead; of copy: GB/s over the copy's.\n"
        "x cuSPARSE: time of the best of cuSPARSE that starts from A (and B), over this one's; x stored A^T: the same "
        "for "
        "cuSPARSE with transposes kept beside them.\n"
        "kept: on the GPU from call to call, beside operands and result (plan, workspace, transpose); making it: what "
        "that took there at most, itself included; peak: what a call "
        "takes there besides, at most, its new result included; without what cuSPARSE allocates itself.\n"
        "error: largest difference from the reference, over what arithmetic may be off by.\n\n",
        s.gpu, s.compute_capability / 10, s.compute_capability % 10, s.multiprocessors,
        measure::human_bytes(static_cast<double>(s.l2_bytes)), s.driver, s.runtime, measure::one_line(s.cusparse),
        s.copy_gbytes_per_second, s.commit, s.date, s.seed);
}

std::string matrix_table(std::vector<gpu_record> const& records, gpu_session const& session) {
    if (records.empty()) return "";
    auto const& m = records.front().m;
    auto text =
        fmt::format("### {}, {}\n\n{} x {}, {} entries, {} set{} of inputs\n\n", measure::one_line(m.matrix), m.type,
                    measure::with_commas(m.rows), measure::with_commas(m.columns), measure::with_commas(m.entries),
                    records.front().sets, records.front().sets == 1 ? "" : "s");
    bool const has_sums =
        std::any_of(records.begin(), records.end(), [](auto const& r) { return r.m.plus.has_value(); });
    text += fmt::format(
        "| | by | ms |{} spread | GB/s | CSR GB/s | of copy | x cuSPARSE | x stored A^T | kept | making it | peak | "
        "error |\n"
        "|---|---|---:|{}---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        has_sums ? " ms by events |" : "", has_sums ? "---:|" : "");
    for (auto const& r : records) text += row(r, session, has_sums);
    return text + '\n';
}

}  // namespace copse::bench
