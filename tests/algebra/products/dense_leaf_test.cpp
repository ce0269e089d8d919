// Dense leaves as the lanes of a warp share them: every row's sum, and nothing of what is no entry or not there.
#include <gtest/gtest.h>

#include <copse/algebra/products/dense_leaf.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

template <class T, class V>
struct add_dense {
    using item = std::int64_t;
    static constexpr int width = 32;
    dense_leaf_view<T> leaf;
    detail::dense_extent extent;
    V const* x;
    V* sums;

    template <class Worker>
    void operator()(item, Worker& w) const {
        // Not atomic: a row is one lane's, which the exploring executor's other lanes would show.
        detail::add_dense_products(leaf, extent, x, w, [&](int row, V sum) {
            V const before = sums[row];
            w.add(&sums[row], sum);
            EXPECT_EQ(sums[row], before + sum);
        });
    }
};

/// rows x columns of a leaf of d are there; of the others x and y have no elements. Where no entry is, the values are
/// NaN and so is x in columns without any.
template <class T, class V>
void check_leaf(int log2, int rows, int columns, bool full, bool transposed) {
    int const d = 1 << log2;
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns) + " of " + std::to_string(d) +
                 (full ? ", full" : "") + (transposed ? ", transposed" : ""));
    auto const size = static_cast<std::size_t>(d * d);
    std::vector<T> values(size, std::numeric_limits<T>::quiet_NaN());
    std::vector<std::uint32_t> presence(size / 32, 0);
    std::vector<V> x(static_cast<std::size_t>(columns)), expected(static_cast<std::size_t>(rows), V(0));
    int const nowhere = full ? -1 : 5;  // a column
    for (int column = 0; column < columns; ++column)
        x[static_cast<std::size_t>(column)] =
            column == nowhere ? std::numeric_limits<V>::infinity() : static_cast<V>(column % 13 + 1);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            if (!full && ((row + 3 * column) % 7 == 0 || column == nowhere)) continue;
            int const place = transposed ? column * d + row : row * d + column;
            auto const value = static_cast<T>((row * 31 + column * 17) % 23 - 11);
            values[static_cast<std::size_t>(place)] = value;
            presence[static_cast<std::size_t>(place / 32)] |= 1u << (place % 32);
            expected[static_cast<std::size_t>(row)] +=
                static_cast<V>(value) * x[static_cast<std::size_t>(column)];  // whole numbers
        }
    emulated executor({.seed = static_cast<std::uint64_t>(rows)});
    buffer<T> const v(executor, values);
    buffer<std::uint32_t> const p(executor, presence);
    std::vector<V> sums(expected.size(),
                        V(0));  // like x no buffer, which is longer: the address sanitizer sees its end
    using task = add_dense<T, V>;
    run(executor, seed<task>(0),
        task{{v.data(), full ? nullptr : p.data(), log2, transposed}, {rows, columns}, x.data(), sums.data()});
    EXPECT_EQ(sums, expected);
}

template <class T, class V>
void check_leaves() {
    for (bool transposed : {false, true})
        for (int log2 : {6, 7, 8}) {
            int const d = 1 << log2;
            check_leaf<T, V>(log2, d, d, true, transposed);
            check_leaf<T, V>(log2, d, d, false, transposed);
            check_leaf<T, V>(log2, d - 3, d - 30, false, transposed);
        }
    check_leaf<T, V>(6, 1, 64, false, false);
    check_leaf<T, V>(6, 64, 1, false, true);
}

TEST(dense_products, add_up_every_row_once) {
    check_leaves<double, double>();
    check_leaves<float, float>();
    check_leaves<float, double>();
}

}  // namespace
}  // namespace copse::tests
