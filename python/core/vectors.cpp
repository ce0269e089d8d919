// Updates of vectors between the products of a solver: one pass, all threads, the same bits on any number of them.
#include <algorithm>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run_options.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "matrix.hpp"
#include "module.hpp"

namespace copse::python {
namespace {

constexpr std::int64_t block = 8192;        // elements of an item, and of a partial sum
constexpr std::int64_t serial_blocks = 48;  // up to that many are done before a run's threads have begun

/// The sum of one(i) for first <= i < last, in eight sums side by side: one alone would wait for each addition.
template <class F>
double sum_of(std::int64_t first, std::int64_t last, F one) {
    constexpr int lanes = 8;
    double sums[lanes] = {};
    std::int64_t i = first;
    for (; i + lanes <= last; i += lanes)
        for (int lane = 0; lane < lanes; ++lane) sums[lane] += one(i + lane);
    for (; i < last; ++i) sums[0] += one(i);
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// y <- alpha x + beta y, and the sum of squares.
template <class T>
struct update_of {
    T alpha;
    T const* x;
    T beta;
    T* y;
    double operator()(std::int64_t i) const {
        T const value = alpha * x[i] + beta * y[i];
        y[i] = value;
        return static_cast<double>(value) * static_cast<double>(value);
    }
};
template <class T>
struct product_of {
    T const *x, *y;
    double operator()(std::int64_t i) const { return static_cast<double>(x[i]) * static_cast<double>(y[i]); }
};

/// The sum of one() in each block.
template <class F>
struct sum_blocks {
    using item = std::int64_t;
    static constexpr int width = 1;
    static constexpr char const* name = "block of vectors";
    F one;
    std::int64_t size;
    double* sums;
    template <class Worker>
    void operator()(item k, Worker&) const {
        (*this)(k);
    }
    void operator()(item k) const { sums[k] = sum_of(k * block, std::min(size, (k + 1) * block), one); }
};

/// The sum of one(i) for all elements, by blocks in order: the same bits on any number of threads.
template <class F>
double summed(std::int64_t size, F const& one) {
    nb::gil_scoped_release const release;
    std::int64_t const blocks = (size + block - 1) / block;
    std::vector<double> sums(static_cast<std::size_t>(blocks));
    sum_blocks<F> const task{one, size, sums.data()};
    if (blocks <= serial_blocks)
        for (std::int64_t k = 0; k < blocks; ++k) task(k);
    else
        run(executor(), seed_range<sum_blocks<F>>(0, blocks), task);
    double sum = 0;
    for (double of_block : sums) sum += of_block;
    return sum;
}

void check_sizes(char const* operation, std::int64_t x, std::int64_t y) {
    if (x != y)
        throw shape_error(std::string(operation) + ": x and y must have as many elements; they have " +
                          std::to_string(x) + " and " + std::to_string(y));
}

double update(double alpha, array_in const& x, double beta, array_out const& y) {
    return with_value_type("x", x, [&]<class T>(T) {
        auto const from = values_of<T>("x", x);
        auto const to = values_of<T>("y", y);
        check_sizes("update", from.size(), to.size());
        return summed(to.size(), update_of<T>{static_cast<T>(alpha), from.data(), static_cast<T>(beta), to.data()});
    });
}

double dot(array_in const& x, array_in const& y) {
    return with_value_type("x", x, [&]<class T>(T) {
        auto const a = values_of<T>("x", x), b = values_of<T>("y", y);
        check_sizes("dot", a.size(), b.size());
        return summed(a.size(), product_of<T>{a.data(), b.data()});
    });
}

}  // namespace

void add_vectors(nb::module_& m) {
    using namespace nb::literals;
    m.def("update", &update, "alpha"_a, nb::arg("x").noconvert(), "beta"_a, nb::arg("y").noconvert(),
          "y <- alpha x + beta y; returns y^T y, summed in float64. x may be y.");
    m.def("dot", &dot, nb::arg("x").noconvert(), nb::arg("y").noconvert(), "x^T y, summed in float64.");
}

}  // namespace copse::python
