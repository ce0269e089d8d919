// Products beside peers: summaries, Markdown and pictures of records with times made up.
#include "bench/product_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/format_report.hpp"
#include "bench/races.hpp"
#include "bench/report.hpp"

namespace copse::bench {
namespace {

using measure::measurement;

measurement record_of(std::string const& matrix, bool transpose, std::string const& format, double seconds) {
    measurement m;
    m.matrix = matrix;
    m.transpose = transpose;
    m.format = format;
    m.on = "cpu";
    m.type = "double";
    m.entries = 100;
    m.bytes = 1000;
    m.moved_bytes = 1100;
    m.csr_moved_bytes = 2'000'000'000;
    m.seconds = m.first_seconds = seconds;
    m.entries_per_block = matrix == "full" ? 50 : 2;
    return m;
}

measurement with_mode(measurement m, std::string const& mode) {
    m.mode = mode;
    m.plan_seconds = 0.25;
    return m;
}

/// The fastest peer takes 4 s and 8 s, HiSparse 2 s and 4 s, CSR 1 s and 10 s; where it is loose, everybody else
/// three times as long as CSR and HiSparse.
std::vector<measurement> records() {
    std::vector<measurement> all;
    for (std::string const matrix : {"full", "loose"}) {
        double const factor = matrix == "full" ? 1 : 3;
        all.push_back(record_of(matrix, false, "csr", 1));
        all.push_back(record_of(matrix, false, "hisparse", 2));
        all.push_back(record_of(matrix, false, "eigen", 4 * factor));
        all.push_back(with_mode(record_of(matrix, false, "librsb", 5 * factor), "tuned"));
        all.push_back(record_of(matrix, false, "petsc", 0.1));
        all.back().max_error = 2;
        all.push_back(record_of(matrix, true, "csr", 10));
        all.push_back(record_of(matrix, true, "csr-of-transpose", 0.5));
        all.push_back(record_of(matrix, true, "hisparse", 4));
        all.push_back(record_of(matrix, true, "eigen", 9 * factor));
        all.push_back(with_mode(record_of(matrix, true, "librsb", 8 * factor), "tuned"));
    }
    return all;
}

ceilings const triad{{.gbytes_per_second = 20, .median_gbytes_per_second = 19, .array_bytes = 1000, .threads = 2}, {}};

/// The cells of the Markdown row that holds all of `parts`.
std::vector<std::string> row_of(std::string const& text, std::vector<std::string> const& parts) {
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
        auto const line = text.substr(begin, end - begin);
        if (!line.starts_with("| ")) continue;
        if (!std::all_of(parts.begin(), parts.end(), [&](auto const& p) { return line.find(p) != line.npos; }))
            continue;
        std::vector<std::string> cells;
        for (std::size_t cell = 2, bar; (bar = line.find(" |", cell)) != line.npos; cell = bar + 3)
            cells.push_back(line.substr(cell, bar - cell));
        return cells;
    }
    return {};
}

TEST(races, are_of_one_matrix_type_and_operation) {
    auto const all = records();
    auto const races = races_of(all);
    ASSERT_EQ(races.size(), 4u);
    EXPECT_EQ(races[0].size(), 5u);
    EXPECT_EQ(operation_of(races[1].front()), "A^T x");
    EXPECT_EQ(races[2].front().matrix, "loose");
    EXPECT_TRUE(races_of({}).empty());
}

TEST(races, end_with_the_matrix_and_with_the_type) {
    std::vector<measurement> all{record_of("a", false, "csr", 1), record_of("b", false, "csr", 1),
                                 record_of("b", false, "csr", 1)};
    all.back().type = "float";
    EXPECT_EQ(races_of(all).size(), 3u);
}

TEST(races, fastest_peer_was_right_and_is_none_of_ours) {
    auto const all = records();
    auto const races = races_of(all);
    EXPECT_EQ(fastest_peer(races[0])->format, "eigen");
    EXPECT_EQ(fastest_peer(races[1])->format, "librsb");
    EXPECT_EQ(fastest_peer(races[0].first(2)), nullptr);
    EXPECT_EQ(times_faster(races[0][1], fastest_peer(races[0])), "2.00x");
    EXPECT_EQ(times_faster(races[0][4], fastest_peer(races[0])), "-");
    EXPECT_EQ(times_faster(races[0][0], nullptr), "-");
}

TEST(product_report, format_names_tell_how) {
    auto m = record_of("full", false, "hisparse", 1);
    m.node_dimension = 64;
    EXPECT_EQ(format_name(m), "hisparse d=64");
    EXPECT_EQ(format_name(with_mode(m, "plan")), "hisparse d=64 plan");
}

TEST(product_report, summary_names_the_fastest_and_the_ratios) {
    auto const text = markdown_report({}, triad, records(), {});
    EXPECT_EQ(row_of(text, {"| A x |", "| full |", "double"}),
              (std::vector<std::string>{"A x", "full", "double", "4.00 s", "eigen", "2.00 s", "2.00x", "csr", "1.00 s",
                                        "4.00x", "-"}));
    // CSR of A^T, the fastest, is none of ours here.
    EXPECT_EQ(row_of(text, {"| A^T x |", "| full |", "double"}),
              (std::vector<std::string>{"A^T x", "full", "double", "8.00 s", "librsb tuned", "4.00 s", "2.00x",
                                        "hisparse", "4.00 s", "2.00x", "0.50x"}));
}

TEST(product_report, means_are_geometric) {
    auto const text = markdown_report({}, triad, records(), {});
    auto const plain = row_of(text, {"| A x |", "geometric mean of 2"});
    ASSERT_EQ(plain.size(), 11u);
    EXPECT_EQ(plain[6], "3.46x");  // sqrt(2 * 6)
    EXPECT_EQ(plain[9], "6.93x");  // sqrt(4 * 12)
    EXPECT_EQ(plain[10], "-");
    auto const transposed = row_of(text, {"| A^T x |", "geometric mean of 2"});
    ASSERT_EQ(transposed.size(), 11u);
    EXPECT_EQ(transposed[9], "3.46x");
    EXPECT_EQ(transposed[10], "0.50x");
    EXPECT_NE(peer_summary(records()).find("geometric mean of 2"), std::string::npos);
}

TEST(product_report, no_summary_without_peers) {
    std::vector<measurement> const ours{record_of("full", false, "csr", 1), record_of("full", false, "hisparse", 2)};
    EXPECT_EQ(peer_summary(ours), "");
    EXPECT_EQ(markdown_report({}, triad, ours, {}).find("fastest peer"), std::string::npos);
    EXPECT_EQ(markdown_report({}, triad, ours, {}).find("compared with"), std::string::npos);
    EXPECT_NE(markdown_report({}, triad, records(), {}).find("compared with"), std::string::npos);
}

TEST(product_report, markdown_holds_every_record_and_note) {
    auto const text = markdown_report({}, triad, records(), {"mkl takes no part"});
    EXPECT_NE(text.find("\n- mkl takes no part\n"), std::string::npos);
    auto const tuned = row_of(text, {"| A x |", "librsb tuned", "250 ms"});
    ASSERT_EQ(tuned.size(), 15u);
    EXPECT_EQ(tuned.front(), "A x");
    EXPECT_EQ(tuned[6], "250 ms");
    EXPECT_EQ(tuned[14], "0.80x");
    auto const wrong = row_of(text, {"petsc", "WRONG by 2 bounds"});
    EXPECT_EQ(wrong.size(), 15u);
}

TEST(product_plot, has_a_column_for_each_matrix_by_fullness_and_a_series_for_each_competitor) {
    auto const p = product_plot(records(), triad, "double");
    EXPECT_EQ(p.columns, (std::vector<std::string>{"loose (2.0)", "full (50.0)"}));
    EXPECT_EQ(p.ceiling, 20);
    ASSERT_EQ(p.panels.size(), 2u);
    ASSERT_EQ(p.panels[0].series.size(), 4u);  // who was wrong is left out
    EXPECT_EQ(p.panels[1].series.size(), 5u);
    auto const& tree = p.panels[0].series[1];
    EXPECT_EQ(tree.name, "hisparse");
    EXPECT_TRUE(tree.is_ours);
    EXPECT_EQ(tree.values[1].value(), 1);  // 2 GB in 2 s
    EXPECT_EQ(p.panels[0].series[3].name, "librsb tuned");
    EXPECT_FALSE(p.panels[0].series[3].is_ours);
    EXPECT_TRUE(product_plot(records(), triad, "float").columns.empty());
}

std::size_t count(std::string const& text, std::string const& part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

TEST(product_plot, leaves_out_flat_formats_without_a_plan) {
    std::vector<measurement> const all{record_of("full", false, "csr", 1), record_of("full", false, flat_csr, 1),
                                       record_of("full", false, "csr5", 1),
                                       with_mode(record_of("full", false, "csr5", 1), "plan")};
    auto const p = product_plot(all, triad, "double");
    ASSERT_EQ(p.panels[0].series.size(), 2u);
    EXPECT_EQ(p.panels[0].series[0].name, "csr");
    EXPECT_EQ(p.panels[0].series[1].name, "csr5 plan");
}

TEST(product_plot, is_drawn_with_all_its_points_and_names) {
    auto p = product_plot(records(), triad, "double");
    p.columns[0] = "a<b & c";
    auto const svg = to_svg(p);
    EXPECT_EQ(svg.rfind("<svg ", 0), 0u);
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
    EXPECT_EQ(count(svg, "<polyline "), 9u);
    EXPECT_EQ(count(svg, "<circle "), 2u * 5 + 3);     // ours, and in the legend
    EXPECT_EQ(count(svg, "width=\"7\""), 2u * 4 + 2);  // peers, and in the legend
    for (auto const* part : {"a&lt;b &amp; c", ">full (50.0)<", ">librsb tuned<", ">triad 20.0<", ">y &lt;- A^T x<"})
        EXPECT_EQ(count(svg, part), 1u) << part;
    EXPECT_EQ(svg.find("nan"), svg.npos);
    EXPECT_EQ(svg.find("inf"), svg.npos);
}

TEST(product_plot, a_single_value_and_gaps_can_be_drawn) {
    plot const p{"t", "v", "c", {"a", "b"}, "triad", 3, {{"one", {{"s", true, {std::nullopt, 3.0}}}}, {"none", {}}}};
    auto const svg = to_svg(p);
    EXPECT_EQ(count(svg, "<circle "), 2u);
    EXPECT_EQ(svg.find("nan"), svg.npos);
}

/// Plans of three formats; auto takes sellp.
std::vector<measurement> planned_records(std::string const& matrix, double hisparse, double csr5, double sellp) {
    std::vector<measurement> all{record_of(matrix, false, "csr", 8)};
    all.push_back(with_mode(record_of(matrix, false, "hisparse", hisparse), "plan"));
    all.push_back(with_mode(record_of(matrix, false, "csr5", csr5), "plan"));
    if (sellp > 0) all.push_back(with_mode(record_of(matrix, false, "sellp", sellp), "plan"));
    for (auto& m : all) m.auto_format = "sellp";
    return all;
}

TEST(format_report, shows_plans_beside_plain_csr_and_what_auto_takes) {
    auto all = planned_records("a", 2, 4, 1);
    auto const text = format_table(all, "plan")->markdown();
    EXPECT_EQ(row_of(text, {"A x", " a "}), (std::vector<std::string>{"A x", "a", "double", "4.00x", "-", "2.00x",
                                                                      "8.00x", "-", "-", "sellp", "sellp", "1.00x"}));
    all.push_back(record_of("a", false, "eigen", 3));
    EXPECT_EQ(row_of(format_table(all, "plan")->markdown(), {"A x", " a "})[3], "1.50x");
    EXPECT_NE(format_summary(all).find("the fastest peer"), std::string::npos);
}

TEST(format_report, counts_how_often_auto_is_right) {
    auto all = planned_records("a", 2, 4, 1);
    auto const add = [&](std::vector<measurement> const& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(planned_records("b", 1, 4, 1.09));
    add(planned_records("c", 1, 4, 1.11));
    add(planned_records("d", 2, 4, 0));    // refused: HiSparse
    add(planned_records("e", 2, 1.5, 0));  // but csr5 was faster
    EXPECT_EQ(auto_summary(all, "plan"), "auto: within 10 % of the fastest format in 3 of 5 products from plans\n");
    EXPECT_EQ(row_of(format_table(all, "plan")->markdown(), {"A x", " d "})[10], "hisparse");
    EXPECT_EQ(row_of(format_table(all, "plan")->markdown(), {"A x", "geometric mean"})[3], "5.28x");
}

/// The same one-shot, where auto takes the library's CSR; from a plan it takes CSR5.
std::vector<measurement> records_of_both_modes(double hisparse, double flat_csr_seconds) {
    std::vector<measurement> all{record_of("a", false, "csr", 8), record_of("a", false, "hisparse", hisparse),
                                 record_of("a", false, flat_csr, flat_csr_seconds), record_of("a", false, "csr5", 4)};
    for (auto& m : all) m.auto_format = "csr";
    for (auto const* format : {"hisparse", "csr5"}) {
        all.push_back(with_mode(record_of("a", false, format, 1), "plan"));
        all.back().auto_format = "csr5";
    }
    return all;
}

TEST(format_report, sorted_slices_have_a_column_and_may_be_the_fastest) {
    auto all = planned_records("a", 2, 4, 1);
    all.push_back(with_mode(record_of("a", false, sorted_sellp, 0.5), "plan"));
    all.back().auto_format = "sellp";
    auto const row = row_of(format_table(all, "plan")->markdown(), {"A x", " a "});
    EXPECT_EQ(row[7], "16.00x");
    EXPECT_EQ(row[9], sorted_sellp);
    EXPECT_EQ(row[11], "0.50x");
}

TEST(format_report, has_a_table_and_a_count_for_each_mode) {
    auto const all = records_of_both_modes(1, 2);
    EXPECT_EQ(row_of(format_table(all, "oneshot")->markdown(), {"A x", " a "}),
              (std::vector<std::string>{"A x", "a", "double", "8.00x", "4.00x", "2.00x", "-", "-", "-", "hisparse",
                                        "csr", "0.50x"}));
    EXPECT_EQ(auto_summary(all, "oneshot"), "auto: within 10 % of the fastest format in 0 of 1 one-shot product\n");
    EXPECT_EQ(auto_summary(all, "plan"), "auto: within 10 % of the fastest format in 1 of 1 product from plans\n");
    EXPECT_EQ(row_of(format_table(all, "plan")->markdown(), {"A x", " a "})[10], "csr5");
    EXPECT_EQ(auto_summary(records_of_both_modes(2, 2.1), "oneshot"),
              "auto: within 10 % of the fastest format in 1 of 1 one-shot product\n");
    auto const both = format_summary(all);
    for (auto const* part : {"Our formats from plans, ", "Our formats one-shot, ", "one-shot product\n"})
        EXPECT_NE(both.find(part), std::string::npos) << part;
    EXPECT_NE(markdown_report({}, triad, all, {}).find("## Our formats one-shot, "), std::string::npos);
}

TEST(format_report, has_means_by_the_groups_of_the_goals) {
    std::vector<measurement> all;
    auto const add = [&](std::string const& matrix, double csr5) {
        auto const more = planned_records(matrix, 2, csr5, 1);
        all.insert(all.end(), more.begin(), more.end());
    };
    add("poisson2d:9", 2);  // plain CSR takes 8
    add("qcd:8", 8);
    add("rmat:9,9", 2.5);
    add("lp:9,9", 16);
    add("file.mtx", 1);
    auto const text = format_table(all, "plan")->markdown();
    EXPECT_EQ(row_of(text, {"A x", "geometric mean |"}).at(5), "2.20x");  // the fifth root of 4 * 1 * 3.2 * 1/2 * 8
    EXPECT_EQ(row_of(text, {"A x", "geometric mean, regular"}).at(5), "2.00x");
    EXPECT_EQ(row_of(text, {"A x", "geometric mean, stencils"}).at(5), "4.00x");
    EXPECT_EQ(row_of(text, {"A x", "geometric mean, irregular"}).at(5), "3.20x");
}

TEST(format_report, groups_are_those_of_the_goals) {
    using names = std::vector<std::string>;
    EXPECT_EQ(goal_groups_of("stencil27:9"), (names{"regular", "stencils"}));
    EXPECT_EQ(goal_groups_of("dense:9"), names{"regular"});
    EXPECT_EQ(goal_groups_of("dense_row:9,2"), names{"irregular"});
    for (auto const* none : {"lp:9,9", "permutation:9", "uniform:9", "dense.mtx"})
        EXPECT_TRUE(goal_groups_of(none).empty()) << none;
}

TEST(format_report, is_empty_for_records_without_auto) {
    EXPECT_FALSE(format_table(records(), "plan"));
    EXPECT_EQ(auto_summary(records(), "plan"), "");
    EXPECT_EQ(format_summary(records()), "");
}

}  // namespace
}  // namespace copse::bench
