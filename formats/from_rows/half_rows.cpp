#include <algorithm>
#include <atomic>
#include <copse/formats/csr/mirrors.hpp>
#include <copse/formats/csr/rows_in_order.hpp>
#include <copse/formats/from_rows/half_rows.hpp>
#include <copse/formats/from_rows/tree_plan.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/value_sign.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/memory.hpp>
#include <cstddef>
#include <utility>

namespace copse::detail {
namespace {

/// What rows have in one half.
template <class T>
class triangle {
  public:
    triangle(compressed_rows<T> const& rows, view_options const& options, std::string_view whose)
        : offsets_(rows.offsets.data()),
          columns_(rows.column_indices.data()),
          row_count_(rows.row_count),
          lower_(is_lower(options, whose)) {}

    std::int64_t row_count() const { return row_count_; }
    std::int32_t column(std::int64_t k) const { return columns_[k]; }

    /// Entries first .. last - 1 of a row's are in the half.
    struct stretch {
        std::int64_t first, last;
    };
    stretch of_row(std::int64_t row) const {
        stretch s{offsets_[row], offsets_[row + 1]};
        auto const reaches = [&](std::int32_t column) { return lower_ ? column <= row : column < row; };
        std::int64_t& end = lower_ ? s.last : s.first;
        bool const is_half = s.first == s.last || (lower_ ? columns_[s.last - 1] <= row : columns_[s.first] >= row);
        if (!is_half) end = std::partition_point(columns_ + s.first, columns_ + s.last, reaches) - columns_;
        return s;
    }
    /// f(entry) for those of the row's half whose columns lie in first .. last - 1, as the row does.
    template <class F>
    void for_each_within(std::int64_t row, std::int64_t first, std::int64_t last, F f) const {
        stretch const s = of_row(row);
        if (lower_)
            for (std::int64_t k = s.last; k > s.first && columns_[k - 1] >= first; --k) f(k - 1);
        else
            for (std::int64_t k = s.first; k < s.last && columns_[k] < last; ++k) f(k);
    }

  private:
    bool is_lower(view_options const& options, std::string_view whose) const {
        if (options.half != matrix_half::either) return options.half == matrix_half::lower;
        std::int64_t below = -1, above = -1;  // rows with such entries
        for (std::int64_t row = 0; row < row_count_; ++row) {
            if (offsets_[row] == offsets_[row + 1]) continue;
            if (below < 0 && columns_[offsets_[row]] < row) below = row;
            if (above < 0 && columns_[offsets_[row + 1] - 1] > row) above = row;
        }
        if (below >= 0 && above >= 0)
            throw_both_sides(below, columns_[offsets_[below]], above, columns_[offsets_[above + 1] - 1], options,
                             whose);
        return above < 0;
    }

    std::int64_t const* offsets_;
    std::int32_t const* columns_;
    std::int64_t row_count_;
    bool lower_;
};

/// Cuts rows 0 .. end - 1 into blocks of `rows` rows, and calls f(first row, end row) for each. Parallel.
template <class F>
void for_each_block(std::int64_t end, std::int64_t rows, F f) {
    parallel_for((end + rows - 1) / rows, 1, [&](std::int64_t i) { f(i * rows, std::min((i + 1) * rows, end)); });
}

/// Whether a whole block of level 1 on the diagonal is a wide leaf.
template <class T>
bool is_wide_block(triangle<T> const& half, std::int64_t first_row, std::int64_t last_row, int log2) {
    std::int64_t const side = ((last_row - first_row - 1) >> log2) + 1;
    std::vector<std::int64_t> seen(static_cast<std::size_t>(side), -1);  // by block column: the last block row
    std::int64_t entries = 0, leaves = 0;
    for (std::int64_t row = first_row; row < last_row; ++row) {
        std::int64_t const band = (row - first_row) >> log2;
        half.for_each_within(row, first_row, last_row, [&](std::int64_t k) {
            entries += half.column(k) == row ? 1 : 2;
            std::int64_t const block = (half.column(k) - first_row) >> log2;
            std::int64_t& last = seen[static_cast<std::size_t>(block)];
            if (last != band) leaves += block == band ? 1 : 2;
            last = band;
        });
        if (!stays_wide(entries, side * side)) return false;
    }
    return is_wide(entries, leaves);
}

template <class T>
class half_taker {
  public:
    half_taker(compressed_rows<T> const& rows, view_options const& options, int log2, std::string_view whose)
        : rows_(rows), options_(options), whose_(whose), half_(rows, options, whose), log2_(log2) {}

