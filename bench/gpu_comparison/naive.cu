// Products of compressed rows as anybody would write them first: what HiSparse's Table 1 calls naive.
#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/gpu_comparison/product.hpp"

namespace copse::bench {
namespace {

constexpr int block_threads = 256;

template <class T>
struct rows_on_gpu {
    int row_count;
    std::int32_t const* row_offsets;
    std::int32_t const* column_indices;
    T const* values;
};

template <class T>
rows_on_gpu<T> view_of(device_csr<T> const& a) {
    return {static_cast<int>(a.row_count), a.row_offsets.data(), a.column_indices.data(), a.values.data()};
}

template <class T>
__global__ void multiply_rows(rows_on_gpu<T> a, T const* x, T* y) {
    auto const row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= a.row_count) return;
    T sum = 0;
    for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) sum += a.values[k] * x[a.column_indices[k]];
    y[row] = sum;
}

/// y: zeros
template <class T>
__global__ void scatter_rows(rows_on_gpu<T> a, T const* x, T* y) {
    auto const row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= a.row_count) return;
    T const own = x[row];
    for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k)
        atomicAdd(y + a.column_indices[k], a.values[k] * own);
}

template <class T>
class naive_product final : public gpu_product<T> {
  public:
    naive_product(gpu& executor, gpu_problem<T> const& problem) : executor_(executor), problem_(problem) {}

    std::optional<double> prepare() override { return std::nullopt; }
    std::optional<run_report> run(int set) override {
        auto const stream = static_cast<cudaStream_t>(executor_.stream());
        auto const& vectors = problem_.sets[static_cast<std::size_t>(set)];
        auto const a = view_of(problem_.matrix.copies[static_cast<std::size_t>(set)].rows);
        auto const blocks = static_cast<unsigned>((a.row_count + block_threads - 1) / block_threads);
        if (problem_.transpose && vectors.y.bytes() > 0)
            COPSE_CUDA_TRY(cudaMemsetAsync(vectors.y.data(), 0, vectors.y.bytes(), stream));
        if (blocks == 0) return std::nullopt;
        if (problem_.transpose)
            scatter_rows<<<blocks, block_threads, 0, stream>>>(a, vectors.x.data(), vectors.y.data());
        else
            multiply_rows<<<blocks, block_threads, 0, stream>>>(a, vectors.x.data(), vectors.y.data());
        COPSE_CUDA_TRY(cudaGetLastError());
        return std::nullopt;
    }

  private:
    gpu& executor_;
    gpu_problem<T> const& problem_;
};

}  // namespace

template <class T>
gpu_competitor<T> naive_on_gpu(gpu& executor, gpu_problem<T> const& problem) {
    auto r = describe(problem, "naive", "thread for each row", problem.matrix.copies.front().rows.bytes());
    r.clock = "events";
    return {std::move(r), std::make_unique<naive_product<T>>(executor, problem)};
}

template gpu_competitor<float> naive_on_gpu(gpu&, gpu_problem<float> const&);
template gpu_competitor<double> naive_on_gpu(gpu&, gpu_problem<double> const&);

}  // namespace copse::bench
