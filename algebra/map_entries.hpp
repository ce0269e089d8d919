// A new matrix from the entries of one, or from the pairs of entries of two:
//
//   auto squares = copse::map_entries(cpu, a, [](std::int64_t, std::int64_t, double v) { return v * v; });
//   auto lower = copse::map_entries(cpu, a, [](std::int64_t row, std::int64_t column, double v) {
//       return copse::maybe<double>{v, column <= row};                                 // absent: the entry is dropped
//   });
//   auto product = copse::map_entry_pairs<copse::pairs::both>(                         // element-wise, A .* B
//       cpu, a, b, [](std::int64_t, std::int64_t, double x, double y) { return x * y; });
//
// What GraphBLAS calls apply and select is map_entries(); eWiseMult is map_entry_pairs() with pairs::both, eWiseAdd and
// masks are map_entry_pairs() with pairs::either.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/node_pairs.hpp>
#include <copse/formats/tree/mapped_tree.hpp>
#include <copse/formats/tree_building.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>

namespace copse {
namespace detail {

/// What a user's function returns, as maybe<T>.
template <class T>
COPSE_HOST_DEVICE maybe<T> as_maybe(maybe<T> const& value) {
    return value;
}
template <class T, class V>
COPSE_HOST_DEVICE maybe<T> as_maybe(V value) {
    return {static_cast<T>(value), true};
}

/// A user's function, of A or of A^T.
template <class F>
struct entry_function {
    F f;
    bool of_transposed;
    template <class T, class... V>
    COPSE_HOST_DEVICE maybe<T> call(std::int64_t row, std::int64_t column, V const&... values) const {
        return as_maybe<T>(f(of_transposed ? column : row, of_transposed ? row : column, values...));
    }
};

/// The entries of one tree, changed by a function.
template <class T, class F>
struct mapped_entries {
    using source = node;
    tree_view<T> tree;
    entry_function<F> f;

    template <class... Tasks, class Worker>
    COPSE_HOST_DEVICE void push_children(Worker& w, tree_writer<T> const& out, node_source<node> const& i) const {
        if (out.try_write_wide(w, i.to, tree, i.from, [&](std::int64_t row, std::int64_t column, T value) {
                return f.template call<T>(row, column, value);
            }))
            return;
        out.template push_children<Tasks...>(w, i.to, tree, i.from);
    }
    template <class Worker, class Put>
    COPSE_HOST_DEVICE void call_out(Worker& w, node const& leaf, Put put) const {
        for_each_entry(w, tree, leaf, [&](std::int64_t row, std::int64_t column, T value) {
            if (maybe<T> const made = f.template call<T>(row, column, value)) put(row, column, made.value);
        });
    }
};
/// The same of pairs of entries.
template <pairs Which, class T, class F>
struct mapped_pairs {
    using source = node_pair;
    tree_pair<T> trees;
    entry_function<F> f;

    template <class... Tasks, class Worker>
    COPSE_HOST_DEVICE void push_children(Worker& w, tree_writer<T> const& out, node_source<node_pair> const& i) const {
        auto const of_wide = [&](std::int64_t row, std::int64_t column, maybe<T> const& x, maybe<T> const& y) {
            if constexpr (Which == pairs::both)
                return f.template call<T>(row, column, x.value, y.value);
            else
                return f.template call<T>(row, column, x, y);
        };
        if (out.template try_write_wide<Which>(w, i.to, trees, i.from, of_wide)) return;
        out.template push_child_pairs<Which, Tasks...>(w, i.to, trees, i.from);
    }
    template <class Worker, class Put>
    COPSE_HOST_DEVICE void call_out(Worker& w, node_pair const& leaves, Put put) const {
        for_each_pair<Which>(w, trees, leaves, [&](std::int64_t row, std::int64_t column, auto x, auto y) {
            if (maybe<T> const made = f.template call<T>(row, column, x, y)) put(row, column, made.value);
        });
    }
};

}  // namespace detail

/// Returns the matrix of f(i, j, a_ij) for all entries a_ij of op(A), explicit zeros included.
/// f: f(row, column, value) -> T, or maybe<T>, which drops the entry if it is absent. A zero stays an entry. f is
/// trivially copyable, returns the same for the same arguments, and may be called twice for an entry.
/// The result is m x n, with A's node dimension, in the executor's memory, where A must be, too. It shares nothing with
/// A; it may be a transposed matrix, and its scale is 1. While it runs it takes memory for building_bound::of(a)
/// (tree_building.hpp). Waits.
/// Throws argument_error for a matrix in another memory, shape_error for a result that may take more than 64 GiB, what
/// run() throws.
template <class T, any_executor Executor, class F>
hisparse<T> map_entries(Executor& executor, hisparse<T> const& a, F f) {
    nvtx_range const range(nvtx_room::algebra, "copse map entries", a.entry_count());
    if (a.space() != executor.memory()->space())
        throw argument_error("map_entries: A is in another memory than the executor's; make it with this executor");
    hisparse<T> const stored = a.is_transposed() ? a.transposed() : a;  // no entry changes its place in its leaf
    auto const made = detail::mapped(executor, "map_entries", stored, building_bound::of(a),
                                     detail::mapped_entries<T, F>{stored.tree(), {f, a.is_transposed()}}, stored.root(),
                                     static_cast<bool>(a.root()));
    return a.is_transposed() ? made.transposed() : made;
}

/// Returns the matrix of f(i, j, a_ij, b_ij) for all places where op(A) and op(B) have an entry, with pairs::both; with
/// pairs::either for all places where one of them has, and with a and b of type maybe<T>.
/// f, the result and errors as for map_entries(); besides, shape_error and argument_error as tree_pair throws them.
template <pairs Which, class T, any_executor Executor, class F>
hisparse<T> map_entry_pairs(Executor& executor, hisparse<T> const& a, hisparse<T> const& b, F f) {
    nvtx_range const range(nvtx_room::algebra, "copse map entry pairs", a.entry_count() + b.entry_count());
    bool const turned = a.is_transposed() && b.is_transposed();
    hisparse<T> const op_a = turned ? a.transposed() : a, op_b = turned ? b.transposed() : b;
    tree_pair<T> const trees(op_a, op_b);
    if (a.space() != executor.memory()->space())
        throw argument_error(
            "map_entry_pairs: A and B are in another memory than the executor's; make them with this executor");
    node_pair const roots{op_a.root(), op_b.root()};
    bool const any = Which == pairs::both ? roots.a && roots.b : roots.a || roots.b;
    auto const made = detail::mapped(executor, "map_entry_pairs", op_a, building_bound::of<Which>(a, b),
                                     detail::mapped_pairs<Which, T, F>{trees, {f, turned}}, roots, any);
    return turned ? made.transposed() : made;
}

}  // namespace copse
