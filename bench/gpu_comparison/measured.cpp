#include "bench/gpu_comparison/measured.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <copse/runtime/error.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/gpu_comparison/conversion_record.hpp"

namespace copse::bench {
namespace {

using nlohmann::json;

std::string text_of(json const& line, char const* key) {
    auto const found = line.find(key);
    return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}
bool flag_of(json const& line, char const* key) {
    auto const found = line.find(key);
    return found != line.end() && found->is_boolean() && found->get<bool>();
}
std::optional<double> number_of(json const& line, char const* key) {
    auto const found = line.find(key);
    return found != line.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

bool is_left_out(json const& line) {
    return line.is_object() && flag_of(line, "left_out");
}
/// Lines of other programs, which have tables of their own, name no library.
bool is_record(json const& line) {
    return line.is_object() && !is_left_out(line) && (line.contains("library") || text_of(line, "op") == "convert");
}

std::string operation_of(json const& line) {
    auto const op = text_of(line, "op");
    if (op == "convert") return op;
    std::string const a = flag_of(line, "transpose") ? "A^T" : "A";
    if (op != "add") return a + " x";
    return a + (flag_of(line, "transpose_b") ? " + B^T" : " + B");
}

std::map<std::string, measured_after> read_after(json const& line) {
    std::map<std::string, measured_after> after;
    auto const there = number_of(line, "there_seconds");
    for (auto const& [key, text, most_repeats] : follow_up_names) {
        auto const seconds = number_of(line, (std::string(key) + "_seconds").c_str());
        auto const bytes = number_of(line, (std::string(key) + "_peak_bytes").c_str());
        if (seconds && there) after[key].conversions = *seconds / *there;
        if (bytes) after[key].peak_bytes = bytes;
    }
    return after;
}

measured read_line(json const& line) {
    measured m;
    m.bench = text_of(line, "bench");
    m.operation = operation_of(line);
    m.matrix = text_of(line, "matrix");
    m.type = text_of(line, "type");
    m.library = text_of(line, "library");
    m.name = m.is_conversion() ? text_of(line, "format") : m.library + ' ' + text_of(line, "variant");
    m.mode = text_of(line, "mode");
    m.entries = static_cast<std::int64_t>(number_of(line, "entries").value_or(0));
    m.seconds = number_of(line, "seconds");
    m.event_seconds = number_of(line, "event_seconds");
    m.sets = static_cast<int>(number_of(line, "sets").value_or(1));
    m.times_cusparse = number_of(line, "times_cusparse");
    m.times_transposed = number_of(line, "times_cusparse_of_transpose");
    m.fraction_of_copy = number_of(line, "fraction_of_copy");
    m.csr_gbytes_per_second = number_of(line, "csr_gbytes_per_second");
    m.net_products = number_of(line, "net_products");
    auto const back = number_of(line, "back_seconds"), product = number_of(line, "product_seconds");
    if (back && product) m.back_products = *back / *product;
    m.kept_bytes = number_of(line, "kept_bytes");
    m.prepare_peak_bytes = number_of(line, "prepare_peak_bytes");
    m.peak_bytes = number_of(line, "peak_bytes");
    m.back_peak_bytes = number_of(line, "back_peak_bytes");
    m.after = read_after(line);
    m.run_seconds = number_of(line, "run_seconds");
    m.task_seconds = number_of(line, "task_seconds");
    m.batches = number_of(line, "batches");
    m.launches = number_of(line, "launches");
    m.copy_gbytes_per_second = number_of(line, "copy_gbytes_per_second");
    m.gpu = text_of(line, "gpu");
    m.cusparse = text_of(line, "cusparse");
    m.failure = text_of(line, "failure");
    m.failure_behind = text_of(line, "failure_behind");
    m.is_refused = flag_of(line, "refused");
    return m;
}

}  // namespace

std::vector<measured> read_measured(std::string const& path) {
    std::ifstream file(path);
    if (!file) throw error("cannot read '" + path + "'");
    std::vector<measured> all;
    for (std::string line; std::getline(file, line);) {
        auto const object = json::parse(line, nullptr, false);
        if (is_record(object)) all.push_back(read_line(object));
    }
    return all;
}

std::map<std::string, matrix_count> count_matrices(std::string const& path) {
    std::ifstream file(path);
    if (!file) throw error("cannot read '" + path + "'");
    // bench, op, matrix, type: whether it was measured
    std::map<std::array<std::string, 4>, bool> matrices;
    for (std::string line; std::getline(file, line);) {
        auto const object = json::parse(line, nullptr, false);
        bool const measured = is_record(object);
        if (!measured && !is_left_out(object)) continue;
        matrices[{text_of(object, "bench"), text_of(object, "op"), text_of(object, "matrix"),
                  text_of(object, "type")}] |= measured;
    }
    std::map<std::string, matrix_count> counts;
    for (auto const& [key, measured] : matrices) ++(measured ? counts[key[0]].measured : counts[key[0]].left_out);
    return counts;
}

void geometric_mean::add(std::optional<double> const& value) {
    if (!value || !(*value > 0)) return;
    logarithms_ += std::log(*value);
    ++count_;
}

std::optional<double> geometric_mean::value() const {
    return count_ == 0 ? std::nullopt : std::optional(std::exp(logarithms_ / count_));
}

std::string geometric_mean::text(int digits) const {
    auto const mean = value();
    return mean ? fmt::format("{:.{}f}", *mean, digits) : std::string();
}

}  // namespace copse::bench
