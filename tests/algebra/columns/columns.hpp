// Products with several columns that executors are held to: X and Y as they lie in memory, and the reference's result.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algebra/products.hpp>
#include <cmath>
#include <copse/cpu/reference.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/dense_view.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace copse::tests {

/// How X and Y lie.
struct columns_shape {
    std::int64_t columns;
    dense_layout x = dense_layout::row_major;
    dense_layout y = dense_layout::row_major;
    std::int64_t x_gap = 0;  // elements between rows, or columns
    std::int64_t y_gap = 0;
};

/// Every number of columns, by rows and by columns, with and without gaps.
inline std::vector<columns_shape> const& columns_shapes() {
    constexpr auto rows = dense_layout::row_major, columns = dense_layout::column_major;
    static std::vector<columns_shape> const shapes{
        {1},
        {2, rows, rows, 3, 1},
        {3, columns, rows, 0, 5},
        {7, rows, columns, 1, 0},
        {8},
        {8, columns, columns, 2, 3},
        {16, rows, rows, 0, 8},
        {33, columns, rows, 0, 7},
        {33, rows, columns, 5, 2},
        {70, rows, rows, 2, 1},
    };
    return shapes;
}

/// An array with a dense matrix in it. What is not its element is NaN, in front of it and behind it too.
template <class V>
class dense_array {
  public:
    dense_array(std::int64_t rows, std::int64_t columns, dense_layout layout, std::int64_t gap)
        : rows_(rows), columns_(columns), layout_(layout) {
        bool const by_rows = layout == dense_layout::row_major;
        leading_dimension_ = (by_rows ? columns : rows) + gap;
        memory_.assign(static_cast<std::size_t>(2 * guard + (by_rows ? rows : columns) * leading_dimension_),
                       std::numeric_limits<V>::quiet_NaN());
    }
    std::vector<V> const& memory() const { return memory_; }
    V& at(std::int64_t i, std::int64_t c) {
        auto const v = view(memory_);
        return v.data()[i * v.row_step() + c * v.column_step()];
    }
    /// The matrix in a copy of the array.
    template <class Array>
    auto view(Array& copy) const {
        auto const all = vector_view<V>(copy);
        return dense_view<V>({all.data() + guard, all.size() - 2 * guard, all.space()}, rows_, columns_,
                             leading_dimension_, layout_);
    }
    /// How many of the elements that are not the matrix's have changed.
    int changed_around(std::vector<V> copy) const {
        auto const v = view(copy);
        for (std::int64_t i = 0; i < rows_; ++i)
            for (std::int64_t c = 0; c < columns_; ++c)
                v.data()[i * v.row_step() + c * v.column_step()] = std::numeric_limits<V>::quiet_NaN();
        int changed = 0;
        for (V const element : copy) changed += std::isnan(element) ? 0 : 1;
        return changed;
    }

  private:
    static constexpr std::int64_t guard = 40;
    std::int64_t rows_, columns_, leading_dimension_;
    dense_layout layout_;
    std::vector<V> memory_;
};

/// Y <- alpha * op(scale * A) * X + beta * Y.
template <class T, class V>
class expected_columns {
  public:
    expected_columns(csr<T> const& a, product_case const& c, columns_shape const& s,
                     special_values special = special_values::none)
        : which_(c),
          shape_(s),
          x_(c.transposed ? a.row_count : a.column_count, s.columns, s.x, s.x_gap),
          y_(c.transposed ? a.column_count : a.row_count, s.columns, s.y, s.y_gap) {
        fill(x_, input_vector<V>((c.transposed ? a.row_count : a.column_count) * s.columns, special));
        fill(y_,
             output_before((c.transposed ? a.column_count : a.row_count) * s.columns, static_cast<V>(c.beta), special));
        csr<V> wide{a.row_count, a.column_count, a.row_offsets, a.column_indices, {a.values.begin(), a.values.end()}};
        auto const alpha = static_cast<V>(c.alpha), beta = static_cast<V>(c.beta);
        V factor = alpha == 0 ? V(0) : alpha * static_cast<V>(static_cast<T>(c.scale));
        if (factor == 0 && alpha != 0) {  // the reference would not read the matrix
            factor = 1;
            for (V& value : wide.values) value *= V(0);
        }
        auto x = x_.memory(), before = y_.memory(), after = before;
        dense_view<V const> const of_x = x_.view(x), of_y = y_.view(before);
        bound_ = reference::spmm_error_bound<V>(factor, wide, c.transposed, of_x, beta, of_y);
        if (special == special_values::whole_numbers) bound_.assign(bound_.size(), 0);
        reference::spmm<V>(factor, wide, c.transposed, of_x, beta, y_.view(after));
        expected_ = reference::columns_of<V>(y_.view(after));
    }

    product_case const& which() const { return which_; }

    /// multiply(alpha, x, beta, y) on `executor`, held to the arithmetic's bound. Returns Y's memory afterwards.
    template <class Executor, class Multiply>
    std::vector<V> check(Executor& executor, Multiply multiply, std::string const& what) const {
        buffer<V> const x(executor, x_.memory()), y(executor, y_.memory());
        multiply(static_cast<V>(which_.alpha), x_.view(x), static_cast<V>(which_.beta), y_.view(y));
        auto after = y.to_host();
        auto const found = reference::columns_of<V>(y_.view(after));
        auto const name = [](dense_layout l) { return l == dense_layout::row_major ? " by rows" : " by columns"; };
        std::string const where = what + ", " + std::to_string(shape_.columns) + " columns, X" + name(shape_.x) +
                                  ", Y" + name(shape_.y) + (which_.transposed ? ", transposed" : "") + ", alpha " +
                                  std::to_string(which_.alpha) + ", beta " + std::to_string(which_.beta) +
                                  (sizeof(V) == 4   ? ", float"
                                   : sizeof(T) == 4 ? ", mixed"
                                                    : ", double");
        EXPECT_LE(reference::max_error<V>(found, expected_, bound_), 1) << where;
        EXPECT_EQ(y_.changed_around(after), 0) << where;
        return after;
    }

  private:
    static void fill(dense_array<V>& to, std::vector<V> const& values) {
        auto copy = to.memory();
        auto const v = to.view(copy);
        for (std::int64_t i = 0; i < v.row_count(); ++i)
            for (std::int64_t c = 0; c < v.column_count(); ++c)
                to.at(i, c) = values[static_cast<std::size_t>(i * v.column_count() + c)];
    }

    product_case which_;
    columns_shape shape_;
    dense_array<V> x_, y_;
    std::vector<V> expected_;
    std::vector<long double> bound_;
};

}  // namespace copse::tests
