// What the lines of a paper's matrix derive from its times, with times made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/paper_records.hpp"

namespace copse::bench {
namespace {

ceilings const measured{{.gbytes_per_second = 20, .median_gbytes_per_second = 19, .array_bytes = 1000, .threads = 2},
                        200};
machine const somewhere{"a cpu", "AVX2", "", "2026-01-01T00:00:00Z", 0, "abc"};

measurement record_of(std::string const& format, double seconds, double convert_seconds) {
    measurement m;
    m.matrix = "some (stand-in)";
    m.format = format;
    m.on = "cpu";
    m.type = "double";
    m.rows = m.columns = 1'000'000;
    m.entries = 10'000'000;
    m.seconds = seconds;
    m.convert_seconds = convert_seconds;
    return m;
}

/// CSR takes 10 ms, CSR5 5 ms and five of CSR's products before; CMRS 8 ms.
paper_result result() {
    paper_result r;
    r.what = {paper::csr5, "r9", "FEM/Ship", "some", 1'000'000, 1'000'000, 10'000'000, {}, pattern::blocks};
    r.rows = {.minimum = 1, .maximum = 20, .mean = 10};
    r.records = {record_of("csr", 0.010, 0), record_of("csr5", 0.005, 0.050), record_of("cmrs", 0.008, 0.020)};
    r.of_cmrs = {{"cpu", 16, 62'500}};
    r.sigmas = {{"cpu", 16, {{8, 1.5}, {32, 0.8}}}, {"cpu", 16, {{8, 1.5}}}};
    return r;
}

std::vector<std::string> ops_of(std::vector<nlohmann::ordered_json> const& all) {
    std::vector<std::string> ops;
    for (auto const& one : all) ops.push_back(one["op"]);
    return ops;
}

TEST(paper_records, are_the_matrix_its_products_scenarios_model_and_heights) {
    auto const all = paper_objects(result(), somewhere, measured);
    ASSERT_EQ(ops_of(all), (std::vector<std::string>{"paper-matrix", "spmv", "spmv", "spmv", "scenario", "scenario",
                                                     "cmrs-model", "sigma", "sigma"}));
    EXPECT_EQ(all[0]["paper"], "csr5");
    EXPECT_EQ(all[0]["stand_in"], "blocks near the diagonal");
    EXPECT_EQ(all[4]["conversion_in_products"], 5);
    EXPECT_DOUBLE_EQ(all[4]["speedup_50"], 0.5 / 0.3);
    EXPECT_DOUBLE_EQ(all[4]["speedup_500"], 5.0 / 2.55);
    // beta+ = 12 10^7 + 4 62500 + 16 10^6 bytes in 8 ms of 20 GB/s.
    EXPECT_NEAR(all[6]["eta_plus"].get<double>(), 0.8516, 1e-4);
    EXPECT_EQ(all[7]["best"], 32);
    EXPECT_NEAR(all[7]["loss"].get<double>(), 0.2, 1e-12);
    EXPECT_EQ(all[8]["best"], 16);  // the rule's own: no other is faster
    EXPECT_EQ(all[8]["loss"], 0);
}

TEST(paper_records, of_a_wrong_result_are_products_alone) {
    auto r = result();
    r.records[1].max_error = r.records[2].max_error = 7;
    r.sigmas.clear();
    EXPECT_EQ(ops_of(paper_objects(r, somewhere, measured)),
              (std::vector<std::string>{"paper-matrix", "spmv", "spmv", "spmv"}));
}

TEST(paper_records, of_a_gpu_are_races_of_their_own_held_to_its_copy) {
    auto r = result();
    for (auto const* format : {"csr", "csr5", "cmrs"}) {
        r.records.push_back(record_of(format, 0.001, 0.1));
        r.records.back().on = "gpu";
        r.records.back().controller = "persistent";
    }
    r.of_cmrs.push_back({"gpu", 8, 125'000});
    auto const all = paper_objects(r, somewhere, measured);
    auto const model = std::find_if(all.begin(), all.end(),
                                    [](auto const& one) { return one["op"] == "cmrs-model" && one["on"] == "gpu"; });
    ASSERT_NE(model, all.end());
    EXPECT_EQ((*model)["segment_bytes"], 128);
    EXPECT_EQ((*model)["height"], 8);
    EXPECT_DOUBLE_EQ((*model)["bandwidth_gbytes_per_second"], 200);
}

}  // namespace
}  // namespace copse::bench
