// The report of bench/gpu, from lines as its programs write them.
#include <gtest/gtest.h>

#include <copse/runtime/error.hpp>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include "bench/gpu_comparison/record.hpp"
#include "bench/gpu_comparison/report_tables.hpp"
#include "bench/hisparse_matrices.hpp"

namespace copse::bench {
namespace {

gpu_record record_of(std::string const& library, std::string const& variant, std::string const& matrix,
                     double seconds) {
    gpu_record r;
    r.library = library;
    r.variant = variant;
    r.m.matrix = matrix;
    r.m.type = "double";
    r.m.entries = 100;
    r.m.moved_bytes = 1000;
    r.m.csr_moved_bytes = 2000;
    r.m.seconds = seconds;
    return r;
}

/// The lines of one product, written and read back.
std::vector<measured> reread(std::vector<std::vector<gpu_record>> races) {
    auto const path = testing::TempDir() + "copse_gpu_report.jsonl";
    std::ofstream file(path);
    gpu_session session;
    session.copy_gbytes_per_second = 1e-6;
    for (auto& race : races) {
        compare_with_cusparse(race);
        for (auto const& r : race) file << json_line(r, session);
    }
    file << R"({"bench":"tuning","op":"spmv","format":"sellp","seconds":null})" << '\n';
    file << R"({"bench":"spmv","cut)";
    file.close();
    return read_measured(path);
}

TEST(gpu_report, means_are_over_matrices_and_count_the_fastest) {
    auto const all = reread({{record_of("copse", "csr5 plan", "a", 2), record_of("cusparse", "csr 1", "a", 4)},
                             {record_of("copse", "csr5 plan", "b", 2), record_of("cusparse", "csr 1", "b", 1)}});
    ASSERT_EQ(all.size(), 4U);
    auto const text = comparison_tables(all, "spmv", "Products");
    // 2 and 1/2; 1000 bytes in 2 s of 1000 bytes a second
    EXPECT_NE(text.find("| copse csr5 plan | 2 | 1.00 |"), text.npos) << text;
    EXPECT_NE(text.find("| 0.50 | 1 |\n"), text.npos) << text;
    EXPECT_EQ(comparison_tables(all, "large", "Large"), "");
}

TEST(gpu_report, says_where_it_was) {
    auto race = std::vector{record_of("copse", "csr5 plan", "a", 2)};
    auto const path = testing::TempDir() + "copse_gpu_setting.jsonl";
    gpu_session session;
    session.gpu = "Pretender";
    session.cusparse = "12.6.3";
    session.copy_gbytes_per_second = 2500;
    std::ofstream(path) << json_line(race[0], session);
    EXPECT_EQ(setting_text(read_measured(path)),
              "Pretender: copies 2500 GB/s within its memory. cuSPARSE: 12.6.3.\n\n");
    EXPECT_EQ(setting_text({}), "");
}

TEST(gpu_report, says_of_how_many_matrices_means_are) {
    auto const path = testing::TempDir() + "copse_gpu_left_out.jsonl";
    auto sum = record_of("copse", "hisparse host", "a", 2);
    sum.m.op = "add";
    sum.bench = "large";
    std::ofstream file(path);
    for (auto const& r : {record_of("copse", "csr5 plan", "a", 2), record_of("cusparse", "csr 1", "a", 4), sum})
        file << json_line(r, {});
    // In float there was no time, then there was; the last two never had any, as sums and as conversions.
    file << left_out_line("spmv", "spmv", "a", "float");
    auto later = record_of("copse", "csr5 plan", "a", 2);
    later.m.type = "float";
    file << json_line(later, {}) << left_out_line("large", "spmv", "a", "double")
         << left_out_line("conversions", "convert", "b", "double");
    file.close();
    EXPECT_EQ(read_measured(path).size(), 4U);
    auto const counts = count_matrices(path);
    EXPECT_EQ(counts.at("spmv").measured, 2);
    EXPECT_EQ(counts.at("spmv").left_out, 0);
    auto const text = left_out_text(counts);
    EXPECT_NE(text.find("are of conversions: 0 of 1, large: 1 of 2.\n"), text.npos) << text;
    EXPECT_EQ(left_out_text({}), "");
    EXPECT_EQ(left_out_text({{"spmv", {.measured = 3, .left_out = 0}}}), "");
}

TEST(gpu_report, directions_and_plans_are_compared) {
    std::vector<gpu_record> race{record_of("copse", "hisparse plan", "a", 2),
                                 record_of("copse", "hisparse host", "a", 5)};
    race[0].m.mode = "plan";
    for (auto& r : race) r.m.entries = 30'000'000;
    auto turned = race;
    for (auto& r : turned) r.m.transpose = true;
    turned[1].m.seconds = 10;
    auto const text = plan_table(reread({race, turned}));
    EXPECT_NE(text.find("| copse hisparse plan | double | 1.00 |  |"), text.npos) << text;
    EXPECT_NE(text.find("| copse hisparse host | double | 0.50 | 3.54 |"), text.npos) << text;  // of 5/2 and 10/2
}

/// A x or A^T x of one matrix by (library, variant, seconds).
std::vector<gpu_record> product_of(std::string const& matrix, std::int64_t entries, bool transpose,
                                   std::vector<std::tuple<char const*, char const*, double>> const& who) {
    std::vector<gpu_record> race;
    for (auto const& [library, variant, seconds] : who) {
        race.push_back(record_of(library, variant, matrix, seconds));
        race.back().m.entries = entries;
        race.back().m.transpose = transpose;
    }
    return race;
}

std::vector<gpu_record> sum_of(bool transpose_a, bool transpose_b,
                               std::vector<std::tuple<char const*, char const*, double>> const& who) {
    auto race = product_of("a", 100, transpose_a, who);
    for (auto& r : race) {
        r.bench = "addition";
        r.m.op = "add";
        r.m.plus = {"b", transpose_b, 10, 10, 100, 150, 100};
    }
    return race;
}

void expect_row(std::string const& table, std::string const& row) {
    EXPECT_NE(table.find(row + " |\n"), table.npos) << "no '" << row << "' in\n" << table;
}

TEST(gpu_report, goals_of_products_with_figures_and_verdicts) {
    auto const large = product_of("stencil27:100", 30'000'000, false,
                                  {{"cusparse", "csr 1", 3},
                                   {"cusparse", "coo 1", 2.6},
                                   {"copse", "csr5 plan", 1},
                                   {"copse", "hisparse plan", 2},
                                   {"copse", "hisparse device", 7},
                                   {"naive", "thread for each row", 0.1}});
    auto const turned = product_of("stencil27:100", 30'000'000, true,
                                   {{"cusparse", "csr 1, transpose", 22},
                                    {"cusparse", "coo 1, transpose", 21},
                                    {"cusparse", "csr2csc + csr 1", 3},
                                    {"cusparse", "csr 1, preprocess, A^T stored", 1},
                                    {"copse", "csr5 plan", 0.5},
                                    {"copse", "hisparse plan", 2.1}});
    auto const small =
        product_of("rmat:3", 100, false,
                   {{"cusparse", "csr 1", 1.6}, {"copse", "hisparse plan", 1}, {"copse", "hisparse device", 100}});
    // Neither is counted.
    auto in_float = small, of_papers = small;
    for (auto& r : in_float) r.m.type = "float";
    for (auto& r : of_papers) r.bench = "papers";
    in_float[0].m.seconds = of_papers[0].m.seconds = 0.001;
    auto const text = goal_table(reread({large, turned, small, in_float, of_papers}));
    expect_row(text, "| at least 1.30 | 2.04 | 2 | met");  // of 2.6 and 1.6
    expect_row(text, "| at least 1.15 | 1.44 | 2 | met");  // of 1.3 and 1.6
    expect_row(text, "| at least 0.85 | 0.50 | 1 | not met");
    expect_row(text, "A^T x over A x, replays | at most 1.10 | 1.05 | 1 | met");
    expect_row(text, "own transposed product over the replay | at least 5.00 | 10.00 | 1 | met");
    expect_row(text, "| at most 3.00 | 3.50 | 1 | not met");
    expect_row(text, "| A + B: csrgeam2's best time over ours | at least 4.00 |  | 0 | not measured");
    EXPECT_EQ(goal_table({}), "");
}

/// They are most of those that have so many entries.
TEST(gpu_report, goal_of_one_shots_counts_large_matrices_too) {
    auto const of = [](char const* matrix, char const* bench, double one_shot) {
        auto race = product_of(matrix, 200'000'000, false,
                               {{"copse", "hisparse plan", 1}, {"copse", "hisparse device", one_shot}});
        for (auto& r : race) r.bench = bench;
        return race;
    };
    auto const text = goal_table(
        reread({of("stencil27:100", "spmv", 2), of("stencil27:192", "large", 3.92), of("a", "papers", 100)}));
    expect_row(text, "one-shot by the device controller over the replay | at most 3.00 | 2.80 | 2 | met");
}

TEST(gpu_report, goals_of_sums_with_figures_and_verdicts) {
    auto const text = goal_table(
        reread({sum_of(false, false,
                       {{"cusparse", "csrgeam2", 10},
                        {"cusparse", "csrgeam2, memory there", 8.2},
                        {"copse", "hisparse host", 3},
                        {"copse", "hisparse device", 2}}),
                sum_of(true, true, {{"cusparse", "csr2csc + csrgeam2", 10}, {"copse", "hisparse host", 2.2}}),
                sum_of(false, true,
                       {{"cusparse", "csr2csc + csrgeam2", 8},
                        {"cusparse", "csr2csc + csrgeam2, memory there", 6},
                        {"cusparse", "csrgeam2, transposed stored", 0.5},
                        {"copse", "hisparse host", 1}})}));
    expect_row(text, "| A + B: csrgeam2's best time over ours | at least 4.00 | 4.10 | 1 | met");
    expect_row(text, "| A^T + B^T over A + B | at most 1.05 | 1.10 | 1 | not met");
    expect_row(text, "| A + B^T: csr2csc and csrgeam2 over ours | at least 5.00 | 6.00 | 1 | met");
    expect_row(text, "one-shot by the device controller over the replay | at most 3.00 |  | 0 | not measured");
}

TEST(gpu_report, sums_have_times_by_both_clocks_and_products_by_one) {
    auto sum = sum_of(false, false, {{"copse", "hisparse host", 0.002}, {"cusparse", "csrgeam2", 0.003}});
    sum[0].event_seconds = 0.0015;
    sum[0].sets = sum[1].sets = 4;
    auto other = sum;
    for (auto& r : other) {
        r.m.matrix = "b";
        r.sets = 1;
        r.m.seconds *= 4;
        r.event_seconds = 0.0015;
    }
    auto const text = comparison_tables(reread({sum, other}), "addition", "Sums");
    EXPECT_NE(text.find("| fastest on | ms | ms by events |\n"), text.npos) << text;
    expect_row(text, "| 2 | 4.0000 | 1.5000");  // of 2 and 8
    EXPECT_NE(text.find("Several sets of inputs, by turns, for 1 of 2 matrices: those that fit the L2.\n"), text.npos)
        << text;
    auto const products =
        comparison_tables(reread({product_of("a", 100, false, {{"copse", "csr5 plan", 1}})}), "spmv", "");
    EXPECT_EQ(products.find("by events"), products.npos) << products;
    EXPECT_NE(products.find("for 0 of 1 matrices"), products.npos) << products;
}

TEST(gpu_report, controllers_by_matrix_with_the_fastest) {
    auto const race = product_of("rmat:3", 100, false,
                                 {{"copse", "hisparse persistent", 0.003},
                                  {"copse", "hisparse host", 0.002},
                                  {"copse", "hisparse device", 0.004},
                                  {"copse", "hisparse plan", 0.001},
                                  {"copse", "csr5 persistent", 0.001}});
    auto const turned = product_of("rmat:3", 100, true, {{"copse", "hisparse device", 0.004}});
    auto const text = controller_table(reread({race, turned}));
    expect_row(text, "| A x | spmv | rmat:3 | 3.0000 | 2.0000 | 4.0000 | host");
    expect_row(text, "| A^T x | spmv | rmat:3 |  |  | 4.0000 | device");
    EXPECT_NE(text.find("Fastest: persistent 0 times, host 1 times, device 1 times."), text.npos) << text;
    EXPECT_EQ(controller_table({}), "");
}

TEST(gpu_report, overhead_of_controllers_beside_the_work) {
    auto one = product_of("a", 100, false, {{"copse", "hisparse host", 0.004}, {"copse", "hisparse plan", 0.001}});
    auto other = product_of("b", 100, false, {{"copse", "hisparse host", 0.001}});
    one[0].run_seconds = 0.002;
    one[0].task_seconds = 0.016;
    other[0].run_seconds = 0.0005;
    other[0].task_seconds = 0.001;
    one[0].batches = 50;
    one[0].launches = 10;
    other[0].batches = 30;
    other[0].launches = 0;
    auto const text = overhead_table(reread({one, other}));
    // 2 and 1 ms; half of it; 8 and 2 blocks
    expect_row(text, "| A x | copse hisparse host | 2 | 2.0000 | 0.50 | 4.0 | 40 | 5");
    EXPECT_EQ(text.find("plan"), text.npos) << text;
    EXPECT_EQ(overhead_table({}), "");
}

TEST(gpu_report, overhead_of_sums_and_of_large_products_stands_beside_that_of_the_others) {
    auto sum = sum_of(false, true, {{"copse", "hisparse device", 0.004}});
    auto large = product_of("a", 100, false, {{"copse", "hisparse device", 0.002}});
    auto paper = product_of("b", 100, false, {{"copse", "hisparse device", 0.002}});
    large[0].bench = "large";
    paper[0].bench = "papers";
    for (auto* r : {&sum[0], &large[0], &paper[0]}) {
        r->run_seconds = 0.001;
        r->task_seconds = 0.003;
        r->batches = 7;
        r->launches = 5;
    }
    auto const text = overhead_table(reread({sum, large, paper}));
    expect_row(text, "| A + B^T | copse hisparse device | 1 | 4.0000 | 0.25 | 3.0 | 7 | 5");
    expect_row(text, "| A x, large | copse hisparse device | 1 | 2.0000 | 0.50 | 3.0 | 7 | 5");
    EXPECT_EQ(text.find("| A x |"), text.npos) << text;
}

TEST(gpu_report, lists_who_failed_but_not_who_refused_or_was_not_offered) {
    std::vector<gpu_record> race{record_of("copse", "csr5 plan", "a", 2), record_of("copse", "sellp plan", "a", 0),
                                 record_of("cusparse", "coo 1", "a", 0), record_of("cusparse", "csr 1", "a", 1)};
    race[0].m.max_error = 7;
    race[1].failure = "too much padding";
    race[1].is_refused = true;
    race[2].failure = "not supported";
    auto const text = failure_list(reread({race}));
    EXPECT_EQ(text, "## Failures\n\n- copse csr5 plan, A x of a, double: wrong\n\n");
    EXPECT_EQ(failure_list({}), "");
}

TEST(gpu_report, lists_what_failed_behind_a_conversion) {
    auto const path = testing::TempDir() + "copse_gpu_failures_behind.jsonl";
    std::ofstream(path) << R"({"bench":"conversions","op":"convert","matrix":"a","type":"double","seconds":1,)"
                        << R"("format":"hisparse host","failure":null,"failure_behind":"prune: in host memory"})"
                        << '\n';
    EXPECT_EQ(failure_list(read_measured(path)),
              "## Failures\n\n- hisparse host, behind the conversion of a, double: prune: in host memory\n\n");
}

/// Means are of other matrices than the paper's where not all of them take part.
TEST(gpu_report, papers_have_mean_and_deviation_beside_ours) {
    std::vector<gpu_record> one{record_of("copse", "hisparse plan", "hisparse:a", 0.001)},
        other{record_of("copse", "hisparse plan", "hisparse:b", 0.005)};
    one[0].m.entries = 16'917'053;
    one[0].bench = other[0].bench = "papers";
    auto turned = one;
    turned[0].m.transpose = true;
    auto const text = paper_tables(reread({one, other, turned}));
    EXPECT_NE(text.find("| here | double | copse hisparse plan | 3.00 (2.00) | 1.00 (0.00) | 2 of 14, up to 17 M "
                        "entries; 1 of 14, up to 17 M entries |"),
              text.npos)
        << text;
    EXPECT_NE(text.find("| paper | double | HiSparse | 4.68 (4.13) | 4.47 (4.62) | all of its own |"), text.npos)
        << text;
    EXPECT_NE(text.find("Means over other matrices than the paper's: not all of the 14 took part."), text.npos) << text;
    EXPECT_EQ(text.find("Table 2"), text.npos) << text;
}

TEST(gpu_report, papers_are_all_there) {
    std::vector<std::vector<gpu_record>> races;
    for (auto const& m : hisparse_matrices()) {
        races.push_back({record_of("copse", "hisparse plan", "hisparse:" + m.name, 0.001)});
        races.back()[0].bench = "papers";
        races.back()[0].m.entries = m.entries;
    }
    auto const text = paper_tables(reread(races));
    EXPECT_NE(text.find("| copse hisparse plan | 1.00 (0.00) |  | 14 of 14 |"), text.npos) << text;
    EXPECT_EQ(text.find("Means over other matrices"), text.npos) << text;
}

TEST(gpu_report, papers_sums_of_stored_transposes_stand_beside_those_made_in_each_call) {
    auto race = sum_of(true, true,
                       {{"cusparse", "csr2csc + csrgeam2", 0.006}, {"cusparse", "csrgeam2, transposed stored", 0.002}});
    for (auto& r : race) r.bench = "papers";
    auto const text = paper_tables(reread({race}));
    EXPECT_NE(text.find("| here | double | cusparse csr2csc + csrgeam2 |  | 6.00 (0.00) | 2.00 (0.00) | 1 of 14, up to "
                        "1 M entries |"),
              text.npos)
        << text;
    EXPECT_EQ(text.find("transposed stored"), text.npos) << text;
}

TEST(gpu_report, memory_is_per_entry) {
    std::vector<gpu_record> race{record_of("cusparse", "csr 1", "a", 1)};
    race[0].kept_bytes = 200;
    race[0].prepare_peak_bytes = 350;
    race[0].peak_bytes = 0;
    EXPECT_NE(memory_table(reread({race})).find("| A x | cusparse csr 1 | 2.00 | 3.50 |  |"), std::string::npos);
}

TEST(gpu_report, goals_of_conversions_by_the_best_controller) {
    auto const path = testing::TempDir() + "copse_gpu_conversion_goals.jsonl";
    std::ofstream file(path);
    auto const line = [&](char const* matrix, char const* format, double products, char const* type = "double") {
        file << R"({"bench":"conversions","op":"convert","seconds":1,"matrix":")" << matrix << R"(","type":")" << type
             << R"(","format":")" << format << R"(","net_products":)" << products << "}\n";
    };
    line("a", "csr5", 2);
    line("b", "csr5", 8);
    line("a", "csr5", 100, "float");
    line("a", "cmrs", 50);
    line("a", "cmrs unsorted", 1.5);
    line("a", "hisparse device", 87);
    line("a", "hisparse host", 9);
    file.close();
    auto const text = goal_table(read_measured(path));
    expect_row(text, "| conversion to CSR5, in products of CSR | at most 3.00 | 4.00 | 2 | not met");
    expect_row(text, "| conversion to CMRS, unsorted | at most 2.00 | 1.50 | 1 | met");
    expect_row(text, "| conversion to SELL-P | at most 12.00 |  | 0 | not measured");
    expect_row(text, "| conversion to HiSparse, the best controller | at most 10.00 | 9.00 | 1 | met");
}

