// Eigen's sparse matrices: https://eigen.tuxfamily.org, module SparseCore.
#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <optional>
#include <utility>

#include "bench/harness/timing.hpp"
#include "bench/peers/peers.hpp"
#include "bench/peers/products.hpp"

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
class eigen_addition final : public addition<T> {
  public:
    explicit eigen_addition(sum_problem<T> const& what)
        : addition<T>({}, what), transpose_a_(what.a.transpose), transpose_b_(what.b.transpose) {
        double const seconds = seconds_of([&] {
            a_ = to_eigen(what.a.matrix);
            b_ = to_eigen(what.b.matrix);
        });
        this->record = describe(what, "eigen", bytes_of(a_) + bytes_of(b_), 1);
        this->record.m.convert_seconds = seconds;
    }

    void forget(int) override { c_.reset(); }
    void add() override {
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
    eigen_product(problem<T> const& what, int threads) : host_product<T>({}, what), threads_(threads) {
        check_32_bit_indices(what.a);
        double const seconds = seconds_of([&] { a_ = to_eigen(what.a); });
        this->record = describe(what, "eigen", bytes_of(a_), what.transpose ? 1 : threads);
        this->record.m.convert_seconds = seconds;
    }

    void multiply() override {
        Eigen::setNbThreads(threads_);
        vector const x(this->x_.data(), std::ssize(this->x_));
        vector y(this->y_.data(), std::ssize(this->y_));
        if (this->what_.transpose)
            y.noalias() = a_.transpose() * x;
        else
            y.noalias() = a_ * x;
    }

  private:
    using vector = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>;

    sparse<T> a_;
    int threads_;
};

}  // namespace

template <class T>
std::unique_ptr<product<T>> product_by_eigen(problem<T> const& what, int threads) {
    return std::make_unique<eigen_product<T>>(what, threads);
}

template <class T>
std::unique_ptr<addition<T>> sum_by_eigen(sum_problem<T> const& what) {
    return std::make_unique<eigen_addition<T>>(what);
}

std::string eigen_version() {
    return fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

template std::unique_ptr<product<float>> product_by_eigen(problem<float> const&, int);
template std::unique_ptr<product<double>> product_by_eigen(problem<double> const&, int);
template std::unique_ptr<addition<float>> sum_by_eigen(sum_problem<float> const&);
template std::unique_ptr<addition<double>> sum_by_eigen(sum_problem<double> const&);

}  // namespace copse::bench
