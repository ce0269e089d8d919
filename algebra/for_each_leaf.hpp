// A function for every leaf of a matrix, or for every pair of leaves of two, in one call:
//
//   copse::for_each_leaf(cpu, a, [=](auto& w, copse::tree_view<double> const& tree, copse::node leaf) {
//       copse::for_each_entry(w, tree, leaf, [&](std::int64_t row, std::int64_t, double v) { w.add(&sums[row], v); });
//   });
//
// The function is compiled as tasks: leaves of up to 32, up to 512 and more entries have queues of their own, with 8,
// 32 and 128 lanes a leaf. The way down is the library's: inner nodes in queues by their size. On a GPU the function is
// a class whose operator() is COPSE_HOST_DEVICE, or a __device__ lambda.
//
// A value from all entries of a matrix, or from all pairs of entries of two:
//
//   auto const plus = [](double x, double y) { return x + y; };
//   double const squares = copse::reduce_leaves(
//       cpu, a, 0.0, [](std::int64_t, std::int64_t, double v) { return v * v; }, plus);
//   double const dot = copse::reduce_leaves(
//       cpu, a, b, 0.0, [](std::int64_t, std::int64_t, double x, double y) { return x * y; }, plus);
#pragma once

#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/products/inner_nodes.hpp>
#include <copse/formats/node_pairs.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace copse {
namespace detail {

/// Leaves of any kind with more than Above and at most UpTo entries.
template <std::int64_t Above, std::int64_t UpTo>
struct takes_any_leaves {
    COPSE_HOST_DEVICE static bool takes(child_reference r) {
        return r.is_leaf() && r.entries() > Above && r.entries() <= UpTo;
    }
    static std::int64_t visits(node_census const& census) {
        std::int64_t sum = census.between(wide_leaf::kind, 1, 1, Above, UpTo);
        for (int kind = 0; kind < node_kind_count; ++kind)
            sum += census.leaves(static_cast<node_kind>(kind), Above, UpTo);
        return sum;
    }
};

template <class F>
constexpr std::size_t function_scratch_bytes() {
    if constexpr (requires { F::scratch_bytes; })
        return F::scratch_bytes;
    else
        return 0;
}

/// Tree: tree_view<T>. F: the user's function.
template <class Tree, class F, int Width, std::int64_t Above, std::int64_t UpTo>
struct leaf_function : takes_any_leaves<Above, UpTo> {
    using item = node;
    static constexpr int width = Width;
    static constexpr char const* name = UpTo == 32    ? "leaf, up to 32 entries"
                                        : UpTo == 512 ? "leaf, up to 512 entries"
                                                      : "leaf, larger";
    static constexpr std::size_t scratch_bytes = function_scratch_bytes<F>() * (Width > 32 ? Width / 32 : 1);
    Tree tree;
    F f;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node leaf, Worker& w) const {
        f(w, tree, leaf);
    }
};

template <pairs Which, class T, class... Leaves>
struct inner_pair_task : takes_inner_pairs {
    using item = node_pair;
    static constexpr int width = 32;
    static constexpr char const* name = "pair with an inner node";
    tree_pair<T> trees;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node_pair const& pair, Worker& w) const {
        push_child_pairs<Which, Leaves..., inner_pair_task>(w, trees, pair);
    }
};
template <class T, class F, int Width, std::int64_t Above, std::int64_t UpTo>
struct pair_function : takes_leaf_pairs<Above, UpTo> {
    using item = node_pair;
    static constexpr int width = Width;
    static constexpr char const* name = UpTo == 32    ? "leaf pair, up to 32 entries"
                                        : UpTo == 512 ? "leaf pair, up to 512 entries"
                                                      : "leaf pair, larger";
    static constexpr std::size_t scratch_bytes = function_scratch_bytes<F>() * (Width > 32 ? Width / 32 : 1);
    tree_pair<T> trees;
    F f;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node_pair const& pair, Worker& w) const {
        f(w, trees, pair);
    }
};

}  // namespace detail

/// Runs tasks that take leaves (node_bins.hpp); the library brings the tasks that walk down to them. Each leaf goes to
/// the first of `tasks` that takes it; a task that does not say what it takes takes every leaf, wide ones included.
/// Throws argument_error for a matrix in another memory than the executor's; what run() throws.
template <class T, any_executor Executor, class... Tasks>
run_report run_on_leaves(Executor& executor, hisparse<T> const& a, Tasks const&... tasks) {
    using leaves = detail::leaf_tasks<Tasks...>;
    using few = detail::inner_few<leaves>;
    using many = detail::inner_many<leaves>;
    using dense = detail::inner_dense<leaves>;
    detail::check_space("for_each_leaf", a.space(), "A", executor.memory()->space());
    auto const reader = reader_of(a.tree());
    return run(executor, seed_root<few, many, dense, Tasks...>(a), tasks..., dense{{}, reader}, many{{}, reader},
               few{{}, reader});
}

/// Calls f(w, tree, leaf) for each leaf of op(A). w: the worker; all its lanes call f. f: trivially copyable; a static
/// member F::scratch_bytes, if there is one, is the scratch memory for each 32 lanes. It is at most 2,560 bytes: 16
/// workers of 8 lanes, each with as much, share a block's 40 KiB. Waits. Throws what run_on_leaves() throws.
template <class T, any_executor Executor, class F>
run_report for_each_leaf(Executor& executor, hisparse<T> const& a, F f) {
    using tree = tree_view<T>;
    using small = detail::leaf_function<tree, F, 8, 0, 32>;
    using medium = detail::leaf_function<tree, F, 32, 32, 512>;
    using large = detail::leaf_function<tree, F, 128, 512, any_size>;
    return run_on_leaves(executor, a, large{{}, a.tree(), f}, medium{{}, a.tree(), f}, small{{}, a.tree(), f});
}

/// Calls f(w, trees, pair) for each pair of leaves of op(A) and op(B), and with pairs::either for each leaf that one of
/// them has alone (node_pairs.hpp). Otherwise as for one matrix. Throws shape_error, argument_error before the run.
template <pairs Which, class T, any_executor Executor, class F>
run_report for_each_leaf_pair(Executor& executor, hisparse<T> const& a, hisparse<T> const& b, F f) {
    using small = detail::pair_function<T, F, 8, 0, 32>;
    using medium = detail::pair_function<T, F, 32, 32, 512>;
    using large = detail::pair_function<T, F, 128, 512, 2 * any_size>;
    using inner = detail::inner_pair_task<Which, T, small, medium, large>;
    tree_pair<T> const trees(a, b);
    detail::check_space("for_each_leaf_pair", a.space(), "A", executor.memory()->space());
    return run(executor, seed_roots<Which, small, medium, large, inner>(a, b), large{{}, trees, f},
               medium{{}, trees, f}, small{{}, trees, f}, inner{{}, trees});
}

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
/// `emulated` need sizeof(R) bytes for each leaf. Waits. Throws what run_on_leaves() throws.
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
