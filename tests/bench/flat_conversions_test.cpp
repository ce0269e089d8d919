// Conversions to the flat formats: what is measured, and its lines and table of times made up.
#include "bench/flat_conversions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/generators.hpp>
#include <nlohmann/json.hpp>

namespace copse::bench {
namespace {

std::vector<flat_conversion> measured(std::string const& name) {
    cpu executor(2);
    return measure_flat_conversions(executor, name, to_csr(generate<double>(name)), 2);
}

flat_conversion const& of(std::vector<flat_conversion> const& all, std::string const& way) {
    auto const found = std::find_if(all.begin(), all.end(), [&](auto const& c) { return c.way == way; });
    if (found == all.end()) throw std::runtime_error("no " + way);
    return *found;
}

TEST(flat_conversions, go_every_way_and_back) {
    auto const all = measured("poisson2d:40");
    for (auto const* way : {"csr5", "sellp", "cmrs", "cmrs sorted", "cmrs padded", "csr5 in place", "cmrs in place",
                            "cmrs sorted in place"}) {
        auto const& c = of(all, way);
        EXPECT_EQ(c.refusal, "") << way;
        EXPECT_EQ(c.matrix, "poisson2d:40");
        EXPECT_EQ(c.type, "double");
        EXPECT_EQ(c.threads, 2);
        EXPECT_EQ(c.entries, 5 * 1600 - 4 * 40);
        EXPECT_GT(c.bytes, 12 * c.entries) << way;
        for (auto const seconds : {c.there.median, c.back.median, c.product.median}) EXPECT_GT(seconds, 0) << way;
    }
    EXPECT_EQ(all.size(), 8u);
    EXPECT_GT(of(all, "cmrs padded").bytes, of(all, "cmrs").bytes);
}

TEST(flat_conversions, name_a_format_that_refuses_the_matrix) {
    auto const all = measured("rmat:13,16");
    auto const& refused = of(all, "sellp");
    EXPECT_NE(refused.refusal.find("padding would take"), std::string::npos);
    EXPECT_EQ(refused.there.median, 0);
    EXPECT_NE(text_of(refused).find("refused: sellp: padding"), std::string::npos);
    auto const object = nlohmann::json::parse(json_line(refused));
    EXPECT_TRUE(object.at("seconds").is_null());
    EXPECT_EQ(object["refusal"], refused.refusal);
    EXPECT_GT(object["product_seconds"], 0);
    EXPECT_EQ(of(all, "csr5").refusal, "");
}

/// With a product of 2 s.
flat_conversion made_up(std::string const& matrix, std::string const& way, double products, double back) {
    flat_conversion c;
    c.matrix = matrix;
    c.type = "double";
    c.way = way;
    c.product.median = 2;
    c.there = {2 * products, 0.25};
    c.back.median = 2 * back;
    return c;
}

TEST(flat_conversions, lines_have_times_and_products) {
    auto const c = made_up("a", "csr5", 3.5, 1.5);
    EXPECT_NE(text_of(c).find("to  7000.00 ms +- 25 %   3.5 products  back  3000.00 ms"), std::string::npos)
        << text_of(c);
    auto const object = nlohmann::json::parse(json_line(c));
    EXPECT_EQ(object["op"], "flat conversion");
    EXPECT_EQ(object["way"], "csr5");
    EXPECT_EQ(object["seconds"], 7);
    EXPECT_EQ(object["back_seconds"], 3);
    EXPECT_EQ(object["product_seconds"], 2);
    EXPECT_TRUE(object.at("refusal").is_null());
}

TEST(flat_conversions, table_has_medians_and_who_meets_the_goals) {
    auto refused = made_up("b", "sellp", 0, 0);
    refused.refusal = "too much padding";
    auto const text = flat_conversion_table(
        {made_up("a", "csr5", 4, 1), made_up("a", "sellp", 12.5, 2), made_up("a", "cmrs", 2.5, 3),
         made_up("a", "cmrs in place", 2, 4), made_up("a", "cmrs sorted", 5, 1), made_up("b", "csr5", 4.5, 5), refused,
         made_up("b", "cmrs", 1, 1), made_up("b", "cmrs in place", 1, 1), made_up("b", "cmrs sorted", 1, 1),
         made_up("c", "csr5", 3, 6), made_up("c", "sellp", 12, 1), made_up("c", "cmrs", 3, 2),
         made_up("c", "cmrs in place", 3, 2), made_up("c", "cmrs sorted", 3, 2)});
    for (auto const* row : {"| a | double | 4.0 / 1.0 | 12.5 / 2.0 | 2.5 / 3.0 | 2.0 / 4.0 | 5.0 / 1.0 |",
                            "| b | double | 4.5 / 5.0 | refused | 1.0 / 1.0 |",
                            "| median |  | 4.0 / 5.0 | 12.5 / 2.0 | 2.5 / 2.0 | 2.0 / 2.0 | 3.0 / 1.0 |",
                            "| within the goal |  | 2 of 3 | 1 of 2 | 1 of 3 | 2 of 3 | - |"})
        EXPECT_NE(text.find(row), std::string::npos) << row << "\n is not in\n" << text;
}

TEST(timing, leaves_out_the_first_call_and_takes_the_median) {
    int calls = 0;
    auto const t = timing_of(5, [&] { return calls++ == 0 ? 100.0 : static_cast<double>(calls); });
    EXPECT_EQ(calls, 6);
    EXPECT_EQ(t.median, 4);        // of 2, 3, 4, 5, 6
    EXPECT_EQ(t.spread, 2 / 4.0);  // 5 - 3
}

}  // namespace
}  // namespace copse::bench
