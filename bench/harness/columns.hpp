// Products Y <- op(A) X with several columns that take part in a race.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/dense_view.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness/product.hpp"
#include "bench/harness/race.hpp"

namespace copse::bench {

/// A product with everything that it is held to. A is borrowed. Column c of X is one of three vectors times a power of
/// 2 of its own: three products by the reference check all columns, and columns that are mixed up show.
template <class T>
struct columns_problem {
    columns_problem(std::string const& matrix, csr<T> const& a, bool transpose, std::int64_t columns);

    std::int64_t x_rows() const { return std::ssize(bases.front().x); }
    std::int64_t y_rows() const { return std::ssize(bases.front().expected.y); }
    buffer<T> x(dense_layout layout) const;
    /// As `measurement::max_error` counts.
    double largest_error(dense_view<T const> const& y) const;

    std::vector<problem<T>> bases;
    std::int64_t columns;
};

/// The record before anything is measured; `bytes`: of A in the format.
template <class T>
race_record describe(columns_problem<T> const& what, std::string format, std::int64_t bytes, int threads,
                     double convert_seconds);

/// X and Y of its own, without gaps, at a multiple of 64 bytes. The problem must outlive it.
template <class T>
class columns_product : public entrant {
  public:
    columns_product(race_record r, columns_problem<T> const& what, dense_layout layout);

    /// Y <- op(A) X. Waits.
    virtual void multiply() = 0;

    void set_up(int) override;
    run_times run(int) override {
        return by_wall_clock([this] { multiply(); });
    }
    double largest_error(int) override { return what_.largest_error(y()); }

  protected:
    dense_view<T const> x() const { return view(x_, what_.x_rows()); }
    dense_view<T> y() const { return view(y_, what_.y_rows()); }
    std::int64_t columns() const { return what_.columns; }
    dense_layout layout() const { return layout_; }

  private:
    dense_view<T> view(buffer<T> const& memory, std::int64_t rows) const {
        std::int64_t const leading = layout_ == dense_layout::row_major ? what_.columns : rows;
        return {memory.view(), rows, what_.columns, leading, layout_};
    }

    columns_problem<T> const& what_;
    dense_layout layout_;
    buffer<T> x_, y_;
};

template <class T>
using columns_products = std::vector<std::unique_ptr<columns_product<T>>>;

}  // namespace copse::bench
