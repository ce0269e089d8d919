#include "cli/memory_option.hpp"

#include <copse/runtime/error.hpp>

#include "cli/text.hpp"

namespace copse::cli {

void add_memory_option(CLI::App& app, bool& memory, std::string const& what) {
    app.add_flag("--memory", memory, "what " + what + " of the host's memory at most")->disable_flag_override();
}

void check_memory_option(bool memory, measure::target const& where, std::string const& stage) {
    if (memory && where.on() == "gpu")
        throw argument_error("--memory is of the host's; of a GPU's `bench/gpu --stage " + stage + "` tells: --on cpu");
}

std::string peak_text(std::optional<std::int64_t> const& bytes) {
    return bytes ? measure::human_bytes(static_cast<double>(*bytes)) : "this system does not count it";
}

}  // namespace copse::cli
