#include "cli/trace_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <copse/runtime/error.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

namespace copse::cli {
namespace {

using json = nlohmann::json;

std::string const advice = "; copse spmv, add and convert write one with --trace FILE";

/// Text of JSON that may stand in a page's script.
std::string in_script(json const& value) {
    auto text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
    return text;
}

/// What is known of a run from its events: lists, as text.
struct lists {
    std::map<std::int64_t, std::string> lanes;  // by thread
    std::string batches, blocks, waits, launches, fills;
    std::int64_t batch_count = 0;
};

class trace_reader {
  public:
    /// An event of the file. Throws json::exception if a field is missing or of another type.
    void take(json const& event) {
        auto& run = runs_[event.at("pid").get<std::int64_t>()];
        auto const phase = event.at("ph").get<std::string>();
        if (phase == "M" && event.at("name") == "thread_name" && event.at("tid") != 0)
            run.lanes[event.at("tid").get<std::int64_t>()] = event.at("args").at("name").get<std::string>();
        if (!event.contains("cat")) return;
        auto const kind = event.at("cat").get<std::string>();
        auto const& args = event.at("args");
        if (kind == "batch") {
            add(run.batches, {thread(event), number(args, "queue"), time(event, "ts"), time(event, "dur"),
                              number(args, "items"), number(args, "launch"), number(args, "block")});
            ++run.batch_count;
        } else if (kind == "block") {
            add(run.blocks, {thread(event), time(event, "ts"), time(event, "dur"), number(args, "launch"),
                             number(args, "block"), number(args, "queue")});
        } else if (kind == "wait") {
            add(run.waits, {thread(event), time(event, "ts"), time(event, "dur")});
        } else if (kind == "launch") {
            add(run.launches,
                {number(args, "launch"), time(event, "ts"), number(args, "blocks"), number(args, "queue")},
                ',' + in_script(args.at("by").get<std::string>()));
        } else if (kind == "fill") {
            add(run.fills, {number(event, "queue"), time(event, "ts"), number(args, "items")});
        }
    }

    /// about: the file's "otherData".
    std::vector<run_on_page> finish(json const& about) const {
        std::vector<run_on_page> pages;
        for (auto const& run : about.at("runs")) {
            auto const found = runs_.find(run.at("pid").get<std::int64_t>());
            lists const nothing;
            auto const& its = found == runs_.end() ? nothing : found->second;
            auto lanes = json::array();
            for (auto const& [thread, name] : its.lanes) lanes.push_back({thread, name});
            auto const dropped = number(run, "dropped_records"), dropped_samples = number(run, "dropped_samples");
            pages.push_back(
                {fmt::format("{{executor:{},controller:{},clock:{},step:{},begin:{},duration:{},dropped:{},"
                             "droppedSamples:{},queues:{},lanes:{},\nbatches:[{}],\nblocks:[{}],\n"
                             "waits:[{}],\nlaunches:[{}],\nfills:[{}]}}",
                             in_script(run.at("executor")), in_script(run.at("controller")), in_script(run.at("clock")),
                             number(run, "clock_step_nanoseconds"), number(run, "begin_nanoseconds"),
                             number(run, "nanoseconds"), dropped, dropped_samples, in_script(run.at("queues")),
                             in_script(lanes), its.batches, its.blocks, its.waits, its.launches, its.fills),
                 its.batch_count, dropped + dropped_samples});
        }
        return pages;
    }

  private:
    static std::int64_t number(json const& object, char const* name) { return object.at(name).get<std::int64_t>(); }
    static std::int64_t thread(json const& event) { return number(event, "tid"); }
    /// Nanoseconds.
    static std::int64_t time(json const& event, char const* name) {
        return std::llround(event.at(name).get<double>() * 1000);
    }
    static void add(std::string& list, std::initializer_list<std::int64_t> numbers, std::string const& behind = "") {
        list += list.empty() ? "[" : ",[";
        bool is_first = true;
        for (auto const n : numbers) {
            if (!is_first) list += ',';
            is_first = false;
            list += std::to_string(n);
        }
        list += behind + ']';
    }

    std::map<std::int64_t, lists> runs_;
};

}  // namespace

std::vector<run_on_page> read_trace(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file || file.peek() == std::ifstream::traits_type::eof()) {
        auto const reason = file ? std::string("it is empty") : std::generic_category().message(errno);
        throw argument_error(fmt::format("cannot read '{}': {}", path, reason));
    }
    trace_reader reader;
    try {
        // Each event is forgotten when it has been read: a long trace has a million of them.
        auto const take = [&](int depth, json::parse_event_t what, json& parsed) {
            if (what != json::parse_event_t::object_end || depth != 2 || !parsed.contains("ph")) return true;
            reader.take(parsed);
            return false;
        };
        auto const rest = json::parse(file, take);
        if (!rest.is_object() || !rest.contains("otherData") || !rest["otherData"].contains("copse_trace"))
            throw format_error(path, 0, "this is not a trace that copse has written" + advice);
        auto const& about = rest["otherData"];
        if (about["copse_trace"] != 1)
            throw format_error(path, 0, "this is a trace of another version of copse; make it anew, or take its page");
        return reader.finish(about);
    } catch (json::exception const&) {
        throw format_error(path, 0, "this is not a whole trace" + advice);
    }
}

std::string trace_page(std::vector<run_on_page> const& runs) {
    std::string page = trace_page_template;
    std::string_view const marker = "/*RUNS*/[]";
    std::string list = "[";
    for (auto const& run : runs) list += (list.size() > 1 ? ",\n" : "\n") + run.script;
    page.replace(page.find(marker), marker.size(), list + "\n]");
    return page;
}

}  // namespace copse::cli
