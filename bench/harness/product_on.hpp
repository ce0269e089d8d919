// The product of a matrix in any format, or of a plan, on the executor of a target.
#pragma once

#include <copse/cpu/shapes.hpp>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bench/harness/product.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench::measure {

template <class T>
std::vector<T> initial_y(operands<T> const& v) {
    return v.beta == 0 ? std::vector<T>(v.y.size(), std::numeric_limits<T>::quiet_NaN()) : v.y;
}

/// Matrix: what is multiplied, in any format, or a plan.
template <class T, class Executor, class Matrix>
class product_on final : public product<T> {
  public:
    product_on(Executor& executor, Matrix a, operands<T> const& v)
        : executor_(executor),
          a_(std::move(a)),
          alpha_(v.alpha),
          beta_(v.beta),
          initial_y_(initial_y(v)),
          x_(executor, v.x),
          y_(executor, std::ssize(v.y)) {}

    void prepare() override { executor_.memory()->copy_from_host(y_.data(), initial_y_.data(), y_.bytes()); }
    void run() override { spmv(executor_, alpha_, a_, x_, beta_, y_); }
    std::vector<T> result() const override { return y_.to_host(); }

  private:
    Executor& executor_;
    Matrix a_;
    T alpha_;
    T beta_;
    std::vector<T> initial_y_;
    buffer<T> x_;
    buffer<T> y_;
};

/// `where` must outlive the product. Throws shape_error, cuda_error.
template <class T, class Matrix>
std::unique_ptr<product<T>> make_product(target& where, Matrix a, operands<T> const& v) {
    check_product_shapes(a.row_count(), a.column_count(), false, v.x.size(), v.y.size());
    return where.with([&]<class Executor>(Executor& executor) -> std::unique_ptr<product<T>> {
        return std::make_unique<product_on<T, Executor, Matrix>>(executor, std::move(a), v);
    });
}

}  // namespace copse::bench::measure
