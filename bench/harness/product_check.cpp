#include "bench/harness/product_check.hpp"

#include <algorithm>
#include <cmath>
#include <copse/cpu/reference.hpp>
#include <copse/cpu/shapes.hpp>
#include <limits>

namespace copse::bench::measure {
namespace {

constexpr std::int64_t block_rows = 1 << 16;

/// Rows first ... of A.
template <class T>
csr<T> rows_from(csr<T> const& a, std::int64_t first, std::int64_t count) {
    auto const begin = a.row_offsets[first], end = a.row_offsets[first + count];
    csr<T> block{count,
                 a.column_count,
                 {a.row_offsets.begin() + first, a.row_offsets.begin() + first + count + 1},
                 {a.column_indices.begin() + begin, a.column_indices.begin() + end},
                 {a.values.begin() + begin, a.values.begin() + end}};
    for (auto& offset : block.row_offsets) offset -= begin;
    return block;
}

/// The row of entry k; `row` is none behind it.
template <class T>
std::int64_t row_of(csr<T> const& a, std::int64_t k, std::int64_t row) {
    for (int i = 0; i < 8; ++i, ++row)
        if (k < a.row_offsets[row + 1]) return row;
    return std::upper_bound(a.row_offsets.begin() + row + 1, a.row_offsets.end(), k) - a.row_offsets.begin() - 1;
}

/// Columns first ... of A, without the rows that have no entries there, and what x has for the others.
template <class T>
struct columns_from {
    csr<T> block;
    std::vector<T> x;

    columns_from(csr<T> const& a, std::vector<T> const& all_x, std::int64_t first, std::int64_t count) {
        std::int64_t row = 0, last_row = -1;
        for (std::int64_t k = 0; k < a.entry_count(); ++k) {
            auto const column = a.column_indices[k] - first;
            if (column < 0 || column >= count) continue;
            row = row_of(a, k, row);
            if (row != last_row) {
                if (last_row >= 0) block.row_offsets.push_back(block.entry_count());
                x.push_back(all_x[row]);
                last_row = row;
            }
            block.column_indices.push_back(static_cast<std::int32_t>(column));
            block.values.push_back(a.values[k]);
        }
        if (last_row >= 0) block.row_offsets.push_back(block.entry_count());
        block.row_count = std::ssize(x);
        block.column_count = count;
    }
};

/// Each block of A^T takes one pass over A's entries: 16 of them, or more where these are no work beside so many rows.
template <class T>
std::int64_t transposed_block_rows(csr<T> const& a) {
    auto const passes = 16 + a.column_count / std::max<std::int64_t>(1, a.entry_count());
    return std::max(block_rows, a.column_count / passes + 1);
}

/// Not below `bound`.
double rounded_up(long double bound) {
    auto const rounded = static_cast<double>(bound);
    return rounded < bound ? std::nextafter(rounded, std::numeric_limits<double>::infinity()) : rounded;
}

template <class T>
expectation<T> expect_block(csr<T> const& a, bool transposed, std::span<T const> x, operands<T> const& v,
                            std::span<T const> y) {
    expectation<T> e{{y.begin(), y.end()}, reference::spmv_error_bound<T>(v.alpha, a, transposed, x, v.beta, y)};
    reference::spmv<T>(v.alpha, a, transposed, x, v.beta, e.y);
    return e;
}

}  // namespace

template <class T>
product_check<T>::product_check(csr<T> const& a, bool transposed, operands<T> const& v) : v_(v) {
    check_product_shapes(a.row_count, a.column_count, transposed, v.x.size(), v.y.size());
    if (v.alpha == 0 || a.entry_count() == 0) return;  // as without entries
    auto const rows = std::ssize(v.y);
    auto const with_entries = static_cast<std::size_t>(std::min(rows, a.entry_count()));
    rows_.reserve(with_entries);
    y_.reserve(with_entries);
    bound_.reserve(with_entries);
    auto const step = transposed ? transposed_block_rows(a) : block_rows;
    for (std::int64_t first = 0; first < rows; first += step) {
        auto const count = std::min(step, rows - first);
        if (transposed) {
            columns_from<T> const columns(a, v.x, first, count);
            if (columns.block.entry_count() > 0) add_block(columns.block, true, columns.x, first, count);
        } else if (a.row_offsets[first] < a.row_offsets[first + count]) {
            add_block(rows_from(a, first, count), false, v.x, first, count);
        }
    }
}

template <class T>
void product_check<T>::add_block(csr<T> const& block, bool transposed, std::span<T const> x, std::int64_t first,
                                 std::int64_t count) {
    std::vector<bool> has_entries(static_cast<std::size_t>(count));
    if (transposed)
        for (auto const column : block.column_indices) has_entries[column] = true;
    else
        for (std::int64_t i = 0; i < count; ++i) has_entries[i] = block.row_offsets[i] < block.row_offsets[i + 1];
    auto const expected = expect_block<T>(block, transposed, x, v_, std::span(v_.y).subspan(first, count));
    for (std::int64_t i = 0; i < count; ++i) {
        if (!has_entries[i]) continue;
        rows_.push_back(static_cast<std::int32_t>(first + i));
        y_.push_back(expected.y[i]);
        bound_.push_back(rounded_up(expected.bound[i]));
    }
}

/// Of rows that have no entries.
template <class T>
expectation<T> product_check<T>::expect_empty(std::size_t first, std::size_t count) const {
    csr<T> const empty{static_cast<std::int64_t>(count), 0, std::vector<std::int64_t>(count + 1), {}, {}};
    return expect_block<T>(empty, false, {}, v_, std::span(v_.y).subspan(first, count));
}

template <class T>
double product_check<T>::error(std::span<T const> computed) const {
    if (computed.size() != v_.y.size()) return reference::max_error<T>(computed, v_.y, {});  // which says so
    double largest = 0;
    std::size_t next = 0;
    // Without beta y is not read, and rows without entries are all alike.
    auto block = expect_empty(0, std::min<std::size_t>(block_rows, computed.size()));
    auto const empty = block;
    for (std::size_t first = 0; first < computed.size(); first += block_rows) {
        auto const count = std::min<std::size_t>(block_rows, computed.size() - first);
        auto end = next;
        while (end < rows_.size() && static_cast<std::size_t>(rows_[end]) < first + count) ++end;
        if (end - next < count) block = v_.beta == 0 ? empty : expect_empty(first, count);
        block.y.resize(count);
        block.bound.resize(count);
        for (; next < end; ++next) {
            auto const i = static_cast<std::size_t>(rows_[next]) - first;
            block.y[i] = y_[next];
            block.bound[i] = bound_[next];
        }
        largest = std::max(largest, reference::max_error<T>(computed.subspan(first, count), block.y, block.bound));
    }
    return largest;
}

template <class T>
void run_in_turn(std::vector<competitor<T>>& competitors, product_check<T> const& check, int repeats, checks which,
                 memory_probe const& probe) {
    std::vector<entrant> entrants;
    for (auto& c : competitors)
        entrants.push_back({c.record, *c.what, [&check, &what = *c.what] { return check.error(what.result()); }});
    take_turns(entrants, repeats, which, probe);
}

template class product_check<float>;
template class product_check<double>;
template void run_in_turn(std::vector<competitor<float>>&, product_check<float> const&, int, checks,
                          memory_probe const&);
template void run_in_turn(std::vector<competitor<double>>&, product_check<double> const&, int, checks,
                          memory_probe const&);

}  // namespace copse::bench::measure
