// What the calls of cuSPARSE in products and sums have in common: a handle on the executor's stream, CSR in device
// memory as its functions take it, a product ready to be called, and csr2csc.
#pragma once

#include <fmt/format.h>

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "bench/gpu_comparison/cusparse_library.hpp"
#include "bench/gpu_comparison/inputs.hpp"

namespace copse::bench {

template <class T>
constexpr cudaDataType data_type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

/// A handle whose calls go to the executor's stream.
class cusparse_handle {
  public:
    cusparse_handle(cusparse_library const& from, gpu& on) : library(from), executor(on) {
        check(library.create(&handle_), "cusparseCreate");
        check(library.set_stream(handle_, static_cast<cudaStream_t>(executor.stream())), "cusparseSetStream");
    }
    ~cusparse_handle() { library.destroy(handle_); }
    cusparse_handle(cusparse_handle const&) = delete;
    cusparse_handle& operator=(cusparse_handle const&) = delete;

    operator cusparseHandle_t() const noexcept { return handle_; }
    void check(cusparseStatus_t status, char const* call) const {
        if (status == CUSPARSE_STATUS_SUCCESS) return;
        throw cuda_error(fmt::format("{}: {}", call, library.error_string(status)));
    }

    cusparse_library const& library;
    gpu& executor;

  private:
    cusparseHandle_t handle_ = nullptr;
};

using matrix_handle = std::unique_ptr<cusparseSpMatDescr, decltype(cusparse_library::destroy_matrix)>;
using vector_handle = std::unique_ptr<cusparseDnVecDescr, decltype(cusparse_library::destroy_vector)>;

/// Compressed rows with 32-bit offsets, borrowed.
template <class T>
matrix_handle describe_csr(cusparse_handle const& handle, device_csr_view<T> const& a) {
    cusparseSpMatDescr_t matrix = nullptr;
    handle.check(handle.library.create_csr(&matrix, a.row_count, a.column_count, a.entry_count, a.row_offsets,
                                           a.column_indices, a.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
                 "cusparseCreateCsr");
    return {matrix, handle.library.destroy_matrix};
}

/// The columns and values of `a`, and the row of each entry; borrowed.
template <class T>
matrix_handle describe_coo(cusparse_handle const& handle, device_csr_view<T> const& a, std::int32_t* row_indices) {
    cusparseSpMatDescr_t matrix = nullptr;
    handle.check(
        handle.library.create_coo(&matrix, a.row_count, a.column_count, a.entry_count, row_indices, a.column_indices,
                                  a.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
        "cusparseCreateCoo");
    return {matrix, handle.library.destroy_matrix};
}

template <class T>
vector_handle describe_vector(cusparse_handle const& handle, buffer<T> const& values) {
    cusparseDnVecDescr_t vector = nullptr;
    handle.check(handle.library.create_vector(&vector, values.size(), values.data(), data_type<T>),
                 "cusparseCreateDnVec");
    return {vector, handle.library.destroy_vector};
}

/// y <- op(A) x, ready to be called. x and y must outlive it.
template <class T>
class spmv_call {
  public:
    spmv_call(cusparse_handle const& handle, matrix_handle a, cusparseOperation_t operation,
              cusparseSpMVAlg_t algorithm, buffer<T> const& x, buffer<T> const& y)
        : matrix_(std::move(a)),
          x_(describe_vector(handle, x)),
          y_(describe_vector(handle, y)),
          operation_(operation),
          algorithm_(algorithm) {
        std::size_t bytes = 0;
        handle.check(handle.library.spmv_buffer_size(handle, operation_, &one, matrix_.get(), x_.get(), &zero, y_.get(),
                                                     data_type<T>, algorithm_, &bytes),
                     "cusparseSpMV_bufferSize");
        workspace_ = buffer<std::byte>(handle.executor, static_cast<std::int64_t>(bytes));
    }

    void preprocess(cusparse_handle const& handle) {
        call(handle, handle.library.spmv_preprocess, "cusparseSpMV_preprocess");
    }
    void run(cusparse_handle const& handle) { call(handle, handle.library.spmv, "cusparseSpMV"); }
    std::int64_t workspace_bytes() const { return workspace_.size(); }

  private:
    template <class Function>
    void call(cusparse_handle const& handle, Function function, char const* name) {
        handle.check(function(handle, operation_, &one, matrix_.get(), x_.get(), &zero, y_.get(), data_type<T>,
                              algorithm_, workspace_.data()),
                     name);
    }

    static constexpr T one = 1, zero = 0;
    matrix_handle matrix_;
    vector_handle x_, y_;
    cusparseOperation_t operation_;
    cusparseSpMVAlg_t algorithm_;
    buffer<std::byte> workspace_;
};

/// A^T <- A by csr2csc: the compressed columns of A are the compressed rows of A^T. Both are borrowed.
template <class T>
class transpose_call {
  public:
    transpose_call(cusparse_handle const& handle, device_csr_view<T> const& a, device_csr_view<T> const& turned)
        : a_(a), turned_(turned) {
        std::size_t bytes = 0;
        call(handle, handle.library.transpose_buffer_size, &bytes, "cusparseCsr2cscEx2_bufferSize");
        workspace_ = buffer<std::byte>(handle.executor, static_cast<std::int64_t>(bytes));
    }
    void run(cusparse_handle const& handle) {
        call(handle, handle.library.transpose, static_cast<void*>(workspace_.data()), "cusparseCsr2cscEx2");
    }
    std::int64_t workspace_bytes() const { return workspace_.size(); }

  private:
    template <class Function, class Last>
    void call(cusparse_handle const& handle, Function function, Last last, char const* name) {
        handle.check(function(handle, static_cast<int>(a_.row_count), static_cast<int>(a_.column_count),
                              static_cast<int>(a_.entry_count), a_.values, a_.row_offsets, a_.column_indices,
                              turned_.values, turned_.row_offsets, turned_.column_indices, data_type<T>,
                              CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, last),
                     name);
    }

    device_csr_view<T> a_, turned_;
    buffer<std::byte> workspace_;
};

}  // namespace copse::bench
