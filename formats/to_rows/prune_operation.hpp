// Entries of value zero dropped, on every executor. Compiled for each: copse_add_operation() in this room's
// CMakeLists.txt.
//
//   list    on a CPU: stretches of a coordinate list, counted, then copied side by side
//   rows    by steps, as the other conversions on a GPU (gpu_steps.cuh):
//             1  each entry: 1 where it stays, and the sums of these before
//             2  each row: its offset is the sum before its first entry
//             3  each entry that stays: to its place
#pragma once

#include <algorithm>
#include <copse/formats/coo.hpp>
#include <copse/formats/csr_matrix/steps.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/prune.hpp>
#include <copse/formats/steps/steps_on.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/nvtx.hpp>
#include <cstdint>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace copse {
namespace detail {

/// Erases entries for which scale * value is zero. Whether there was one.
template <class T>
bool erase_zeros(coo<T>& a, T scale) {
    std::int64_t constexpr at_once = std::int64_t{1} << 14;  // entries that a thread looks at
    std::int64_t const n = a.entry_count(), stretches = (n + at_once - 1) / at_once;
    std::vector<std::int64_t> begins(static_cast<std::size_t>(stretches) + 1);
    parallel_for(stretches, 1, [&](std::int64_t s) {
        std::int64_t const first = s * at_once, last = std::min(n, first + at_once);
        begins[static_cast<std::size_t>(s) + 1] = std::count_if(a.values.begin() + first, a.values.begin() + last,
                                                                [&](T value) { return scale * value != T(0); });
    });
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    if (begins.back() == n) return false;
    auto const count = static_cast<std::size_t>(begins.back());
    coo<T> kept{a.row_count, a.column_count, std::vector<std::int32_t>(count), std::vector<std::int32_t>(count),
                std::vector<T>(count)};
    parallel_for(stretches, 1, [&](std::int64_t s) {
        auto to = static_cast<std::size_t>(begins[static_cast<std::size_t>(s)]);
        auto const last = static_cast<std::size_t>(std::min(n, (s + 1) * at_once));
        for (auto i = static_cast<std::size_t>(s * at_once); i < last; ++i) {
            if (scale * a.values[i] == T(0)) continue;
            kept.rows[to] = a.rows[i];
            kept.columns[to] = a.columns[i];
            kept.values[to++] = a.values[i];
        }
    });
    a = std::move(kept);
    return true;
}

template <class T>
void check_memory_to_prune(hisparse<T> const& a, memory_space space) {
    if (a.space() != space)
        throw argument_error(
            "prune: the matrix is in another memory than the executor's; convert it with this executor");
}

/// `content` in the state of `a`.
template <class T>
hisparse<T> in_state_of(hisparse<T> const& a, hisparse<T> const& content) {
    return (a.is_transposed() ? content.transposed() : content).scaled(a.scale());
}

/// How what is left of `a` is converted.
template <class T>
hisparse_options conversion_of(hisparse<T> const& a, prune_options options) {
    return {.node_dimension = a.node_dimension(), .share_identical = options.share_identical};
}

/// By a coordinate list, on the executor's threads if it has some.
template <class T, class Executor>
hisparse<T> prune_list(Executor& executor, hisparse<T> const& a, prune_options options) {
    check_memory_to_prune(a, executor.memory()->space());
    return on_threads_of(executor, [&] {
        coo<T> entries = to_coo(hisparse<T>(a.content()));
        if (!erase_zeros(entries, a.scale())) return a;
        return in_state_of(a, hisparse<T>(executor.memory(), entries, conversion_of(a, options)));
    });
}

template <class T>
struct count_if_not_zero {
    T const* values;
    T scale;
    std::int64_t count;
    std::int64_t* kept;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        kept[i] = i < count && scale * values[i] != T(0) ? 1 : 0;
    }
};

struct take_pruned_offset {
    std::int64_t const* from;
    std::int64_t const* kept_before;
    std::int64_t* to;
    COPSE_HOST_DEVICE void operator()(std::int64_t row) const { to[row] = kept_before[from[row]]; }
};

template <class T>
struct take_if_kept {
    std::int32_t const* columns;
    T const* values;
    std::int64_t const* kept_before;
    std::int32_t* to_columns;
    T* to_values;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t const place = kept_before[i];
        if (kept_before[i + 1] == place) return;
        to_columns[place] = columns[i];
        to_values[place] = values[i];
    }
};

/// The rows without entries for which scale * value is zero, in temporary memory; null where there are none. Waits.
/// primitives: csr_matrix/steps.hpp.
template <class T, class Primitives>
std::shared_ptr<csr_content<T> const> without_zeros(csr_content<T> const& a, T scale, Primitives& primitives) {
    std::int64_t const n = a.entry_count;
    buffer<std::int64_t> const before(primitives.temporary(), n + 1);
    primitives.for_each(n + 1, count_if_not_zero<T>{a.values.data(), scale, n, before.data()});
    primitives.sum_before(before.data(), n + 1);
    primitives.wait();
    std::int64_t kept = 0;
    before.read(n, {&kept, 1});
    if (kept == n) return nullptr;
    flat_content sizes = a;
    sizes.entry_count = kept;
    sizes.where = primitives.temporary();
    auto rows = make_rows_by_steps<T>(sizes, primitives);
    primitives.for_each(a.row_count + 1,
                        take_pruned_offset{a.row_offsets.data(), before.data(), rows->row_offsets.data()});
    primitives.for_each(n, take_if_kept<T>{a.column_indices.data(), a.values.data(), before.data(),
                                           rows->column_indices.data(), rows->values.data()});
    choose_kernel_by_steps(*rows, primitives);  // waits
    return rows;
}

/// Gives the arrays of rows back that nobody else shares, and that nobody uses any more.
template <class T>
void release_unused(csr_content<T>&& rows) noexcept {
    rows.row_offsets.release_unused();
    rows.column_indices.release_unused();
    rows.values.release_unused();
}

/// By rows, where the executor works.
template <class T, class Executor, class Primitives>
hisparse<T> prune_rows(Executor& executor, Primitives& primitives, hisparse<T> const& a, prune_options options) {
    check_memory_to_prune(a, executor.memory()->space());
    std::int64_t constexpr rows_for_an_entry = 16;
    if (a.content()->row_count / rows_for_an_entry > a.entry_count()) return prune_list(executor, a, options);
    csr_matrix<T> const rows = to_csr_matrix(executor, hisparse<T>(a.content()));
    auto const kept = without_zeros(*rows.content(), a.scale(), primitives);
    release_unused(taken(rows.content()));
    if (!kept) return a;
    return in_state_of(a, hisparse<T>(executor, csr_matrix<T>(kept), conversion_of(a, options)));
}

}  // namespace detail

template <class T, any_executor Executor>
hisparse<T> prune(Executor& executor, hisparse<T> const& a, prune_options options) {
    nvtx_range const range(nvtx_room::formats, "copse prune", a.entry_count());
    if constexpr (!detail::can_run_on<Executor>) {
        detail::refuse_without_cuda("prune");
    } else if constexpr (std::same_as<Executor, cpu>) {
        return detail::prune_list(executor, a, options);
    } else {
        detail::steps_on<Executor> steps(executor);
        return detail::prune_rows(executor, steps, a, options);
    }
}

namespace detail {

template <any_executor Executor, class... Types>
struct compiled_prune {
    static constexpr auto functions = std::make_tuple(&prune<Types, Executor>...);
};

}  // namespace detail
}  // namespace copse
