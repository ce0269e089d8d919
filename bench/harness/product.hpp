// Products y <- op(A) x that take part in a race: a matrix in a format, on an executor, with the record that describes
// it. Another library gives a call to product_by(), or writes a class on `product<T>`, as bench/peers/ does.
#pragma once

#include <algorithm>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/csr.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/processors.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/harness/load.hpp"
#include "bench/harness/race.hpp"
#include "bench/harness/target.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {

/// y by the reference, and by how much arithmetic in T may be off.
template <class T>
struct expectation {
    std::vector<T> y;
    std::vector<long double> bound;
};

/// y = op(A) x, op(A) = A^T when `transpose`.
template <class T>
expectation<T> expect(csr<T> const& a, bool transpose, std::vector<T> const& x);

/// Values in [-1, 1), so that sums cancel as they do in practice; for each set others.
template <class T>
std::vector<T> signed_values(std::int64_t size, std::int64_t seed = 2017, int set = 0);

/// A product with everything that it is held to. A is borrowed.
template <class T>
struct problem {
    std::string matrix;  // its name
    csr<T> const& a;
    bool transpose = false;
    std::vector<T> x = signed_values<T>(transpose ? a.row_count : a.column_count);
    expectation<T> expected = expect(a, transpose, x);
};

/// The problem must outlive it.
template <class T>
class product : public entrant {
  public:
    product(race_record r, problem<T> const& what) : entrant(std::move(r)), what_(what) {}

    /// y <- op(A) x. Waits.
    virtual void multiply() = 0;
    /// y on the host.
    virtual std::vector<T> result() const = 0;

    /// A matrix that a cache may hold is in it when a solver multiplies again: then others with the same operands come
    /// before the products that are timed, which are as many as take two milliseconds.
    run_times run(int) override {
        auto const one = [this] { multiply(); };
        if (this->record.m.csr_moved_bytes > 2 * detail::last_cache_bytes()) return by_wall_clock(one);
        multiply();
        auto const first = by_wall_clock(one);
        int const count = static_cast<int>(2e-3 / std::max(first.seconds, 2e-6));
        if (count < 2) return first;
        return {by_wall_clock([&] {
                    for (int k = 0; k < count; ++k) multiply();
                }).seconds /
                count};
    }
    double largest_error(int) override {
        return reference::max_error<T>(result(), what_.expected.y, what_.expected.bound);
    }

  protected:
    problem<T> const& what_;
};

/// With x and y of its own on the host: of vectors that all share, the cache would hold a part.
template <class T>
class host_product : public product<T> {
  public:
    host_product(race_record r, problem<T> const& what)
        : product<T>(std::move(r), what), x_(what.x), y_(what.expected.y.size()) {}
    void set_up(int) override { std::fill(y_.begin(), y_.end(), std::numeric_limits<T>::quiet_NaN()); }
    std::vector<T> result() const override { return y_; }

  protected:
    std::vector<T> x_, y_;
};

/// By call(x, y), which overwrites y.
template <class T, class Call>
class product_call final : public host_product<T> {
  public:
    product_call(race_record r, problem<T> const& what, Call call)
        : host_product<T>(std::move(r), what), call_(std::move(call)) {}
    void multiply() override { call_(this->x_, this->y_); }

  private:
    Call call_;
};
template <class T, class Call>
std::unique_ptr<product<T>> product_by(race_record r, problem<T> const& what, Call call) {
    return std::make_unique<product_call<T, Call>>(std::move(r), what, std::move(call));
}

template <class T>
using products = std::vector<std::unique_ptr<product<T>>>;

/// Makes a product of each problem that it is given with the one matrix that it holds, converted.
template <class T>
using product_maker = std::function<std::unique_ptr<product<T>>(problem<T> const& what)>;

/// The record before anything is measured; `bytes`: of A in the format.
template <class T>
race_record describe(problem<T> const& what, std::string format, std::int64_t bytes, int threads,
                     double convert_seconds = 0);

/// A matrix in another format or a plan, and the seconds that making it took.
template <class Matrix>
struct converted {
    Matrix matrix;
    double seconds = 0;
};

/// What make() gives.
template <class Make>
auto timed(Make const& make) -> converted<std::invoke_result_t<Make const&>> {
    std::optional<std::invoke_result_t<Make const&>> made;
    double const seconds = seconds_of([&] { made.emplace(make()); });
    return {*std::move(made), seconds};
}

/// Makes Matrix(executor, from, options...), and times it. bytes: the least memory that it takes. Throws what the
/// constructor throws, and error if memory runs out.
template <class Matrix, class From, class... Options>
converted<Matrix> convert(target& where, std::string const& doing, std::int64_t bytes, From const& from,
                          Options const&... options) {
    return timed([&] {
        return within_memory(doing, static_cast<double>(bytes), [&] {
            return where.with([&](auto& executor) { return Matrix(executor, from, options...); });
        });
    });
}

