#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/gpu_comparison/for_each.cuh"
#include "bench/gpu_comparison/large_case.hpp"

namespace copse::bench {
namespace {

template <class T, class Rows>
struct write_rows {
    Rows rows;
    std::int64_t* row_offsets;
    std::int32_t* column_indices;
    T* values;

    __device__ void operator()(std::int64_t i) const {
        std::int64_t k = rows.first_entry(i);
        row_offsets[i] = k;
        if (i == rows.row_count()) return;
        rows.visit(i, [&](std::int64_t column, double value) {
            column_indices[k] = static_cast<std::int32_t>(column);
            values[k] = static_cast<T>(value);
            ++k;
        });
    }
};

template <class T>
struct write_random {
    detail::random_sequence random;
    T* values;

    __device__ void operator()(std::int64_t i) const { values[i] = static_cast<T>(random.signed_unit(i)); }
};

template <class To, class From>
struct copy_as {
    From const* from;
    To* to;
    __device__ void operator()(std::int64_t i) const { to[i] = static_cast<To>(from[i]); }
};

template <class T>
struct write_row_indices {
    csr_matrix_view<T> a;
    std::int32_t* row_indices;
    __device__ void operator()(std::int64_t i) const {
        for (auto k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) row_indices[k] = static_cast<std::int32_t>(i);
    }
};

template <class T, class Rows>
csr_matrix<T> make(gpu& executor, Rows const& rows) {
    auto content = std::make_shared<csr_content<T>>();
    std::int64_t const count = rows.row_count(), entries = rows.first_entry(count);
    static_cast<flat_content&>(*content) = {count, rows.column_count(), entries, executor.memory()};
    content->row_offsets = {executor, count + 1};
    content->column_indices = {executor, entries};
    content->values = {executor, entries};
    for_each(
        executor, count + 1,
        write_rows<T, Rows>{rows, content->row_offsets.data(), content->column_indices.data(), content->values.data()});
    detail::gpu_steps steps(executor);
    detail::choose_kernel_by_steps(*content, steps);  // waits
    return csr_matrix<T>(std::shared_ptr<csr_content<T> const>(std::move(content)));
}

template <class To, class From>
buffer<To> copied_as(gpu const& executor, buffer<From> const& values) {
    buffer<To> copies(executor, values.size());
    for_each(executor, values.size(), copy_as<To, From>{values.data(), copies.data()});
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream_of(executor)));
    return copies;
}

}  // namespace

template <class T>
csr_matrix<T> make_on_gpu(gpu& executor, row_formula const& formula) {
    return std::visit([&](auto const& rows) { return make<T>(executor, rows); }, formula);
}

template <class T>
csr_matrix<T> make_rotated_on_gpu(gpu& executor, row_formula const& formula, std::int64_t columns) {
    return std::visit(
        [&]<class Rows>(Rows const& rows) {
            return make<T>(executor, rotated_rows<Rows>{rows, columns});
        },
        formula);
}

template <class T>
buffer<T> random_on_gpu(gpu& executor, std::int64_t size, std::int64_t seed, int set) {
    buffer<T> values(executor, size);
    detail::random_sequence const random(seed, static_cast<std::uint64_t>(set));
    for_each(executor, size, write_random<T>{random, values.data()});
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream_of(executor)));
    return values;
}

buffer<std::int32_t> narrow_offsets(gpu const& executor, buffer<std::int64_t> const& offsets) {
    return copied_as<std::int32_t>(executor, offsets);
}
buffer<std::int64_t> widen_offsets(gpu const& executor, buffer<std::int32_t> const& offsets) {
    return copied_as<std::int64_t>(executor, offsets);
}

template <class T>
buffer<std::int32_t> row_indices_on_gpu(gpu& executor, csr_matrix<T> const& a) {
    auto const view = a.content()->view();
    buffer<std::int32_t> row_indices(executor, a.entry_count());
    for_each(executor, view.row_count, write_row_indices<T>{view, row_indices.data()});
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream_of(executor)));
    return row_indices;
}

template csr_matrix<float> make_on_gpu(gpu&, row_formula const&);
template csr_matrix<double> make_on_gpu(gpu&, row_formula const&);
template csr_matrix<float> make_rotated_on_gpu(gpu&, row_formula const&, std::int64_t);
template csr_matrix<double> make_rotated_on_gpu(gpu&, row_formula const&, std::int64_t);
template buffer<float> random_on_gpu(gpu&, std::int64_t, std::int64_t, int);
template buffer<double> random_on_gpu(gpu&, std::int64_t, std::int64_t, int);
template buffer<std::int32_t> row_indices_on_gpu(gpu&, csr_matrix<float> const&);
template buffer<std::int32_t> row_indices_on_gpu(gpu&, csr_matrix<double> const&);

}  // namespace copse::bench
