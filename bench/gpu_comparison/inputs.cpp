#include "bench/gpu_comparison/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <limits>
#include <utility>

#include "bench/gpu_comparison/large_case.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

/// op(A) x for the x of each set, by the reference.
template <class T>
std::vector<expectation<T>> expect_all(csr<T> const& a, bool transpose, std::vector<vector_set<T>> const& sets) {
    std::vector<expectation<T>> expected(sets.size());
    detail::parallel_for(std::ssize(sets), 1, [&](std::int64_t index) {
        auto const i = static_cast<std::size_t>(index);
        expected[i] = expect(a, transpose, sets[i].x.to_host());
    });
    return expected;
}

}  // namespace

std::string lack_of_width(std::int64_t entries) {
    if (entries <= std::numeric_limits<std::int32_t>::max()) return "";
    return fmt::format("{} entries are more than the 2^31 - 1 of its offsets here", entries);
}

template <class T>
device_csr<T> make_device_csr(gpu const& executor, std::int64_t rows, std::int64_t columns, std::int64_t entries) {
    return {rows, columns, buffer<std::int32_t>(executor, rows + 1), buffer<std::int32_t>(executor, entries),
            buffer<T>(executor, entries)};
}

template <class T>
device_csr<T> to_device(gpu const& executor, csr<T> const& a) {
    if (auto const why = lack_of_width(a.entry_count()); !why.empty()) throw argument_error(why);
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
    hisparse_options const options{.node_dimension = node_dimension};
    for (int i = 0; i < sets; ++i) {
        result.copies.emplace_back(executor, m);
        result.trees.seconds = seconds_of([&] { result.trees.of_set.emplace_back(executor, m, options); });
    }
    return result;
}

template <class T>
gpu_problem<T> problem_of(gpu& executor, std::string name, std::vector<csr_matrix<T>> const& copies, bool transpose,
                          std::int64_t seed, csr<T> const* host) {
    auto const& a = copies.front();
    gpu_problem<T> problem{std::move(name), transpose, a.row_count(), a.column_count(), a.entry_count()};
    for (auto const& copy : copies) {
        auto x = random_on_gpu<T>(executor, transpose ? a.row_count() : a.column_count(), seed, problem.set_count());
        auto check = host ? product_check<T>() : check_on_gpu(executor, copy, transpose, x.data());
        problem.sets.push_back(
            {std::move(x), buffer<T>(executor, transpose ? a.column_count() : a.row_count()), std::move(check)});
    }
    if (!host) return problem;
    auto expected = expect_all(*host, transpose, problem.sets);
    for (std::size_t i = 0; i < expected.size(); ++i) problem.sets[i].check = check_on_host(std::move(expected[i]));
    return problem;
}

template device_csr<float> make_device_csr(gpu const&, std::int64_t, std::int64_t, std::int64_t);
template device_csr<double> make_device_csr(gpu const&, std::int64_t, std::int64_t, std::int64_t);
template device_csr<float> to_device(gpu const&, csr<float> const&);
template device_csr<double> to_device(gpu const&, csr<double> const&);
template matrix_copies<float> copy_matrix(gpu&, std::string const&, csr<float>, int, int);
template matrix_copies<double> copy_matrix(gpu&, std::string const&, csr<double>, int, int);
template gpu_problem<float> problem_of(gpu&, std::string, std::vector<csr_matrix<float>> const&, bool, std::int64_t,
                                       csr<float> const*);
template gpu_problem<double> problem_of(gpu&, std::string, std::vector<csr_matrix<double>> const&, bool, std::int64_t,
                                        csr<double> const*);

}  // namespace copse::bench
