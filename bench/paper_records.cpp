// The papers' tables as JSON lines.
#include <nlohmann/json.hpp>

#include "bench/paper_report.hpp"
#include "bench/report.hpp"

namespace copse::bench {
namespace {

using json = nlohmann::ordered_json;
using measure::measurement;

json head(char const* op, paper_result const& r, measurement const& m) {
    json object{{"op", op}, {"matrix", m.matrix}, {"type", m.type}, {"format", m.format}, {"on", m.on}};
    object["controller"] = nullptr;
    if (m.controller) object["controller"] = *m.controller;
    object["mode"] = m.mode;
    object["name"] = r.what.name;
    object["stand_in"] = r.source.empty() ? json(name_of(r.what.kind)) : json(nullptr);
    return object;
}

std::string finished(json object, machine const& where) {
    object["date"] = where.date;
    object["commit"] = where.commit;
    return measure::json_line(object);
}

std::string scenario_line(paper_result const& r, measurement const& csr, measurement const& m, machine const& where) {
    auto object = head("scenario", r, m);
    object["convert_seconds"] = m.convert_seconds;
    object["seconds"] = m.seconds;
    object["csr_seconds"] = csr.seconds;
    object["conversion_in_products"] = m.convert_seconds / csr.seconds;
    object["speedup_50"] = scenario_speedup(csr, m, 50);
    object["speedup_500"] = scenario_speedup(csr, m, 500);
    return finished(std::move(object), where);
}

std::string model_line(paper_result const& r, measurement const& m, strips const& s, machine const& where,
                       ceilings const& measured) {
    auto object = head("cmrs-model", r, m);
    auto const model = model_of(m, s);
    auto const traffic = traffic_of(m, s);
    double const bandwidth = bandwidth_of(m, measured);
    object["height"] = s.height;
    object["strips"] = s.count;
    object["row_entries"] = model.row_entries;
    object["segment_bytes"] = model.segment_bytes;
    object["bytes_per_byte"] = model.bytes_per_byte();
    object["expected_speedup"] = model.speedup();
    object["bandwidth_gbytes_per_second"] = 1e-9 * bandwidth;
    object["eta_minus"] = traffic.most_efficiency(m.seconds, bandwidth);
    object["eta_plus"] = traffic.least_efficiency(m.seconds, bandwidth);
    return finished(std::move(object), where);
}

std::string sigma_line(paper_result const& r, sigma_race const& one, machine const& where) {
    json relative = json::object();
    relative[std::to_string(one.rule)] = 1;
    for (auto const& other : one.others) relative[std::to_string(other.sigma)] = other.relative;
    auto const& m = r.records.front();
    return finished({{"op", "sigma"},
                     {"matrix", m.matrix},
                     {"type", m.type},
                     {"on", one.on},
                     {"name", r.what.name},
                     {"rule", one.rule},
                     {"best", one.best().sigma},
                     {"loss", one.loss()},
                     {"relative_seconds", std::move(relative)}},
                    where);
}

}  // namespace

std::vector<std::string> paper_json_lines(paper_result const& result, machine const& where, ceilings const& measured) {
    std::vector<std::string> lines;
    for (auto const& m : result.records) lines.push_back(json_line(m, where, measured));
    for (auto const all : races_of(result)) {
        auto const* const csr = find(all, "csr");
        for (auto const* format : {"csr5", "sellp", "cmrs"})
            if (auto const* const m = find(all, format); m && csr)
                lines.push_back(scenario_line(result, *csr, *m, where));
        if (auto const* const m = find(all, "cmrs"))
            for (auto const& s : result.of_cmrs)
                if (s.on == m->on) lines.push_back(model_line(result, *m, s, where, measured));
    }
    for (auto const& one : result.sigmas) lines.push_back(sigma_line(result, one, where));
    return lines;
}

}  // namespace copse::bench
