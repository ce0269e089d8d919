// The report of bench/gpu, from lines as its programs write them.
#include <gtest/gtest.h>

#include <copse/runtime/error.hpp>
#include <fstream>
#include <string>

#include "bench/gpu_comparison/record.hpp"
#include "bench/gpu_comparison/report_tables.hpp"

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

TEST(gpu_report, goals_compare_directions_and_plans) {
    std::vector<gpu_record> race{record_of("copse", "hisparse plan", "a", 2),
                                 record_of("copse", "hisparse host", "a", 5)};
    race[0].m.mode = "plan";
    for (auto& r : race) r.m.entries = 30'000'000;
    auto turned = race;
    for (auto& r : turned) r.m.transpose = true;
    turned[1].m.seconds = 10;
    auto const text = goal_table(reread({race, turned}));
    EXPECT_NE(text.find("| copse hisparse plan | double | 1.00 |  |"), text.npos) << text;
    EXPECT_NE(text.find("| copse hisparse host | double | 0.50 | 3.54 |"), text.npos) << text;  // of 5/2 and 10/2
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

TEST(gpu_report, papers_have_mean_and_deviation_beside_ours) {
    std::vector<gpu_record> one{record_of("copse", "hisparse plan", "a", 0.001)},
        other{record_of("copse", "hisparse plan", "b", 0.005)};
    one[0].bench = other[0].bench = "papers";
    auto const text = paper_tables(reread({one, other}));
    EXPECT_NE(text.find("| here | double | copse hisparse plan | 3.00 (2.00) |  | 2 |"), text.npos) << text;
    EXPECT_NE(text.find("| paper | double | HiSparse | 4.68 (4.13) | 4.47 (4.62) |"), text.npos) << text;
    EXPECT_EQ(text.find("Table 2"), text.npos) << text;
}

TEST(gpu_report, memory_is_per_entry) {
    std::vector<gpu_record> race{record_of("cusparse", "csr 1", "a", 1)};
    race[0].kept_bytes = 200;
    race[0].peak_bytes = 0;
    EXPECT_NE(memory_table(reread({race})).find("| A x | cusparse csr 1 | 2.00 |  |"), std::string::npos);
}

TEST(gpu_report, conversions_in_products_with_the_worst) {
    auto const path = testing::TempDir() + "copse_gpu_conversions.jsonl";
    std::ofstream(path) << R"({"bench":"conversions","op":"convert","type":"float","format":"csr5","entries":10,)"
                        << R"("seconds":1,"net_products":2,"back_seconds":6,"product_seconds":2,"peak_bytes":40})"
                        << '\n'
                        << R"({"bench":"conversions","op":"convert","type":"float","format":"csr5","entries":10,)"
                        << R"("seconds":1,"net_products":8,"back_seconds":null,"product_seconds":2,"peak_bytes":null})"
                        << '\n';
    auto const text = conversion_summary(read_measured(path));
    EXPECT_NE(text.find("| csr5 | float | 2 | 4.0 | 8.0 | 3.0 | 4.0 |"), text.npos) << text;
}

TEST(gpu_report, kernels_by_time_with_rates_weighted_by_it) {
    auto const path = testing::TempDir() + "copse_gpu_ncu.csv";
    auto const kernel = R"x("void copse::detail::plain_kernel<copse::detail::a_task<double>>(T1, long)")x";
    std::ofstream(path)
        << "==PROF== Connected\n"
        << R"x("ID","Kernel Name","gpu__time_duration.sum","dram__bytes_read.sum","dram__bytes_write.sum",)x"
        << R"x("dram__throughput.avg.pct_of_peak_sustained_elapsed","launch__registers_per_thread")x" << '\n'
        << R"x("","","ns","byte","byte","%","register/thread")x" << '\n'
        << R"x("0",)x" << kernel << R"x(,"1,000","3,000","1,000","80","40")x" << '\n'
        << R"x("1",)x" << kernel << R"x(,"3,000","0","0","40","40")x" << '\n'
        << R"x("2","void slow(""x"")","5,000","0","0","1","8")x" << '\n';
    auto const text = kernel_table(path);
    EXPECT_NE(text.find(R"(| plain\_kernel\<a\_task\<double>> | 2 | 0.004 | 1 | 50 |)"), text.npos) << text;
    EXPECT_LT(text.find("slow(\"x\")"), text.find("plain")) << text;
    EXPECT_THROW(kernel_table(path + ".none"), error);
}

}  // namespace
}  // namespace copse::bench
