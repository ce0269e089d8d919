// cuSPARSE's products in the comparison on a GPU.
#include <fmt/format.h>

#include <copse/runtime/cuda_try.cuh>
#include <copse/runtime/error.hpp>
#include <span>
#include <type_traits>

#include "bench/gpu_comparison/product.hpp"
#include "cli/timing.hpp"

namespace copse::bench {
namespace {

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

template <class T>
matrix_handle describe_matrix(cusparse_handle const& handle, device_csr<T> const& a) {
    cusparseSpMatDescr_t matrix = nullptr;
    handle.check(handle.library.create_csr(&matrix, a.row_count, a.column_count, a.entry_count(), a.row_offsets.data(),
                                           a.column_indices.data(), a.values.data(), CUSPARSE_INDEX_32I,
                                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
                 "cusparseCreateCsr");
    return {matrix, handle.library.destroy_matrix};
}

template <class T>
vector_handle describe_vector(cusparse_handle const& handle, buffer<T> const& values) {
    cusparseDnVecDescr_t vector = nullptr;
    handle.check(handle.library.create_vector(&vector, values.size(), values.data(), data_type<T>),
                 "cusparseCreateDnVec");
    return {vector, handle.library.destroy_vector};
}

/// y <- op(A) x for one set of inputs, ready to be called.
template <class T>
class spmv_call {
  public:
    spmv_call(cusparse_handle const& handle, device_csr<T> const& a, cusparseOperation_t operation,
              cusparseSpMVAlg_t algorithm, vector_set<T> const& v)
        : matrix_(describe_matrix(handle, a)),
          x_(describe_vector(handle, v.x)),
          y_(describe_vector(handle, v.y)),
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

/// A^T <- A by csr2csc for one set of inputs: the compressed columns of A are the compressed rows of A^T.
template <class T>
class transpose_call {
  public:
    transpose_call(cusparse_handle const& handle, matrix_copy<T> const& copy) : copy_(copy) {
        std::size_t bytes = 0;
        call(handle, handle.library.transpose_buffer_size, &bytes, "cusparseCsr2cscEx2_bufferSize");
        workspace_ = buffer<std::byte>(handle.executor, static_cast<std::int64_t>(bytes));
    }
    void run(cusparse_handle const& handle) {
        call(handle, handle.library.transpose, static_cast<void*>(workspace_.data()), "cusparseCsr2cscEx2");
    }

  private:
    template <class Function, class Last>
    void call(cusparse_handle const& handle, Function function, Last last, char const* name) {
        auto const& a = copy_.rows;
        auto const& t = copy_.rows_of_transpose;
        handle.check(
            function(handle, static_cast<int>(a.row_count), static_cast<int>(a.column_count),
                     static_cast<int>(a.entry_count()), a.values.data(), a.row_offsets.data(), a.column_indices.data(),
                     t.values.data(), t.row_offsets.data(), t.column_indices.data(), data_type<T>,
                     CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, last),
            name);
    }

    matrix_copy<T> const& copy_;
    buffer<std::byte> workspace_;
};

/// Where the transpose comes from.
enum class transposition { none, by_operation, in_each_call, stored };

struct cusparse_variant {
    char const* name;
    transposition how;
    cusparseSpMVAlg_t algorithm;
    bool preprocess;
};

constexpr cusparse_variant plain_variants[] = {
    {"csr 1", transposition::none, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr 1, preprocess", transposition::none, CUSPARSE_SPMV_CSR_ALG1, true},
    {"csr 2", transposition::none, CUSPARSE_SPMV_CSR_ALG2, false},
    {"csr 2, preprocess", transposition::none, CUSPARSE_SPMV_CSR_ALG2, true},
};
constexpr cusparse_variant transposed_variants[] = {
    {"csr 1, transpose", transposition::by_operation, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr 1, transpose, preprocess", transposition::by_operation, CUSPARSE_SPMV_CSR_ALG1, true},
    {"csr 2, transpose", transposition::by_operation, CUSPARSE_SPMV_CSR_ALG2, false},
    {"csr 2, transpose, preprocess", transposition::by_operation, CUSPARSE_SPMV_CSR_ALG2, true},
    {"csr2csc + csr 1", transposition::in_each_call, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr 1, preprocess, A^T stored", transposition::stored, CUSPARSE_SPMV_CSR_ALG1, true},
    {"csr 2, preprocess, A^T stored", transposition::stored, CUSPARSE_SPMV_CSR_ALG2, true},
};

template <class T>
class cusparse_product final : public gpu_product<T> {
  public:
    cusparse_product(std::shared_ptr<cusparse_handle> handle, gpu_problem<T> const& problem, cusparse_variant variant)
        : handle_(std::move(handle)), problem_(problem), variant_(variant) {}

    std::optional<double> prepare() override {
        auto const how = variant_.how;
        bool const needs_transpose = how == transposition::in_each_call || how == transposition::stored;
        auto const operation =
            how == transposition::by_operation ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
        for (std::size_t set = 0; set < problem_.sets.size(); ++set) {
            auto const& copy = problem_.matrix.copies[set];
            if (needs_transpose) transposes_.emplace_back(*handle_, copy);
            products_.emplace_back(*handle_, needs_transpose ? copy.rows_of_transpose : copy.rows, operation,
                                   variant_.algorithm, problem_.sets[set]);
        }
        if (!needs_transpose && !variant_.preprocess) return std::nullopt;
        wait();
        return measure::seconds_of([&] { prepare_content(); }) / problem_.set_count();
    }

    std::optional<double> run(int set) override {
        if (variant_.how == transposition::in_each_call) transposes_[static_cast<std::size_t>(set)].run(*handle_);
        products_[static_cast<std::size_t>(set)].run(*handle_);
        return std::nullopt;
    }

  private:
    void prepare_content() {
        for (auto& transpose : transposes_) transpose.run(*handle_);
        if (variant_.preprocess)
            for (auto& product : products_) product.preprocess(*handle_);
        wait();
    }
    void wait() const { COPSE_CUDA_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(handle_->executor.stream()))); }

    std::shared_ptr<cusparse_handle> handle_;
    gpu_problem<T> const& problem_;
    cusparse_variant variant_;
    std::vector<transpose_call<T>> transposes_;
    std::vector<spmv_call<T>> products_;
};

}  // namespace

template <class T>
std::vector<gpu_competitor<T>> cusparse_on_gpu(cusparse_library const& library, gpu& executor,
                                               gpu_problem<T> const& problem) {
    auto const handle = std::make_shared<cusparse_handle>(library, executor);
    auto const variants = problem.transpose ? std::span<cusparse_variant const>(transposed_variants)
                                            : std::span<cusparse_variant const>(plain_variants);
    std::vector<gpu_competitor<T>> competitors;
    for (auto const& variant : variants) {
        auto const& copy = problem.matrix.copies.front();
        // csr2csc reads A, writes A^T, and the product reads that; what it does in between is its own affair.
        auto const bytes = variant.how == transposition::in_each_call
                               ? copy.rows.bytes() + 2 * copy.rows_of_transpose.bytes()
                           : variant.how == transposition::stored ? copy.rows_of_transpose.bytes()
                                                                  : copy.rows.bytes();
        auto r = describe(problem, "cusparse", variant.name, bytes);
        r.clock = "events";
        r.keeps_transpose = variant.how == transposition::stored;
        competitors.push_back({std::move(r), std::make_unique<cusparse_product<T>>(handle, problem, variant)});
    }
    return competitors;
}

template std::vector<gpu_competitor<float>> cusparse_on_gpu(cusparse_library const&, gpu&, gpu_problem<float> const&);
template std::vector<gpu_competitor<double>> cusparse_on_gpu(cusparse_library const&, gpu&, gpu_problem<double> const&);

}  // namespace copse::bench
