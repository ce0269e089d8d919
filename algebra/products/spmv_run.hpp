// SpMV as per-node functions (hisparse §5), one source for every executor, and what sets up a run of them: checks,
// queue bounds, seeds. Included where run() for an executor is compiled.
//
//   phase 0   scale_output: y <- beta * y, a range over stretches of y
//             inner nodes push their children
//   phase 1   leaves: y[row] += alpha * value * x[column]
//
// Leaves wait for phase 0, so that no product is added to an element that is scaled afterwards.
#pragma once

#include <copse/algebra/products/check_operands.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/products/inner_nodes.hpp>
#include <copse/algebra/products/leaf_sums.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/algebra/products/wide_leaf.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace copse::detail {

/// Leaf: the owner of the leaves' kind (formats/leaves/leaf.hpp).
template <class T, class Leaf, int Width = 32, std::int64_t Above = 0, std::int64_t UpTo = any_size>
struct leaf_task : takes_leaves<Leaf::kind, Above, UpTo> {
    using item = node;
    static constexpr int width = Width;
    static constexpr int phase = 1;
    static constexpr char const* name = UpTo == 4     ? "sparse leaf, up to 4"
                                        : UpTo == 32  ? "sparse leaf, up to 32"
                                        : UpTo == 512 ? "sparse leaf, up to 512"
                                        : Above > 0   ? "sparse leaf, larger"
                                                      : Leaf::name;
    /// Sums stay on chip where a leaf has more entries than the tile has elements to clear and to merge, more or less.
    static constexpr std::size_t scratch_bytes = Width / 32 * 256 * sizeof(T);

    leaf_product<T> product;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node n, Worker& w) const {
        multiply_leaf<Leaf>(product, n, product.x + n.column, w);
    }
};

template <class T>
using list_leaf_4 = leaf_task<T, sparse_leaf, 4, 0, 4>;
template <class T>
using list_leaf_32 = leaf_task<T, sparse_leaf, 8, 4, 32>;
template <class T>
using list_leaf_512 = leaf_task<T, sparse_leaf, 32, 32, 512>;
template <class T>
using list_leaf_large = leaf_task<T, sparse_leaf, 128, 512, any_size>;

template <class T>
using diagonal_leaf_task = leaf_task<T, diagonal_leaf>;

template <class T, template <class...> class List, class Leaves = placed_leaves>
struct spmv_lists;
template <class T, template <class...> class List, class... Placed>
struct spmv_lists<T, List, leaf_owners<Placed...>> {
    /// The leaves' tasks, in the order in which an inner node asks them.
    using leaves = task_list<list_leaf_512<T>, list_leaf_32<T>, list_leaf_4<T>, list_leaf_large<T>,
                             diagonal_leaf_task<T>, leaf_task<T, Placed>..., wide_leaf_task<wide_stretch_task<T>>>;
    using tasks = List<scale_output<T>, inner_dense<leaves>, inner_many<leaves>, inner_few<leaves>,
                       wide_leaf_task<wide_stretch_task<T>>, wide_stretch_task<T>, diagonal_leaf_task<T>,
                       list_leaf_large<T>, leaf_task<T, Placed>..., list_leaf_512<T>, list_leaf_32<T>, list_leaf_4<T>>;
};
/// The tasks of a product, in the order that run() gets them: the first that has items is preferred on the CPU.
template <class T, template <class...> class List>
using spmv_tasks = typename spmv_lists<T, List>::tasks;

/// For the device controller. scale_sums is the last task of products by a factor that is not finite, those of flat
/// formats too.
template <template <class...> class List>
using spmv_runs =
    std::tuple<spmv_tasks<float, List>, spmv_tasks<double, List>, List<scale_sums<float>>, List<scale_sums<double>>>;

template <class T>
void check_product(hisparse<T> const& a, vector_view<T const> x, vector_view<T> y, memory_space space) {
    check_space("spmv", a.space(), "A", space);
    check_product("spmv", a.row_count(), a.column_count(), x, y, space);
}

template <class Task, class T>
Task make_node_task(leaf_product<T> const& product) {
    Task task;
    if constexpr (requires { task.product; })
        task.product = product;
    else
        task.tree = product.tree;
    return task;
}

/// Calls f(options, seeds, tasks...): y <- factor * op(A) * x + beta * y without A's scale, ready for run(). The factor
/// is finite.
template <class T, class F>
run_report with_spmv_run(T factor, bool reads_matrix, hisparse<T> const& a, vector_view<T const> x, T beta,
                         vector_view<T> y, F f) {
    scale_output<T> const scale{y.data(), y.size(), beta};
    leaf_product<T> const product{reader_of(*a.content()), x.data(), y.data(), a.row_count(), a.column_count(), factor};
    auto call = [&]<class... NodeTasks>(task_list<scale_output<T>, NodeTasks...>) {
        run_options options;
        options.template capacity<scale_output<T>>(0, 0, 1);
        (options.template capacity<NodeTasks>(NodeTasks::visits(a.census()), 0, 0), ...);
        auto const seeds = seed_range<scale_output<T>>(0, beta == T(1) ? 0 : stretches(y.size(), scale.stretch)) +
                           root_seeds<NodeTasks...>(reads_matrix ? a.root() : node{});
        return f(options, seeds, scale, make_node_task<NodeTasks>(product)...);
    };
    return call(spmv_tasks<T, task_list>{});
}

/// run_tasks(options, seeds, tasks...): run() on the executor.
template <class T, class Executor, class Run>
run_report multiply_tree_on(Executor const& executor, T alpha, hisparse<T> const& a, vector_view<T const> x, T beta,
                            vector_view<T> y, Run run_tasks) {
    nvtx_range const range(nvtx_room::algebra, "copse spmv", a.entry_count());
    check_product(a, x, y, executor.memory()->space());
    return multiply_by_sums(
        temporary_memory(executor), product_factor(alpha, a.scale()), beta, y,
        [&](T factor, T own_beta, vector_view<T> to) {
            return with_spmv_run(factor, alpha != T(0), a, x, own_beta, to, run_tasks);
        },
        [&](task_range<scale_sums<T>> const& sums) { return run_ranges(run_tasks, sums); });
}

}  // namespace copse::detail
