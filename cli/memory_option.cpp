#include "cli/memory_option.hpp"

namespace copse::cli {

void add_memory_option(CLI::App& app, bool& memory, std::string const& what) {
    app.add_flag("--memory", memory, "what " + what + " of the host's memory at most, and of a GPU's")
        ->disable_flag_override();
}

measure::memory_probe probe_of(bool memory, measure::target& where) {
    if (!memory) return {};
    return [&where](std::function<void()> const& work) {
        return where.with([&](auto& executor) { return measure::memory_peak_of(executor, work); });
    };
}

}  // namespace copse::cli
