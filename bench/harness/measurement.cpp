#include "bench/harness/measurement.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "bench/harness/json_value.hpp"

namespace copse::bench {

std::string operation_of(measurement const& m) {
    std::string const a = m.transpose ? "A^T" : "A";
    return m.plus ? a + (m.plus->transpose ? " + B^T" : " + B") : a + (m.vectors ? " X" : " x");
}

nlohmann::ordered_json to_json(measurement const& m) {
    nlohmann::ordered_json object{{"op", m.op},
                                  {"transpose", m.transpose},
                                  {"matrix", m.matrix},
                                  {"format", m.format},
                                  {"on", m.on},
                                  {"controller", or_null(m.controller)},
                                  {"type", m.type},
                                  {"threads", m.threads},
                                  {"rows", m.rows},
                                  {"cols", m.columns},
                                  {"entries", m.entries},
                                  {"bytes", m.bytes},
                                  {"moved_bytes", m.moved_bytes},
                                  {"convert_seconds", m.convert_seconds},
                                  {"seconds", m.seconds},
                                  {"plan_seconds", or_null(m.plan_seconds)},
                                  {"first_seconds", m.first_seconds},
                                  {"mode", m.mode},
                                  {"gflops", m.gflops()},
                                  {"gbytes_per_second", m.gbytes_per_second()},
                                  {"csr_gbytes_per_second", m.csr_gbytes_per_second()},
                                  {"max_error", std::min(m.max_error, std::numeric_limits<double>::max())},
                                  {"node_dimension", or_null(m.node_dimension)},
                                  {"repeats", m.repeats},
                                  {"min_seconds", m.min_seconds},
                                  {"max_seconds", m.max_seconds},
                                  {"spread", m.spread}};
    if (m.vectors) object["vectors"] = *m.vectors;
    if (!m.plus) return object;
    object["matrix_b"] = m.plus->matrix;
    object["transpose_b"] = m.plus->transpose;
    object["rows_b"] = m.plus->rows;
    object["cols_b"] = m.plus->columns;
    object["entries_b"] = m.plus->entries;
    object["result_entries"] = m.plus->result_entries;
    object["result_bytes"] = m.plus->result_bytes;
    object["entries_per_second"] = m.entries_per_second();
    return object;
}

std::string json_line(nlohmann::ordered_json const& object) {
    // The name of a file need not be UTF-8.
    return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace copse::bench
