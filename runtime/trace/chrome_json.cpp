// Traces as files in Chrome's trace event format, which Perfetto, chrome://tracing and `copse trace` read.
//
//   process   a run; its name says executor, controller and what was dropped
//   thread 0  launches, as instants
//   thread n  cpu: thread n - 1; gpu: a place for a block on a multiprocessor; emulated: a place for a block.
//             On it a slice for each block, within it those of batches and waits
//   counters  items that wait in each queue; blocks (threads) at work, and blocks that have begun and not ended
//
// "otherData" has what the format has no place for. Times are microseconds, with three digits behind the point.
#include <fmt/format.h>

#include <algorithm>
#include <copse/runtime/files/replacing_file.hpp>
#include <copse/runtime/trace.hpp>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace copse {
namespace {

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            result += fmt::format("\\u{:04x}", static_cast<int>(c));
        else
            result += c;
    }
    return result + '"';
}

/// Nanoseconds as microseconds.
std::string microseconds(std::int64_t time) {
    return fmt::format("{}.{:03}", time / 1000, time % 1000);
}

/// Where slices stand: no two blocks at once on one line, or viewers could not nest them.
class lanes {
  public:
    explicit lanes(traced_run const& run) : is_cpu_(run.executor == "cpu"), is_gpu_(run.executor.starts_with("gpu")) {
        for (auto const& r : run.records)
            if (r.kind == trace_kind::block) add(r);
    }

    /// The number of the line of a block, a batch or a wait, from 1. If a block's record was dropped, the block has a
    /// line of its own.
    int of(trace_record const& r) {
        auto& stays = stays_[{r.launch, r.block}];
        for (auto const& s : stays)
            if (s.begin <= r.begin && r.end <= s.end) return s.line;
        return stays.empty() ? add(r) : stays.back().line;
    }
    std::vector<std::string> const& names() const { return names_; }

  private:
    struct stay {
        std::int64_t begin;
        std::int64_t end;
        int line;
    };

    int add(trace_record const& r) {
        auto& here = ends_[is_cpu_ || is_gpu_ ? r.place : 0];
        auto const is_free = [&](auto const& line) { return !is_cpu_ && line.second <= r.begin; };
        auto line = std::find_if(here.begin(), here.end(), is_free);
        if (line == here.end()) {
            names_.push_back(is_cpu_   ? fmt::format("thread {}", r.place)
                             : is_gpu_ ? fmt::format("SM {}, place {}", r.place, here.size())
                                       : fmt::format("place {}", here.size()));
            line = here.insert(here.end(), {static_cast<int>(names_.size()), 0});
        }
        line->second = r.kind == trace_kind::block ? r.end : std::numeric_limits<std::int64_t>::max();
        stays_[{r.launch, r.block}].push_back({r.begin, line->second, line->first});
        return line->first;
    }

    bool is_cpu_, is_gpu_;
    std::map<int, std::vector<std::pair<int, std::int64_t>>> ends_;  // by place: lines, and until when they are taken
    std::map<std::pair<int, int>, std::vector<stay>> stays_;         // by launch and block
    std::vector<std::string> names_;
};

/// How many of the records of a kind there are at once, as a counter: all changes, or of many the most in each stretch.
std::vector<std::pair<std::int64_t, int>> at_once(traced_run const& run, trace_kind kind) {
    std::vector<std::pair<std::int64_t, int>> changes;
    for (auto const& r : run.records) {
        if (r.kind != kind || r.end == r.begin) continue;
        changes.emplace_back(r.begin, 1);
        changes.emplace_back(r.end, -1);
    }
    std::sort(changes.begin(), changes.end());  // what ends does so before what begins at that time
    std::int64_t constexpr most = 4000;
    std::int64_t const stretch = std::ssize(changes) > most ? run.nanoseconds / most + 1 : 1;
    std::vector<std::pair<std::int64_t, int>> counts;
    int now = 0;
    for (std::size_t i = 0; i < changes.size();) {
        auto const first = changes[i].first / stretch * stretch;
        int largest = stretch > 1 ? now : 0;
        for (; i < changes.size() && changes[i].first < first + stretch; ++i) {
            now += changes[i].second;
            largest = std::max(largest, now);
        }
        counts.emplace_back(first, stretch > 1 ? largest : now);
        if (stretch > 1 && now != largest) counts.emplace_back(first + stretch, now);
    }
    return counts;
}

class writer {
  public:
    explicit writer(detail::replacing_file& file) : file_(file) {}

    void write(std::vector<traced_run> const& runs) {
        auto first = std::numeric_limits<std::int64_t>::max();
        for (auto const& run : runs) first = std::min(first, run.host_begin);
        text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
        for (std::size_t i = 0; i < runs.size(); ++i) write(static_cast<int>(i) + 1, runs[i], first);
        text_ += "\n],\"otherData\":{\"copse_trace\":1,\"runs\":[";
        for (std::size_t i = 0; i < runs.size(); ++i) describe(static_cast<int>(i) + 1, runs[i], first);
        text_ += "\n]}}\n";
        file_.append(text_);
    }

  private:
    /// One event of the process that is being written. fields: all but pid.
    template <class... Fields>
    void event(fmt::format_string<Fields const&...> fields, Fields const&... values) {
        if (!is_first_) text_ += ",\n";
        is_first_ = false;
        fmt::format_to(std::back_inserter(text_), "{{\"pid\":{},", process_);
        fmt::format_to(std::back_inserter(text_), fields, values...);
        text_ += '}';
        if (text_.size() < (std::size_t{1} << 20)) return;
        file_.append(text_);
        text_.clear();
    }

