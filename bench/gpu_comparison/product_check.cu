#include "bench/gpu_comparison/product_check.hpp"

#include <copse/cpu/reference.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/for_each.cuh"
#include "bench/gpu_comparison/row_check.hpp"

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
    csr_matrix_view<T> a;
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
struct scatter_row_sums {
    csr_matrix_view<T> a;
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
product_check<T> check_on_host(expectation<T> expected) {
    return [expected = std::move(expected)](buffer<T> const& y) {
        return reference::max_error<T>(y.to_host(), expected.y, expected.bound);
    };
}

template <class T>
product_check<T> check_on_gpu(gpu& executor, csr_matrix<T> const& a, bool transpose, T const* x) {
    return [&executor, content = a.content(), transpose, x](buffer<T> const& y) {
        auto const rows = content->view();
        buffer<element_sum> const sums(executor, transpose ? rows.column_count : rows.row_count);
        if (y.size() != sums.size()) return HUGE_VAL;
        if (transpose) {
            COPSE_CUDA_TRY(cudaMemsetAsync(sums.data(), 0, sums.bytes(), stream_of(executor)));
            for_each(executor, lanes * rows.row_count, scatter_row_sums<T>{rows, x, sums.data()});
        } else {
            for_each(executor, lanes * rows.row_count, sum_rows<T>{rows, x, sums.data()});
        }
        buffer<double> const largest(executor, std::vector<double>{0});
        for_each(executor, sums.size(), check_elements<T>{sums.data(), transpose, y.data(), largest.data()});
        return largest.to_host().front();
    };
}

template product_check<float> check_on_host(expectation<float>);
template product_check<double> check_on_host(expectation<double>);
template product_check<float> check_on_gpu(gpu&, csr_matrix<float> const&, bool, float const*);
template product_check<double> check_on_gpu(gpu&, csr_matrix<double> const&, bool, double const*);

}  // namespace copse::bench
