#include "bench/matrices_left.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

namespace copse::bench {
namespace {

std::string key(std::string const& matrix, std::string const& type) {
    return matrix + '\n' + type;
}

}  // namespace

matrices_left::matrices_left(std::string const& measured, int seconds) : limit_(seconds) {
    std::ifstream file(measured);
    for (std::string line; std::getline(file, line);) {
        auto const r = nlohmann::json::parse(line, nullptr, false);
        if (!r.is_object() || r.value("left_out", false)) continue;
        measured_.insert(key(r.value("matrix", ""), r.value("type", "")));
    }
}

bool matrices_left::take(std::string const& matrix, std::string const& type, json_lines& lines) const {
    if (measured_.contains(key(matrix, type))) {
        fmt::print(stderr, " in the file\n");
        return false;
    }
    if (limit_.count() == 0 || std::chrono::steady_clock::now() - start_ <= limit_) return true;
    fmt::print(stderr, " left out, because the time of --seconds is over\n");
    lines.add({{"matrix", matrix}, {"type", type}, {"left_out", true}});
    return false;
}

}  // namespace copse::bench
