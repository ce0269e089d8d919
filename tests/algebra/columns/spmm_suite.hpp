// Products of HiSparse with several columns on one executor against the reference.
#pragma once

#include <algebra/columns/columns.hpp>
#include <copse/algebra/spmm.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse.hpp>
#include <some_cases.hpp>
#include <string>
#include <vector>

namespace copse::tests {

struct columns_one_shot {
    template <class T, class V, class Executor>
    void operator()(Executor& executor, V alpha, hisparse<T> const& a, dense_view<V> x, V beta, dense_view<V> y) const {
        spmm(executor, alpha, a, x, beta, y);
    }
};
/// By a plan for the transpose, transposed.
struct columns_by_plan {
    template <class T, class V, class Executor>
    void operator()(Executor& executor, V alpha, hisparse<T> const& a, dense_view<V> x, V beta, dense_view<V> y) const {
        spmm(executor, alpha, transposed(spmv_plan<T>(executor, transposed(a))), x, beta, y);
    }
};

template <class T, class V, class Multiply, class Executor>
void check_columns_product(Executor& executor, battery_case const& c, product_case const& p, columns_shape const& s,
                           special_values special = special_values::none) {
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    hisparse<T> const tree(executor.memory(), a, {.node_dimension = p.node_dimension});
    hisparse<T> const scaled_tree = scaled(tree, static_cast<T>(p.scale));
    hisparse<T> const op = p.transposed ? transposed(scaled_tree) : scaled_tree;
    expected_columns<T, V>(a, p, s, special)
        .check(
            executor,
            [&](V alpha, dense_view<V> x, V beta, dense_view<V> y) {
                Multiply().template operator()<T, V>(executor, alpha, op, x, beta, y);
            },
            c.name + ", d " + std::to_string(p.node_dimension));
}

/// Each matrix with some of the shapes, coefficients and types, so that all of them meet all sorts of matrices.
template <class Multiply, class Executor>
void check_columns_battery(Executor& executor, std::vector<battery_case> const& cases, std::size_t products_each) {
    auto const& shapes = columns_shapes();
    auto const& products = product_cases();
    std::size_t turn = 0;
    for (battery_case const& c : cases) {
        for (std::size_t k = 0; k < products_each; ++k, ++turn) {
            // Large ones with few columns: the reference takes its time.
            bool const is_large = c.matrix.values.size() > 20000;
            columns_shape const& s = shapes[is_large ? turn % 4 : turn * 7 % shapes.size()];
            product_case const& p = products[turn * 3 % products.size()];
            if (takes_all_cases || turn % 4 == 2) check_columns_product<double, double, Multiply>(executor, c, p, s);
            if (turn % 2 == 0) check_columns_product<float, float, Multiply>(executor, c, p, s);
            if (turn % 2 == 1) check_columns_product<float, double, Multiply>(executor, c, p, s);
        }
        columns_shape const& s = shapes[turn % 6];
        if (!takes_all_cases && turn % 3 != 0) continue;
        check_columns_product<double, double, Multiply>(executor, c, {turn % 2 == 0, 2, 0}, s,
                                                        special_values::nan_and_infinity_in_x);
    }
}
template <class Multiply, class Executor>
void check_columns_factors(Executor& executor, std::vector<battery_case> const& cases) {
    std::size_t turn = 0;
    for (battery_case const& c : cases) {
        auto const factors = factors_in_turn(turn);
        bool const narrow = turn / 2 % 2 == 1;
        columns_shape const& s = columns_shapes()[turn++ * 3 % columns_shapes().size()];
        for (product_case p : some_of(factors.not_finite)) {
            p.node_dimension = 64;
            if (narrow)
                check_columns_product<float, float, Multiply>(executor, c, p, s, special_values::whole_numbers);
            else
                check_columns_product<double, double, Multiply>(executor, c, p, s, special_values::whole_numbers);
        }
        for (product_case p : factors.zero) {
            p.node_dimension = 64;
            check_columns_product<double, double, Multiply>(executor, c, p, s, special_values::nan_and_infinity_in_x);
        }
    }
}

}  // namespace copse::tests
