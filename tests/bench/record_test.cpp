// The comparison's records: ratios to cuSPARSE, JSON; who has a turn; what --resume leaves out.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bench/gpu_comparison/inputs.hpp"
#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/record.hpp"

namespace copse::bench {
namespace {

race_record record_of(std::string const& library, std::string const& variant, double seconds) {
    race_record r;
    r.library = library;
    r.variant = variant;
    r.clock = library == "copse" ? "wall" : "events";
    r.m.matrix = "dense:10";
    r.m.type = "double";
    r.m.entries = 100;
    r.m.moved_bytes = 1000;
    r.m.csr_moved_bytes = 2000;
    r.m.seconds = seconds;
    return r;
}

/// Ours takes 2 s; the best of cuSPARSE 3 s, with the transpose kept 1 s. Faster ones are wrong or did not run.
std::vector<race_record> records() {
    std::vector<race_record> all{record_of("copse", "host", 2),       record_of("cusparse", "slow", 4),
                                 record_of("cusparse", "fast", 3),    record_of("cusparse", "kept", 1),
                                 record_of("cusparse", "wrong", 0.1), record_of("cusparse", "absent", 0)};
    all[3].keeps_transpose = true;
    all[4].m.max_error = 1.5;
    all[5].failure = "not supported\non this day";
    return all;
}

gpu_session session() {
    gpu_session s;
    s.gpu = "Pretender";
    s.copy_gbytes_per_second = 2e-6;
    return s;
}

TEST(race_record, ratios_are_to_the_best_right_result_of_either_kind) {
    auto all = records();
    compare_with_cusparse(all);
    EXPECT_DOUBLE_EQ(all[0].times_cusparse.value(), 1.5);
    EXPECT_DOUBLE_EQ(all[0].times_transposed.value(), 0.5);
    EXPECT_DOUBLE_EQ(all[2].times_cusparse.value(), 1);
    EXPECT_FALSE(all[4].times_cusparse.has_value());
    EXPECT_FALSE(all[5].times_transposed.has_value());
}

TEST(race_record, no_ratio_without_cusparse) {
    std::vector<race_record> all{record_of("copse", "host", 2), record_of("copse", "device", 1)};
    compare_with_cusparse(all);
    EXPECT_FALSE(all[0].times_cusparse.has_value());
    EXPECT_FALSE(all[0].times_transposed.has_value());
}

TEST(race_record, cusparse_is_not_beaten_by_what_is_neither_ours_nor_its) {
    std::vector<race_record> all{record_of("copse", "hisparse host", 2), record_of("cusparse", "csr 1", 3),
                                 record_of("naive", "thread for each row", 0.5)};
    compare_with_cusparse(all);
    EXPECT_DOUBLE_EQ(all[0].times_cusparse.value(), 1.5);
    EXPECT_DOUBLE_EQ(all[2].times_cusparse.value(), 6);
    EXPECT_EQ(all[0].name(), "copse hisparse host");
}

TEST(gpu_program, resumes_behind_the_products_of_its_bench) {
    auto const path = testing::TempDir() + "copse_measured_products.jsonl";
    std::ofstream(path)
        << R"({"bench":"spmv","op":"spmv","matrix":"dense:9","type":"float","transpose":true})" << '\n'
        << R"({"bench":"papers","op":"spmv","matrix":"dense:9","type":"float","transpose":false})" << '\n'
        << R"({"bench":"papers","op":"add","matrix":"dense:9","type":"float","transpose":false,"transpose_b":true})"
        << '\n'
        << left_out_line("spmv", "spmv", "dense:8", "float") << R"({"bench":"spmv","op":"spmv","matrix":"cut o)";
    EXPECT_EQ(measured_products(path, "spmv"), std::set{product_key("spmv", "dense:9", "float", true, false)});
    EXPECT_EQ(measured_products(path, "papers"), (std::set{product_key("spmv", "dense:9", "float", false, false),
                                                           product_key("add", "dense:9", "float", false, true)}));
    EXPECT_NE(product_key("spmv", "dense:9", "float", false, false),
              product_key("add", "dense:9", "float", false, false));
    EXPECT_TRUE(measured_products(path + ".none", "spmv").empty());
}

/// A program that died within a matrix goes on with what is missing of it.
TEST(gpu_program, resumes_within_a_matrix) {
    auto const path = testing::TempDir() + "copse_measured_parts.jsonl";
    std::ofstream(path) << R"({"bench":"conversions","op":"convert","matrix":"lp:2,5","type":"float","format":"csr5"})"
                        << '\n'
                        << R"({"bench":"addition","op":"add","matrix":"lp:2,5","type":"float","rows":2,"cols":5,)"
                        << R"("transpose":true,"transpose_b":true})" << '\n'
                        << R"({"bench":"addition","op":"add","matrix":"dense:5","type":"float","rows":5,"cols":5})"
                        << '\n';
    EXPECT_EQ(measured_products(path, "conversions"), std::set{conversion_key("lp:2,5", "float", "csr5")});
    EXPECT_EQ(measured_products(path, "addition"), (std::set{product_key("add", "lp:2,5", "float", true, true),
                                                             product_key("add", "lp:2,5", "float", false, true),
                                                             product_key("add", "dense:5", "float", false, false)}));
    EXPECT_NE(conversion_key("lp:2,5", "float", "csr5"), conversion_key("lp:2,5", "float", "cmrs"));
}

/// Resumed, a program fails as the one before it did: what is in its file is not measured again.
TEST(gpu_program, resumed_does_not_forget_what_failed) {
    auto const path = testing::TempDir() + "copse_failures_before.jsonl";
    std::ofstream(path)
        << R"({"bench":"spmv","op":"spmv","library":"copse","seconds":null,"failure":null})" << '\n'
        << R"({"bench":"spmv","op":"spmv","library":"copse","seconds":null,"failure":"no memory"})" << '\n'
        << R"({"bench":"spmv","op":"spmv","library":"copse","seconds":null,"failure":"no","refused":true})" << '\n'
        << R"({"bench":"spmv","op":"spmv","library":"cusparse","seconds":null,"failure":"not there"})" << '\n'
        << R"({"bench":"spmv","op":"spmv","library":"copse","seconds":1})" << '\n'
        << R"({"bench":"conversions","op":"convert","seconds":1,"failure_behind":"edits: no"})" << '\n'
        << left_out_line("spmv", "spmv", "dense:8", "float") << R"({"bench":"spmv","op":"spmv","library":"cop)";
    EXPECT_EQ(failures_before(path, "spmv"), 2);
    EXPECT_EQ(failures_before(path, "conversions"), 1);
    EXPECT_EQ(failures_before(path, "papers"), 0);
    EXPECT_EQ(failures_before(path + ".none", "spmv"), 0);
}

