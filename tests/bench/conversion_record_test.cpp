// Records of conversions: times in products, JSON.
#include "bench/gpu_comparison/record.hpp"

#include <gtest/gtest.h>

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
    for (std::string const what : {"values", "plan", "edit", "update", "prune", "compact"}) {
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
    EXPECT_TRUE(nlohmann::json::parse(json_line(record(), {}))["failure_behind"].is_null());
}

}  // namespace
}  // namespace copse::bench
