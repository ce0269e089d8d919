// Products of HiSparse on one executor against the reference, over the battery.
#pragma once

#include <algebra/products.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse.hpp>
#include <map>
#include <string>
#include <vector>

namespace copse::tests {

/// y <- alpha * op(A) * x + beta * y by one traversal.
struct one_shot {
    template <class T, class Executor>
    void operator()(Executor& executor, T alpha, hisparse<T> const& a, buffer<T> const& x, T beta,
                    buffer<T> const& y) const {
        spmv<T>(executor, alpha, a, x, beta, y);
    }
};

/// The same by a plan for the transpose, transposed.
struct by_plan {
    template <class T, class Executor>
    void operator()(Executor& executor, T alpha, hisparse<T> const& a, buffer<T> const& x, T beta,
                    buffer<T> const& y) const {
        spmv(executor, alpha, transposed(spmv_plan<T>(executor, transposed(a))), x, beta, y);
    }
};

/// `a` times what is expected's vector, with its state.
template <class Multiply, class T, class Executor>
void check_product_of(Executor& executor, hisparse<T> const& a, expected_product<T> const& expected,
                      std::string const& name) {
    hisparse<T> const scaled_a = scaled(a, expected.scale());
    hisparse<T> const matrix = expected.which().transposed ? transposed(scaled_a) : scaled_a;
    expected.check(
        executor,
        [&](T alpha, buffer<T> const& x, T beta, buffer<T> const& y) {
            Multiply()(executor, alpha, matrix, x, beta, y);
        },
        name + ", d " + std::to_string(a.node_dimension()));
}

/// One product on `executor`, held to the arithmetic's bound.
template <class T, class Multiply = one_shot, class Executor>
void check_product(Executor& executor, battery_case const& c, product_case const& p,
                   special_values special = special_values::none) {
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    hisparse<T> const matrix(executor.memory(), a, {.node_dimension = p.node_dimension});
    check_product_of<Multiply>(executor, matrix, expected_product<T>(a, p, special), c.name);
}

/// All product_cases(); with special values in x too, where T is double.
template <class T, class Multiply, class Executor>
void check_case(Executor& executor, battery_case const& c) {
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    std::map<int, hisparse<T>> by_dimension;
    for (int d : {64, 128, 256})
        by_dimension.try_emplace(d, executor.memory(), a, hisparse_options{.node_dimension = d});
    auto const check = [&](product_case const& p, special_values special) {
        check_product_of<Multiply>(executor, by_dimension.at(p.node_dimension), expected_product<T>(a, p, special),
                                   c.name);
    };
    for (product_case const& p : product_cases()) check(p, special_values::none);
    if (sizeof(T) == 4) return;
    for (bool transposed : {false, true}) check({transposed, 2, 0}, special_values::nan_and_infinity_in_x);
}

template <class Multiply = one_shot, class Executor>
void check_battery(Executor& executor, std::vector<battery_case> const& cases) {
    for (battery_case const& c : cases) {
        check_case<double, Multiply>(executor, c);
        check_case<float, Multiply>(executor, c);
    }
}

template <class T, class Multiply = one_shot, class Executor>
void check_factors(Executor& executor, battery_case const& c, factor_cases const& factors) {
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    hisparse<T> const matrix(executor.memory(), a, {.node_dimension = 64});
    auto const check = [&](std::vector<product_case> const& cases, special_values special) {
        for (product_case const& p : cases)
            check_product_of<Multiply>(executor, matrix, expected_product<T>(a, p, special), c.name);
    };
    check(factors.not_finite, special_values::whole_numbers);
    check(factors.zero, special_values::nan_and_infinity_in_x);
}
template <class Multiply = one_shot, class Executor>
void check_all_factors(Executor& executor) {
    for (battery_case const& c : whole_number_battery()) {
        check_factors<double, Multiply>(executor, c, all_factors());
        check_factors<float, Multiply>(executor, c, all_factors());
    }
}
/// Few products for each case: every lane is a fiber.
template <class Multiply = one_shot, class Executor>
void check_factors_in_turn(Executor& executor) {
    std::size_t turn = 0;
    for (battery_case const& c : small_whole_number_battery()) {
        check_factors<double, Multiply>(executor, c, factors_in_turn(turn));
        check_factors<float, Multiply>(executor, c, factors_in_turn(turn + 3));
        ++turn;
    }
}

}  // namespace copse::tests
