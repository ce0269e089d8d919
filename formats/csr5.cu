// Conversion to CSR5 on the gpu executor.
#include <copse/formats/csr5_steps.hpp>
#include <copse/runtime/cuda_try.cuh>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_state.cuh>
#include <copse/runtime/nvtx.hpp>
#include <cub/device/device_scan.cuh>

namespace copse {
namespace {

constexpr int step_threads = 256;

template <class F>
__global__ void __launch_bounds__(step_threads) step_kernel(std::int64_t count, __grid_constant__ F const f) {
    std::int64_t const i = std::int64_t{blockIdx.x} * step_threads + threadIdx.x;
    if (i < count) f(i);
}

/// What csr5_steps.hpp asks for, in the executor's stream.
class csr5_primitives {
  public:
    explicit csr5_primitives(gpu& executor) : executor_(executor), device_(executor.state().device()) {}

    template <class F>
    void for_each(std::int64_t count, F const& f) const {
        if (count == 0) return;
        auto const blocks = static_cast<unsigned>((count + step_threads - 1) / step_threads);
        step_kernel<<<blocks, step_threads, 0, stream()>>>(count, f);
        COPSE_CUDA_TRY(cudaGetLastError());
    }
    template <class Value>
    void zero(Value* p, std::int64_t count) const {
        COPSE_CUDA_TRY(cudaMemsetAsync(p, 0, static_cast<std::size_t>(count) * sizeof(Value), stream()));
    }
    void sum_before(std::int64_t* p, std::int64_t count) const {
        std::size_t bytes = 0;
        COPSE_CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, bytes, p, p, count, stream()));
        buffer<std::byte> const room(executor_, static_cast<std::int64_t>(bytes));
        COPSE_CUDA_TRY(cub::DeviceScan::ExclusiveSum(room.data(), bytes, p, p, count, stream()));
        wait();  // `room` is freed now
    }
    void wait() const { COPSE_CUDA_TRY(cudaStreamSynchronize(stream())); }

  private:
    cudaStream_t stream() const { return executor_.state().stream(); }

    gpu& executor_;
    detail::current_device device_;
};

template <class T>
std::shared_ptr<csr5_content<T> const> convert(gpu& executor, csr<T> const& a, csr5_options const& options) {
    nvtx_range const range("copse conversion to csr5");
    check(a);
    csr5_primitives primitives(executor);
    auto content = std::make_shared<csr5_content<T>>();
    static_cast<flat_content&>(*content) = {a.row_count, a.column_count, a.entry_count(), executor.memory()};
    content->layout = detail::make_csr5_layout(options.omega, options.sigma);
    content->row_offsets = {executor, a.row_offsets};
    detail::make_tiles_by_steps(*content, primitives);
    content->column_indices =
        detail::in_tiles_by_steps(content->layout, buffer<std::int32_t>(executor, a.column_indices), primitives);
    content->values = detail::in_tiles_by_steps(content->layout, buffer<T>(executor, a.values), primitives);
    return content;
}

}  // namespace

template <class T>
csr5<T>::csr5(gpu& executor, csr<T> const& a, csr5_options options)
    : csr5(convert(executor, a, detail::csr5_options_for(executor, options, sizeof(T), a.entry_count(), a.row_count))) {
}

template csr5<float>::csr5(gpu&, csr<float> const&, csr5_options);
template csr5<double>::csr5(gpu&, csr<double> const&, csr5_options);

}  // namespace copse