    half_rows<T> take() {
        taken_.row_count = rows_.row_count;
        taken_.symmetry = options_.symmetry;
        if (options_.symmetry == matrix_symmetry::skew) check_diagonal();
        find_wide_leaves();
        count();
        copy();
        return std::move(taken_);
    }

  private:
    std::int64_t level_1_rows() const { return std::int64_t{1} << (2 * log2_); }

    /// Throws shape_error for an entry there that is not zero, the first one.
    void check_diagonal() const {
        std::atomic<std::int64_t> first_bad{rows_.entry_count()};
        for_each_block(rows_.row_count, std::int64_t{1} << log2_, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = first; row < last; ++row)
                half_.for_each_within(row, row, row + 1, [&](std::int64_t k) {
                    if (!(value(k) == T(0))) make_least(first_bad, k);
                });
        });
        if (std::int64_t const k = first_bad; k < rows_.entry_count())
            throw_skew_diagonal(half_.column(k), value(k), options_, whose_);
    }
    T value(std::int64_t k) const { return rows_.values[static_cast<std::size_t>(k)]; }

    void find_wide_leaves() {
        std::int64_t const m = rows_.row_count;
        if (root_level(m, m, log2_) == 0) return;
        taken_.wide.resize(static_cast<std::size_t>((m + level_1_rows() - 1) / level_1_rows()));
        for_each_block(m, level_1_rows(), [&](std::int64_t first, std::int64_t last) {
            taken_.wide[static_cast<std::size_t>(first / level_1_rows())] = is_wide_block(half_, first, last, log2_);
        });
    }

    /// f(first row, last row) for what becomes one leaf on the diagonal. Parallel.
    template <class F>
    void for_each_leaf(F f) const {
        for_each_block(rows_.row_count, std::int64_t{1} << log2_, [&](std::int64_t first, std::int64_t last) {
            bool const is_wide =
                !taken_.wide.empty() && taken_.wide[static_cast<std::size_t>(first / level_1_rows())] != 0;
            if (!is_wide) return f(first, last);
            if (first % level_1_rows() == 0) f(first, std::min(first + level_1_rows(), rows_.row_count));
        });
    }

    void count() {
        taken_.offsets = {host_memory(), rows_.row_count + 1};
        std::int64_t* const offsets = taken_.offsets.data();
        std::fill(offsets, offsets + taken_.offsets.size(), 0);
        for_each_leaf([&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = first; row < last; ++row) {
                auto const own = half_.of_row(row);
                offsets[row + 1] += own.last - own.first;
                half_.for_each_within(row, first, last, [&](std::int64_t k) {
                    if (half_.column(k) != row) ++offsets[half_.column(k) + 1];
                });
            }
        });
        for (std::int64_t row = 0; row < rows_.row_count; ++row) offsets[row + 1] += offsets[row];
    }

    void copy() {
        std::int64_t const* const offsets = taken_.offsets.data();
        taken_.columns = {host_memory(), offsets[rows_.row_count]};
        taken_.values = {host_memory(), offsets[rows_.row_count]};
        std::int32_t* const columns = taken_.columns.data();
        T* const values = taken_.values.data();
        value_sign<T> const of_image(options_.symmetry == matrix_symmetry::skew);
        for_each_leaf([&](std::int64_t first, std::int64_t last) {
            // Rows ascend: below the diagonal a row's own entries come before images, above it behind them.
            std::vector<std::int64_t> next(offsets + first, offsets + last);
            for (std::int64_t row = first; row < last; ++row) {
                auto const own = half_.of_row(row);
                std::int64_t& to = next[static_cast<std::size_t>(row - first)];
                std::copy_n(rows_.column_indices.data() + own.first, own.last - own.first, columns + to);
                std::copy_n(rows_.values.data() + own.first, own.last - own.first, values + to);
                to += own.last - own.first;
                half_.for_each_within(row, first, last, [&](std::int64_t k) {
                    if (half_.column(k) == row) return;
                    std::int64_t& image = next[static_cast<std::size_t>(half_.column(k) - first)];
                    columns[image] = static_cast<std::int32_t>(row);
                    values[image++] = of_image(value(k));
                });
            }
        });
    }

    compressed_rows<T> const& rows_;
    view_options const& options_;
    std::string_view whose_;
    triangle<T> const half_;
    int log2_;
    half_rows<T> taken_;
};

}  // namespace

template <class T>
half_rows<T> take_half(compressed_rows<T> const& rows, view_options const& options, int log2, std::string_view whose) {
    return half_taker<T>(rows, options, log2, whose).take();
}

template half_rows<float> take_half(compressed_rows<float> const&, view_options const&, int, std::string_view);
template half_rows<double> take_half(compressed_rows<double> const&, view_options const&, int, std::string_view);

}  // namespace copse::detail
