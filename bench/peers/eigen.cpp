// Eigen's sparse matrices: https://eigen.tuxfamily.org, module SparseCore.
#include <fmt/format.h>

#include <Eigen/SparseCore>
#include <algorithm>
#include <utility>

#include "bench/peers/peers.hpp"
#include "bench/peers/upper_half.hpp"

namespace copse::bench {
namespace {

template <class T>
using sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, std::int32_t>;

template <class T>
std::shared_ptr<sparse<T> const> to_eigen(csr<T> const& a) {
    auto result = std::make_shared<sparse<T>>(a.row_count, a.column_count);
    result->resizeNonZeros(a.entry_count());
    std::transform(a.row_offsets.begin(), a.row_offsets.end(), result->outerIndexPtr(),
                   [](std::int64_t offset) { return static_cast<std::int32_t>(offset); });
    std::copy(a.column_indices.begin(), a.column_indices.end(), result->innerIndexPtr());
    std::copy(a.values.begin(), a.values.end(), result->valuePtr());
    return result;
}

template <class T>
csr<T> from_eigen(sparse<T> const& c) {
    auto const count = c.nonZeros();
    auto const* offsets = c.outerIndexPtr();
    return {c.rows(),
            c.cols(),
            {offsets, offsets + c.rows() + 1},
            {c.innerIndexPtr(), c.innerIndexPtr() + count},
            {c.valuePtr(), c.valuePtr() + count}};
}

template <class T>
std::int64_t bytes_of(sparse<T> const& a) {
    return a.nonZeros() * static_cast<std::int64_t>(sizeof(T) + 4) + 4 * (a.outerSize() + 1);
}

/// Eigen's own OpenMP loop over rows serves A x. A^T x goes through the rows of A and adds into y: one thread.
template <class T>
std::unique_ptr<product<T>> multiply(problem<T> const& what, int threads) {
    check_32_bit_indices(what.a);
    auto const [a, seconds] = timed([&] { return to_eigen(what.a); });
    return product_by(describe(what, "eigen", bytes_of(*a), what.transpose ? 1 : threads, seconds), what,
                      [=, a = a, transpose = what.transpose](std::vector<T> const& from, std::vector<T>& to) {
                          using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
                          Eigen::setNbThreads(threads);
                          Eigen::Map<vector const> const x(from.data(), std::ssize(from));
                          Eigen::Map<vector> y(to.data(), std::ssize(to));
                          if (transpose)
                              y.noalias() = a->transpose() * x;
                          else
                              y.noalias() = *a * x;
                      });
}

/// selfadjointView of the upper half: one thread.
template <class T>
std::unique_ptr<product<T>> multiply_symmetric(problem<T> const& what, int) {
    check_32_bit_indices(what.a);
    auto const upper = upper_half(what.a);
    if (!upper) return nullptr;
    auto const [a, seconds] = timed([&] { return to_eigen(*upper); });
    return product_by(describe(what, "eigen-symmetric", bytes_of(*a), 1, seconds), what,
                      [a = a](std::vector<T> const& from, std::vector<T>& to) {
                          using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
                          Eigen::Map<vector const> const x(from.data(), std::ssize(from));
                          Eigen::Map<vector> y(to.data(), std::ssize(to));
                          y.noalias() = a->template selfadjointView<Eigen::Upper>() * x;
                      });
}

template <class T>
std::unique_ptr<addition<T>> add(sum_problem<T> const& what, int) {
    if (!fits_in_32_bits(what)) return nullptr;
    auto const [a, seconds_a] = timed([&] { return to_eigen(what.a.matrix); });
    auto const [b, seconds_b] = timed([&] { return to_eigen(what.b.matrix); });
    auto const sum = [a = a, b = b, transpose_a = what.a.transpose, transpose_b = what.b.transpose]() -> sparse<T> {
        if (transpose_a && transpose_b) return (*a + *b).transpose();
        if (transpose_a) return sparse<T>(a->transpose()) + *b;
        if (transpose_b) return *a + sparse<T>(b->transpose());
        return *a + *b;
    };
    return sum_by(describe(what, "eigen", bytes_of(*a) + bytes_of(*b), 1, seconds_a + seconds_b), what, sum,
                  from_eigen<T>, bytes_of<T>);
}

}  // namespace

template <class T>
peer<T> eigen_peer() {
    return {.format = "eigen",
            .version = fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION),
            .products = {{"eigen", multiply<T>}, {"eigen-symmetric", multiply_symmetric<T>}},
            .add = add<T>};
}

template peer<float> eigen_peer();
template peer<double> eigen_peer();

}  // namespace copse::bench
