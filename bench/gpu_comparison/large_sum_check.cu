#include <cmath>
#include <vector>

#include "bench/gpu_comparison/for_each.cuh"
#include "bench/gpu_comparison/sum.hpp"
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
    csr_matrix_view<T> c;
    std::int64_t entry_count;
    double* largest;

    __device__ void operator()(std::int64_t i) const {
        if (!has_right_offsets(c, entry_count, i)) keep_largest(largest, HUGE_VAL);
    }
};

template <class T>
struct check_sum_entries {
    csr_matrix_view<T> c;
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
sum_check<T> large_sum_check(gpu& executor, csr_matrix<T> const& a, bool transpose_a, csr_matrix<T> const& b,
                             bool transpose_b) {
    auto const of_a = a.content(), of_b = b.content();
    auto const entry_count =
        a.entry_count() + b.entry_count() -
        pairs_on_gpu<T>(executor, a.entry_count(), {of_a->view(), transpose_a}, {of_b->view(), transpose_b});
    auto const error = [=, &executor](gpu_sum<T> const& sum) {
        auto const c = sum.rows_on_gpu();
        addend_rows<T> const from_a = addend_rows<T>{of_a->view(), transpose_a}.for_rows_of(c);
        addend_rows<T> const from_b = addend_rows<T>{of_b->view(), transpose_b}.for_rows_of(c);
        if (c.entry_count != entry_count || !from_a.has_shape_of(c.rows) || !from_b.has_shape_of(c.rows))
            return HUGE_VAL;
        buffer<double> const largest(executor, std::vector<double>{0});
        for_each(executor, c.rows.row_count, check_offsets<T>{c.rows, c.entry_count, largest.data()});
        for_each(executor, c.entry_count, check_sum_entries<T>{c.rows, from_a, from_b, largest.data()});
        return largest.to_host().front();
    };
    return {error, entry_count};
}

template sum_check<float> large_sum_check(gpu&, csr_matrix<float> const&, bool, csr_matrix<float> const&, bool);
template sum_check<double> large_sum_check(gpu&, csr_matrix<double> const&, bool, csr_matrix<double> const&, bool);

}  // namespace copse::bench
