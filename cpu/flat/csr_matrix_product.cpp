// A part is a stretch of the merge path (formats/flat/offset_search.hpp): steps begin .. end - 1 of row_count +
// entry_count.
#include <algorithm>
#include <copse/cpu/flat/cpu_product.hpp>
#include <copse/cpu/flat/csr_rows.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/cpu/parts.hpp>

namespace copse::detail {
namespace {

template <class T>
merge_point place(csr_matrix_view<T> const& a, std::int64_t step) {
    return merge_search(a.row_offsets, 0, a.row_count, step);
}

/// Equal numbers of steps; each part ends where a row does, except by the merge path.
template <class T>
std::vector<std::int64_t> parts(csr_content<T> const& content, std::int64_t wanted) {
    csr_matrix_view<T> const a = content.view();
    bool const splits_rows = content.kernel == csr_kernel::merge_path;
    std::int64_t const steps = a.row_count + a.row_offsets[a.row_count];
    std::vector<std::int64_t> boundaries{0};
    for (std::int64_t part = 1; part < wanted; ++part) {
        std::int64_t step = part_begin(part, wanted, steps);
        if (!splits_rows) {
            std::int64_t const row = place(a, step).row;
            step = row + a.row_offsets[row];
        }
        if (step > boundaries.back() && step < steps) boundaries.push_back(step);
    }
    boundaries.push_back(steps);
    return boundaries;
}

template <class T>
row_carry<T> multiply(csr_content<T> const& content, std::int64_t begin, std::int64_t end, flat_product<T> const& p) {
    csr_matrix_view<T> const a = content.view();
    merge_point const first = place(a, begin), last = place(a, end);
    auto const sum = [&](std::int64_t k, std::int64_t k_end) {
        return multiply_entries(a.values + k, a.column_indices + k, k_end - k, p.x);
    };
    row_carry<T> carry;
    std::int64_t row = first.row;
    if (row < a.row_count && first.entry > a.row_offsets[row]) {
        carry = {row, sum(first.entry, std::min(last.entry, a.row_offsets[row + 1]))};
        ++row;
    }
    if (row < last.row) multiply_rows(a, row, last.row, p.factor, p.x, p.beta, p.y);
    row = std::max(row, last.row);
    if (row == last.row && row < a.row_count && last.entry > a.row_offsets[row])
        p.write(row, sum(a.row_offsets[row], last.entry));
    return carry;
}

template <class T>
void scatter(csr_content<T> const& content, std::int64_t begin, std::int64_t end, flat_product<T> const& p,
             scattered_output<T>& out) {
    csr_matrix_view<T> const a = content.view();
    merge_point const first = place(a, begin), last = place(a, end);
    T* const sums = out.sums;
    std::int64_t k = first.entry;
    for (std::int64_t row = first.row; k < last.entry; ++row) {
        std::int64_t const row_end = std::min(last.entry, a.row_offsets[row + 1]);
        if (k == row_end) continue;
        out.cover(a.column_indices[k], a.column_indices[row_end - 1], a.column_count);
        T const factor = p.factor * p.x[row];
        for (; k < row_end; ++k) sums[a.column_indices[k]] += a.values[k] * factor;
    }
}

}  // namespace

template <>
cpu_product<csr_matrix<float>> cpu_product_of() {
    return {parts<float>, multiply<float>, scatter<float>};
}
template <>
cpu_product<csr_matrix<double>> cpu_product_of() {
    return {parts<double>, multiply<double>, scatter<double>};
}

}  // namespace copse::detail
