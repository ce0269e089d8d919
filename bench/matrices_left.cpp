#include "bench/matrices_left.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/harness/measurement.hpp"

namespace copse::bench {

matrices_left::matrices_left(std::string const& measured, int seconds) : seconds_(seconds) {
    std::ifstream file(measured);
    for (std::string line; std::getline(file, line);) {
        auto const r = nlohmann::json::parse(line, nullptr, false);
        if (!r.is_object() || r.value("left_out", false)) continue;
        measured_.insert(key(r.value("matrix", ""), r.value("type", "")));
    }
}

bool matrices_left::is_over() const {
    return seconds_ > 0 && std::chrono::steady_clock::now() - start_ > std::chrono::seconds(seconds_);
}

std::string left_out_line(std::string const& matrix, std::string const& type) {
    return measure::json_line(nlohmann::ordered_json{{"matrix", matrix}, {"type", type}, {"left_out", true}});
}

}  // namespace copse::bench
