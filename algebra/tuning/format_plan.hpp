// Plans in formats that are known when the program runs.
#pragma once

#include <copse/algebra/tuned_plan.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <utility>

namespace copse::detail {

/// Calls f(plan) for each flat or HiSparse plan that a plan consists of.
template <class T, class F>
void for_each_plan(format_plan<T> const& plan, F const& f) {
    std::visit(
        [&]<class Plan>(Plan const& p) {
            if constexpr (std::is_same_v<Plan, trimmed_plan<T>>) {
                f(p.even);
                f(p.longer);
            } else {
                f(p);
            }
        },
        plan);
}

/// The plan with each of its parts p replaced by change(p).
template <class T, class Change>
format_plan<T> changed(format_plan<T> const& plan, Change const& change) {
    return std::visit(
        [&]<class Plan>(Plan const& p) -> format_plan<T> {
            if constexpr (std::is_same_v<Plan, trimmed_plan<T>>)
                return trimmed_plan<T>{change(p.even), change(p.longer)};
            else
                return change(p);
        },
        plan);
}

template <class T>
format_plan<T> turned(format_plan<T> const& plan) {
    return changed<T>(plan, [](auto const& p) { return p.transposed(); });
}

/// Rows of more entries than `longest` apart from the others: both have all rows.
template <class T>
std::pair<csr<T>, csr<T>> parted(csr<T> const& a, std::int64_t longest) {
    csr<T> even(a.row_count, a.column_count), longer(a.row_count, a.column_count);
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        auto const first = a.row_offsets[row], last = a.row_offsets[row + 1];
        auto& to = last - first > longest ? longer : even;
        to.column_indices.insert(to.column_indices.end(), a.column_indices.begin() + first,
                                 a.column_indices.begin() + last);
        to.values.insert(to.values.end(), a.values.begin() + first, a.values.begin() + last);
        even.row_offsets.push_back(even.entry_count());
        longer.row_offsets.push_back(longer.entry_count());
    }
    return {std::move(even), std::move(longer)};
}

/// Longer rows than these are not for SELL-P: four deviations above the mean.
inline std::int64_t longest_even_row(row_statistics const& rows) noexcept {
    return static_cast<std::int64_t>(rows.mean + 4 * rows.standard_deviation);
}

/// Eight stretches of the rows, of `entries` entries in all.
template <class T>
csr<T> part_of_rows(csr<T> const& a, std::int64_t entries) {
    std::int64_t constexpr stretches = 8;
    csr<T> part(0, a.column_count);
    for (std::int64_t s = 0; s < stretches; ++s) {
        auto row = part_begin(s, stretches, a.row_count);
        auto const end = part_begin(s + 1, stretches, a.row_count);
        for (; row < end && part.entry_count() < entries * (s + 1) / stretches; ++row) {
            auto const first = a.row_offsets[row], last = a.row_offsets[row + 1];
            part.column_indices.insert(part.column_indices.end(), a.column_indices.begin() + first,
                                       a.column_indices.begin() + last);
            part.values.insert(part.values.end(), a.values.begin() + first, a.values.begin() + last);
            part.row_offsets.push_back(part.entry_count());
        }
    }
    part.row_count = std::ssize(part.row_offsets) - 1;
    return part;
}

template <class T, any_executor Executor>
format_plan<T> plan_in_format(Executor& executor, csr<T> const& a, matrix_format format) {
    auto const flat = [&]<class Matrix>(std::type_identity<Matrix>,
                                        typename Matrix::options_type const& options = {}) -> flat_plan<Matrix> {
        return {executor, Matrix(executor, csr_view<T>(a), options)};
    };
    switch (format) {
        case matrix_format::csr:
            return flat(std::type_identity<csr_matrix<T>>());
        case matrix_format::csr5:
            return flat(std::type_identity<csr5<T>>());
        case matrix_format::sellp:
            return flat(std::type_identity<sellp<T>>());
        case matrix_format::cmrs:
            return flat(std::type_identity<cmrs<T>>());
        case matrix_format::sellp_sorted:
            return flat(std::type_identity<sellp<T>>(), sorted_sellp);
        case matrix_format::sellp_trimmed: {
            auto const [even, longer] = parted(a, longest_even_row(count_rows(a)));
            return trimmed_plan<T>{{executor, sellp<T>(executor, csr_view<T>(even), sorted_sellp)},
                                   {executor, csr5<T>(executor, csr_view<T>(longer))}};
        }
        case matrix_format::hisparse:
            break;
    }
    return spmv_plan<T>(executor, hisparse<T>(executor, a));
}

template <class T, any_executor Executor>
void multiply_by_format_plan(Executor& executor, T alpha, format_plan<T> const& plan, vector_view<T const> x, T beta,
                             vector_view<T> y) {
    T before = beta;  // of the first part; others add
    for_each_plan<T>(plan, [&](auto const& p) { spmv(executor, alpha, p, x, std::exchange(before, T(1)), y); });
}

}  // namespace copse::detail
