#include "bench/gpu_comparison/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <limits>

#include "bench/gpu_comparison/large_case.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

template <class T>
std::vector<std::int32_t> row_of_each_entry(csr<T> const& a) {
    std::vector<std::int32_t> rows(static_cast<std::size_t>(a.entry_count()));
    detail::parallel_for(a.row_count, 1024, [&](std::int64_t row) {
        std::fill(rows.begin() + a.row_offsets[row], rows.begin() + a.row_offsets[row + 1],
                  static_cast<std::int32_t>(row));
    });
    return rows;
}

/// op(A) x for each x, by the reference.
template <class T>
std::vector<expectation<T>> expect_all(csr<T> const& a, bool transpose, std::vector<std::vector<T>> const& x) {
    std::vector<expectation<T>> expected(x.size());
    detail::parallel_for(std::ssize(x), 1, [&](std::int64_t index) {
        auto const i = static_cast<std::size_t>(index);
        expected[i] = expect(a, transpose, x[i]);
    });
    return expected;
}

template <class T>
std::unique_ptr<product_check<T>> check_on_gpu(gpu const& executor, device_csr<T> const& a, bool transpose,
                                               buffer<T> const& x) {
    auto const offsets = widen_offsets(executor, a.row_offsets);
    csr_view<T> const view{a.row_count, a.column_count, offsets.data(), a.column_indices.data(), a.values.data()};
    return std::make_unique<gpu_product_check<T>>(executor, view, transpose, x.data());
}

}  // namespace

template <class T>
device_csr<T> make_device_csr(gpu const& executor, std::int64_t rows, std::int64_t columns, std::int64_t entries) {
    return {rows, columns, buffer<std::int32_t>(executor, rows + 1), buffer<std::int32_t>(executor, entries),
            buffer<T>(executor, entries)};
}

template <class T>
device_csr<T> to_device(gpu const& executor, csr<T> const& a) {
    if (a.entry_count() > std::numeric_limits<std::int32_t>::max())
        throw argument_error(
            fmt::format("the matrix has {} entries: more than 2^31 - 1 are not compared here, because "
                        "cuSPARSE transposes no more",
                        a.entry_count()));
    std::vector<std::int32_t> const offsets(a.row_offsets.begin(), a.row_offsets.end());
    return {a.row_count, a.column_count, buffer<std::int32_t>(executor, offsets),
            buffer<std::int32_t>(executor, a.column_indices), buffer<T>(executor, a.values)};
}

int set_count(std::int64_t bytes, std::int64_t l2_bytes) {
    std::int64_t const each = std::max<std::int64_t>(bytes, 1);
    std::int64_t const needed = (4 * l2_bytes + each - 1) / each;
    return static_cast<int>(std::clamp<std::int64_t>(needed, 1, 32));
}

template <class T>
matrix_copies<T> copy_matrix(gpu& executor, std::string const& name, csr<T> a, int node_dimension, int most_sets) {
    executor.set_controller(controller_for_preparations);
    matrix_copies<T> result{name, std::move(a)};
    auto const& m = result.a;
    // No format takes less than values and vectors.
    auto const bytes = (m.entry_count() + m.row_count + m.column_count) * static_cast<std::int64_t>(sizeof(T));
    int const sets = std::min(most_sets, set_count(bytes, executor.properties().l2_bytes));
    auto const entry_rows = row_of_each_entry(m);
    hisparse_options const options{.node_dimension = node_dimension};
    for (int i = 0; i < sets; ++i) {
        result.copies.push_back({to_device(executor, m), buffer<std::int32_t>(executor, entry_rows),
                                 make_device_csr<T>(executor, m.column_count, m.row_count, m.entry_count())});
        result.trees.seconds = seconds_of([&] { result.trees.of_set.emplace_back(executor, m, options); });
    }
    return result;
}

template <class T>
gpu_problem<T> problem_of(gpu const& executor, matrix_copies<T> const& matrix, bool transpose, std::int64_t seed,
                          bool check_there) {
    auto const rows = matrix.a.row_count, columns = matrix.a.column_count;
    gpu_problem<T> problem{matrix.name, transpose, rows, columns, matrix.a.entry_count()};
    std::vector<std::vector<T>> x;
    for (int i = 0; i < std::ssize(matrix.copies); ++i)
        x.push_back(signed_values<T>(transpose ? rows : columns, seed, i));
    auto expected = check_there ? std::vector<expectation<T>>() : expect_all(matrix.a, transpose, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        buffer<T> x_there(executor, x[i]);
        std::unique_ptr<product_check<T>> check;
        if (check_there)
            check = check_on_gpu(executor, matrix.copies[i].rows, transpose, x_there);
        else
            check = std::make_unique<host_product_check<T>>(std::move(expected[i]));
        problem.sets.push_back({std::move(x_there), buffer<T>(executor, transpose ? columns : rows), std::move(check)});
    }
    return problem;
}

template device_csr<float> make_device_csr(gpu const&, std::int64_t, std::int64_t, std::int64_t);
template device_csr<double> make_device_csr(gpu const&, std::int64_t, std::int64_t, std::int64_t);
template device_csr<float> to_device(gpu const&, csr<float> const&);
template device_csr<double> to_device(gpu const&, csr<double> const&);
template matrix_copies<float> copy_matrix(gpu&, std::string const&, csr<float>, int, int);
template matrix_copies<double> copy_matrix(gpu&, std::string const&, csr<double>, int, int);
template gpu_problem<float> problem_of(gpu const&, matrix_copies<float> const&, bool, std::int64_t, bool);
template gpu_problem<double> problem_of(gpu const&, matrix_copies<double> const&, bool, std::int64_t, bool);

}  // namespace copse::bench
