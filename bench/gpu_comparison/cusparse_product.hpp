// cuSPARSE's ways to y <- op(A) x, and how they take part in a race.
#pragma once

#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/cusparse_handle.hpp"
#include "bench/gpu_comparison/cusparse_variants.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/product.hpp"

namespace copse::bench {

inline constexpr int slice_rows = 32;  // a warp's: cuSPARSE's sliced ELL leaves it to the caller

/// Our SELL-P with one thread for each row is cuSPARSE's sliced ELL, padding included; its offsets are of 32 bits here.
template <class T>
struct sliced_ell {
    sellp<T> matrix;
    buffer<std::int32_t> slice_offsets;

    std::int64_t bytes() const {
        auto const& c = *matrix.content();
        return static_cast<std::int64_t>(slice_offsets.bytes() + c.column_indices.bytes() + c.values.bytes());
    }
};

/// Throws too_much_padding; refusal beyond 2^31 - 1 places; cuda_error.
template <class T>
std::shared_ptr<sliced_ell<T> const> slice(gpu& executor, csr_matrix<T> const& rows) {
    sellp<T> matrix(executor, rows, {.slice_rows = slice_rows, .row_threads = 1});
    if (matrix.content()->stored_count > std::numeric_limits<std::int32_t>::max())
        throw refusal("sliced ELL would have more than 2^31 - 1 places");
    auto offsets = narrow_offsets(executor, matrix.content()->slice_offsets);
    return std::make_shared<sliced_ell<T> const>(sliced_ell<T>{std::move(matrix), std::move(offsets)});
}

/// A as a variant takes it, x and y: all borrowed but the slices. What it does not read may be absent.
template <class T>
struct cusparse_operands {
    device_csr_view<T> rows;
    std::int32_t* row_indices = nullptr;     // of the entries: with the columns of `rows` COO
    device_csr_view<T> rows_of_transpose{};  // room for A^T
    std::shared_ptr<sliced_ell<T> const> slices = nullptr;
    buffer<T> const& x;
    buffer<T> const& y;
};

/// Why nobody takes `wanted` bytes where `free` are: half of them stay for what the products take themselves. Empty
/// where that is left.
std::string lack_of_memory(std::int64_t wanted, std::int64_t free);
/// On the executor's GPU, without its workspace.
std::int64_t free_bytes(gpu& executor);

/// What products of one matrix read: made on the GPU when the first of them asks for it, and shared.
template <class T>
class cusparse_inputs {
  public:
    /// The executor must outlive it.
    cusparse_inputs(gpu& executor, csr_matrix<T> a) : executor_(executor), a_(std::move(a)) {}

    /// Borrowed from this and from `v`. Throws refusal, before memory is taken; too_much_padding; cuda_error.
    cusparse_operands<T> operands(cusparse_variant const& variant, vector_set<T> const& v);

  private:
    /// Throws refusal.
    void need(std::int64_t bytes);

    gpu& executor_;
    csr_matrix<T> a_;
    buffer<std::int32_t> offsets_, row_indices_;
    device_csr<T> rows_of_transpose_;
    std::shared_ptr<sliced_ell<T> const> slices_;
};

template <class T>
class cusparse_product {
  public:
    /// Handle and operands must outlive it. Throws cuda_error.
    cusparse_product(cusparse_handle const& handle, cusparse_variant const& variant, cusparse_operands<T> operands)
        : handle_(handle), variant_(variant), operands_(std::move(operands)) {
        bool const turns = variant.how == transposition::by_operation;
        if (variant.needs_transpose()) transpose_.emplace(handle, operands_.rows, operands_.rows_of_transpose);
        product_.emplace(handle, describe_matrix(),
                         turns ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE, variant.algorithm,
                         operands_.x, operands_.y);
    }

    bool has_to_prepare() const { return variant_.needs_transpose() || variant_.preprocess; }
    /// A^T, and what preprocessing does. Does not wait for all of it.
    void prepare() {
        if (transpose_) transpose_->run(handle_);
        if (variant_.how == transposition::stored) transpose_.reset();  // with its workspace
        if (variant_.preprocess) product_->preprocess(handle_);
    }
    /// Asynchronous.
    void run() {
        if (variant_.how == transposition::in_each_call) transpose_->run(handle_);
        product_->run(handle_);
    }
    /// Workspaces, and A^T.
    std::int64_t kept_bytes() const {
        return product_->workspace_bytes() + (transpose_ ? transpose_->workspace_bytes() : 0) +
               (variant_.needs_transpose() ? operands_.rows_of_transpose.bytes() : 0);
    }

  private:
    matrix_handle describe_matrix() const {
        auto const& a = operands_.rows;
        if (variant_.is_coo()) return describe_coo(handle_, a, operands_.row_indices);
        if (!variant_.is_sliced())
            return describe_csr(handle_, variant_.needs_transpose() ? operands_.rows_of_transpose : a);
        auto const& s = *operands_.slices;
        auto const& c = *s.matrix.content();
        cusparseSpMatDescr_t matrix = nullptr;
        handle_.check(handle_.library.create_sliced_ell(&matrix, c.row_count, c.column_count, c.entry_count,
                                                        c.stored_count, slice_rows, s.slice_offsets.data(),
                                                        c.column_indices.data(), c.values.data(), CUSPARSE_INDEX_32I,
                                                        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
                      "cusparseCreateSlicedEll");
        return {matrix, handle_.library.destroy_matrix};
    }

    cusparse_handle const& handle_;
    cusparse_variant variant_;
    cusparse_operands<T> operands_;
    std::optional<transpose_call<T>> transpose_;
    std::optional<spmv_call<T>> product_;
};

/// All variants (cusparse_variants.hpp), each with `copies`, one for each set of the problem. The library and the
/// problem must outlive them. A variant that cannot have the matrix refuses it in prepare().
template <class T>
gpu_entrants cusparse_products(cusparse_library const& library, gpu_clock& clock, gpu_problem<T> const& what,
                               std::vector<csr_matrix<T>> const& copies);

}  // namespace copse::bench
