// Sizes of the flat formats: summaries and tables of times made up, and one small race.
#include "bench/tuning_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace copse::bench {
namespace {

/// The default takes 1 s; `size 2` 0.5 s and 0.8 s; `size 3` 0.5 s, but it pads too much for the second matrix.
std::vector<tuning_race> races() {
    return {{"sellp",
             "one",
             "double",
             "cpu",
             10,
             100,
             {{"size 1", true, 1, 100}, {"size 2", false, 0.5, 120}, {"size 3", false, 0.5, 200}},
             1.1},
            {"sellp",
             "two",
             "double",
             "cpu",
             10,
             100,
             {{"size 1", true, 1, 100}, {"size 2", false, 0.8, 120}, {"size 3", false, 0, 0}},
             1.0}};
}

TEST(tuning, summaries_are_geometric_means_over_those_that_took_part) {
    auto const all = summarize(races());
    ASSERT_EQ(all.size(), 3u);
    EXPECT_DOUBLE_EQ(all[0].relative, 1);
    EXPECT_NEAR(all[1].relative, std::sqrt(0.4), 1e-12);
    EXPECT_EQ(all[1].matrices, 2);
    EXPECT_NEAR(all[2].relative, 0.5, 1e-12);
    EXPECT_EQ(all[2].matrices, 1);
    EXPECT_EQ((std::vector{all[0].near_best, all[1].near_best, all[2].near_best}), (std::vector{0, 2, 1}));
}

/// Seconds with sigma 4, 8, 16 and 32, of which the paper's rule takes one: the default.
tuning_race race_of_heights(std::int64_t row_entries, std::vector<double> const& seconds) {
    int const sigma = csr5_sigma_rule().sigma(row_entries * 100, 100);
    tuning_race race{"csr5", "some", "double", "gpu", 100, row_entries * 100, {}, 0};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        int const height = 4 << i;
        race.sizes.push_back({"sigma " + std::to_string(height), height == sigma, seconds[i], 0});
    }
    return race;
}

TEST(tuning, the_rule_that_fits_best_is_found) {
    // 2 per row want 8; 16 want 16; 100 want 32; 700 want 4.
    std::vector<tuning_race> const all{race_of_heights(2, {2, 1, 2, 2}), race_of_heights(16, {3, 2, 1, 3}),
                                       race_of_heights(100, {4, 4, 3, 2}), race_of_heights(700, {1, 2, 3, 4})};
    auto const fitted = fit_sigma_rule(all);
    EXPECT_EQ(fitted.rule.sigma(200, 100), 8);
    EXPECT_EQ(fitted.rule.sigma(1600, 100), 16);
    EXPECT_EQ(fitted.rule.sigma(10'000, 100), 32);
    EXPECT_EQ(fitted.rule.sigma(70'000, 100), 4);
    // The paper's takes 4 for the first: 2 s, the others as here.
    EXPECT_NEAR(fitted.relative, std::pow(0.5, 0.25), 1e-12);
    EXPECT_NE(tuning_report(all).find("best <r, s, t, u>: <8, 32, 128, 4>, 0.841 times the default's time"),
              std::string::npos)
        << tuning_report(all);
    EXPECT_EQ(fit_sigma_rule({}).relative, 1);
}

TEST(tuning, the_best_took_part_everywhere) {
    auto const text = tuning_report(races());
    for (auto const* part : {"sellp, double, cpu: time in units", "default 1.00 s", "0.632",
                             "best: size 2; the default loses 58.1 %; a second matrix like the default's takes 1.049"})
        EXPECT_NE(text.find(part), text.npos) << "'" << part << "' is not in\n" << text;
}

TEST(tuning, a_default_that_took_no_part_compares_with_nothing) {
    auto all = races();
    for (auto& race : all) race.sizes[0].is_default = false;
    auto const text = tuning_report(all);
    EXPECT_NE(text.find("the default took no part"), text.npos) << text;
    // Nor one that is a size, and whose plan pads too much.
    all = races();
    for (auto& race : all) race.sizes[0].seconds = 0;
    EXPECT_EQ(tuning_report(all).find("inf"), text.npos) << tuning_report(all);
}

TEST(tuning, json_lines_say_what_took_no_part) {
    auto const lines = tuning_json_lines(races()[1], {"a cpu", "", "today", 0, "abc"});
    ASSERT_EQ(lines.size(), 3u);
    auto const second = nlohmann::json::parse(lines[1]), third = nlohmann::json::parse(lines[2]);
    EXPECT_EQ(second["op"], "tune");
    EXPECT_EQ(second["relative_seconds"], 0.8);
    EXPECT_EQ(second["default"], false);
    EXPECT_TRUE(third["seconds"].is_null());
    EXPECT_TRUE(third["relative_seconds"].is_null());
    EXPECT_EQ(second["noise"], 1);
}

TEST(tuning, every_format_has_a_default_among_its_sizes) {
    auto const targets = make_targets(2);
    auto const all = tune<double>("poisson2d:20", {.repeats = 1, .quick = true}, targets, [](std::string const&) {});
    ASSERT_GE(all.size(), 3u);
    for (auto const& race : all) {
        ASSERT_NE(race.of_default(), nullptr) << race.format;
        EXPECT_GT(race.of_default()->seconds, 0) << race.format;
        EXPECT_GT(race.default_again, 0) << race.format;
        EXPECT_GE(race.sizes.size(), 2u) << race.format;
    }
}

}  // namespace
}  // namespace copse::bench
