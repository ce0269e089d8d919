#include "bench/csr5_prefix_difference.hpp"

#include <algorithm>
#include <cmath>
#include <copse/cpu/flat/operands.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/cpu/parts.hpp>
#include <limits>

namespace copse::bench {
namespace {

using detail::csr5_view;
using detail::flat_product;
using detail::for_parts;
using detail::part_begin;
using detail::row_carry;

constexpr int most_columns = 32;

/// What a tile's columns leave open, and the segment that is open at the bottom of each.
template <class T>
struct open_ends {
    T red[most_columns] = {};  // [i - 1]: the top of column i (algorithm 8's tmp)
    T blue[most_columns] = {};
    int segment[most_columns] = {};
    int segment_offset[most_columns] = {};
    bool has_true[most_columns] = {};
};

/// CSR5 algorithm 6.
template <class T>
void sum_by_prefix_differences(T* in, int const* segment_offset, int length) {
    T red[most_columns];
    std::copy(in, in + length, red);
    for (int i = 1; i < length; ++i) in[i] += in[i - 1];
    for (int i = 0; i < length; ++i) in[i] = in[i + segment_offset[i]] - in[i] + red[i];
}

template <class T>
void sum_by_segments(T* in, int const* segment_offset, int length) {
    for (int i = 0; i < length; ++i)
        for (int k = i + 1; k <= i + segment_offset[i]; ++k) in[i] += in[k];
}

/// Calls write(segment, sum) for the segments that begin and end in one column, and keeps the rest. CSR5 algorithm 8,
/// lines 5-21.
template <class T, class Write>
void sum_columns(csr5_view<T> const& a, std::int64_t tile, flat_product<T> const& p, open_ends<T>& open,
                 Write const& write) {
    auto const& layout = a.layout;
    std::uint32_t const* const descriptor = a.descriptor(tile);
    for (int i = 0; i < layout.omega; ++i) {
        auto const column = unpack_column(layout, descriptor[i]);
        detail::column_flags flags(layout, descriptor, i);
        int segment = column.y_offset - 1;
        bool has_true = false;
        T sum = T(0);
        std::int64_t k = tile * layout.size() + i;
        for (int j = 0; j < layout.sigma; ++j, k += layout.omega) {
            if (flags.next()) {
                if (has_true)
                    write(segment, sum);
                else if (i > 0)
                    open.red[i - 1] = sum;
                has_true = true;
                ++segment;
                sum = T(0);
            }
            sum += a.values[k] * p.x[a.column_indices[k]];
        }
        if (has_true)
            open.blue[i] = sum;
        else
            open.red[i - 1] = sum;  // column 0 has a TRUE always
        open.segment[i] = segment;
        open.segment_offset[i] = column.segment_offset;
        open.has_true[i] = has_true;
    }
}

/// What the tile has of a row that begins in an earlier one is returned.
template <segment_sums How, class T>
row_carry<T> multiply_tile(csr5_view<T> const& a, std::int64_t tile, flat_product<T> const& p) {
    auto const segments = a.segments(tile);
    bool const continues = a.row_offsets[segments.first_row] < tile * a.layout.size();
    row_carry<T> carry;
    auto const write = [&](int segment, T sum) {
        if (segment == 0 && continues)
            carry = {segments.first_row, sum};
        else
            p.write(segments.row(segment), sum);
    };
    open_ends<T> open;
    sum_columns(a, tile, p, open, write);
    if constexpr (How == segment_sums::prefix_differences)
        sum_by_prefix_differences(open.red, open.segment_offset, a.layout.omega);
    else
        sum_by_segments(open.red, open.segment_offset, a.layout.omega);
    for (int i = 0; i < a.layout.omega; ++i)
        if (open.has_true[i]) write(open.segment[i], open.blue[i] + open.red[i]);
    return carry;
}

/// f(row, begin, end) for the rows of the entries behind the last full tile.
template <class T, class F>
void for_rows_of_tail(csr5_view<T> const& a, F const& f) {
    std::int64_t k = a.full_tiles() * a.layout.size();
    if (k == a.entry_count) return;
    for (std::int64_t row = a.first_row(a.full_tiles()); row < a.row_count; ++row) {
        std::int64_t const end = a.row_offsets[row + 1];
        if (end > k) f(row, k, end);
        k = std::max(k, end);
    }
}

template <class T>
row_carry<T> multiply_tail(csr5_view<T> const& a, flat_product<T> const& p) {
    row_carry<T> carry;
    for_rows_of_tail(a, [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
        T sum = T(0);
        for (auto k = begin; k < end; ++k) sum += a.values[k] * p.x[a.column_indices[k]];
        if (a.row_offsets[row] < begin)
            carry = {row, sum};
        else
            p.write(row, sum);
    });
    return carry;
}

template <segment_sums How, class T>
void multiply(int threads, csr5_content<T> const& a, flat_product<T> const& p) {
    auto const view = a.view();
    std::int64_t const full = view.full_tiles(), rows = a.has_empty_rows ? view.row_count : 0;
    std::vector<row_carry<T>> carries(static_cast<std::size_t>(full) + 1);
    for_parts(threads, [&](int part) {
        std::int64_t const last_tile = part_begin(part + 1, threads, full);
        for (auto tile = part_begin(part, threads, full); tile < last_tile; ++tile)
            carries[tile] = multiply_tile<How>(view, tile, p);
        std::int64_t const last_row = part_begin(part + 1, threads, rows);
        for (auto row = part_begin(part, threads, rows); row < last_row; ++row)
            if (view.row_offsets[row] == view.row_offsets[row + 1]) p.write_empty(row);
    });
    carries.back() = multiply_tail(view, p);
    for (auto const& carry : carries)
        if (carry.row >= 0) p.y[carry.row] += p.factor * carry.sum;
}

}  // namespace

template <class T>
void multiply_csr5_plainly(int threads, segment_sums how, T alpha, csr5<T> const& a, std::span<T const> x, T beta,
                           std::span<T> y) {
    flat_product<T> const p{x.data(), y.data(), alpha, beta};
    if (how == segment_sums::prefix_differences)
        multiply<segment_sums::prefix_differences>(threads, *a.content(), p);
    else
        multiply<segment_sums::segment_by_segment>(threads, *a.content(), p);
}

template <class T>
std::vector<long double> prefix_difference_bound(csr5<T> const& a, std::span<T const> x) {
    auto const view = a.content()->view();
    std::int64_t const size = view.layout.size();
    std::vector<long double> bound(static_cast<std::size_t>(view.row_count), 0);
    auto const magnitude = [&](std::int64_t begin, std::int64_t end) {
        long double sum = 0;
        for (auto k = begin; k < end; ++k)
            sum += std::abs(static_cast<long double>(view.values[k]) * x[view.column_indices[k]]);
        return sum;
    };
    std::int64_t row = 0;
    for (std::int64_t tile = 0; tile < view.full_tiles(); ++tile) {
        auto const most = magnitude(tile * size, (tile + 1) * size);
        while (view.row_offsets[row + 1] <= tile * size) ++row;
        for (auto i = row; i < view.row_count && view.row_offsets[i] < (tile + 1) * size; ++i)
            if (view.row_offsets[i] < view.row_offsets[i + 1]) bound[i] += most;
    }
    for_rows_of_tail(view,
                     [&](std::int64_t i, std::int64_t begin, std::int64_t end) { bound[i] += magnitude(begin, end); });
    for (std::int64_t i = 0; i < view.row_count; ++i) {
        auto const tiles = (view.row_offsets[i + 1] - view.row_offsets[i]) / size + 2;
        bound[i] *= static_cast<long double>(size + 3 + tiles) * std::numeric_limits<T>::epsilon();
    }
    return bound;
}

template void multiply_csr5_plainly(int, segment_sums, float, csr5<float> const&, std::span<float const>, float,
                                    std::span<float>);
template void multiply_csr5_plainly(int, segment_sums, double, csr5<double> const&, std::span<double const>, double,
                                    std::span<double>);
template std::vector<long double> prefix_difference_bound(csr5<float> const&, std::span<float const>);
template std::vector<long double> prefix_difference_bound(csr5<double> const&, std::span<double const>);

}  // namespace copse::bench
