// The tasks of sub_matrix() and kronecker(): copies of a matrix's entries at other places.
//
// Row i of A, by row k of B, goes to row i * stride + k * step - first of C, and columns likewise:
//
//                    stride   step   first
//   A[rows, columns]      1      -   of the range      B is one entry, 1
//   A (x) B               p      1   0                 B is p x q
//   B (x) A               1      m   0                 A is m x n
//
// A node of C asks which rows of A may reach it, finds A's nodes there from the root down, four at most, and marks the
// children that theirs reach.
#pragma once

#include <copse/formats/node_pairs.hpp>
#include <copse/formats/tree_writer.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// Where rows go, or columns.
struct placed_axis {
    std::int64_t count;  // of A
    std::int64_t stride;
    std::int64_t step;
    std::int64_t first;
    std::int64_t end;  // of C

    COPSE_HOST_DEVICE std::int64_t at(std::int64_t i, std::int64_t k) const { return i * stride + k * step - first; }
    /// A's rows that B's rows k_first .. k_last may bring to begin .. begin + size - 1; a count below 1 for none.
    COPSE_HOST_DEVICE index_range reaching(std::int64_t k_first, std::int64_t k_last, std::int64_t begin,
                                           std::int64_t size) const {
        std::int64_t const least = begin + first - k_last * step, last = begin + size - 1 + first - k_first * step;
        std::int64_t const from = least <= 0 ? 0 : (least + stride - 1) / stride;
        std::int64_t const to = last < 0 ? -1 : last / stride;
        return {from, (to < count ? to : count - 1) - from + 1};
    }
};
COPSE_HOST_DEVICE inline bool contains(index_range r, std::int64_t i) {
    return i >= r.first && i < r.first + r.count;
}
COPSE_HOST_DEVICE inline index_range common(index_range x, index_range y) {
    std::int64_t const first = x.first > y.first ? x.first : y.first;
    std::int64_t const x_end = x.first + x.count, y_end = y.first + y.count;
    return {first, (x_end < y_end ? x_end : y_end) - first};
}

/// Entries first .. last - 1 of B, and what of A they may bring to a node of C.
struct copied_window {
    int first;
    int last;
    index_range rows;
    index_range columns;
};

template <class T>
struct placed_copies {
    shared_tree<T> a;
    node root;
    placed_axis rows;
    placed_axis columns;
    std::int32_t const* b_rows;
    std::int32_t const* b_columns;
    T const* b_values;
    int b_count;
    index_range all_rows;     // of B where all its entries are one window: A (x) B. Else no rows
    index_range all_columns;  // the same
    tree_writer<T> out;

    COPSE_HOST_DEVICE std::int64_t size_of(int level) const {
        return std::int64_t{1} << a.tree.dimension_log2() * (level + 1);
    }
    /// f(window) for each window whose entries may reach the node of C at `place`.
    template <class F>
    COPSE_HOST_DEVICE void for_each_window(node_place place, F f) const {
        std::int64_t const size = size_of(place.level());
        auto const call = [&](int first, int last, index_range k, index_range l) {
            copied_window const window{first, last, rows.reaching(k.first, k.first + k.count - 1, place.row(), size),
                                       columns.reaching(l.first, l.first + l.count - 1, place.column(), size)};
            if (window.rows.count > 0 && window.columns.count > 0) f(window);
        };
        if (all_rows.count > 0) return call(0, b_count, all_rows, all_columns);
        for (int e = 0; e < b_count; ++e) call(e, e + 1, {b_rows[e], 1}, {b_columns[e], 1});
    }
    /// The node of A at `level` that covers a row and a column, or the root if that is lower; false if there is none.
    COPSE_HOST_DEVICE node node_at(int level, std::int64_t row, std::int64_t column) const {
        node_reader const& tree = reader_of(a.tree);
        node n = root;
        while (n && n.reference.level() > level) {
            int const shift = tree.dimension_log2() * n.reference.level(), mask = tree.dimension() - 1;
            n = child_or_part<T>(tree, n, static_cast<int>(row >> shift) & mask,
                                 static_cast<int>(column >> shift) & mask);
        }
        return n;
    }
    /// f(node) for the nodes of A at `level` that a window meets.
    template <class F>
    COPSE_HOST_DEVICE void for_each_node(copied_window const& window, int level, F f) const {
        std::int64_t const size = size_of(level);
        auto const next = [&](std::int64_t i) { return (i / size + 1) * size; };
        for (std::int64_t r = window.rows.first; r < window.rows.first + window.rows.count; r = next(r))
            for (std::int64_t c = window.columns.first; c < window.columns.first + window.columns.count; c = next(c))
                if (node const n = node_at(level, r, c)) f(n);
    }
    /// The node of A that `place` is a copy of, where no other reaches it; else none.
    COPSE_HOST_DEVICE node copied_node(node_place place) const {
        if (all_rows.count > 0) return {};
        int windows = 0, only = 0;
        for_each_window(place, [&](copied_window const& window) {
            ++windows;
            only = window.first;
        });
        if (windows != 1 || b_values[only] != T(1)) return {};
        std::int64_t const row = place.row() + rows.first - b_rows[only] * rows.step, size = size_of(place.level());
        std::int64_t const column = place.column() + columns.first - b_columns[only] * columns.step;
        if (row < 0 || column < 0 || row % size != 0 || column % size != 0) return {};
        node const n = node_at(place.level(), row, column);
        return n && n.reference.level() == place.level() ? n : node{};
    }
    template <class Worker>
    COPSE_HOST_DEVICE bool share(Worker& w, node_place place) const {
        node const n = copied_node(place);
        return n && out.try_share(w, place, a, n);
    }
};

