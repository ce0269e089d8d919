#include "bench/gpu_comparison/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace copse::bench {
namespace {

using nlohmann::json;

/// The records of one bench.
std::vector<json> read(std::string const& path, std::string const& bench) {
    std::vector<json> found;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        auto r = json::parse(line, nullptr, false);
        if (r.is_object() && r.value("bench", "") == bench && r.contains("op") && !r.value("left_out", false))
            found.push_back(std::move(r));
    }
    return found;
}

/// Wrong, or without a time for a reason that is neither the format's nor cuSPARSE's.
bool has_failed(json const& r) {
    auto const has = [&](char const* field) { return r.contains(field) && !r[field].is_null(); };
    if (has("failure_behind")) return true;
    return !has("seconds") && !r.value("refused", false) && (r.value("library", "") != "cusparse" || !has("failure"));
}

}  // namespace

std::string product_key(std::string const& op, std::string const& matrix, std::string const& type, bool transpose,
                        bool transpose_b) {
    return fmt::format("{}\n{}\n{}\n{}{}", op, matrix, type, transpose, transpose_b);
}

std::string conversion_key(std::string const& matrix, std::string const& type, std::string const& format) {
    return fmt::format("convert\n{}\n{}\n{}", matrix, type, format);
}

std::set<std::string> measured_products(std::string const& path, std::string const& bench) {
    std::set<std::string> found;
    for (auto const& r : read(path, bench)) {
        auto const op = r.value("op", ""), matrix = r.value("matrix", ""), type = r.value("type", "");
        if (op == "convert") {
            found.insert(conversion_key(matrix, type, r.value("format", "")));
            continue;
        }
        found.insert(product_key(op, matrix, type, r.value("transpose", false), r.value("transpose_b", false)));
        if (op == "add" && r.value("rows", 0LL) != r.value("cols", 0LL))
            found.insert(product_key(op, matrix, type, false, true));
    }
    return found;
}

int failures_before(std::string const& path, std::string const& bench) {
    auto const records = read(path, bench);
    return static_cast<int>(std::count_if(records.begin(), records.end(), has_failed));
}

}  // namespace copse::bench
