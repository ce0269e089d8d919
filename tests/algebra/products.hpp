// Products that executors are held to: the reference's result for one matrix, computed once for all that multiply it.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/csr.hpp>
#include <copse/runtime/buffer.hpp>
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

enum class special_values { none, nan_and_infinity_in_x };

/// y before a product: NaN where beta == 0 must not read it. Instantiated for float, double, as all here is.
template <class T>
std::vector<T> output_before(std::int64_t size, T beta);

template <class T>
std::vector<T> input_vector(std::int64_t size, special_values special);

/// y <- alpha * op(scale * A) * x + beta * y
template <class T>
class expected_product {
  public:
    expected_product(csr<T> const& a, product_case const& c, special_values special = special_values::none);

    product_case const& which() const { return which_; }
    T scale() const { return static_cast<T>(which_.scale); }

    /// multiply(alpha, x, beta, y) on `executor`, held to the arithmetic's bound. what: in the message, behind the case.
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
