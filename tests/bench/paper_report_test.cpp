// The papers' tables from records with times made up.
#include "bench/paper_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace copse::bench {
namespace {

using measure::measurement;
using nlohmann::json;

ceilings const measured{{.gbytes_per_second = 20, .median_gbytes_per_second = 19, .array_bytes = 1000, .threads = 2},
                        200};
machine const somewhere{"a cpu", "", "2026-01-01T00:00:00Z", 0, "abc"};

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

/// CSR takes 10 ms, CSR5 5 ms and five of CSR's products before.
paper_result result_of(paper where, std::string const& id, std::string const& name) {
    paper_result r;
    r.what = {where, id, name, "some", 1'000'000, 1'000'000, 10'000'000, {}, pattern::blocks};
    r.rows = {.minimum = 1, .maximum = 20, .mean = 10};
    r.records = {record_of("csr", 0.010, 0), record_of("csr5", 0.005, 0.050), record_of(algorithm_6, 0.020, 0),
                 record_of(plain_flags, 0.016, 0), record_of("cmrs", 0.008, 0.020)};
    r.of_cmrs = {{"cpu", 16, 62'500}};
    r.sigmas = {{"cpu", 16, {{8, 1.5}, {32, 0.8}}}};
    r.algorithm_6_error = 4.2e4;
    r.notes = {"some: padding would take much"};
    return r;
}

bool has(std::string const& text, std::string const& part) {
    return text.find(part) != text.npos;
}

/// The words of the first line that starts with `start`, spaces aside.
std::vector<std::string> words_of(std::string const& text, std::string const& start) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        auto const begin = line.find_first_not_of(' ');
        if (begin == line.npos || line.compare(begin, start.size(), start) != 0) continue;
        std::istringstream words(line);
        return {std::istream_iterator<std::string>(words), {}};
    }
    return {};
}

TEST(paper_tables, scenario_counts_the_conversion) {
    auto const csr = record_of("csr", 0.010, 0), csr5 = record_of("csr5", 0.005, 0.050);
    EXPECT_DOUBLE_EQ(scenario_speedup(csr, csr5, 50), 0.5 / 0.3);
    EXPECT_DOUBLE_EQ(scenario_speedup(csr, csr5, 500), 5.0 / 2.55);
}

TEST(paper_tables, best_sigma_is_the_rules_own_where_no_other_is_faster) {
    sigma_race const lost{"cpu", 16, {{8, 1.5}, {32, 0.8}}}, won{"cpu", 16, {{8, 1.5}}};
    EXPECT_EQ(lost.best().sigma, 32);
    EXPECT_NEAR(lost.loss(), 0.2, 1e-12);
    EXPECT_EQ(won.best().sigma, 16);
    EXPECT_EQ(won.loss(), 0);
}

TEST(paper_report, csr5s_table_has_gflops_of_each_format) {
    std::vector<paper_result> const all{result_of(paper::csr5, "r9", "FEM/Ship")};
    auto const text = csr5_table(all);
    auto const words = words_of(text, "r9");
    // 2 10^7 operations: csr, csr5, alg. 6, flags, sellp (which took no part), cmrs, csr5 vs csr.
    EXPECT_EQ((std::vector<std::string>(words.end() - 8, words.end())),
              (std::vector<std::string>{"cpu", "2.00", "4.00", "1.00", "1.25", "-", "2.50", "2.00x"}))
        << text;
    EXPECT_TRUE(has(text, "up to 4.2e+04 times")) << text;
    EXPECT_TRUE(has(text, "blocks near the diagonal")) << text;
    EXPECT_EQ(sellp_table(all), "");
}

TEST(paper_report, a_wrong_result_is_shown_and_has_no_speedup) {
    std::vector<paper_result> all{result_of(paper::csr5, "r9", "FEM/Ship")};
    all[0].records[1].max_error = 7;
    EXPECT_TRUE(has(csr5_table(all), "WRONG by 7 bounds"));
    EXPECT_TRUE(words_of(scenario_table(all), "r9").empty());
}

TEST(paper_report, sellps_table_has_the_papers_figures) {
    std::vector<paper_result> all{result_of(paper::sellp, "", "CANT")};
    all[0].what.entries = 4'007'383;
    auto const text = sellp_table(all);
    auto const words = words_of(text, "CANT");
    ASSERT_GE(words.size(), 4u) << text;
    // 2 x 4,007,383 / 1.48e-3, 3.44e-4, 5.51e-4, 3.94e-4 s
    EXPECT_EQ((std::vector<std::string>(words.end() - 4, words.end())),
              (std::vector<std::string>{"5.42", "23.30", "14.55", "20.34"}))
        << text;
    EXPECT_EQ(csr5_table(all), "");
    EXPECT_EQ(scenario_table(all), "");
}

TEST(paper_report, cmrs_table_has_model_and_efficiencies) {
    std::vector<paper_result> const all{result_of(paper::cmrs, "", "p7")};
    auto const text = cmrs_table(all, measured);
    // f = 1 + (64 - 8) / (16 10 8), a = 1 + 15 / (1 + 16 10 8 / 64); beta- = 20 10^7 + 4 62500 + 8 10^6 bytes in 8 ms
    // of 20 GB/s, beta+ = 12 10^7 + 4 62500 + 16 10^6.
    EXPECT_EQ(words_of(text, "p7"), (std::vector<std::string>{"p7", "*", "double", "cpu", "16", "10.0", "1.04", "1.71x",
                                                              "1.25x", "2.50", "1.30", "0.85", "0.09", "0.09"}))
        << text;
}

TEST(paper_report, groups_of_scenarios_stand_beside_the_papers) {
    std::vector<paper_result> all{result_of(paper::csr5, "r1", "Dense"), result_of(paper::csr5, "r2", "Protein"),
                                  result_of(paper::csr5, "i1", "Webbase")};
    all[1].records[1].seconds = 0.009;
    auto const text = scenario_table(all);
    EXPECT_EQ((std::vector<std::string>{"r1", "Dense", "double", "cpu", "csr5", "5.00x", "1.67x", "1.96x"}),
              words_of(text, "r1"));
    // 50 products: 1.667 and 1.0 times.
    EXPECT_TRUE(has(text, "2 regular, mean, best")) << text;
    EXPECT_TRUE(has(text, "1.33x, 1.67x")) << text;
    EXPECT_TRUE(has(text, "1 irregular, mean, best")) << text;
    EXPECT_TRUE(has(text, "0.52x, 0.74x")) << text;
}

TEST(paper_report, sigma_table_has_losses) {
    std::vector<paper_result> const all{result_of(paper::csr5, "r9", "FEM/Ship")};
    auto const text = sigma_table(all);
    EXPECT_EQ(words_of(text, "r9"),
              (std::vector<std::string>{"r9", "FEM/Ship", "double", "cpu", "16", "32", "20.0", "%", "1.50", "0.80"}))
        << text;
    EXPECT_TRUE(has(text, "mean loss on the cpu: 20.0 %")) << text;
}

TEST(paper_report, targets_and_plans_are_rows_of_their_own) {
    auto r = result_of(paper::csr5, "r9", "FEM/Ship");
    for (std::string const mode : {"oneshot", "plan"})
        for (auto const* format : {"csr", "csr5", "cmrs"}) {
            r.records.push_back(record_of(format, 0.001, 0.1));
            r.records.back().on = "gpu";
            r.records.back().controller = "persistent";
            r.records.back().mode = mode;
        }
    r.of_cmrs.push_back({"gpu", 8, 125'000});
    ASSERT_EQ(races_of(r).size(), 3u);
    std::vector<paper_result> const all{r};
    auto const text = csr5_table(all);
    EXPECT_TRUE(has(text, "gpu, persistent ")) << text;
    EXPECT_TRUE(has(text, "gpu plan")) << text;
    // The GPU's segments are of 128 bytes, and its bandwidth is that of its copy.
    EXPECT_TRUE(has(cmrs_table(all, measured), "gpu, persistent plan")) << cmrs_table(all, measured);
    EXPECT_DOUBLE_EQ(bandwidth_of(r.records.back(), measured), 200e9);
    EXPECT_EQ(model_of(r.records.back(), r.of_cmrs.back()).segment_bytes, 128);
}

TEST(paper_report, notes_follow_the_tables) {
    std::vector<paper_result> const all{result_of(paper::csr5, "r9", "FEM/Ship")};
    EXPECT_TRUE(has(paper_report(all, measured), "took no part:\n  some: padding would take much\n"));
}

TEST(paper_records, are_products_scenarios_models_and_heights) {
    auto const lines = paper_json_lines(result_of(paper::csr5, "r9", "FEM/Ship"), somewhere, measured);
    std::vector<std::string> ops;
    for (auto const& line : lines) {
        ASSERT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
        ops.push_back(json::parse(line)["op"]);
    }
    EXPECT_EQ(ops, (std::vector<std::string>{"spmv", "spmv", "spmv", "spmv", "spmv", "scenario", "scenario",
                                             "cmrs-model", "sigma"}));
    auto const scenario = json::parse(lines[5]), model = json::parse(lines[7]), sigma = json::parse(lines[8]);
    EXPECT_EQ(scenario["conversion_in_products"], 5);
    EXPECT_EQ(scenario["stand_in"], "blocks near the diagonal");
    EXPECT_EQ(model["strips"], 62'500);
    EXPECT_NEAR(model["eta_plus"].get<double>(), 0.8516, 1e-4);
    EXPECT_EQ(sigma["best"], 32);
    EXPECT_EQ(sigma["relative_seconds"]["8"], 1.5);
}

}  // namespace
}  // namespace copse::bench