    void write(int process, traced_run const& run, std::int64_t first) {
        process_ = process;
        std::int64_t const offset = run.host_begin - first;
        auto const at = [&](std::int64_t time) { return microseconds(offset + time); };
        auto const queue = [&](int index) {
            return index < 0 ? std::string("all queues") : run.queues[static_cast<std::size_t>(index)];
        };
        lanes lines(run);
        std::string const unit = run.executor == "cpu" ? "threads" : "blocks";
        name_process(run);
        for (auto const& r : run.records) {
            auto const ts = at(r.begin), dur = microseconds(r.end - r.begin);
            switch (r.kind) {
                case trace_kind::batch:
                    event(R"("ph":"X","cat":"batch","name":{},"tid":{},"ts":{},"dur":{},)"
                          R"("args":{{"queue":{},"items":{},"launch":{},"block":{}}})",
                          quoted(queue(r.queue)), lines.of(r), ts, dur, r.queue, r.count, r.launch, r.block);
                    break;
                case trace_kind::block:
                    event(R"("ph":"X","cat":"block","name":{},"tid":{},"ts":{},"dur":{},)"
                          R"("args":{{"queue":{},"launch":{},"block":{}}})",
                          quoted(run.executor == "cpu"
                                     ? fmt::format("thread {}", r.block)
                                     : fmt::format("block {} of launch {}, {}", r.block, r.launch, queue(r.queue))),
                          lines.of(r), ts, dur, r.queue, r.launch, r.block);
                    break;
                case trace_kind::wait:
                    event(R"("ph":"X","cat":"wait","name":"wait","tid":{},"ts":{},"dur":{},)"
                          R"("args":{{"launch":{},"block":{}}})",
                          lines.of(r), ts, dur, r.launch, r.block);
                    break;
                case trace_kind::launch:
                    event(R"("ph":"i","s":"p","cat":"launch","name":{},"tid":0,"ts":{},)"
                          R"("args":{{"launch":{},"blocks":{},"queue":{},"by":{}}})",
                          quoted(fmt::format("launch {} of {} blocks, {}", r.launch, r.count, queue(r.queue))), ts,
                          r.launch, r.count, r.queue,
                          quoted(r.place < 0 ? "host" : fmt::format("controller, lane {}", r.place)));
                    break;
                case trace_kind::fill:
                    event(R"("ph":"C","cat":"fill","name":{},"tid":0,"ts":{},"queue":{},"args":{{"items":{}}})",
                          quoted("waiting in " + queue(r.queue)), ts, r.queue, r.count);
                    break;
            }
        }
        for (auto const& [time, count] : at_once(run, trace_kind::batch))
            event(R"("ph":"C","cat":"at work","name":"{} at work","tid":0,"ts":{},"args":{{"{}":{}}})", unit, at(time),
                  unit, count);
        for (auto const& [time, count] : at_once(run, trace_kind::block))
            event(R"("ph":"C","cat":"there","name":"{} there","tid":0,"ts":{},"args":{{"{}":{}}})", unit, at(time),
                  unit, count);
        name_thread(0, "launches");
        for (std::size_t i = 0; i < lines.names().size(); ++i) name_thread(static_cast<int>(i) + 1, lines.names()[i]);
    }

    void name_process(traced_run const& run) {
        auto const by = run.controller.empty() ? "" : ", controller " + run.controller;
        auto const dropped =
            run.dropped_records > 0 ? fmt::format("; {} records dropped", run.dropped_records) : std::string();
        event(R"("ph":"M","name":"process_name","args":{{"name":{}}})",
              quoted(fmt::format("run {} on {}{}{}", process_, run.executor, by, dropped)));
        event(R"("ph":"M","name":"process_sort_index","args":{{"sort_index":{}}})", process_);
    }

    void name_thread(int thread, std::string const& name) {
        event(R"("ph":"M","name":"thread_name","tid":{},"args":{{"name":{}}})", thread, quoted(name));
        event(R"("ph":"M","name":"thread_sort_index","tid":{},"args":{{"sort_index":{}}})", thread, thread);
    }

    void describe(int process, traced_run const& run, std::int64_t first) {
        if (process > 1) text_ += ',';
        text_ += fmt::format(
            "\n{{\"pid\":{},\"executor\":{},\"controller\":{},\"clock\":{},\"clock_step_nanoseconds\":{},"
            "\"begin_nanoseconds\":{},\"nanoseconds\":{},\"dropped_records\":{},\"dropped_samples\":{},\"queues\":[",
            process, quoted(run.executor), quoted(run.controller), quoted(run.clock), run.clock_step,
            run.host_begin - first, run.nanoseconds, run.dropped_records, run.dropped_samples);
        for (std::size_t i = 0; i < run.queues.size(); ++i) text_ += (i > 0 ? "," : "") + quoted(run.queues[i]);
        text_ += "]}";
    }

    detail::replacing_file& file_;
    std::string text_;
    int process_ = 0;
    bool is_first_ = true;
};

}  // namespace

void trace::write(std::string const& path) const {
    auto const all = runs();
    detail::replacing_file file(path);
    writer(file).write(all);
    file.commit();
}

}  // namespace copse
