#include "bench/gpu_comparison/product_check.hpp"

#include <copse/cpu/reference.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/gpu_comparison/for_each.cuh"

namespace copse::bench {
namespace {

constexpr int lanes = 32;

/// Of the lane so many further.
__device__ careful_sum of_other_lane(careful_sum const& sum, int further) {
    auto const get = [further](auto value) { return __shfl_down_sync(0xffffffffU, value, further); };
    return {get(sum.high), get(sum.low), get(sum.magnitude), get(sum.count)};
}

template <class T>
struct sum_rows {
    csr_view<T> a;
    T const* x;
    element_sum* sums;

    __device__ void operator()(std::int64_t i) const {
        int const lane = static_cast<int>(i % lanes);
        auto sum = sum_part(a, x, i / lanes, lane, lanes);
        for (int further = lanes / 2; further > 0; further /= 2) sum.add(of_other_lane(sum, further));
        if (lane == 0) sums[i / lanes] = element_of(sum);
    }
};

template <class T>
struct scatter_rows {
    csr_view<T> a;
    T const* x;
    element_sum* sums;

    __device__ void operator()(std::int64_t i) const {
        scatter_part(a, x, i / lanes, static_cast<int>(i % lanes), lanes, sums,
                     [](double* p, double value) { atomicAdd(p, value); });
    }
};

template <class T>
struct check_elements {
    element_sum const* sums;
    bool is_rounded;
    T const* y;
    double* largest;

    __device__ void operator()(std::int64_t i) const {
        double const error = error_of(y[i], sums[i], is_rounded);
        if (error > 0) keep_largest(largest, error);
    }
};

}  // namespace

template <class T>
double host_product_check<T>::error(buffer<T> const& y) const {
    return reference::max_error<T>(y.to_host(), expected_.y, expected_.bound);
}

template <class T>
gpu_product_check<T>::gpu_product_check(gpu const& executor, csr_view<T> const& a, bool transpose, T const* x)
    : executor_(executor),
      is_rounded_(transpose),
      sums_(executor, transpose ? a.column_count : a.row_count),
      largest_(executor, 1) {
    if (transpose) {
        COPSE_CUDA_TRY(cudaMemsetAsync(sums_.data(), 0, sums_.bytes(), stream_of(executor)));
        for_each(executor, lanes * a.row_count, scatter_rows<T>{a, x, sums_.data()});
    } else {
        for_each(executor, lanes * a.row_count, sum_rows<T>{a, x, sums_.data()});
    }
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream_of(executor)));
}

template <class T>
double gpu_product_check<T>::error(buffer<T> const& y) const {
    if (y.size() != sums_.size()) return HUGE_VAL;
    COPSE_CUDA_TRY(cudaMemsetAsync(largest_.data(), 0, largest_.bytes(), stream_of(executor_)));
    for_each(executor_, sums_.size(), check_elements<T>{sums_.data(), is_rounded_, y.data(), largest_.data()});
    return largest_.to_host().front();
}

template class host_product_check<float>;
template class host_product_check<double>;
template class gpu_product_check<float>;
template class gpu_product_check<double>;

}  // namespace copse::bench
