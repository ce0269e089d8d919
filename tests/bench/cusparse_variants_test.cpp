// Which of cuSPARSE's products are compared, and which are not possible with a large matrix.
#include "bench/gpu_comparison/cusparse_variants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/statistics.hpp>
#include <set>
#include <string>

#include "bench/gpu_comparison/cusparse_product.hpp"

namespace copse::bench {
namespace {

using enum transposition;

bool is_compared(bool transpose, transposition how, cusparseSpMVAlg_t algorithm, bool preprocess) {
    auto const variants = cusparse_variants(transpose);
    return std::any_of(variants.begin(), variants.end(), [&](auto const& v) {
        return v.how == how && v.algorithm == algorithm && v.preprocess == preprocess;
    });
}

TEST(cusparse_variants, have_a_name_each) {
    std::set<std::string> names;
    for (bool const transpose : {false, true})
        for (auto const& v : cusparse_variants(transpose)) {
            EXPECT_TRUE(names.insert(v.name).second) << v.name;
            EXPECT_EQ(v.how == none, !transpose) << v.name;
            EXPECT_EQ(std::string(v.name).find("preprocess") != std::string::npos, v.preprocess) << v.name;
        }
}

TEST(cusparse_variants, of_a_x_are_with_and_without_preprocessing) {
    for (bool const preprocess : {false, true})
        for (auto const algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMV_COO_ALG1,
                                     CUSPARSE_SPMV_COO_ALG2, CUSPARSE_SPMV_SELL_ALG1})
            EXPECT_TRUE(is_compared(false, none, algorithm, preprocess)) << algorithm << preprocess;
}

TEST(cusparse_variants, of_a_transposed_x_are_with_and_without_preprocessing) {
    for (bool const preprocess : {false, true}) {
        for (auto const algorithm :
             {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2})
            EXPECT_TRUE(is_compared(true, by_operation, algorithm, preprocess)) << algorithm << preprocess;
        for (auto const algorithm : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
            EXPECT_TRUE(is_compared(true, stored, algorithm, preprocess)) << algorithm << preprocess;
            EXPECT_EQ(is_compared(true, in_each_call, algorithm, preprocess), !preprocess) << algorithm;
        }
    }
}

// 1000 rows, 10 columns, 5000 entries, in double
TEST(cusparse_variants, read_what_their_format_takes) {
    std::int64_t const of_a = 5000 * 12 + 1001 * 4, of_transpose = 5000 * 12 + 11 * 4;
    auto const bytes = [](transposition how, cusparseSpMVAlg_t algorithm) {
        return bytes_read({"", how, algorithm, false}, 1000, 10, 5000, 8, 77);
    };
    EXPECT_EQ(bytes(none, CUSPARSE_SPMV_CSR_ALG2), of_a);
    EXPECT_EQ(bytes(none, CUSPARSE_SPMV_COO_ALG1), 5000 * 16);
    EXPECT_EQ(bytes(none, CUSPARSE_SPMV_SELL_ALG1), 77);
    EXPECT_EQ(bytes(by_operation, CUSPARSE_SPMV_CSR_ALG1), of_a);
    EXPECT_EQ(bytes(in_each_call, CUSPARSE_SPMV_CSR_ALG1), of_a + 2 * of_transpose);
    EXPECT_EQ(bytes(stored, CUSPARSE_SPMV_CSR_ALG1), of_transpose);
}

TEST(cusparse_inputs, leaves_half_of_what_is_free) {
    EXPECT_EQ(lack_of_memory(500, 1000), "");
    EXPECT_EQ(lack_of_memory(0, 0), "");
    EXPECT_EQ(lack_of_memory(501'000'000, 1'000'000'000),
              "it would take 501 MB on the GPU: more than half of the 1.00 GB that are free");
}

TEST(cusparse_inputs, has_offsets_of_32_bits) {
    EXPECT_EQ(lack_of_width(2147483647), "");
    EXPECT_EQ(lack_of_width(2147483648), "2147483648 entries are more than the 2^31 - 1 of its offsets here");
}

}  // namespace
}  // namespace copse::bench