TEST(gpu_report, conversions_in_products_with_the_worst) {
    auto const path = testing::TempDir() + "copse_gpu_conversions.jsonl";
    std::ofstream(path) << R"({"bench":"conversions","op":"convert","type":"float","format":"csr5","entries":10,)"
                        << R"("seconds":1,"net_products":2,"back_seconds":6,"product_seconds":2,"peak_bytes":40,)"
                        << R"("back_peak_bytes":50,"there_seconds":4})" << '\n'
                        << R"({"bench":"conversions","op":"convert","type":"float","format":"csr5","entries":10,)"
                        << R"("seconds":1,"net_products":8,"back_seconds":null,"product_seconds":2,"peak_bytes":null})"
                        << '\n';
    auto const text = conversion_summary(read_measured(path));
    EXPECT_NE(text.find("| csr5 | float | 2 | 4.0 | 8.0 | 3.0 | 4.0 | 5.0 |"), text.npos) << text;
    EXPECT_EQ(text.find("compaction"), text.npos) << text;
}

TEST(gpu_report, what_follows_conversions_in_their_time) {
    auto const path = testing::TempDir() + "copse_gpu_follow_ups.jsonl";
    std::ofstream file(path);
    auto const line = [&](char const* fields) {
        file << R"({"bench":"conversions","op":"convert","type":"double","format":"hisparse host","entries":10,)"
             << R"("seconds":5,"there_seconds":4,)" << fields << "}\n";
    };
    line(R"("values_peak_bytes":60,"edit_peak_bytes":7,"edit_seconds":1,"prune_seconds":2,"prune_peak_bytes":90)");
    line(R"("prune_seconds":8,"prune_peak_bytes":40,"compact_seconds":4,"compact_peak_bytes":null)");
    file.close();
    auto const text = conversion_summary(read_measured(path));
    EXPECT_NE(text.find("| of | type | then | matrices | in conversions | peak bytes per entry |"), text.npos) << text;
    EXPECT_NE(text.find("| hisparse host | double | new values | 0 |  | 6.00 |\n"
                        "| hisparse host | double | edit | 1 | 0.250 | 0.70 |\n"
                        "| hisparse host | double | prune | 2 | 1.000 | 6.00 |\n"
                        "| hisparse host | double | compaction | 1 | 1.000 |  |\n"),
              text.npos)
        << text;
    EXPECT_EQ(text.find("update |"), text.npos) << text;
}

