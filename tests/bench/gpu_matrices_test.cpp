// Matrices by the names that the programs on a GPU take, and the suites of these.
#include "bench/gpu_comparison/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/generators.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/error.hpp>
#include <set>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/gpu_comparison/row_formula.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/suite.hpp"

namespace copse::bench {
namespace {

TEST(gpu_matrices, stand_ins_have_names_of_their_own) {
    auto const a = load_for_gpu<float>("hisparse:poisson3Da");
    EXPECT_EQ(a.row_count, 13'514);
    EXPECT_EQ(a.entry_count(), 352'762);
    EXPECT_EQ(load_for_gpu<double>("dense:5").entry_count(), 25);
    EXPECT_THROW(load_for_gpu<float>("hisparse:none"), argument_error);
}

TEST(gpu_matrices, few_of_the_paper_are_some_of_all) {
    auto const all = hisparse_paper_suite(false), few = hisparse_paper_suite(true);
    EXPECT_EQ(all.size(), 14U);
    EXPECT_EQ(few.size(), 11U);
    // The smallest first.
    EXPECT_EQ(few, (std::vector<std::string>(all.begin(), all.begin() + 11)));
    EXPECT_EQ(few.front(), "hisparse:poisson3Da");
    EXPECT_EQ(all.back(), "hisparse:bone010");
}

/// Runs have ended before the last ones: vectors beyond the L2, and what fits it with them, are among the first.
TEST(gpu_matrices, quick_products_begin_with_all_kinds_of_cases) {
    auto const& suite = quick_gpu_suite;
    for (std::string const name : {"permutation:8000000", "stencil27:40"})
        EXPECT_LT(std::find(suite.begin(), suite.end(), name) - suite.begin(), 4) << name;
    EXPECT_EQ(std::set<std::string>(suite.begin(), suite.end()).size(), 11U);
}

TEST(gpu_matrices, sums_of_large_ones_are_checked_on_the_gpu) {
    EXPECT_FALSE(is_checked_on_gpu(1'999'999));
    EXPECT_TRUE(is_checked_on_gpu(2'000'000));
}

TEST(gpu_matrices, suites_are_of_what_can_be_made) {
    for (auto const* suite : {&gpu_suite, &quick_gpu_suite, &gpu_sum_suite, &quick_gpu_sum_suite, &gpu_tuning_suite})
        for (auto const& name : *suite) EXPECT_TRUE(is_generator(name)) << name;
    for (auto const* suite : {&large_suite, &quick_large_suite, &large_sum_suite, &quick_large_sum_suite})
        for (auto const& name : *suite) EXPECT_TRUE(formula_of(name)) << name;
    EXPECT_THROW(formula_for_gpu("dense:10"), argument_error);
}

std::pair<std::int64_t, std::int64_t> rows_and_entries(std::string const& name) {
    return std::visit(
        [](auto const& m) {
            return std::pair{m.row_count(), m.first_entry(m.row_count())};
        },
        formula_for_gpu(name));
}

/// More than 2^31 bytes in double, vectors beyond any L2; fewer than 2^31 entries, because cuSPARSE's offsets are
/// narrow.
TEST(gpu_matrices, large_ones_are_large) {
    for (auto const* suite : {&large_suite, &quick_large_suite})
        for (auto const& name : *suite) {
            auto const [rows, entries] = rows_and_entries(name);
            EXPECT_GT(12 * entries, std::int64_t{1} << 31) << name;
            EXPECT_GT(8 * rows, 50'000'000) << name;
            EXPECT_EQ(lack_of_width(entries).empty(), name != large_suite.back()) << name;
        }
}

/// More entries than cuSPARSE takes here, and fewer than HiSparse's conversion leaves to the host. The rows in double,
/// the tree (8.2 bytes an entry) and what making it takes beside (some 7) leave room in 80 GB.
TEST(gpu_matrices, the_largest_needs_wide_offsets) {
    auto const [rows, entries] = rows_and_entries(large_suite.back());
    EXPECT_GT(entries, std::int64_t{1} << 31);
    EXPECT_LT(entries, (std::int64_t{1} << 32) - 1);
    EXPECT_LT(csr_bytes(rows, entries, 8) + 16 * entries, 70'000'000'000);
}

/// The values alone, in one type, are more than 2^31 bytes; all sums have fewer than 2^31 entries.
TEST(gpu_matrices, large_sums_are_large) {
    for (auto const* suite : {&large_sum_suite, &quick_large_sum_suite}) {
        EXPECT_GT(8 * rows_and_entries(suite->front()).second, std::int64_t{1} << 31) << suite->front();
        for (auto const& name : *suite) EXPECT_LT(2 * rows_and_entries(name).second, std::int64_t{1} << 31) << name;
    }
}

/// Each matrix of the suites once, as "sums of" or "products of" it.
std::vector<std::string> order_of(std::vector<large_stretch> const& stretches) {
    std::vector<std::string> order;
    for (auto const& stretch : stretches)
        for (auto const& name : stretch.names)
            order.push_back((stretch.products ? stretch.sums ? "both of " : "products of " : "sums of ") + name);
    return order;
}

TEST(gpu_matrices, large_sums_come_before_products) {
    using names = std::vector<std::string>;
    EXPECT_EQ(order_of(large_stretches({}, true)),
              (names{"sums of stencil27:256", "sums of uniform:12000000,16", "products of poisson3d:320",
                     "products of stencil27:192", "products of uniform:12000000,16"}));
    auto const all = order_of(large_stretches({}, false));
    EXPECT_EQ(all.size(), large_sum_suite.size() + large_suite.size());
    EXPECT_EQ(all.front(), "sums of " + large_sum_suite.front());
    EXPECT_EQ(all.back(), "products of " + large_suite.back());
}

TEST(gpu_matrices, of_named_ones_products_and_sums_come_together) {
    for (bool const quick : {false, true})
        EXPECT_EQ(order_of(large_stretches({"poisson3d:9", "stencil27:5"}, quick)),
                  (std::vector<std::string>{"both of poisson3d:9", "both of stencil27:5"}));
}

}  // namespace
}  // namespace copse::bench
