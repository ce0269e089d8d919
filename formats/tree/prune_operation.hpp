// Entries of value zero dropped: the zeros are counted, then a tree is made from what is left. Compiled for every
// executor: copse_add_operation() in this room's CMakeLists.txt.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/node_bins.hpp>
#include <copse/formats/node_pairs.hpp>
#include <copse/formats/tree/mapped_tree.hpp>
#include <copse/formats/tree_seeds.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/run.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace copse {
namespace detail {

template <class T>
struct count_zeros {
    using item = node;
    static constexpr int width = 32;
    static constexpr char const* name = "count zeros";
    tree_view<T> tree;
    std::int64_t* zeros;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(node const& n, Worker& w) const {
        if (!tree.is_leaf(n)) return push_children<count_zeros>(w, tree, n);
        std::int64_t mine = 0;
        for_each_entry(w, tree, n, [&](std::int64_t, std::int64_t, T value) { mine += value == T(0) ? 1 : 0; });
        if (mine > 0) w.add(zeros, mine);
    }
};

/// What mapped_tree.hpp makes a tree from: the entries that are not zero, with their scale; the values are without it.
template <class T>
struct entries_not_zero {
    using source = node;
    tree_view<T> tree;
    T scale;

    template <class... Tasks, class Worker>
    COPSE_HOST_DEVICE void push_children(Worker& w, tree_writer<T> const& out, node_source<node> const& i) const {
        auto const keep = [scale = scale](std::int64_t, std::int64_t, T value) {
            return maybe<T>{value, scale * value != T(0)};
        };
        if (!out.try_write_wide(w, i.to, tree, i.from, keep))
            out.template push_children<Tasks...>(w, i.to, tree, i.from);
    }
    template <class Worker, class Put>
    COPSE_HOST_DEVICE void call_out(Worker& w, node const& leaf, Put put) const {
        for_each_entry(w, tree, leaf, [&](std::int64_t row, std::int64_t column, T value) {
            if (scale * value != T(0)) put(row, column, value);
        });
    }
};

template <class T, class Executor>
hisparse<T> prune_on(Executor& executor, hisparse<T> const& a, prune_options options) {
    nvtx_range const range(nvtx_room::formats, "copse prune", a.entry_count());
    if (a.space() != executor.memory()->space())
        throw argument_error(
            "prune: the matrix is in another memory than the executor's; convert it with this executor");
    std::int64_t zeros = 0;
    buffer<std::int64_t> const counted(temporary_memory(executor), std::span<std::int64_t const>(&zeros, 1));
    run(executor, seed_root<count_zeros<T>>(a), count_zeros<T>{a.tree(), counted.data()});
    counted.read(0, {&zeros, 1});
    if (zeros == 0) return a;
    hisparse<T> const stored(a.content());
    building_bound bound = building_bound::of(a);
    bound.entries -= zeros;
    hisparse<T> made = mapped(executor, "prune", stored, bound, entries_not_zero<T>{stored.tree(), a.scale()},
                              stored.root(), zeros < a.entry_count());
    if (options.share_identical) made = compact(made, {.share_identical = true});
    return (a.is_transposed() ? made.transposed() : made).scaled(a.scale());
}

}  // namespace detail

template <class T, any_executor Executor>
hisparse<T> prune(Executor& executor, hisparse<T> const& a, prune_options options) {
    if constexpr (!detail::can_run_on<Executor>)
        detail::refuse_without_cuda("prune");
    else
        return detail::prune_on(executor, a, options);
}

namespace detail {

template <any_executor Executor, class... Types>
struct compiled_prune {
    static constexpr auto functions = std::make_tuple(&prune<Types, Executor>...);
};

template <class T>
using pruned_leaf = write_mapped_leaf<T, entries_not_zero<T>>;
template <class T>
using pruned_node = open_mapped_node<T, entries_not_zero<T>>;
template <template <class...> class List>
using prune_runs = std::tuple<List<count_zeros<float>>, List<pruned_node<float>, pruned_leaf<float>>,
                              List<count_zeros<double>>, List<pruned_node<double>, pruned_leaf<double>>>;

}  // namespace detail
}  // namespace copse