TEST(gpu_report, kernels_by_time_with_rates_weighted_by_it) {
    auto const path = testing::TempDir() + "copse_gpu_ncu.csv";
    auto const kernel = R"x("void copse::detail::plain_kernel<copse::detail::a_task<double>>(T1, long)")x";
    std::ofstream(path)
        << "==PROF== Connected\n"
        << R"x("ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum",)x"
        << R"x("dram__throughput.avg.pct_of_peak_sustained_elapsed","launch__registers_per_thread",)x"
        << R"x("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum","l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",)x"
        << R"x("l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum","l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum")x" << '\n'
        << R"x("","","ns","byte","byte","%","register/thread","","","byte","byte")x" << '\n'
        << R"x("0",)x" << kernel << R"x(,"1,000","3,000","1,000","80","40","100","20","64","0")x" << '\n'
        << R"x("1",)x" << kernel << R"x(,"3,000","0","0","40","40","300","30","0","8")x" << '\n'
        << R"x("2","void slow(""x"")","5,000","0","0","1","8","0","0","0","0")x" << '\n';
    auto const text = kernel_table(path);
    EXPECT_NE(text.find(R"(| plain\_kernel\<a\_task\<double>> | 2 | 0.004 | 1 | 50 |)"), text.npos) << text;
    EXPECT_NE(text.find("| 12.5 | 72 | 40 |"), text.npos) << text;
    EXPECT_LT(text.find("slow(\"x\")"), text.find("plain")) << text;
    EXPECT_THROW(kernel_table(path + ".none"), error);
}

}  // namespace
}  // namespace copse::bench
