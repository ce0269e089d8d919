// Products that executors are held to: the reference's result for one matrix, computed once for all that multiply it.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/csr.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstddef>
#include <string>
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
std::vector<product_case> const& product_cases();

/// Factors that not every product may meet half way.
struct factor_cases {
    std::vector<product_case> not_finite;  // or beta is not: with the whole numbers of whole_number_battery()
    std::vector<product_case> zero;        // because alpha is, and for other reasons: with NaN and Inf in x
};
factor_cases const& all_factors();
/// For the k-th matrix, where products are slow: two that are not finite, one of them transposed, and one that is zero.
factor_cases factors_in_turn(std::size_t k);

/// whole_numbers: x and y have small ones, so that a product with a matrix of such is exact.
enum class special_values { none, nan_and_infinity_in_x, whole_numbers };

/// y before a product: NaN where beta == 0 must not read it. Instantiated for float, double, as all here is.
template <class T>
std::vector<T> output_before(std::int64_t size, T beta, special_values special = special_values::none);

template <class T>
std::vector<T> input_vector(std::int64_t size, special_values special);

/// y <- alpha * op(scale * A) * x + beta * y; with whole numbers held to the exact result.
template <class T>
class expected_product {
  public:
    expected_product(csr<T> const& a, product_case const& c, special_values special = special_values::none);

    product_case const& which() const { return which_; }
    std::vector<T> const& result() const { return expected_; }
    T scale() const { return static_cast<T>(which_.scale); }

    /// multiply(alpha, x, beta, y) on `executor`, held to the arithmetic's bound. what: in the message, behind the
    /// case.
    template <class Executor, class Multiply>
    void check(Executor& executor, Multiply multiply, std::string const& what) const {
        buffer<T> const x(executor, x_);
        buffer<T> const y(executor, before_);
        multiply(static_cast<T>(which_.alpha), x, static_cast<T>(which_.beta), y);
        check_result(y.to_host(), what);
    }

  private:
    void check_result(std::vector<T> const& y, std::string const& what) const;

    product_case which_;
    std::vector<T> x_, before_, expected_;
    std::vector<long double> bound_;
};

}  // namespace copse::tests
