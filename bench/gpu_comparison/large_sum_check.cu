#include <cmath>
#include <utility>

#include "bench/gpu_comparison/for_each.cuh"
#include "bench/gpu_comparison/large_sum_check.hpp"
#include "bench/gpu_comparison/sum_row_check.hpp"

namespace copse::bench {
namespace {

template <class T>
struct add_pairs {
    addend_rows<T> a, b;
    unsigned long long* pairs;

    __device__ void operator()(std::int64_t k) const {
        if (is_pair(a, b, k)) atomicAdd(pairs, 1ULL);
    }
};

template <class T>
struct check_offsets {
    csr_view<T> c;
    std::int64_t entry_count;
    double* largest;

    __device__ void operator()(std::int64_t i) const {
        if (!has_right_offsets(c, entry_count, i)) keep_largest(largest, HUGE_VAL);
    }
};

template <class T>
struct check_sum_entries {
    csr_view<T> c;
    addend_rows<T> a, b;
    double* largest;

    __device__ void operator()(std::int64_t k) const {
        double const error = error_of_sum_entry(c, a, b, k);
        if (error > 0) keep_largest(largest, error);
    }
};

template <class T>
std::int64_t pairs_on_gpu(gpu const& executor, std::int64_t entry_count, addend_rows<T> const& a,
                          addend_rows<T> const& b) {
    buffer<unsigned long long> const pairs(executor, std::vector<unsigned long long>{0});
    for_each(executor, entry_count, add_pairs<T>{a, b, pairs.data()});
    return static_cast<std::int64_t>(pairs.to_host().front());
}

}  // namespace

template <class T>
large_sum_check<T>::large_sum_check(gpu& executor, csr_matrix<T> a, bool transpose_a, csr_matrix<T> b, bool transpose_b)
    : executor_(executor),
      a_(std::move(a)),
      b_(std::move(b)),
      transpose_a_(transpose_a),
      transpose_b_(transpose_b),
      entry_count_(a_.entry_count() + b_.entry_count() -
                   pairs_on_gpu<T>(executor, a_.entry_count(), {a_.content()->view(), transpose_a},
                                   {b_.content()->view(), transpose_b})) {}

template <class T>
double large_sum_check<T>::error(gpu_sum<T> const& sum) const {
    auto const c = sum.rows_on_gpu();
    addend_rows<T> const a = addend_rows<T>{a_.content()->view(), transpose_a_}.for_rows_of(c);
    addend_rows<T> const b = addend_rows<T>{b_.content()->view(), transpose_b_}.for_rows_of(c);
    if (c.entry_count != entry_count_ || !a.has_shape_of(c.rows) || !b.has_shape_of(c.rows)) return HUGE_VAL;
    buffer<double> const largest(executor_, std::vector<double>{0});
    for_each(executor_, c.rows.row_count, check_offsets<T>{c.rows, c.entry_count, largest.data()});
    for_each(executor_, c.entry_count, check_sum_entries<T>{c.rows, a, b, largest.data()});
    return largest.to_host().front();
}

template class large_sum_check<float>;
template class large_sum_check<double>;

}  // namespace copse::bench
