#include "bench/gpu_comparison/race_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/harness/race.hpp"

namespace copse::bench {
namespace {

double median(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return measure::quantile(values, 0.5);
}

}  // namespace

void race_times::add(call_seconds const& call, bool by_wall, std::optional<run_report> const& report) {
    seconds.push_back(by_wall ? call.wall : call.events);
    events.push_back(call.events);
    total += seconds.back();
    if (!report) return;
    queue_report sum;
    for (auto const& q : report->queues) {
        sum.seconds += q.seconds;
        sum.batches += q.batches;
        sum.launches += q.launches;
    }
    run.push_back(report->seconds);
    tasks.push_back(sum.seconds);
    batches.push_back(static_cast<double>(sum.batches));
    launches.push_back(static_cast<double>(sum.launches));
}

void record_times(gpu_record& r, race_times& t) {
    if (t.seconds.empty()) return;
    auto& m = r.m;
    m.seconds = median(t.seconds);
    m.repeats = static_cast<int>(t.seconds.size());
    m.min_seconds = t.seconds.front();
    m.max_seconds = t.seconds.back();
    m.spread = (measure::quantile(t.seconds, 0.75) - measure::quantile(t.seconds, 0.25)) / m.seconds;
    r.event_seconds = median(t.events);
    if (t.run.empty()) return;
    r.run_seconds = median(t.run);
    r.task_seconds = median(t.tasks);
    r.batches = median(t.batches);
    r.launches = median(t.launches);
}

std::string race_name(gpu_record const& r) {
    return fmt::format("[{}] in {} of {}, {}", r.name(), operation_of(r), r.m.matrix, r.m.type);
}

}  // namespace copse::bench
