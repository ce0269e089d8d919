// Products of one executor against the reference, over the battery.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <limits>
#include <vector>

namespace copse::tests {

struct product_case {
    bool transposed;
    double alpha;
    double beta;
    double scale = 1;
    int node_dimension = 128;
};

/// Every kind of coefficient, each node dimension, both directions.
inline std::vector<product_case> const& product_cases() {
    static std::vector<product_case> const cases{
        {false, 1, 0}, {true, 1, 0}, {false, 2, 0.5, 1, 64},    {true, -0.75, 1, 3, 64},
        {false, 0, 2}, {true, 0, 0}, {false, -1, 1, -0.5, 256}, {true, 2, -3, 1, 256},
    };
    return cases;
}

enum class special_values { none, nan_and_infinity_in_x };

/// y before a product: NaN where beta == 0 must not read it.
template <class T>
std::vector<T> output_before(std::int64_t size, T beta) {
    std::vector<T> y(static_cast<std::size_t>(size), std::numeric_limits<T>::quiet_NaN());
    value_source value(99);
    if (beta != 0)
        for (T& element : y) element = static_cast<T>(value());
    return y;
}

template <class T>
std::vector<T> input_vector(std::int64_t size, special_values special) {
    std::vector<T> x(static_cast<std::size_t>(size));
    value_source value(7);
    for (T& element : x) element = static_cast<T>(value());
    if (special == special_values::nan_and_infinity_in_x) {
        // Element 0 too: padding that is not masked has coordinates 0, 0.
        for (std::size_t i = 0; i < x.size(); i += 41) x[i] = std::numeric_limits<T>::quiet_NaN();
        for (std::size_t i = 9; i < x.size(); i += 53) x[i] = std::numeric_limits<T>::infinity();
    }
    return x;
}

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

/// One product on `executor`, held to the arithmetic's bound.
template <class T, class Multiply = one_shot, class Executor>
void check_product(Executor& executor, battery_case const& c, product_case const& p,
                   special_values special = special_values::none) {
    csr<T> const a = to_csr(with_values_of<T>(c.matrix));
    auto const alpha = static_cast<T>(p.alpha), beta = static_cast<T>(p.beta), scale = static_cast<T>(p.scale);
    hisparse<T> matrix = scaled(hisparse<T>(executor, a, {.node_dimension = p.node_dimension}), scale);
    if (p.transposed) matrix = transposed(matrix);

    std::vector<T> const x = input_vector<T>(matrix.column_count(), special);
    std::vector<T> const before = output_before(matrix.row_count(), beta);
    std::vector<T> expected = before;
    reference::spmv<T>(alpha * scale, a, p.transposed, x, beta, expected);
    auto const bound = reference::spmv_error_bound<T>(alpha * scale, a, p.transposed, x, beta, before);

    buffer<T> const x_there(executor, x);
    buffer<T> const y_there(executor, before);
    Multiply()(executor, alpha, matrix, x_there, beta, y_there);
    std::vector<T> const y = y_there.to_host();
    EXPECT_LE(reference::max_error<T>(y, expected, bound), 1)
        << c.name << (p.transposed ? ", transposed" : "") << ", alpha " << p.alpha << ", beta " << p.beta << ", scale "
        << p.scale << ", d " << p.node_dimension << (sizeof(T) == 4 ? ", float" : ", double");
}

template <class Multiply = one_shot, class Executor>
void check_battery(Executor& executor, std::vector<battery_case> const& cases) {
    for (battery_case const& c : cases) {
        for (product_case const& p : product_cases()) {
            check_product<double, Multiply>(executor, c, p);
            check_product<float, Multiply>(executor, c, p);
        }
        for (bool transposed : {false, true})
            check_product<double, Multiply>(executor, c, {transposed, 2, 0}, special_values::nan_and_infinity_in_x);
    }
}

}  // namespace copse::tests