TEST(race_record, json_has_the_fields_of_the_command_and_more) {
    auto all = records();
    compare_with_cusparse(all);
    auto const line = json_line(all[0], session());
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    auto const object = nlohmann::json::parse(line);
    EXPECT_EQ(object["op"], "spmv");
    EXPECT_EQ(object["seconds"], 2);
    EXPECT_EQ(object["library"], "copse");
    EXPECT_EQ(object["clock"], "wall");
    EXPECT_EQ(object["times_cusparse"], 1.5);
    EXPECT_DOUBLE_EQ(object["fraction_of_copy"], 0.25);  // 500 bytes per second of 2000
    EXPECT_TRUE(object["failure"].is_null());
}

TEST(race_record, says_what_making_a_plan_takes) {
    auto all = records();
    all[0].kept_bytes = 500;
    all[0].prepare_peak_bytes = 7000;
    EXPECT_EQ(nlohmann::json::parse(json_line(all[0], session()))["prepare_peak_bytes"], 7000);
    EXPECT_TRUE(nlohmann::json::parse(json_line(all[1], session()))["prepare_peak_bytes"].is_null());
}

TEST(race_record, json_holds_no_speed_for_what_has_no_time) {
    for (auto const index : {4, 5}) {
        auto const object = nlohmann::json::parse(json_line(records()[static_cast<std::size_t>(index)], session()));
        for (auto const* key : {"seconds", "gflops", "gbytes_per_second", "fraction_of_copy"})
            EXPECT_TRUE(object[key].is_null()) << key;
    }
    EXPECT_EQ(nlohmann::json::parse(json_line(records()[5], session()))["failure"], "not supported\non this day");
}

TEST(gpu_inputs, sets_take_four_times_the_cache) {
    EXPECT_EQ(set_count(1000, 1000), 4);
    EXPECT_EQ(set_count(999, 1000), 5);
    EXPECT_EQ(set_count(4000, 1000), 1);
    EXPECT_EQ(set_count(1 << 30, 1000), 1);
    EXPECT_EQ(set_count(1, 1000), 32);
    EXPECT_EQ(set_count(0, 1000), 32);
}

}  // namespace
}  // namespace copse::bench
