// A value from all entries of a matrix, or from all pairs of entries of two:
//
//   auto const plus = [](double x, double y) { return x + y; };
//   double const squares = copse::reduce_leaves(
//       cpu, a, 0.0, [](std::int64_t, std::int64_t, double v) { return v * v; }, plus);
//   double const dot = copse::reduce_leaves(
//       cpu, a, b, 0.0, [](std::int64_t, std::int64_t, double x, double y) { return x * y; }, plus);
#pragma once

#include <copse/algebra/for_each_leaf.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace copse {
namespace detail {

/// A function for for_each_leaf() and for_each_leaf_pair() that leaves a value of R for each worker: on a cpu for each
/// thread, at multiples of `stride`, elsewhere for each leaf, behind one another.
template <pairs Which, class R, class F, class Plus>
struct leaf_reduction {
    R start;
    F f;
    Plus plus;
    R* values;
    std::int64_t* count;
    std::int64_t stride;

    template <class Worker, class T>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_view<T> const& tree, node leaf) const {
        R value = start;
        if constexpr (requires(std::int64_t i, T v) { f(i, i, v); })
            for_each_entry(w, tree, leaf,
                           [&](std::int64_t row, std::int64_t column, T v) { value = plus(value, f(row, column, v)); });
        else
            value = f(w, tree, leaf);
        keep(w, value);
    }
    template <class Worker, class T>
    COPSE_HOST_DEVICE void operator()(Worker& w, tree_pair<T> const& trees, node_pair const& pair) const {
        using given = std::conditional_t<Which == pairs::both, T, maybe<T>>;
        R value = start;
        if constexpr (requires(std::int64_t i, given v) { f(i, i, v, v); })
            for_each_pair<Which>(w, trees, pair, [&](std::int64_t row, std::int64_t column, given x, given y) {
                value = plus(value, f(row, column, x, y));
            });
        else
            value = f(w, trees, pair);
        keep(w, value);
    }

  private:
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE void keep(Worker& w, R value) const {
        value = w.reduce(value, plus);
        if (w.rank() == 0) values[w.fetch_add(count, 1)] = value;
    }
    template <core_worker Worker>
    void keep(Worker& w, R value) const {
        R& sum = values[w.thread() * stride];
        sum = plus(sum, value);
    }
};

/// go(function): runs the reduction's function on `leaves` leaves at most.
template <pairs Which, class R, class F, class Plus, class Executor, class Go>
R reduce(Executor& executor, R start, F f, Plus plus, std::int64_t leaves, Go go) {
    static_assert(std::is_trivially_copyable_v<R>, "copse: reduce_leaves: the value must be trivially copyable");
    std::int64_t constexpr line = 64, of_value = sizeof(R), stride = of_value < line ? line / of_value : 1;
    std::int64_t used = 0, room = leaves;
    if constexpr (requires { executor.threads(); }) room = used = executor.threads() * stride;
    buffer<R> const values(executor, std::vector<R>(static_cast<std::size_t>(room), start));
    buffer<std::int64_t> const count(executor, std::vector<std::int64_t>{used});
    go(leaf_reduction<Which, R, F, Plus>{start, f, plus, values.data(), count.data(), stride});
    std::vector<R> found(static_cast<std::size_t>(count.to_host().front()));
    values.read(0, std::span<R>(found));
    R result = start;
    for (R const& value : found) result = plus(result, value);
    return result;
}

}  // namespace detail

/// Returns start + f(e1) + f(e2) + ..., `+` being plus(R, R), over all entries of op(A).
/// f: f(row, column, value) -> R for an entry, or f(w, tree, leaf) -> R for a leaf, which all lanes of the worker call,
/// and whose results are added, too. start must be neutral: plus(start, x) == x; it is used many times. R, f and plus
/// are trivially copyable.
/// Not deterministic where the order matters: values are added in the order in which leaves are done, so sums of
/// floating-point numbers may differ in rounding from run to run. Sums of integers, minima and maxima do not. A GPU and
/// `emulated` need sizeof(R) bytes for each leaf. Waits. Throws what run() throws.
template <class T, any_executor Executor, class R, class F, class Plus>
R reduce_leaves(Executor& executor, hisparse<T> const& a, R start, F f, Plus plus) {
    if (!a.root()) return start;
    return detail::reduce<pairs::both>(executor, start, f, plus, a.census().leaves() + a.census().wide_leaves(),
                                       [&](auto const& function) { for_each_leaf(executor, a, function); });
}

/// The same over pairs of entries of op(A) and op(B), which must have the same shape: f(row, column, a, b), called with
/// pairs::both where both have an entry, or with pairs::either where one has, and with values of type maybe<T>; or
/// f(w, trees, pair) for each pair of leaves (node_pairs.hpp). Throws shape_error, argument_error before the run.
template <pairs Which = pairs::both, class T, any_executor Executor, class R, class F, class Plus>
R reduce_leaves(Executor& executor, hisparse<T> const& a, hisparse<T> const& b, R start, F f, Plus plus) {
    std::int64_t const most = pair_bounds::of(Which, a.census(), b.census(), a.node_dimension()).all();
    return detail::reduce<Which>(executor, start, f, plus, most,
                                 [&](auto const& function) { for_each_leaf_pair<Which>(executor, a, b, function); });
}

}  // namespace copse
