// Traces as their owner has them, and how one is made of what a run left in its memory.
#include <algorithm>
#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/host_run.hpp>
#include <copse/runtime/trace.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace copse {
namespace {

thread_local trace* trace_of_this_thread = nullptr;

}  // namespace

trace::trace(trace_options const& options) : options_(options) {
    std::int64_t constexpr most = std::int64_t{1} << 31;
    auto const check = [](char const* name, std::int64_t number, std::int64_t limit) {
        if (number < 0 || number > limit)
            throw argument_error("trace: " + std::string(name) + " is " + std::to_string(number) +
                                 "; it must lie between 0 and " + std::to_string(limit));
    };
    check("records", options.records, most);
    check("samples", options.samples, most);
    check("sample_nanoseconds", options.sample_nanoseconds, std::int64_t{1} << 62);
}

std::vector<traced_run> trace::runs() const {
    std::scoped_lock const lock(mutex_);
    return runs_;
}

void trace::clear() {
    std::scoped_lock const lock(mutex_);
    runs_.clear();
}

void trace::add(traced_run run) {
    std::scoped_lock const lock(mutex_);
    runs_.push_back(std::move(run));
}

tracing::tracing(trace& to) : before_(std::exchange(trace_of_this_thread, &to)) {}

tracing::~tracing() {
    trace_of_this_thread = before_;
}

trace* tracing::of_this_thread() {
    return trace_of_this_thread;
}

namespace detail {
namespace {

/// Nanoseconds of which all times are multiples, from some first one on; 0 where all are the same.
std::int64_t step_of(std::vector<trace_record> const& records) {
    std::int64_t step = 0;
    for (auto const& r : records) {
        step = std::gcd(step, r.begin - records.front().begin);
        step = std::gcd(step, r.end - records.front().begin);
    }
    return step;
}

/// Joins the first and the last record of each block. Two blocks of one number are there one after the other.
std::vector<trace_record> with_whole_blocks(std::vector<trace_record> const& records, std::int64_t end) {
    auto const key = [](trace_record const& r) { return std::pair(r.launch, r.block); };
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> open;  // where in `whole`
    std::vector<trace_record> whole;
    whole.reserve(records.size());
    for (auto r : records) {
        if (r.kind == block_ends) {
            if (auto const found = open.find(key(r)); found != open.end()) {
                whole[found->second].end = r.begin;
                open.erase(found);
            }
            continue;
        }
        if (r.kind == block_begins) {
            r.kind = trace_kind::block;
            r.end = end;
            open[key(r)] = whole.size();
        }
        whole.push_back(r);
    }
    return whole;
}

}  // namespace

char const* name_of(controller which) {
    return which == controller::device ? "device" : which == controller::persistent ? "persistent" : "host";
}

void add_run(trace& to, raw_trace raw, trace_source source, fact_list tasks, std::int64_t host_begin) {
    auto& records = raw.records;
    records.insert(records.end(), raw.samples.begin(), raw.samples.end());
    auto const begin = static_cast<std::int64_t>(raw.begin);
    for (auto& r : records) {
        bool const has_end = r.kind != block_begins && r.kind != block_ends;
        r.begin -= begin;
        r.end = has_end ? r.end - begin : r.begin;
    }
    // A block's last record stands behind what it did at the same time, its first one before.
    auto const order = [](trace_record const& r) {
        return std::tuple(r.begin, r.kind == block_begins ? 0 : r.kind == block_ends ? 2 : 1);
    };
    std::stable_sort(records.begin(), records.end(),
                     [&](trace_record const& a, trace_record const& b) { return order(a) < order(b); });
    std::int64_t duration = static_cast<std::int64_t>(raw.end) - begin;
    if (raw.end == 0) {
        duration = 0;
        for (auto const& r : records) duration = std::max(duration, r.end);
    }
    traced_run run{std::move(source.executor), std::move(source.controller), std::move(source.clock)};
    run.clock_step = step_of(records);
    run.host_begin = host_begin;
    run.nanoseconds = duration;
    run.dropped_records = static_cast<std::int64_t>(raw.dropped_records);
    run.dropped_samples = static_cast<std::int64_t>(raw.dropped_samples);
    for (task_facts const& task : tasks) run.queues.push_back(task.name());
    run.records = with_whole_blocks(records, duration);
    to.add(std::move(run));
}

}  // namespace detail
}  // namespace copse
