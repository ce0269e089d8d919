// SpMV as per-node functions (hisparse §5). One source for every executor.
//
//   phase 0   scale_output: y <- beta * y, a range over stretches of y
//             inner nodes push their children
//   phase 1   leaves: y[row] += alpha * value * x[column]
//
// Leaves wait for phase 0, so that no product is added to an element that is scaled afterwards.
#pragma once

#include <copse/algebra/node_bins.hpp>
#include <copse/algebra/products/element_ranges.hpp>
#include <copse/algebra/products/inner_nodes.hpp>
#include <copse/algebra/products/leaf_sums.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/algebra/products/wide_leaf.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <tuple>

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
using list_leaf_4 = leaf_task<T, list_leaf, 4, 0, 4>;
template <class T>
using list_leaf_32 = leaf_task<T, list_leaf, 8, 4, 32>;
template <class T>
using list_leaf_512 = leaf_task<T, list_leaf, 32, 32, 512>;
template <class T>
using list_leaf_large = leaf_task<T, list_leaf, 128, 512, any_size>;

template <class T>
using run_leaf_task = leaf_task<T, run_leaf>;

template <class T, template <class...> class List, class Leaves = placed_leaves>
struct spmv_lists;
template <class T, template <class...> class List, class... Placed>
struct spmv_lists<T, List, leaf_owners<Placed...>> {
    /// The leaves' tasks, in the order in which an inner node asks them.
    using leaves = task_list<list_leaf_512<T>, list_leaf_32<T>, list_leaf_4<T>, list_leaf_large<T>, run_leaf_task<T>,
                             leaf_task<T, Placed>..., wide_leaf_task<T>>;
    using tasks = List<scale_output<T>, inner_dense<leaves>, inner_many<leaves>, inner_few<leaves>, wide_leaf_task<T>,
                       wide_part_task<T>, run_leaf_task<T>, list_leaf_large<T>, leaf_task<T, Placed>...,
                       list_leaf_512<T>, list_leaf_32<T>, list_leaf_4<T>>;
};
/// The tasks of a product, in the order that run() gets them: the first that has items is preferred on the CPU.
template <class T, template <class...> class List>
using spmv_tasks = typename spmv_lists<T, List>::tasks;

/// For the device controller. scale_sums is the last task of products by a factor that is not finite, those of flat
/// formats too.
template <template <class...> class List>
using spmv_runs =
    std::tuple<spmv_tasks<float, List>, spmv_tasks<double, List>, List<scale_sums<float>>, List<scale_sums<double>>>;

}  // namespace copse::detail
