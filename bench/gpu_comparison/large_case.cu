#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/steps/gpu_steps.cuh>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/gpu_comparison/for_each.cuh"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/product_check.hpp"

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
    csr_view<T> a;
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

/// Keeps nothing on the GPU from check to check.
template <class T>
class passing_check final : public product_check<T> {
  public:
    passing_check(gpu& executor, csr_matrix<T> a, bool transpose, T const* x)
        : executor_(executor), a_(std::move(a)), transpose_(transpose), x_(x) {}
    double error(buffer<T> const& y) const override {
        return gpu_product_check<T>(executor_, a_.content()->view(), transpose_, x_).error(y);
    }

  private:
    gpu& executor_;
    csr_matrix<T> a_;
    bool transpose_;
    T const* x_;
};

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
buffer<T> random_on_gpu(gpu& executor, std::int64_t size, std::int64_t seed) {
    buffer<T> values(executor, size);
    for_each(executor, size, write_random<T>{detail::random_sequence(seed, 0), values.data()});
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream_of(executor)));
    return values;
}

template <class T>
double error_on_gpu(gpu& executor, csr_matrix<T> const& a, bool transpose, buffer<T> const& x, buffer<T> const& y) {
    return passing_check<T>(executor, a, transpose, x.data()).error(y);
}

template <class T>
gpu_problem<T> problem_of(gpu& executor, std::string name, csr_matrix<T> const& a, bool transpose, std::int64_t seed) {
    gpu_problem<T> problem{std::move(name), transpose, a.row_count(), a.column_count(), a.entry_count()};
    auto x = random_on_gpu<T>(executor, transpose ? a.row_count() : a.column_count(), seed);
    auto check = std::make_unique<passing_check<T>>(executor, a, transpose, x.data());
    problem.sets.push_back(
        {std::move(x), buffer<T>(executor, transpose ? a.column_count() : a.row_count()), std::move(check)});
    return problem;
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

template gpu_problem<float> problem_of(gpu&, std::string, csr_matrix<float> const&, bool, std::int64_t);
template gpu_problem<double> problem_of(gpu&, std::string, csr_matrix<double> const&, bool, std::int64_t);
template csr_matrix<float> make_on_gpu(gpu&, row_formula const&);
template csr_matrix<double> make_on_gpu(gpu&, row_formula const&);
template csr_matrix<float> make_rotated_on_gpu(gpu&, row_formula const&, std::int64_t);
template csr_matrix<double> make_rotated_on_gpu(gpu&, row_formula const&, std::int64_t);
template buffer<float> random_on_gpu(gpu&, std::int64_t, std::int64_t);
template buffer<double> random_on_gpu(gpu&, std::int64_t, std::int64_t);
template buffer<std::int32_t> row_indices_on_gpu(gpu&, csr_matrix<float> const&);
template buffer<std::int32_t> row_indices_on_gpu(gpu&, csr_matrix<double> const&);
template double error_on_gpu(gpu&, csr_matrix<float> const&, bool, buffer<float> const&, buffer<float> const&);
template double error_on_gpu(gpu&, csr_matrix<double> const&, bool, buffer<double> const&, buffer<double> const&);

}  // namespace copse::bench
