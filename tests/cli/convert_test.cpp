// copse convert: there and back in each format, on each executor.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace copse_test {
namespace {

class convert_test : public command_test {
  protected:
    convert_test() {
        // An explicit zero, a negative one, NaN and Inf; an empty row.
        write("A.mtx",
              "%%MatrixMarket matrix coordinate real general\n4 3 5\n1 1 0\n1 3 -0\n2 2 nan\n4 1 inf\n4 2 -1.5\n");
    }
};

TEST_F(convert_test, gives_the_same_entries_back) {
    for (auto const* format : {"hisparse", "csr", "csr5", "sellp", "cmrs"})
        for (auto const* on : {"cpu", "emulated"})
            for (auto const* type : {"double", "float"})
                for (auto const* matrix : {"A.mtx", "rmat:9", "circuit:2000"}) {
                    auto const o = run({"convert", matrix, "--format", format, "--on", on, "--type", type, "--check"});
                    EXPECT_EQ(o.status, 0) << o.err;
                    EXPECT_NE(o.out.find("; the same entries back"), std::string::npos) << o.out;
                }
}

TEST_F(convert_test, says_what_to_take_where_padding_would_be_too_much) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n8 40000 40000\n";
    for (int column = 1; column <= 40000; ++column) text += "3 " + std::to_string(column) + " 1\n";
    write("row.mtx", text);
    for (auto const* command : {"convert", "spmv"})
        for (auto const* part :
             {"csr5 stores rows of any length without padding", "--most-padding-bytes sets another limit",
              "sorting rows (--sorting-window) takes less"})
            expect_error(run({command, "row.mtx", "--format", "sellp"}), part);
    auto const formats = nlohmann::json::parse(run({"info", "row.mtx", "--json"}).out)["formats"];
    EXPECT_EQ(formats[3]["format"], "sellp");
    EXPECT_TRUE(formats[3]["bytes"].is_null());
    EXPECT_GE(formats[3]["padding_bytes"], 7 * 40000 * 12);
    EXPECT_NE(run({"info", "row.mtx"}).out.find("refused"), std::string::npos);
}

TEST_F(convert_test, options_say_how_a_format_is_made) {
    auto const bytes = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"convert", "rmat:10", "--json", "--check", "--on", "cpu", "--format"});
        auto const o = run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        return nlohmann::json::parse(o.out)["bytes"].get<std::int64_t>();
    };
    EXPECT_NE(bytes({"hisparse", "--node-dimension", "64"}), bytes({"hisparse"}));
    EXPECT_EQ(bytes({"hisparse", "--values", "each"}), bytes({"hisparse"}));
    expect_error(run({"convert", "rmat:10", "--format", "csr5", "--node-dimension", "64"}),
                 "--node-dimension belongs to --format hisparse, not to csr5");
    auto const unsorted = bytes({"sellp", "--slice-rows", "8", "--row-threads", "2"});
    EXPECT_GT(unsorted, bytes({"sellp", "--slice-rows", "4", "--row-threads", "2"}));
    EXPECT_LT(unsorted, bytes({"sellp", "--slice-rows", "8", "--row-threads", "4"}));
    EXPECT_GT(unsorted, bytes({"sellp", "--slice-rows", "8", "--row-threads", "2", "--sorting-window", "1024"}));
    EXPECT_GT(bytes({"csr5", "--sigma", "4"}), bytes({"csr5", "--sigma", "16"}));  // more tiles
    EXPECT_GT(bytes({"csr5", "--omega", "4"}), bytes({"csr5", "--omega", "32"}));
    EXPECT_EQ(bytes({"cmrs", "--sorted", "yes"}), bytes({"cmrs", "--sorted", "no"}));
    EXPECT_EQ(bytes({"csr", "--kernel", "merge_path"}), bytes({"csr"}));
    EXPECT_GT(bytes({"cmrs", "--height", "2"}), bytes({"cmrs", "--height", "16"}));
    expect_error(run({"convert", "rmat:10", "--format", "sellp", "--most-padding-bytes", "100"}), "the limit is 100");
}

TEST_F(convert_test, options_belong_to_a_format) {
    for (auto const* command : {"convert", "spmv"}) {
        expect_error(run({command, "A.mtx", "--format", "sellp", "--sigma", "8"}),
                     "--sigma belongs to --format csr5, not to sellp");
        expect_error(run({command, "A.mtx", "--format", "hisparse", "--height", "8"}),
                     "--height belongs to --format cmrs, not to hisparse");
        expect_error(run({command, "A.mtx", "--format", "sellp", "--slice-rows", "7"}),
                     "sellp: --slice-rows is 7; it must be a power of two");
        expect_error(run({command, "A.mtx", "--format", "sellp", "--row-threads", "3"}), "sellp: --row-threads is 3");
        expect_error(run({command, "A.mtx", "--format", "sellp", "--kernel", "vector"}),
                     "--kernel belongs to --format csr, not to sellp");
        expect_error(run({command, "A.mtx", "--format", "csr", "--omega", "8"}),
                     "--omega belongs to --format csr5, not to csr");
        expect_error(run({command, "A.mtx", "--format", "csr5", "--sorted", "yes"}),
                     "--sorted belongs to --format cmrs, not to csr5");
    }
}