struct from_place {};

template <class T>
struct write_copied_leaf : takes_leaf_places {
    using item = node_source<from_place>;
    static constexpr int width = 128;
    static constexpr char const* name = "a leaf of copies";
    static constexpr std::size_t scratch_bytes = tree_writer<T>::leaf_scratch_bytes;
    placed_copies<T> of;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        if (of.share(w, i.to)) return;
        std::int64_t const d = of.a.tree.dimension();
        index_range const rows = common({i.to.row(), d}, {0, of.rows.end}),
                          columns = common({i.to.column(), d}, {0, of.columns.end});
        of.out.write_leaf(w, i.to, [&](auto put) {
            of.for_each_window(i.to, [&](copied_window const& window) {
                of.for_each_node(window, 0, [&](node leaf) {
                    for_each_entry(w, of.a.tree, leaf, [&](std::int64_t row, std::int64_t column, T value) {
                        if (!contains(window.rows, row) || !contains(window.columns, column)) return;
                        for (int e = window.first; e < window.last; ++e) {
                            std::int64_t const r = of.rows.at(row, of.b_rows[e]),
                                               c = of.columns.at(column, of.b_columns[e]);
                            if (contains(rows, r) && contains(columns, c)) put(r, c, value * of.b_values[e]);
                        }
                    });
                });
            });
        });
    }
};

template <class T>
struct open_copied_node : takes_inner_places {
    using item = node_source<from_place>;
    static constexpr int width = 32;
    static constexpr char const* name = "an inner node of copies";
    static constexpr std::size_t scratch_bytes = tree_writer<T>::inner_scratch_bytes;
    placed_copies<T> of;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        if (of.share(w, i.to)) return;
        int const level = i.to.level();
        std::int64_t const size = of.size_of(level - 1);
        index_range const rows = common({i.to.row(), of.size_of(level)}, {0, of.rows.end}),
                          columns = common({i.to.column(), of.size_of(level)}, {0, of.columns.end});
        auto const mark_all = [&](auto mark) {
            of.for_each_window(i.to, [&](copied_window const& window) {
                index_range const k = of.all_rows.count > 0 ? of.all_rows : index_range{of.b_rows[window.first], 1};
                index_range const l =
                    of.all_rows.count > 0 ? of.all_columns : index_range{of.b_columns[window.first], 1};
                auto const image = [](placed_axis const& axis, index_range b, index_range from, index_range to) {
                    std::int64_t const first = axis.at(from.first, b.first);
                    return common({first, axis.at(from.first + from.count - 1, b.first + b.count - 1) - first + 1}, to);
                };
                auto const mark_image = [&](node n) {
                    index_range const of_rows = common(of.a.tree.rows_of(n), window.rows),
                                      of_columns = common(of.a.tree.columns_of(n), window.columns);
                    if (of_rows.count < 1 || of_columns.count < 1) return;
                    index_range const r = image(of.rows, k, of_rows, rows),
                                      c = image(of.columns, l, of_columns, columns);
                    for (std::int64_t row = r.first / size * size; row < r.first + r.count; row += size)
                        for (std::int64_t column = c.first / size * size; column < c.first + c.count; column += size)
                            mark(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
                };
                of.for_each_node(window, level, [&](node n) {
                    if (n.reference.level() == level)
                        for_each_child_or_part<T>(w, reader_of(of.a.tree), n,
                                                  [&](node child, int, int) { mark_image(child); });
                    else if (w.rank() == 0)  // the root
                        mark_image(n);
                });
            });
        };
        of.out.template open_marked<write_copied_leaf<T>, open_copied_node>(
            w, i.to, mark_all, [](std::uint32_t, std::uint32_t) { return from_place(); });
    }
};

}  // namespace copse::detail
