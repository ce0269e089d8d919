// One product y <- alpha op(A) x + beta y, checked and timed.
#pragma once

#include <algorithm>
#include <cmath>
#include <copse/cpu/reference.hpp>
#include <copse/formats/csr.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cli/measure.hpp"

namespace copse::cli {

/// The host's copy of what a product reads beside A. `y` is what it was before the product.
template <class T>
struct operands {
    T alpha = 1;
    std::vector<T> x;
    T beta = 0;
    std::vector<T> y;
};

/// Whether y is what a product is to give, by the reference. Beside the product's own vectors this takes memory for the
/// rows of op(A) that have entries, 20 bytes each in double: the sums in long double are made block by block.
template <class T>
class product_check {
  public:
    /// a: A as stored; op(A) = A^T when `transposed`. `v`, whose vectors fit op(A), must outlive the check.
    product_check(csr<T> const& a, bool transposed, operands<T> const& v) : v_(v) {
        auto const rows = std::ssize(v.y);
        auto const with_entries = static_cast<std::size_t>(std::min(rows, a.entry_count()));
        rows_.reserve(with_entries);
        y_.reserve(with_entries);
        bound_.reserve(with_entries);
        // 16 blocks of A^T, or more if passes over A's entries are no work beside so many rows.
        auto const passes = 16 + a.column_count / std::max<std::int64_t>(1, a.entry_count());
        auto const step = transposed ? std::max(block_rows, rows / passes + 1) : block_rows;
        for (std::int64_t first = 0; first < rows; first += step) {
            auto const count = std::min(step, rows - first);
            auto const block = transposed ? columns_from(a, first, count) : rows_from(a, first, count);
            if (block.entry_count() > 0) add(block, first);
        }
    }

    /// max_error() of `computed`, as in cpu/reference.hpp, against alpha op(A) x + beta y, in every row.
    double error(std::span<T const> computed) const {
        auto const expect_empty = [&](std::int64_t first, std::int64_t count) {
            return expect({count, 0, std::vector<std::int64_t>(static_cast<std::size_t>(count) + 1)}, {}, first);
        };
        // Without beta y is not read, and rows without entries are all alike.
        auto const alike = expect_empty(0, std::min(block_rows, std::ssize(computed)));
        double largest = 0;
        std::size_t next = 0;
        for (std::int64_t first = 0; first < std::ssize(computed); first += block_rows) {
            auto const count = std::min(block_rows, std::ssize(computed) - first);
            auto block = v_.beta == 0 ? alike : expect_empty(first, count);
            block.y.resize(static_cast<std::size_t>(count));
            block.bound.resize(static_cast<std::size_t>(count));
            for (; next < rows_.size() && rows_[next] < first + count; ++next) {
                block.y[rows_[next] - first] = y_[next];
                block.bound[rows_[next] - first] = bound_[next];
            }
            auto const error = reference::max_error<T>(computed.subspan(first, count), block.y, block.bound);
            largest = std::max(largest, error);
        }
        return largest;
    }

  private:
    static constexpr std::int64_t block_rows = 1 << 16;

    struct expectation {
        std::vector<T> y;
        std::vector<long double> bound;
    };

    /// rows: those of op(A) from `first` on.
    expectation expect(csr<T> const& rows, std::span<T const> x, std::int64_t first) const {
        auto const y = std::span<T const>(v_.y).subspan(first, rows.row_count);
        expectation e{{y.begin(), y.end()}, reference::spmv_error_bound<T>(v_.alpha, rows, false, x, v_.beta, y)};
        reference::spmv<T>(v_.alpha, rows, false, x, v_.beta, e.y);
        return e;
    }
    void add(csr<T> const& block, std::int64_t first) {
        auto const expected = expect(block, v_.x, first);
        for (std::int64_t i = 0; i < block.row_count; ++i) {
            if (block.row_offsets[i] == block.row_offsets[i + 1]) continue;
            auto const bound = static_cast<double>(expected.bound[i]);
            rows_.push_back(static_cast<std::int32_t>(first + i));
            y_.push_back(expected.y[i]);
            bound_.push_back(bound < expected.bound[i] ? std::nextafter(bound, std::numeric_limits<double>::infinity())
                                                       : bound);
        }
    }
    static csr<T> rows_from(csr<T> const& a, std::int64_t first, std::int64_t count) {
        auto const begin = a.row_offsets[first], end = a.row_offsets[first + count];
        csr<T> block{count,
                     a.column_count,
                     {a.row_offsets.begin() + first, a.row_offsets.begin() + first + count + 1},
                     {a.column_indices.begin() + begin, a.column_indices.begin() + end},
                     {a.values.begin() + begin, a.values.begin() + end}};
        for (auto& offset : block.row_offsets) offset -= begin;
        return block;
    }
    /// Rows of A^T: one pass over A's entries.
    static csr<T> columns_from(csr<T> const& a, std::int64_t first, std::int64_t count) {
        coo<T> block(count, a.row_count);
        std::int64_t row = 0;
        for (std::int64_t k = 0; k < a.entry_count(); ++k) {
            auto const column = a.column_indices[k] - first;
            if (column < 0 || column >= count) continue;
            for (int i = 0; i < 8 && k >= a.row_offsets[row + 1]; ++i) ++row;
            if (k >= a.row_offsets[row + 1])
                row = std::upper_bound(a.row_offsets.begin() + row, a.row_offsets.end(), k) - a.row_offsets.begin() - 1;
            block.rows.push_back(static_cast<std::int32_t>(column));
            block.columns.push_back(static_cast<std::int32_t>(row));
            block.values.push_back(a.values[k]);
        }
        return to_csr(block);
    }

    operands<T> const& v_;
    // The rows of op(A) that have entries, ascending; what y is to be there, and what it may be off by.
    std::vector<std::int32_t> rows_;
    std::vector<T> y_;
    std::vector<double> bound_;
};

/// Runs spmv(executor, alpha, op_a, x, beta, y) and checks every result; returns the last one. Before each run y is
/// what it was, but NaN when beta is 0: so a product that reads y, or leaves elements of it alone, fails its check.
/// op_a: op(A) in any format, or a plan of it; a, transposed: what it is made of. trace_file: as measure() has it.
template <class T, class Executor, class Matrix>
std::vector<T> measure_product(record& r, Executor& executor, Matrix const& op_a, csr<T> const& a, bool transposed,
                               operands<T> const& v, int repeats, bool with_memory,
                               std::string const& trace_file = {}) {
    auto const y_before = v.beta == 0 ? std::vector<T>(v.y.size(), std::numeric_limits<T>::quiet_NaN()) : v.y;
    buffer<T> const x(executor, v.x);
    buffer<T> y(executor, std::ssize(v.y));
    product_check<T> const check(a, transposed, v);
    measure(r,
            {[&] { executor.memory()->copy_from_host(y.data(), y_before.data(), y.bytes()); },
             [&] { spmv(executor, v.alpha, op_a, x, v.beta, y); }, [&] { return check.error(y.to_host()); }},
            repeats, checks::every_run, with_memory ? peak_on(executor) : memory_probe(), trace_file);
    return y.to_host();
}

}  // namespace copse::cli
