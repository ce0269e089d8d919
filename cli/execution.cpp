#include "cli/execution.hpp"

#include <algorithm>
#include <copse/runtime/error.hpp>
#include <cstdint>

#include "cli/memory_option.hpp"
#include "cli/options.hpp"

namespace copse::cli {
namespace {

/// The first format of `what` that --node-dimension belongs to, or nothing.
format_choice const* with_node_dimension(operation const& what) {
    auto const found = std::find_if(what.formats.begin(), what.formats.end(),
                                    [](format_choice const& f) { return f.has_node_dimension; });
    return found == what.formats.end() ? nullptr : &*found;
}

format_choice const& chosen_format(execution const& e, operation const& what) {
    return *std::find_if(what.formats.begin(), what.formats.end(),
                         [&](format_choice const& f) { return f.name == e.format; });
}

}  // namespace

void add_execution(CLI::App& app, execution& e, operation const& what) {
    e.format = what.formats.front().name;
    std::vector<std::string> names;
    for (auto const& f : what.formats) names.push_back(f.name);
    add_choice(app, "--format", e.format, names, what.format_help + " (default " + e.format + ")");
    if (with_node_dimension(what)) add_node_dimension(app, e.node_dimension);
    add_choice(app, "--type", e.type, {"double", "float"}, "of the values (default double)");
    add_choice(app, "--on", e.where.on, {"auto", "cpu", "gpu", "emulated"},
               "where (default auto: a GPU that can be used, else the cpu)");
    add_choice(app, "--controller", e.controller, {"device", "persistent", "host"},
               "who starts the work on gpu and emulated (default persistent); where auto takes the cpu nobody");
    add_threads(app, e.where.threads);
    add_whole(app, "--seed", e.seed, 0, 2147483647, "order of events in an emulated run (default 0)");
    add_whole(app, "--repeat", e.repeats, 0, 1000000, "timed runs after the first one (default 10; emulated: 0)");
    add_memory_option(app, e.memory, "one " + what.name + " takes");
    app.add_flag("--json", e.json, "print one JSON object on one line")->disable_flag_override();
}

void check_execution(CLI::App const& app, execution& e, operation const& what) {
    auto const given = [&](char const* option) { return app.count(option) > 0; };
    auto const& format = chosen_format(e, what);
    if (format.cpu_only) {
        if (e.where.on == "auto") e.where.on = "cpu";
        if (e.where.on != "cpu")
            throw argument_error("--format " + e.format + " has no " + what.name + " on " + e.where.on +
                                 ": it runs with --on cpu or auto");
    }
    if (auto const* other = with_node_dimension(what);
        other && !format.has_node_dimension && given("--node-dimension")) {
        throw argument_error("--node-dimension belongs to --format " + other->name + ", not to " + e.format);
    }
    if (given("--seed") && e.where.on != "emulated") throw argument_error("--seed belongs to --on emulated");
    if (given("--controller")) e.where.controller = measure::controller_named(e.controller);
    if (!given("--repeat") && e.where.on == "emulated") e.repeats = 0;
    e.where.seed = static_cast<std::uint64_t>(e.seed);
}

}  // namespace copse::cli
