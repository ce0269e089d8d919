#include "bench/gpu_comparison/cusparse_variants.hpp"

#include <copse/formats/statistics.hpp>

namespace copse::bench {
namespace {

using enum transposition;

constexpr cusparse_variant plain_variants[] = {
    {"csr 1", none, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr 1, preprocess", none, CUSPARSE_SPMV_CSR_ALG1, true},
    {"csr 2", none, CUSPARSE_SPMV_CSR_ALG2, false},
    {"csr 2, preprocess", none, CUSPARSE_SPMV_CSR_ALG2, true},
    {"coo 1", none, CUSPARSE_SPMV_COO_ALG1, false},
    {"coo 1, preprocess", none, CUSPARSE_SPMV_COO_ALG1, true},
    {"coo 2", none, CUSPARSE_SPMV_COO_ALG2, false},
    {"coo 2, preprocess", none, CUSPARSE_SPMV_COO_ALG2, true},
    {"sliced ell", none, CUSPARSE_SPMV_SELL_ALG1, false},
    {"sliced ell, preprocess", none, CUSPARSE_SPMV_SELL_ALG1, true},
};
constexpr cusparse_variant transposed_variants[] = {
    {"csr 1, transpose", by_operation, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr 1, transpose, preprocess", by_operation, CUSPARSE_SPMV_CSR_ALG1, true},
    {"csr 2, transpose", by_operation, CUSPARSE_SPMV_CSR_ALG2, false},
    {"csr 2, transpose, preprocess", by_operation, CUSPARSE_SPMV_CSR_ALG2, true},
    {"coo 1, transpose", by_operation, CUSPARSE_SPMV_COO_ALG1, false},
    {"coo 1, transpose, preprocess", by_operation, CUSPARSE_SPMV_COO_ALG1, true},
    {"coo 2, transpose", by_operation, CUSPARSE_SPMV_COO_ALG2, false},
    {"coo 2, transpose, preprocess", by_operation, CUSPARSE_SPMV_COO_ALG2, true},
    {"csr2csc + csr 1", in_each_call, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr2csc + csr 2", in_each_call, CUSPARSE_SPMV_CSR_ALG2, false},
    {"csr 1, A^T stored", stored, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr 1, preprocess, A^T stored", stored, CUSPARSE_SPMV_CSR_ALG1, true},
    {"csr 2, A^T stored", stored, CUSPARSE_SPMV_CSR_ALG2, false},
    {"csr 2, preprocess, A^T stored", stored, CUSPARSE_SPMV_CSR_ALG2, true},
};

}  // namespace

std::span<cusparse_variant const> cusparse_variants(bool transpose) {
    return transpose ? std::span<cusparse_variant const>(transposed_variants) : plain_variants;
}

std::int64_t bytes_read(cusparse_variant const& variant, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                        std::size_t value_bytes, std::int64_t slices_bytes) {
    auto const of_a = csr_bytes(rows, entries, value_bytes), of_transpose = csr_bytes(columns, entries, value_bytes);
    if (variant.how == in_each_call) return of_a + 2 * of_transpose;
    if (variant.how == stored) return of_transpose;
    if (variant.is_coo()) return coo_bytes(entries, value_bytes);
    return variant.is_sliced() ? slices_bytes : of_a;
}

}  // namespace copse::bench
