// Conversion to HiSparse on the gpu executor, under its persistent and host controllers; conversion_device.cu adds the
// device controller.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <bit>
#include <copse/formats/conversion_run.hpp>
#include <copse/formats/hisparse_builder.hpp>
#include <copse/formats/tree_copy.hpp>
#include <copse/runtime/cuda_try.cuh>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu_run.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

namespace copse {
namespace {

constexpr int for_each_threads = 256;

template <class F>
__global__ void __launch_bounds__(for_each_threads) for_each_kernel(std::int64_t count, __grid_constant__ F const f) {
    std::int64_t const i = std::int64_t{blockIdx.x} * for_each_threads + threadIdx.x;
    if (i < count) f(i);
}

struct starts_anew {
    std::uint64_t const* keys;
    int shift;
    __device__ bool operator()(std::uint32_t i) const { return i == 0 || keys[i] >> shift != keys[i - 1] >> shift; }
};

/// What conversion_run.hpp asks for, by CUB, in the executor's stream. For keys of one type and entry numbers of one:
/// each further combination takes nvcc a quarter of a minute.
class gpu_primitives {
  public:
    explicit gpu_primitives(gpu& executor)
        : executor_(executor), device_(executor.state().device()), selected_(executor, 1) {}

    template <class F>
    void for_each(std::int64_t count, F const& f) const {
        if (count == 0) return;
        auto const blocks = static_cast<unsigned>((count + for_each_threads - 1) / for_each_threads);
        for_each_kernel<<<blocks, for_each_threads, 0, stream()>>>(count, f);
        COPSE_CUDA_TRY(cudaGetLastError());
    }
    void sort(detail::sort_arrays& arrays, std::int64_t count, int begin_bit, int end_bit) {
        cub::DoubleBuffer<std::uint64_t> keys(arrays.keys, arrays.other_keys);
        cub::DoubleBuffer<std::uint32_t> order(arrays.order, arrays.other_order);
        with_room([&](void* room, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(room, bytes, keys, order, count, begin_bit, end_bit, stream());
        });
        arrays = {keys.Current(), keys.Alternate(), order.Current(), order.Alternate()};
    }
    std::int64_t select_starts(std::uint64_t const* keys, std::int64_t count, int shift, std::uint32_t* to) {
        with_room([&](void* room, std::size_t& bytes) {
            return cub::DeviceSelect::If(room, bytes, thrust::counting_iterator<std::uint32_t>(0), to, selected_.data(),
                                         count, starts_anew{keys, shift}, stream());
        });
        return selected_.to_host().front();
    }
    void sum_before(std::int64_t count, detail::sum_terms const& terms, std::uint64_t* to) {
        auto const from = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), terms);
        with_room([&](void* room, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(room, bytes, from, to, count, stream());
        });
    }

  private:
    cudaStream_t stream() const { return executor_.state().stream(); }

    /// call(room, bytes): with no room it only says how many bytes it needs.
    template <class Call>
    void with_room(Call call) {
        std::size_t bytes = 0;
        COPSE_CUDA_TRY(call(nullptr, bytes));
        if (room_.bytes() < bytes) room_ = buffer<std::byte>(executor_, static_cast<std::int64_t>(bytes));
        COPSE_CUDA_TRY(call(room_.data(), bytes));
    }

    gpu& executor_;
    detail::current_device device_;
    buffer<std::int64_t> selected_;
    buffer<std::byte> room_;
};

/// Whether a matrix and what it is to become are within what convert_on() takes.
bool fits(std::int64_t rows, std::int64_t columns, std::int64_t entries, hisparse_options options) {
    std::int64_t const most = std::int64_t{1} << 31;
    int const d = options.node_dimension;
    return entries > 0 && entries < detail::most_numbers && rows > 0 && rows <= most && columns > 0 &&
           columns <= most && (d == 64 || d == 128 || d == 256);
}

/// The arrays of compressed rows on the GPU.
template <class T>
detail::matrix_entries<T> entries_of(csr_content<T> const& a) {
    return {a.row_count, a.column_count,          a.entry_count,  a.row_offsets.data(),
            nullptr,     a.column_indices.data(), a.values.data()};
}

/// Null where the host's conversion says what is wrong, or does it.
template <class T>
std::shared_ptr<hisparse_content const> convert(gpu& executor, detail::matrix_entries<T> const& a,
                                                hisparse_options options) {
    int const log2 = std::countr_zero(static_cast<unsigned>(options.node_dimension));
    auto content = detail::convert_on<T>(executor, gpu_primitives(executor), a, log2);
    if (!content || !options.share_identical) return content;
    return std::make_shared<hisparse_content>(
        detail::place(detail::copy_tree(*content, sizeof(T), true), executor.memory()));
}

}  // namespace

template <class T>
hisparse<T>::hisparse(gpu& executor, csr<T> const& a, hisparse_options options) {
    nvtx_range const range("copse conversion to hisparse");
    bool const regular = fits(a.row_count, a.column_count, a.entry_count(), options) &&
                         a.row_offsets.size() == static_cast<std::size_t>(a.row_count) + 1 &&
                         a.column_indices.size() == a.values.size() && a.row_offsets.front() == 0 &&
                         a.row_offsets.back() == a.entry_count();
    if (regular) {
        buffer<std::int64_t> const row_offsets(executor, a.row_offsets);
        buffer<std::int32_t> const columns(executor, a.column_indices);
        buffer<T> const values(executor, a.values);
        content_ = convert<T>(
            executor,
            {a.row_count, a.column_count, a.entry_count(), row_offsets.data(), nullptr, columns.data(), values.data()},
            options);
    }
    if (!content_) *this = hisparse(executor.memory(), a, options);
}

template <class T>
hisparse<T>::hisparse(gpu& executor, coo<T> const& a, hisparse_options options) {
    nvtx_range const range("copse conversion to hisparse");
    bool const regular = fits(a.row_count, a.column_count, a.entry_count(), options) &&
                         a.rows.size() == a.values.size() && a.columns.size() == a.values.size();
    if (regular) {
        buffer<std::int32_t> const rows(executor, a.rows);
        buffer<std::int32_t> const columns(executor, a.columns);
        buffer<T> const values(executor, a.values);
        content_ = convert<T>(
            executor,
            {a.row_count, a.column_count, a.entry_count(), nullptr, rows.data(), columns.data(), values.data()},
            options);
    }
    if (!content_) *this = hisparse(executor.memory(), a, options);
}

template <class T>
hisparse<T>::hisparse(gpu& executor, csr_matrix<T> const& a, hisparse_options options) {
    nvtx_range const range("copse conversion to hisparse");
    if (a.space() != executor.memory()->space())
        throw argument_error("hisparse: the matrix is in host memory; to_csr() gives what this converts from there");
    auto const& rows = *a.content();
    if (fits(rows.row_count, rows.column_count, rows.entry_count, options))
        content_ = convert<T>(executor, entries_of(rows), options);
    if (!content_) *this = hisparse(executor.memory(), to_csr(csr_matrix<T>(a.content())), options);
    transposed_ = a.is_transposed();
    scale_ = a.scale();
}

template hisparse<float>::hisparse(gpu&, csr_matrix<float> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, csr_matrix<double> const&, hisparse_options);
template hisparse<float>::hisparse(gpu&, csr<float> const&, hisparse_options);
template hisparse<float>::hisparse(gpu&, coo<float> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, csr<double> const&, hisparse_options);
template hisparse<double>::hisparse(gpu&, coo<double> const&, hisparse_options);

}  // namespace copse
