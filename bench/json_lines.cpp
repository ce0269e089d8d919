#include "bench/json_lines.hpp"

#include <copse/runtime/error.hpp>

#include "bench/harness/json_value.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/options.hpp"

namespace copse::bench {

using nlohmann::ordered_json;

json_lines::json_lines(std::string const& path) : path_(path) {
    if (path.empty()) return;
    check_output(path);
    file_.open(path);
}

void json_lines::add(ordered_json const& object) {
    auto const line = json_line(object);
    if (!path_.empty()) {
        file_ << line << std::flush;
        if (!file_) throw error("cannot write '" + path_ + "'");
    }
    print(line);
}

ordered_json or_null(std::string const& text) {
    return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json run_object(std::string const& mode, int threads, machine const& where,
                        std::optional<ceilings> const& measured) {
    ordered_json object{{"op", "run"},
                        {"mode", mode},
                        {"threads", threads},
                        {"cpu_model", where.cpu_model},
                        {"instructions", where.instructions},
                        {"gpu", or_null(where.gpu)},
                        {"load_average", where.load_average},
                        {"date", where.date},
                        {"commit", where.commit}};
    if (!measured) return object;
    object["triad_gbytes_per_second"] = measured->triad.gbytes_per_second;
    object["triad_median_gbytes_per_second"] = measured->triad.median_gbytes_per_second;
    object["triad_array_bytes"] = measured->triad.array_bytes;
    object["gpu_copy_gbytes_per_second"] = or_null(measured->gpu_copy);
    return object;
}

double ceiling_of(measurement const& m, ceilings const& measured) {
    return m.on == "gpu" ? measured.gpu_copy.value() : measured.triad.gbytes_per_second;
}

ordered_json record_object(measurement const& m, machine const& where, ceilings const& measured) {
    auto object = to_json(m);
    object["triad_gbytes_per_second"] = measured.triad.gbytes_per_second;
    object["gpu_copy_gbytes_per_second"] = or_null(measured.gpu_copy);
    object["fraction_of_ceiling"] = m.gbytes_per_second() / ceiling_of(m, measured);
    object["entries_per_block"] = or_null(m.entries_per_block);
    object["auto_format"] = or_null(m.auto_format.value_or(""));
    object["tuned_format"] = or_null(m.tuned_format.value_or(""));
    object["cpu_model"] = where.cpu_model;
    object["gpu"] = or_null(where.gpu);
    object["load_average"] = where.load_average;
    object["date"] = where.date;
    object["commit"] = where.commit;
    return object;
}

}  // namespace copse::bench
