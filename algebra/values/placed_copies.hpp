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
// children that theirs reach. A node of level 1 that may become a wide leaf is written as one, from A's entries.
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
    /// A's rows that B's rows k_first .. k_last may bring to these rows of C; a count below 1 for none.
    COPSE_HOST_DEVICE index_range reaching(std::int64_t k_first, std::int64_t k_last, index_range copies) const {
        std::int64_t const least = copies.first + first - k_last * step,
                           last = copies.first + copies.count - 1 + first - k_first * step;
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

/// The entries of a wide leaf in the rows of blocks, as it is stored, that rows first .. first + count - 1 lie in.
template <class T>
COPSE_HOST_DEVICE entry_numbers numbers_in_rows(wide_leaf_view<T> const& leaf, int dimension_log2, bool flip, int first,
                                                int count) {
    std::uint16_t const* const rows = flip ? leaf.columns : leaf.rows;
    auto const begin_of = [&](int block) {
        return lower_bound(leaf.count, block, [&](int i) { return rows[i] >> dimension_log2; });
    };
    int const begin = begin_of(first >> dimension_log2);
    return {begin, begin_of(((first + count - 1) >> dimension_log2) + 1) - begin};
}

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
    /// What the node of C at `place` covers.
    COPSE_HOST_DEVICE index_range rows_of(node_place place) const {
        return common({place.row(), size_of(place.level())}, {0, rows.end});
    }
    COPSE_HOST_DEVICE index_range columns_of(node_place place) const {
        return common({place.column(), size_of(place.level())}, {0, columns.end});
    }
    /// f(window) for each window whose entries may reach the node of C at `place`.
    template <class F>
    COPSE_HOST_DEVICE void for_each_window(node_place place, F f) const {
        auto const call = [&](int first, int last, index_range k, index_range l) {
            copied_window const window{first, last, rows.reaching(k.first, k.first + k.count - 1, rows_of(place)),
                                       columns.reaching(l.first, l.first + l.count - 1, columns_of(place))};
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
            n = child_or_block<T>(tree, n, static_cast<int>(row >> shift) & mask,
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
    /// f(row, column, value) for the entries of a leaf of A that a window meets. Collective.
    template <class Worker, class F>
    COPSE_HOST_DEVICE void for_each_entry_in(Worker& w, copied_window const& window, node leaf, F f) const {
        index_range const in_rows = common(a.tree.rows_of(leaf), window.rows),
                          in_columns = common(a.tree.columns_of(leaf), window.columns);
        if (in_rows.count < 1 || in_columns.count < 1) return;
        node_reader const& tree = reader_of(a.tree);
        std::int64_t const first_row = origin_of(tree, leaf, leaf.row),
                           first_column = origin_of(tree, leaf, leaf.column);
        auto const from_row = static_cast<int>(in_rows.first - first_row),
                   from_column = static_cast<int>(in_columns.first - first_column);
        auto const row_count = static_cast<unsigned>(in_rows.count),
                   column_count = static_cast<unsigned>(in_columns.count);
        entry_numbers numbers = numbers_of<T>(tree, leaf);
        if (leaf.reference.is_wide_leaf() && leaf.reference.level() == 1) {
            bool const flip = leaf.reference.transposed();
            numbers = numbers_in_rows(tree.template wide_leaf<T>(leaf), tree.dimension_log2(), flip,
                                      flip ? from_column : from_row, static_cast<int>(flip ? column_count : row_count));
        }
        T const sign = a.tree.scale_of(leaf);
        visit_stored_entries<T>(w, tree, leaf, numbers.first, numbers.count, [=](int, int row, int column, T value) {
            if (static_cast<unsigned>(row - from_row) < row_count &&
                static_cast<unsigned>(column - from_column) < column_count)
                f(first_row + row, first_column + column, sign * value);
        });
    }
    /// put(row, column, value) for the entries of C in the node at `place`, of level 0 or 1. Collective.
    template <class Worker, class Put>
    COPSE_HOST_DEVICE void call_out(Worker& w, node_place place, Put put) const {
        index_range const to_rows = rows_of(place), to_columns = columns_of(place);
        for_each_window(place, [&](copied_window const& window) {
            // Of the first entry of B, mostly the only one, all is at hand before the loop over entries of A.
            int const first = window.first, copies = window.last - first;
            auto const copy = [=, exact = all_rows.count == 0, to_row = rows, to_column = columns, ks = b_rows + first,
                               ls = b_columns + first, factors = b_values + first,
                               first_down = rows.at(0, b_rows[first]), first_right = columns.at(0, b_columns[first]),
                               first_factor = b_values[first]](std::int64_t row, std::int64_t column, T value) {
                std::int64_t down = first_down, right = first_right;
                T factor = first_factor;
                for (int e = 0;;) {
                    std::int64_t const r = row * to_row.stride + down, c = column * to_column.stride + right;
                    if (exact || (contains(to_rows, r) && contains(to_columns, c))) put(r, c, value * factor);
                    if (++e == copies) break;
                    down = to_row.at(0, ks[e]);
                    right = to_column.at(0, ls[e]);
                    factor = factors[e];
                }
            };
            for_each_node(window, place.level(), [&](node n) {
                bool const is_leaf = a.tree.is_leaf(n);
                int const count = is_leaf ? 1 : a.tree.child_count(n);
                for (int i = 0; i < count; ++i)
                    if (node const leaf = is_leaf ? n : a.tree.child(n, i)) for_each_entry_in(w, window, leaf, copy);
            });
        });
    }
    /// f(rows, columns, entries) for what A has below n, a node that a window meets at the level of `place`: where in
    /// the node of C copies of a child or block may lie, and the number of entries of C that a leaf of A below an inner
    /// node brings, 0 if some may lie elsewhere. The lanes share the children.
    template <class Worker, class F>
    COPSE_HOST_DEVICE void for_each_image(Worker& w, node_place place, copied_window const& window, node n, F f) const {
        auto const image = [](placed_axis const& axis, index_range b, index_range from) {
            std::int64_t const first = axis.at(from.first, b.first);
            return index_range{first, axis.at(from.first + from.count - 1, b.first + b.count - 1) - first + 1};
        };
        bool const all = all_rows.count > 0;
        index_range const k = all ? all_rows : index_range{b_rows[window.first], 1};
        index_range const l = all ? all_columns : index_range{b_columns[window.first], 1};
        auto const call = [&](node below) {
            index_range const of_rows = a.tree.rows_of(below), of_columns = a.tree.columns_of(below);
            index_range const met_rows = common(of_rows, window.rows), met_columns = common(of_columns, window.columns);
            if (met_rows.count < 1 || met_columns.count < 1) return;
            index_range const r = common(image(rows, k, met_rows), rows_of(place)),
                              c = common(image(columns, l, met_columns), columns_of(place));
            bool const whole =
                r.count == image(rows, k, of_rows).count && c.count == image(columns, l, of_columns).count;
            f(r, c, whole ? std::int64_t{below.reference.entries()} * (window.last - window.first) : 0);
        };
        if (n.reference.level() == place.level())
            for_each_child_or_block<T>(w, reader_of(a.tree), n, [&](node child, int, int) { call(child); });
        else if (w.rank() == 0)  // the root
            call(n);
    }
    /// False if the node of C at `place`, of level 1, has too many entries for a wide leaf, as can be seen without a
    /// look at A's entries. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE bool may_be_wide(Worker& w, node_place place) const {
        struct bounds {
            std::int64_t entries;  // at least
            std::int64_t blocks;   // of d x d with entries, at most
        };
        bounds mine{0, 0};
        int const log2 = a.tree.dimension_log2();
        for_each_window(place, [&](copied_window const& window) {
            for_each_node(window, place.level(), [&](node n) {
                if (!a.tree.is_leaf(n))
                    for_each_image(w, place, window, n, [&](index_range r, index_range c, std::int64_t entries) {
                        auto const count = [&](index_range to) {
                            return ((to.first + to.count - 1) >> log2) - (to.first >> log2) + 1;
                        };
                        mine.entries += entries;
                        mine.blocks += r.count > 0 && c.count > 0 ? count(r) * count(c) : 0;
                    });
                else if (w.rank() == 0)
                    mine.blocks += std::int64_t{n.reference.entries()} * (window.last - window.first);
            });
        });
        bounds const sums = w.reduce(mine, [](bounds const& x, bounds const& y) {
            return bounds{x.entries + y.entries, x.blocks + y.blocks};
        });
        std::int64_t const most = std::int64_t{1} << 2 * log2;
        return sums.entries <= wide_mean_in_leaf * (sums.blocks < most ? sums.blocks : most);
    }
};

struct from_place {};

template <class T>
struct write_copied_leaf : takes_leaf_places {
    using item = node_source<from_place>;
    static constexpr int width = 128;
    static constexpr int resident_blocks = 4;
    static constexpr char const* name = "a leaf of copies";
    static constexpr std::size_t scratch_bytes = tree_writer<T>::leaf_scratch_bytes;
    placed_copies<T> of;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
        if (!of.share(w, i.to)) of.out.write_leaf(w, i.to, [&](auto put) { of.call_out(w, i.to, put); });
    }
};

template <class T>
struct open_copied_node : takes_inner_places {
    using item = node_source<from_place>;
    static constexpr int width = 32;
    static constexpr int resident_blocks = 4;
    static constexpr char const* name = "an inner node of copies";
    static constexpr std::size_t scratch_bytes = tree_writer<T>::inner_scratch_bytes;
    placed_copies<T> of;

    template <class Worker>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE void operator()(item const& i, Worker& w) const {
        if (of.share(w, i.to)) return;
        if (i.to.level() == 1 && of.may_be_wide(w, i.to) &&
            of.out.try_write_wide(w, i.to, [&](auto put) { of.call_out(w, i.to, put); }))
            return;
        int const level = i.to.level();
        std::int64_t const size = of.size_of(level - 1);
        auto const mark_all = [&](auto mark) {
            auto const mark_image = [&](index_range r, index_range c, std::int64_t) {
                for (std::int64_t row = r.first / size * size; row < r.first + r.count; row += size)
                    for (std::int64_t column = c.first / size * size; column < c.first + c.count; column += size)
                        mark(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
            };
            of.for_each_window(i.to, [&](copied_window const& window) {
                of.for_each_node(window, level, [&](node n) { of.for_each_image(w, i.to, window, n, mark_image); });
            });
        };
        of.out.template open_marked<write_copied_leaf<T>, open_copied_node>(
            w, i.to, mark_all, [](std::uint32_t, std::uint32_t) { return from_place(); });
    }
};

}  // namespace copse::detail
