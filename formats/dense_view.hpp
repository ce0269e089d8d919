// Vectors side by side: a dense matrix whose array somebody else owns, by rows or by columns.
//
//   std::vector<double> memory(n * 8);
//   auto x = copse::row_major(memory, n, 8);             // element (i, c) is memory[i * 8 + c]
//   auto y = copse::column_major(memory, n, 3, ld);      // element (i, c) is memory[c * ld + i]
//
//   row_major, 3 x 2, leading dimension 4:     | a00 a01  .   .  | a10 a11  .   .  | a20 a21 |
//
// What lies between the rows (columns) belongs to somebody else: operations neither read nor write it.
#pragma once

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace copse {

/// Which elements of a dense matrix are neighbours in memory.
enum class dense_layout { row_major, column_major };

/// row_count x column_count elements at `data`, and where they are. Does not own. T may be const.
template <class T>
class dense_view {
  public:
    dense_view() = default;
    /// leading_dimension: the distance from a row (column_major: column) to the next one, in elements; at least a row's
    /// (column's) length. `memory` must have all elements: (rows - 1) * leading_dimension + columns, by rows. Throws
    /// shape_error, which says what is too small.
    dense_view(vector_view<T> memory, std::int64_t row_count, std::int64_t column_count, std::int64_t leading_dimension,
               dense_layout layout)
        : data_(memory.data()),
          row_count_(row_count),
          column_count_(column_count),
          leading_dimension_(leading_dimension),
          layout_(layout),
          space_(memory.space()) {
        check(memory.size());
    }
    template <class U>
    requires(std::is_const_v<T>&& std::is_same_v<U, std::remove_const_t<T>>) dense_view(dense_view<U> const& other)
        : data_(other.data()),
          row_count_(other.row_count()),
          column_count_(other.column_count()),
          leading_dimension_(other.leading_dimension()),
          layout_(other.layout()),
          space_(other.space()) {}

    T* data() const noexcept { return data_; }
    std::int64_t row_count() const noexcept { return row_count_; }
    std::int64_t column_count() const noexcept { return column_count_; }
    std::int64_t leading_dimension() const noexcept { return leading_dimension_; }
    dense_layout layout() const noexcept { return layout_; }
    memory_space space() const noexcept { return space_; }

    /// The distance from a row to the next one, and from a column to the next one.
    std::int64_t row_step() const noexcept { return layout_ == dense_layout::row_major ? leading_dimension_ : 1; }
    std::int64_t column_step() const noexcept { return layout_ == dense_layout::row_major ? 1 : leading_dimension_; }
    /// Elements from the first one to the last one.
    std::int64_t extent() const noexcept {
        if (row_count_ == 0 || column_count_ == 0) return 0;
        return (row_count_ - 1) * row_step() + (column_count_ - 1) * column_step() + 1;
    }

  private:
    void check(std::int64_t size) const {
        bool const by_rows = layout_ == dense_layout::row_major;
        std::string const operation = by_rows ? "row_major: " : "column_major: ";
        std::int64_t const length = by_rows ? column_count_ : row_count_, lines = by_rows ? row_count_ : column_count_;
        auto const name = [](std::int64_t rows, std::int64_t columns) {
            return std::to_string(rows) + " x " + std::to_string(columns);
        };
        if (row_count_ < 0 || column_count_ < 0)
            throw shape_error(operation + "a dense matrix cannot be " + name(row_count_, column_count_));
        if (leading_dimension_ < length)
            throw shape_error(operation + "leading_dimension is " + std::to_string(leading_dimension_) + ", but a " +
                              (by_rows ? "row" : "column") + " of a " + name(row_count_, column_count_) +
                              " matrix has " + std::to_string(length) + " elements; give at least so many");
        if (lines == 0 || length == 0) return;
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        bool const fits = lines == 1 || leading_dimension_ <= (most - length) / (lines - 1);
        if (!fits || extent() > size)
            throw shape_error(operation + "the array has " + std::to_string(size) + " elements; " +
                              name(row_count_, column_count_) + " with leading_dimension " +
                              std::to_string(leading_dimension_) + " take " +
                              (fits ? std::to_string(extent()) : std::string("more than there can be")));
    }

    T* data_ = nullptr;
    std::int64_t row_count_ = 0;
    std::int64_t column_count_ = 0;
    std::int64_t leading_dimension_ = 0;
    dense_layout layout_ = dense_layout::row_major;
    memory_space space_ = memory_space::host;
};

/// A dense_view of the elements of `memory`: a vector, span, buffer or vector_view. leading_dimension: by default a
/// row's length. Throws shape_error.
template <class Array>
auto row_major(Array&& memory, std::int64_t row_count, std::int64_t column_count, std::int64_t leading_dimension) {
    using element = std::remove_pointer_t<decltype(memory.data())>;
    return dense_view<element>(vector_view<element>(memory), row_count, column_count, leading_dimension,
                               dense_layout::row_major);
}
template <class Array>
auto row_major(Array&& memory, std::int64_t row_count, std::int64_t column_count) {
    return row_major(memory, row_count, column_count, column_count);
}

/// The same by columns; leading_dimension: by default a column's length.
template <class Array>
auto column_major(Array&& memory, std::int64_t row_count, std::int64_t column_count, std::int64_t leading_dimension) {
    using element = std::remove_pointer_t<decltype(memory.data())>;
    return dense_view<element>(vector_view<element>(memory), row_count, column_count, leading_dimension,
                               dense_layout::column_major);
}
template <class Array>
auto column_major(Array&& memory, std::int64_t row_count, std::int64_t column_count) {
    return column_major(memory, row_count, column_count, row_count);
}

}  // namespace copse
