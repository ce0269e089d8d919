// Records of conversions: times in products, JSON, tables.
#include "bench/gpu_comparison/conversion_record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace copse::bench {
namespace {

conversion_record record() {
    conversion_record r;
    r.bench = "conversions";
    r.matrix = "dense:10";
    r.type = "double";
    r.format = "csr5";
    r.is_right = true;
    r.product_seconds = 2;
    r.seconds = 13;
    r.there_seconds = 10;
    r.back_seconds = 4;
    r.bytes = 500;
    r.back_peak_bytes = 2000;
    return r;
}

TEST(conversion_record, json_has_times_in_products) {
    auto const object = nlohmann::json::parse(json_line(record(), {}));
    EXPECT_EQ(object["bench"], "conversions");
    EXPECT_EQ(object["net_products"], 5);
    EXPECT_EQ(object["back_seconds"], 4);
    for (std::string const what : {"values", "edit", "update", "prune", "compact"}) {
        EXPECT_TRUE(object.at(what + "_seconds").is_null()) << what;
        EXPECT_TRUE(object.at(what + "_peak_bytes").is_null()) << what;
    }
    EXPECT_EQ(object["back_peak_bytes"], 2000);
    EXPECT_TRUE(object["failure"].is_null());
    auto wrong = record();
    wrong.is_right = false;
    EXPECT_TRUE(nlohmann::json::parse(json_line(wrong, {}))["net_products"].is_null());
    auto only_from_the_host = record();  // never by subtracting an upload, which takes longer and varies by more
    only_from_the_host.there_seconds.reset();
    auto const without = nlohmann::json::parse(json_line(only_from_the_host, {}));
    EXPECT_TRUE(without["net_products"].is_null());
    EXPECT_EQ(without["seconds"], 13);
}

TEST(conversion_record, table_shows_who_was_wrong_or_refused) {
    std::vector<conversion_record> all(3, record());
    all[1].is_right = false;
    all[2].failure = "too much\npadding";
    auto const text = conversion_table(all);
    EXPECT_NE(text.find("| csr5 | 13000.000 | 10000.000 | 5.0 | 2.0 |"), text.npos) << text;
    EXPECT_NE(text.find("| csr5 | WRONG |"), text.npos) << text;
    EXPECT_NE(text.find("| csr5 | too much padding |"), text.npos) << text;
    EXPECT_NE(text.find("| 500 B |  | 2.00 kB |\n"), text.npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '|'), 5 * 9) << text;
    EXPECT_EQ(text.find("then"), text.npos) << text;
}

TEST(conversion_record, what_follows_has_times_and_memory) {
    auto tree = record();
    tree.format = "hisparse host";
    tree.after["prune"] = {0.5, 300};
    tree.after["compact"] = {0.25, 0};
    auto const object = nlohmann::json::parse(json_line(tree, {}));
    EXPECT_EQ(object["prune_seconds"], 0.5);
    EXPECT_EQ(object["prune_peak_bytes"], 300);
    EXPECT_EQ(object["compact_seconds"], 0.25);
    EXPECT_EQ(object["compact_peak_bytes"], 0);
    EXPECT_TRUE(object["update_seconds"].is_null());
    auto wrong = tree;
    wrong.is_right = false;
    auto const text = conversion_table({record(), tree, wrong});
    EXPECT_NE(text.find("| of | then | ms | peak |\n|---|---|---:|---:|\n"
                        "| hisparse host | prune | 500.000 | 300 B |\n"
                        "| hisparse host | compaction | 250.000 | 0 B |\n\n"),
              text.npos)
        << text;
}

/// What is behind a conversion may fail, and the conversion has its times.
TEST(conversion_record, what_fails_behind_it_has_its_reason) {
    auto tree = record();
    tree.after["edit"] = {0.5, 300};
    tree.after["prune"] = {.failure = "in host\nmemory"};
    auto const object = nlohmann::json::parse(json_line(tree, {}));
    EXPECT_EQ(object["failure_behind"], "prune: in host\nmemory");
    EXPECT_TRUE(object["prune_seconds"].is_null());
    EXPECT_TRUE(object["failure"].is_null());
    EXPECT_EQ(object["net_products"], 5);
    auto const text = conversion_table({tree});
    EXPECT_NE(text.find("| csr5 | edit | 500.000 | 300 B |\n| csr5 | prune | in host memory |  |\n"), text.npos)
        << text;
    EXPECT_TRUE(nlohmann::json::parse(json_line(record(), {}))["failure_behind"].is_null());
}

TEST(median_seconds, leaves_out_the_first_call) {
    int calls = 0;
    EXPECT_EQ(median_seconds(3, [&] { return calls++ == 0 ? 100.0 : static_cast<double>(calls); }), 3);
    EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace copse::bench