TEST_F(convert_test, options_name_what_they_may_be) {
    for (auto const* command : {"convert", "spmv"}) {
        expect_error(run({command, "A.mtx", "--format", "csr5", "--omega", "5"}), "--omega: 5 not in {4,8,16,32}");
        expect_error(run({command, "A.mtx", "--format", "csr", "--kernel", "scalar"}),
                     "--kernel: scalar not in {automatic,row_split,vector,merge_path}");
        expect_error(run({command, "A.mtx", "--format", "cmrs", "--sorted", "maybe"}),
                     "--sorted: maybe not in {yes,no}");
    }
}

TEST_F(convert_test, json) {
    auto const o = run({"convert", "A.mtx", "--format", "csr", "--json", "--on", "cpu", "--threads", "2"});
    auto const r = nlohmann::json::parse(o.out);
    EXPECT_EQ(r["op"], "convert");
    EXPECT_EQ(r["matrix"], "A.mtx");
    EXPECT_EQ(r["format"], "csr");
    EXPECT_EQ(r["on"], "cpu");
    EXPECT_EQ(r["type"], "double");
    EXPECT_EQ(r["threads"], 2);
    EXPECT_EQ(r["rows"], 4);
    EXPECT_EQ(r["cols"], 3);
    EXPECT_EQ(r["entries"], 5);
    EXPECT_EQ(r["bytes"], 5 * 12 + 5 * 8);
    EXPECT_TRUE(r["convert_seconds"].is_number_float());
    EXPECT_EQ(r["checked"], false);
}

TEST_F(convert_test, memory_at_most_is_more_than_the_result) {
    std::int64_t const entries = 7 * 40 * 40 * 40 - 6 * 40 * 40, of_rows = 12 * entries;
    for (auto const* format : {"hisparse", "csr5"}) {
        auto const o = run({"convert", "poisson3d:40", "--format", format, "--memory", "--on", "cpu", "--json"});
        auto const r = nlohmann::json::parse(o.out);
        if (r.at("peak_bytes").is_null()) GTEST_SKIP() << "this system does not count memory";
        std::int64_t const slack = 1 << 20;  // pages that were there already, and how threads count theirs
        auto const expect_at_least = [&](char const* field, std::int64_t bytes) {
            EXPECT_GE(r.at(field), bytes - slack) << field;
            EXPECT_LE(r.at(field), 40 * of_rows) << field;
        };
        bool const is_tree = std::string(format) == "hisparse";
        expect_at_least("peak_bytes", r["bytes"]);
        expect_at_least("back_peak_bytes", of_rows);
        expect_at_least("plan_peak_bytes", is_tree ? 0 : r["bytes"].get<std::int64_t>());
        for (auto const* field : {"coo_peak_bytes", "values_peak_bytes", "update_peak_bytes", "edit_peak_bytes",
                                  "prune_peak_bytes", "compact_peak_bytes"})
            EXPECT_EQ(r.at(field).is_null(), !is_tree) << field;
        if (!is_tree) continue;
        expect_at_least("coo_peak_bytes", 16 * entries);
        expect_at_least("values_peak_bytes", r["bytes"].get<std::int64_t>() + 8 * entries);
        expect_at_least("edit_peak_bytes", 0);
        expect_at_least("update_peak_bytes", 0);
        expect_at_least("prune_peak_bytes", 8 * entries / 2);  // of what is left
        expect_at_least("compact_peak_bytes", r["bytes"].get<std::int64_t>());
    }
    auto const text = run({"convert", "poisson2d:9", "--format", "hisparse", "--memory"}).out;
    EXPECT_NE(text.find("memory at most: conversion "), std::string::npos) << text;
    EXPECT_NE(text.find(", edit "), std::string::npos) << text;
    EXPECT_EQ(run({"convert", "A.mtx", "--format", "csr"}).out.find("memory"), std::string::npos);
}

TEST_F(convert_test, without_check_says_nothing_of_it) {
    auto const o = run({"convert", "A.mtx", "--format", "csr5"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out.find("same"), std::string::npos);
}

TEST_F(convert_test, needs_a_format_that_there_is) {
    expect_error(run({"convert", "A.mtx"}), "--format");
    expect_error(run({"convert", "A.mtx", "--format", "coo"}), "coo");
}

}  // namespace
}  // namespace copse_test
