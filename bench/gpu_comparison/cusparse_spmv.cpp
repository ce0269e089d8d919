// cuSPARSE's products in the comparison on a GPU.
#include <copse/formats/sellp.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/cuda_try.cuh>
#include <limits>
#include <span>

#include "bench/gpu_comparison/cusparse_handle.hpp"
#include "bench/gpu_comparison/product.hpp"
#include "cli/timing.hpp"

namespace copse::bench {
namespace {

constexpr int slice_rows = 32;  // a warp's: cuSPARSE's sliced ELL leaves it to the caller

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

/// Throws too_much_padding, argument_error.
template <class T>
sliced_ell<T> slice(gpu& executor, csr<T> const& a) {
    sellp<T> matrix(executor, a, {.slice_rows = slice_rows, .row_threads = 1});
    if (matrix.content()->stored_count > std::numeric_limits<std::int32_t>::max())
        throw argument_error("sliced ELL would have more than 2^31 - 1 places");
    auto const wide = matrix.content()->slice_offsets.to_host();
    std::vector<std::int32_t> const offsets(wide.begin(), wide.end());
    return {matrix, buffer<std::int32_t>(executor, offsets)};
}

template <class T>
matrix_handle describe_coo(cusparse_handle const& handle, matrix_copy<T> const& copy) {
    auto const& a = copy.rows;
    cusparseSpMatDescr_t matrix = nullptr;
    handle.check(handle.library.create_coo(&matrix, a.row_count, a.column_count, a.entry_count(),
                                           copy.row_indices.data(), a.column_indices.data(), a.values.data(),
                                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
                 "cusparseCreateCoo");
    return {matrix, handle.library.destroy_matrix};
}

template <class T>
matrix_handle describe_sliced(cusparse_handle const& handle, sliced_ell<T> const& a) {
    auto const& c = *a.matrix.content();
    cusparseSpMatDescr_t matrix = nullptr;
    handle.check(handle.library.create_sliced_ell(&matrix, c.row_count, c.column_count, c.entry_count, c.stored_count,
                                                  slice_rows, a.slice_offsets.data(), c.column_indices.data(),
                                                  c.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                                  CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
                 "cusparseCreateSlicedEll");
    return {matrix, handle.library.destroy_matrix};
}

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
};

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
// Sliced ELL has no transposed product.
constexpr cusparse_variant transposed_variants[] = {
    {"csr 1, transpose", by_operation, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr 1, transpose, preprocess", by_operation, CUSPARSE_SPMV_CSR_ALG1, true},
    {"csr 2, transpose", by_operation, CUSPARSE_SPMV_CSR_ALG2, false},
    {"csr 2, transpose, preprocess", by_operation, CUSPARSE_SPMV_CSR_ALG2, true},
    {"coo 1, transpose", by_operation, CUSPARSE_SPMV_COO_ALG1, false},
    {"coo 2, transpose", by_operation, CUSPARSE_SPMV_COO_ALG2, false},
    {"csr2csc + csr 1", in_each_call, CUSPARSE_SPMV_CSR_ALG1, false},
    {"csr 1, preprocess, A^T stored", stored, CUSPARSE_SPMV_CSR_ALG1, true},
    {"csr 2, preprocess, A^T stored", stored, CUSPARSE_SPMV_CSR_ALG2, true},
};

template <class T>
class cusparse_product final : public gpu_product<T> {
  public:
    cusparse_product(std::shared_ptr<cusparse_handle> handle, gpu_problem<T> const& problem, cusparse_variant variant)
        : handle_(std::move(handle)), problem_(problem), variant_(variant) {}

    std::optional<double> prepare() override {
        auto const operation =
            variant_.how == by_operation ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
        for (std::size_t set = 0; set < problem_.sets.size(); ++set) {
            auto const& copy = problem_.matrix.copies[set];
            if (variant_.needs_transpose()) transposes_.emplace_back(*handle_, copy.rows, copy.rows_of_transpose);
            products_.emplace_back(*handle_, describe_matrix(copy), operation, variant_.algorithm, problem_.sets[set].x,
                                   problem_.sets[set].y);
        }
        if (!variant_.needs_transpose() && !variant_.preprocess) return std::nullopt;
        wait();
        return measure::seconds_of([&] { prepare_content(); }) / problem_.set_count();
    }

    std::optional<run_report> run(int set) override {
        if (variant_.how == in_each_call) transposes_[static_cast<std::size_t>(set)].run(*handle_);
        products_[static_cast<std::size_t>(set)].run(*handle_);
        return std::nullopt;
    }

    std::int64_t kept_bytes() const override {
        auto bytes = products_.front().workspace_bytes();
        if (variant_.needs_transpose())
            bytes += transposes_.front().workspace_bytes() + problem_.matrix.copies.front().rows_of_transpose.bytes();
        return bytes;
    }

  private:
    matrix_handle describe_matrix(matrix_copy<T> const& copy) {
        if (variant_.is_coo()) return describe_coo(*handle_, copy);
        if (!variant_.is_sliced())
            return describe_csr(*handle_, variant_.needs_transpose() ? copy.rows_of_transpose : copy.rows);
        sliced_.push_back(slice(handle_->executor, problem_.matrix.a));
        return describe_sliced(*handle_, sliced_.back());
    }
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
    std::vector<sliced_ell<T>> sliced_;
    std::vector<transpose_call<T>> transposes_;
    std::vector<spmv_call<T>> products_;
};

/// Places of sliced ELL: each slice as wide as its longest row.
template <class T>
std::int64_t sliced_bytes(csr<T> const& a) {
    std::int64_t places = 0, slices = 0;
    for (std::int64_t first = 0; first < a.row_count; first += slice_rows, ++slices) {
        std::int64_t width = 0;
        for (auto row = first; row < std::min(first + slice_rows, a.row_count); ++row)
            width = std::max(width, a.row_offsets[row + 1] - a.row_offsets[row]);
        places += width * slice_rows;
    }
    return places * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T)) + 4 * (slices + 1);
}

/// csr2csc reads A, writes A^T, and the product reads that; what it does in between is its own affair.
template <class T>
std::int64_t bytes_of(cusparse_variant const& variant, gpu_problem<T> const& problem) {
    auto const& copy = problem.matrix.copies.front();
    if (variant.how == in_each_call) return copy.rows.bytes() + 2 * copy.rows_of_transpose.bytes();
    if (variant.how == stored) return copy.rows_of_transpose.bytes();
    if (variant.is_coo()) return coo_bytes(copy.rows.entry_count(), sizeof(T));
    return variant.is_sliced() ? sliced_bytes(problem.matrix.a) : copy.rows.bytes();
}

}  // namespace

template <class T>
std::vector<gpu_competitor<T>> cusparse_on_gpu(cusparse_library const& library, gpu& executor,
                                               gpu_problem<T> const& problem) {
    auto const handle = std::make_shared<cusparse_handle>(library, executor);
    auto const variants = problem.transpose ? std::span<cusparse_variant const>(transposed_variants)
                                            : std::span<cusparse_variant const>(plain_variants);
    std::vector<gpu_competitor<T>> competitors;
    for (auto const& variant : variants) {
        auto r = describe(problem, "cusparse", variant.name, bytes_of(variant, problem));
        r.clock = "events";
        r.m.format = variant.is_coo() ? "coo" : variant.is_sliced() ? "sliced-ell" : "csr";
        r.keeps_transpose = variant.how == stored;
        competitors.push_back({std::move(r), std::make_unique<cusparse_product<T>>(handle, problem, variant)});
    }
    return competitors;
}

template std::vector<gpu_competitor<float>> cusparse_on_gpu(cusparse_library const&, gpu&, gpu_problem<float> const&);
template std::vector<gpu_competitor<double>> cusparse_on_gpu(cusparse_library const&, gpu&, gpu_problem<double> const&);

}  // namespace copse::bench
