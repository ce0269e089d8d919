// Eigen's sparse matrices: https://eigen.tuxfamily.org, module SparseCore.
#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <optional>
#include <utility>

#include "bench/peers/peers.hpp"
#include "bench/peers/products.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

template <class T>
using sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>;

template <class T>
sparse<T> to_eigen(csr<T> const& a) {
    sparse<T> result(a.row_count, a.column_count);
    result.resizeNonZeros(a.entry_count());
    std::transform(a.row_offsets.begin(), a.row_offsets.end(), result.outerIndexPtr(),
                   [](std::int64_t offset) { return static_cast<std::int32_t>(offset); });
    std::copy(a.column_indices.begin(), a.column_indices.end(), result.innerIndexPtr());
    std::copy(a.values.begin(), a.values.end(), result.valuePtr());
    return result;
}

template <class T>
std::int64_t bytes_of(sparse<T> const& a) {
    return a.nonZeros() * static_cast<std::int64_t>(sizeof(T) + 4) + 4 * (a.outerSize() + 1);
}

template <class T>
class eigen_addition final : public measure::addition<T> {
  public:
    explicit eigen_addition(measure::sum_problem<T> const& what)
        : a_(to_eigen(what.a.matrix)),
          b_(to_eigen(what.b.matrix)),
          transpose_a_(what.a.transpose),
          transpose_b_(what.b.transpose) {}

    void prepare() override { c_.reset(); }
    void run() override {
        if (transpose_a_ && transpose_b_) {
            c_.emplace((a_ + b_).transpose());
        } else if (transpose_a_) {
            c_.emplace(sparse<T>(a_.transpose()) + b_);
        } else if (transpose_b_) {
            c_.emplace(a_ + sparse<T>(b_.transpose()));
        } else {
            c_.emplace(a_ + b_);
        }
    }
    csr<T> result() const override {
        auto const count = c_->nonZeros();
        auto const* offsets = c_->outerIndexPtr();
        return {c_->rows(),
                c_->cols(),
                {offsets, offsets + c_->rows() + 1},
                {c_->innerIndexPtr(), c_->innerIndexPtr() + count},
                {c_->valuePtr(), c_->valuePtr() + count}};
    }
    std::int64_t result_bytes() const override { return bytes_of(*c_); }
    std::int64_t operand_bytes() const { return bytes_of(a_) + bytes_of(b_); }

  private:
    sparse<T> a_;
    sparse<T> b_;
    bool transpose_a_;
    bool transpose_b_;
    std::optional<sparse<T>> c_;
};

/// Eigen's own OpenMP loop over rows serves A x. A^T x goes through the rows of A and adds into y: one thread.
template <class T>
class eigen_product final : public host_product<T> {
  public:
    eigen_product(measure::converted<sparse<T>> a, bool transposed, int threads, measure::operands<T> const& v)
        : host_product<T>(v), a_(std::move(a.matrix)), transposed_(transposed), threads_(threads) {}

    void run() override {
        Eigen::setNbThreads(threads_);
        vector const x(this->x_.data(), std::ssize(this->x_));
        vector y(this->y_.data(), std::ssize(this->y_));
        if (transposed_)
            y.noalias() = a_.transpose() * x;
        else
            y.noalias() = a_ * x;
    }

  private:
    using vector = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;

    sparse<T> a_;
    bool transposed_;
    int threads_;
};

}  // namespace

template <class T>
measure::competitor<T> eigen_competitor(measure::problem<T> const& what, int threads) {
    check_32_bit_indices(what.a);
    measure::converted<sparse<T>> a;
    a.seconds = measure::seconds_of([&] { a.matrix = to_eigen(what.a); });
    auto record = describe(what, "eigen", bytes_of(a.matrix), what.transpose ? 1 : threads);
    record.convert_seconds = a.seconds;
    return {std::move(record), std::make_unique<eigen_product<T>>(std::move(a), what.transpose, threads, what.v)};
}

template <class T>
measure::adder<T> eigen_adder(measure::sum_problem<T> const& what) {
    std::unique_ptr<eigen_addition<T>> sum;
    double const seconds = measure::seconds_of([&] { sum = std::make_unique<eigen_addition<T>>(what); });
    auto record = describe(what, "eigen", sum->operand_bytes(), 1);
    record.convert_seconds = seconds;
    return {std::move(record), std::move(sum)};
}

std::string eigen_version() {
    return fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

template measure::competitor<float> eigen_competitor(measure::problem<float> const&, int);
template measure::competitor<double> eigen_competitor(measure::problem<double> const&, int);
template measure::adder<float> eigen_adder(measure::sum_problem<float> const&);
template measure::adder<double> eigen_adder(measure::sum_problem<double> const&);

}  // namespace copse::bench
