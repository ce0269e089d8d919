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
             {{"size 1", true, 1, 100}, {"size 2", false, 0.5, 120}, {"size 3", false, 0.5, 200}},
             1.1},
            {"sellp",
             "two",
             "double",
             "cpu",
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
}

TEST(tuning, the_best_took_part_everywhere) {
    auto const text = tuning_report(races());
    for (auto const* part : {"sellp, double, cpu: time of A x", "default 1.00 s", "0.632",
                             "best: size 2; the default loses 58.1 %; a second matrix like the default's takes 1.049"})
        EXPECT_NE(text.find(part), text.npos) << "'" << part << "' is not in\n" << text;
}

TEST(tuning, a_default_that_took_no_part_compares_with_nothing) {
    auto all = races();
    for (auto& race : all) race.sizes[0].is_default = false;
    auto const text = tuning_report(all);
    EXPECT_NE(text.find("the default took no part"), text.npos) << text;
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