/// As a csr lies in memory: offsets of 8 bytes.
template <class T>
std::int64_t bytes_of(csr<T> const& a) {
    return a.entry_count() * static_cast<std::int64_t>(4 + sizeof(T)) + 8 * std::ssize(a.row_offsets);
}

/// `a`, whose name is `matrix`, in a format of ours.
template <class Matrix, class T, class Options>
converted<Matrix> convert_to(target& where, std::string const& matrix, csr<T> const& a, Options const& options) {
    return convert<Matrix>(where, "converting '" + matrix + "'", bytes_of(a), a, options);
}

/// A plan for `a`, both directions. How plans are made is theirs: spmv_plan<T>, flat_plan<Matrix>.
template <class Plan, class Matrix>
converted<Plan> make_plan(target& where, std::string const& matrix, Matrix const& a) {
    return convert<Plan>(where, "making a plan for '" + matrix + "'", a.bytes(), a, plan_directions::both);
}

/// By op(A) in any format, or by a plan, on an executor.
template <class T, class Executor, class Matrix>
class executor_product final : public product<T> {
  public:
    executor_product(race_record r, problem<T> const& what, Executor& executor, Matrix a)
        : product<T>(std::move(r), what),
          executor_(executor),
          a_(std::move(a)),
          poison_(what.expected.y.size(), std::numeric_limits<T>::quiet_NaN()),
          x_(executor, what.x),
          y_(executor, std::ssize(what.expected.y)) {}

    void set_up(int) override { executor_.memory()->copy_from_host(y_.data(), poison_.data(), y_.bytes()); }
    void multiply() override { spmv(executor_, T(1), a_, x_, T(0), y_); }
    std::vector<T> result() const override { return y_.to_host(); }

  private:
    Executor& executor_;
    Matrix a_;
    std::vector<T> poison_;
    buffer<T> x_, y_;
};

/// `a`: op(A), in the memory of `where`, which must outlive the product.
template <class T, class Matrix>
std::unique_ptr<product<T>> product_on(target& where, problem<T> const& what, race_record r, Matrix a) {
    return where.with([&]<class Executor>(Executor& executor) -> std::unique_ptr<product<T>> {
        return std::make_unique<executor_product<T, Executor, Matrix>>(std::move(r), what, executor, std::move(a));
    });
}

/// The record of a product by `a`: A, not transposed.
template <class T, class Matrix>
race_record describe_on(target const& where, problem<T> const& what, std::string format, converted<Matrix> const& a) {
    auto r = describe(what, std::move(format), a.matrix.bytes(), where.threads(), a.seconds);
    r.m.on = where.on();
    if (auto const controller = where.controller()) r.m.controller = name_of(*controller);
    if constexpr (requires { a.matrix.node_dimension(); }) r.m.node_dimension = a.matrix.node_dimension();
    return r;
}

/// The product by `a` as it is, one run of the scheduler each; A^T x from A as it is stored.
template <class T, class Matrix>
std::unique_ptr<product<T>> one_shot(target& where, problem<T> const& what, std::string format,
                                     converted<Matrix> const& a) {
    return product_on(where, what, describe_on(where, what, std::move(format), a),
                      what.transpose ? a.matrix.transposed() : a.matrix);
}

/// The record of a product by a plan for `a`. Its bytes are those of both; what a product moves is A and the plan's
/// lists, or A or A^T where the plan holds both.
template <class T, class Matrix, class Plan>
race_record describe_planned(target const& where, problem<T> const& what, std::string format,
                             converted<Matrix> const& a, converted<Plan> const& plan) {
    auto r = describe_on(where, what, std::move(format), a);
    r.m.mode = "plan";
    r.m.plan_seconds = plan.seconds;
    r.m.bytes += plan.matrix.bytes();
    if constexpr (requires { plan.matrix.list_bytes(); })
        r.m.moved_bytes += (what.transpose ? plan.matrix.transposed() : plan.matrix).list_bytes();
    return r;
}

/// By a plan for `a`. The matrix may be of floats beside vectors of double.
template <class T, class Matrix, class Plan>
std::unique_ptr<product<T>> planned(target& where, problem<T> const& what, std::string format,
                                    converted<Matrix> const& a, converted<Plan> const& plan) {
    return product_on(where, what, describe_planned(where, what, std::move(format), a, plan),
                      what.transpose ? plan.matrix.transposed() : plan.matrix);
}

/// Plain OpenMP CSR.
template <class T>
std::unique_ptr<product<T>> csr_product(problem<T> const& what, int threads);

/// Plain OpenMP CSR of A^T, which is `transposed` and must outlive the product.
template <class T>
std::unique_ptr<product<T>> csr_of_transpose_product(problem<T> const& what, converted<csr<T>> const& transposed,
                                                     int threads);

}  // namespace copse::bench
