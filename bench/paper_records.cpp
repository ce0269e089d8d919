#include "bench/paper_records.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "bench/cmrs_model.hpp"
#include "bench/harness/json_value.hpp"

namespace copse::bench {
namespace {

using json = nlohmann::ordered_json;

json stand_in_of(paper_result const& r) {
    return r.source.empty() ? json(name_of(r.what.kind)) : json(nullptr);
}

json head(char const* op, paper_result const& r, measurement const& m) {
    json object{{"op", op}, {"matrix", m.matrix}, {"type", m.type}, {"format", m.format}, {"on", m.on}};
    object["controller"] = or_null(m.controller);
    object["mode"] = m.mode;
    object["name"] = r.what.name;
    object["stand_in"] = stand_in_of(r);
    return object;
}

json finished(json object, machine const& where) {
    object["date"] = where.date;
    object["commit"] = where.commit;
    return object;
}

char const* name_of(paper which) {
    return which == paper::csr5 ? "csr5" : which == paper::sellp ? "sellp" : "cmrs";
}

json matrix_object(paper_result const& r) {
    auto const& m = r.records.front();
    return {{"op", "paper-matrix"},
            {"paper", name_of(r.what.where)},
            {"id", r.what.id},
            {"name", r.what.name},
            {"matrix", m.matrix},
            {"type", m.type},
            {"entries", r.what.entries},
            {"stand_in", stand_in_of(r)},
            {"row_entries", {{"minimum", r.rows.minimum}, {"mean", r.rows.mean}, {"maximum", r.rows.maximum}}}};
}

/// CSR5 §5.6, Table 3: a solver with `products` products, which has its matrix in CSR. How many times faster with `m`
/// than with `csr`, both of one race:   products T_csr / (T_convert + products T_m)
double scenario_speedup(measurement const& csr, measurement const& m, int products) {
    return products * csr.seconds / (m.convert_seconds + products * m.seconds);
}

/// A product in CMRS as the model takes it. lambda: 64 bytes, a line of its caches, on the cpu; 128 on a GPU.
cmrs_model model_of(measurement const& m, strips const& s) {
    return {.height = static_cast<double>(s.height),
            .row_entries = static_cast<double>(m.entries) / static_cast<double>(m.rows),
            .value_bytes = m.type == "float" ? 4 : 8,
            .segment_bytes = m.on == "cpu" ? 64 : 128};
}

cmrs_traffic traffic_of(measurement const& m, strips const& s) {
    return {m.rows, m.entries, s.count, m.type == "float" ? 4 : 8};
}

json scenario_object(paper_result const& r, measurement const& csr, measurement const& m, machine const& where) {
    auto object = head("scenario", r, m);
    object["convert_seconds"] = m.convert_seconds;
    object["seconds"] = m.seconds;
    object["csr_seconds"] = csr.seconds;
    object["conversion_in_products"] = m.convert_seconds / csr.seconds;
    object["speedup_50"] = scenario_speedup(csr, m, 50);
    object["speedup_500"] = scenario_speedup(csr, m, 500);
    return finished(std::move(object), where);
}

json model_object(paper_result const& r, measurement const& m, strips const& s, machine const& where,
                  ceilings const& measured) {
    auto object = head("cmrs-model", r, m);
    auto const model = model_of(m, s);
    auto const traffic = traffic_of(m, s);
    double const bandwidth = 1e9 * ceiling_of(m, measured);
    object["height"] = s.height;
    object["strips"] = s.count;
    object["row_entries"] = model.row_entries;
    object["segment_bytes"] = model.segment_bytes;
    object["bytes_per_byte"] = model.bytes_per_byte();
    object["expected_speedup"] = model.speedup();
    object["bandwidth_gbytes_per_second"] = ceiling_of(m, measured);
    object["eta_minus"] = traffic.most_efficiency(m.seconds, bandwidth);
    object["eta_plus"] = traffic.least_efficiency(m.seconds, bandwidth);
    return finished(std::move(object), where);
}

json sigma_object(paper_result const& r, sigma_race const& one, machine const& where) {
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

/// The records by target and mode, as they were raced: one span for each race.
std::vector<std::span<measurement const>> races_of(paper_result const& result) {
    std::vector<std::span<measurement const>> all;
    for (std::span<measurement const> rest = result.records; !rest.empty(); rest = rest.subspan(all.back().size())) {
        auto const is_other = [&](measurement const& m) {
            return m.on != rest.front().on || m.controller != rest.front().controller || m.mode != rest.front().mode;
        };
        all.push_back(rest.first(std::find_if(rest.begin(), rest.end(), is_other) - rest.begin()));
    }
    return all;
}

/// The one of this format that was right, or null.
measurement const* find(std::span<measurement const> race, std::string const& format) {
    auto const found = std::find_if(race.begin(), race.end(),
                                    [&](measurement const& m) { return m.format == format && m.is_right(); });
    return found == race.end() ? nullptr : &*found;
}

}  // namespace

sigma_race::tried sigma_race::best() const {
    tried least{rule, 1};
    for (auto const& other : others)
        if (other.relative < least.relative) least = other;
    return least;
}

std::vector<json> paper_objects(paper_result const& result, machine const& where, ceilings const& measured) {
    std::vector<json> all{matrix_object(result)};
    for (auto const& m : result.records) all.push_back(record_object(m, where, measured));
    for (auto const race : races_of(result)) {
        auto const* const csr = find(race, "csr");
        for (auto const* format : {"csr5", "sellp", "cmrs"})
            if (auto const* const m = find(race, format); m && csr)
                all.push_back(scenario_object(result, *csr, *m, where));
        if (auto const* const m = find(race, "cmrs"))
            for (auto const& s : result.of_cmrs)
                if (s.on == m->on) all.push_back(model_object(result, *m, s, where, measured));
    }
    for (auto const& one : result.sigmas) all.push_back(sigma_object(result, one, where));
    return all;
}

}  // namespace copse::bench
