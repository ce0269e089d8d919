// Which of cuSPARSE's ways to y <- op(A) x are compared.
//
//   A x     CSR algorithms 1 and 2, COO algorithms 1 and 2, sliced ELL
//   A^T x   CSR and COO through CUSPARSE_OPERATION_TRANSPOSE; csr2csc and SpMV in each call; and SpMV on a transposed
//           matrix that somebody keeps beside A
//
// Each without and with its preprocessing. Not so csr2csc in each call, behind which preprocessing would come in each
// call too.
#pragma once

#include <cusparse.h>

#include <cstdint>
#include <span>

namespace copse::bench {

/// Where the transpose comes from.
enum class transposition { none, by_operation, in_each_call, stored };

struct cusparse_variant {
    char const* name;
    transposition how;
    cusparseSpMVAlg_t algorithm;
    bool preprocess;

    bool is_coo() const { return algorithm == CUSPARSE_SPMV_COO_ALG1 || algorithm == CUSPARSE_SPMV_COO_ALG2; }
    bool is_sliced() const { return algorithm == CUSPARSE_SPMV_SELL_ALG1; }
    bool needs_transpose() const { return how == transposition::in_each_call || how == transposition::stored; }
    /// "csr", "coo", "sliced-ell"
    char const* format() const { return is_coo() ? "coo" : is_sliced() ? "sliced-ell" : "csr"; }
};

/// Sliced ELL has no transposed product.
std::span<cusparse_variant const> cusparse_variants(bool transpose);

/// What a product reads of A at least. csr2csc reads A, writes A^T, and the product reads that; what it does in between
/// is its own affair. `slices_bytes`: of sliced ELL, for the variants that read it.
std::int64_t bytes_read(cusparse_variant const& variant, std::int64_t rows, std::int64_t columns, std::int64_t entries,
                        std::size_t value_bytes, std::int64_t slices_bytes);

}  // namespace copse::bench
