// copse trace: a page of what --trace has written.
#include <fmt/format.h>

#include <copse/runtime/error.hpp>
#include <copse/runtime/write_file.hpp>
#include <memory>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/text.hpp"
#include "cli/trace_file.hpp"

namespace copse::cli {
namespace {

char const* const trace_footer =
    R"(Makes one HTML page of a file that --trace has written: for each run of tasks its threads, or the places for
blocks on each multiprocessor, with what they did when; how many were at work at once; how many items waited in
each queue; for each queue items, time, share and mean; for each launch who made it, how many blocks it had, and
how many of these ran at once. The page is one file and needs no network. ui.perfetto.dev and chrome://tracing open
the file itself.

Examples:
  copse spmv A.mtx --trace a.json
  copse trace a.json -o a.html)";

struct trace_arguments {
    std::string input;
    std::string output;
};

void make_page(trace_arguments const& arguments) {
    announce_output(arguments.output, {arguments.input});
    auto const runs = read_trace(arguments.input);
    write_output([&] { write_file(arguments.output, trace_page(runs)); });
    std::int64_t batches = 0, dropped = 0;
    for (auto const& run : runs) {
        batches += run.batches;
        dropped += run.dropped;
    }
    print(fmt::format("{}: {} run{}, {} batches{}; open it in a browser\n", one_line(arguments.output), runs.size(),
                      runs.size() == 1 ? "" : "s", with_commas(batches),
                      dropped > 0 ? fmt::format(", {} records dropped", with_commas(dropped)) : ""));
}

}  // namespace

command add_trace(CLI::App& all) {
    auto const arguments = std::make_shared<trace_arguments>();
    CLI::App& app = add_command(all, "trace", "make a page of a trace", trace_footer);
    add_input(app, arguments->input, "trace", "what --trace of another command has written");
    add_file(app, "-o,--output", arguments->output, "write the page to this HTML file", presence::required);
    return {&app, [arguments] { make_page(*arguments); }};
}

}  // namespace copse::cli
