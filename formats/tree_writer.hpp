// A HiSparse matrix made by tasks: they open its inner nodes from the root down, and write its leaves.
//
//   struct double_leaf : copse::takes_leaf_places {                   // C <- 2 A
//       using item = copse::node_source<copse::node>;                 // what it is made from, and where it goes
//       static constexpr int width = 128;
//       static constexpr std::size_t scratch_bytes = copse::tree_writer<double>::leaf_scratch_bytes;
//       copse::tree_view<double> tree;                                // a.tree()
//       copse::tree_writer<double> out;                               // c.writer()
//       template <class Worker>
//       COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
//           out.write_leaf(w, i.to, [&](auto put) {
//               copse::for_each_entry(w, tree, i.from, [&](std::int64_t row, std::int64_t column, double v) {
//                   put(row, column, 2 * v);
//               });
//           });
//       }
//   };
//   struct open_node : copse::takes_inner_places {
//       using item = copse::node_source<copse::node>;
//       static constexpr int width = 32;
//       static constexpr std::size_t scratch_bytes = copse::tree_writer<double>::inner_scratch_bytes;
//       copse::tree_view<double> tree;
//       copse::tree_writer<double> out;
//       template <class Worker>
//       COPSE_HOST_DEVICE void operator()(item const& i, Worker& w) const {
//           out.push_children<double_leaf, open_node>(w, i.to, tree, i.from);
//       }
//   };
//
//   copse::tree_building<double> c(cpu, "double", a.row_count(), a.column_count(), a.node_dimension(),
//                                  copse::building_bound::of(a));
//   copse::run(cpu, c.seed<double_leaf, open_node>(a.root()), double_leaf{{}, a.tree(), c.writer()}, open_node{...});
//   copse::hisparse<double> result = c.finish();
//
// Every place that a task is given, it writes or leaves out, once. The task that writes or leaves out the last child of
// an open node joins the children: as a sparse or a dense node, or as a wide leaf, by the rules of conversions. Nodes
// that remain without children are left out in their parents.
//
// A sub-tree of another matrix may be taken over as it is, with no copy, if it is named before the run:
//
//   copse::shared_tree<double> const whole = c.share_nodes_of(a);     // before c.writer(); a member of tasks
//   if (out.try_share(w, i.to, whole, i.from)) return;                // in a task; else write or open as above
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/formats/leaves/leaf_from_entries.hpp>
#include <copse/formats/leaves/leaf_merge.hpp>
#include <copse/formats/leaves/position_set.hpp>
#include <copse/formats/leaves/wide_from_entries.hpp>
#include <copse/formats/node_pairs.hpp>
#include <copse/formats/tree/child_joiner.hpp>
#include <copse/formats/tree/node_sources.hpp>
#include <copse/formats/tree/open_nodes.hpp>
#include <copse/formats/tree/refused_nodes.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

/// A matrix whose nodes a new matrix may refer to: what tree_building::share_nodes_of(a) returns. A member of tasks.
template <class T>
struct shared_tree {
    tree_view<T> tree;  // a.tree()
    int source = -1;    // for the writer; -1: its nodes cannot be shared
};

/// Writes nodes of a new matrix: a member of tasks. Trivially copyable; valid while its tree_building lives. All
/// functions are collective: every lane of the worker calls them.
template <class T>
class tree_writer {
  public:
    /// scratch_bytes of a task that calls write_leaf(); its width is 64 or 128.
    static constexpr std::size_t leaf_scratch_bytes = detail::large_union::bytes(256);
    /// scratch_bytes of a task that opens nodes; its width is 32 or more.
    static constexpr std::size_t inner_scratch_bytes = detail::position_set::bytes(256);

    tree_writer() = default;

    /// Writes the leaf that goes to `place`. each(put): calls put(row, column, value) for its entries, in any order, no
    /// place twice; the lanes share them. Coordinates are the matrix's. each is called once or twice, and must call out
    /// the same entries. A leaf without entries is left out. Throws argument_error on the host for an entry outside of
    /// the leaf or the matrix, and for the place of an inner node; on a GPU as tree_view does.
    template <class Worker, class Each>
    COPSE_HOST_DEVICE void write_leaf(Worker& w, node_place place, Each each) const {
        if (!expect_level(place, place.level() == 0)) return;
        int const mask = joiner_.dimension() - 1;
        auto const each_in_leaf = [&](auto f) {
            each([&](std::int64_t row, std::int64_t column, T value) {
                check_entry(place, row, column);
                f(static_cast<int>(row) & mask, static_cast<int>(column) & mask, value);
            });
        };
        child_reference made;
        detail::write_leaf<T>(w, joiner_.order(), leaf_memory(w), each_in_leaf,
                              [&](detail::leaf_shape const& shape) { return place_leaf(w, shape, made); });
        joiner_.finish_place(w, place, made);
    }

    /// The same with the entries of `from`, a leaf of op(A) or a block of a wide one, each as far from the place's
    /// first row and column as it is from those of `from`. Values have A's scale.
    template <class Worker>
    COPSE_HOST_DEVICE void copy_leaf(Worker& w, node_place place, tree_view<T> const& tree, node from) const {
        std::int64_t const down = place.row() - std::int64_t{from.row}, right = place.column() - from.column;
        write_leaf(w, place, [&](auto put) {
            for_each_entry(w, tree, from, [&](std::int64_t row, std::int64_t column, T value) {
                put(row + down, column + right, value);
            });
        });
    }

    /// Writes what f keeps of `from`, a wide leaf of op(A), to `place` as a wide leaf, and returns true, if the rule of
    /// conversions wants one of it. Else nothing is done for `place`, and false is returned; then open it, and write
    /// the leaves. So it is too if `from` is no wide leaf or is stored transposed, and if the place's level is not 1.
    /// f(row, column, value) -> maybe<T>: the entry's new value, or nothing; coordinates and value are those of op(A),
    /// as for_each_entry() has them. Each entry goes as far from the place's first row and column as it is from those
    /// of `from`. f is called once or twice, for entries that ascend in each lane, and is not collective. Throws
    /// argument_error on the host for an entry outside of the matrix; on a GPU as tree_view does.
    template <class Worker, class F>
    [[nodiscard]] COPSE_HOST_DEVICE bool try_write_wide(Worker& w, node_place place, tree_view<T> const& tree,
                                                        node from, F f) const {
        if (!is_whole_wide(from) || place.level() != 1) return false;
        auto const leaf = reader_of(tree).template wide_leaf<T>(from);
        T const scale = tree.scale_of(from);
        return joiner_.try_write_wide(w, place, leaf.count, [&](int i, int& row, int& column, T& value) {
            row = leaf.rows[i];
            column = leaf.columns[i];
            return keep(place, row, column, value,
                        f(std::int64_t{from.row} + row, std::int64_t{from.column} + column, scale * leaf.values[i]));
        });
    }

    /// The same of the places where two wide leaves have an entry, both of them or one, as Which says.
    /// f(row, column, a, b) -> maybe<T>, with maybe<T> a and b. With pairs::either one node may be absent.
    template <pairs Which, class Worker, class F>
    [[nodiscard]] COPSE_HOST_DEVICE bool try_write_wide(Worker& w, node_place place, tree_pair<T> const& trees,
                                                        node_pair const& from, F f) const {
        if constexpr (Which == pairs::either) {
            if (!from.b)
                return try_write_wide(w, place, trees.a, from.a, [&](std::int64_t row, std::int64_t column, T value) {
                    return f(row, column, maybe<T>{value, true}, maybe<T>());
                });
            if (!from.a)
                return try_write_wide(w, place, trees.b, from.b, [&](std::int64_t row, std::int64_t column, T value) {
                    return f(row, column, maybe<T>(), maybe<T>{value, true});
                });
        }
        if (!is_whole_wide(from.a) || !is_whole_wide(from.b) || place.level() != 1) return false;
        auto const a = reader_of(trees.a).template wide_leaf<T>(from.a);
        auto const b = reader_of(trees.b).template wide_leaf<T>(from.b);
        T const scale_a = trees.a.scale_of(from.a), scale_b = trees.b.scale_of(from.b);
        auto const keeps = [&](int row, int column, T const* in_a, T const* in_b, T& value) {
            maybe<T> const x{in_a ? scale_a * *in_a : T(0), in_a != nullptr},
                y{in_b ? scale_b * *in_b : T(0), in_b != nullptr};
            return keep(place, row, column, value,
                        f(std::int64_t{from.a.row} + row, std::int64_t{from.a.column} + column, x, y));
        };
        return joiner_.template try_merge_wide<Which == pairs::both>(w, place, a, b, keeps);
    }

    /// Writes the entries that each(put) calls out, as write_leaf() has them, to `place` as a wide leaf, and returns
    /// true, if the rule of conversions wants one of them. Without entries `place` is left out, and true is returned.
    /// Else nothing is done for `place`, and false is returned; so it is too if the place's level is not 1. each is
    /// called once, and in lanes twice more before true is returned. The task has inner_scratch_bytes.
    template <class Worker, class Each>
    [[nodiscard]] COPSE_HOST_DEVICE COPSE_FORCE_INLINE bool try_write_wide(Worker& w, node_place place,
                                                                           Each each) const {
        int const log2 = joiner_.dimension_log2, mask = (1 << 2 * log2) - 1;
        bool checked = false;
        return joiner_.try_write_wide(w, place, detail::position_set(inner_memory(w), log2), [&](auto f) {
            each([=, this](std::int64_t row, std::int64_t column, T value) {
                if (!checked) check_entry(place, row, column);
                f(static_cast<int>(row) & mask, static_cast<int>(column) & mask, value);
            });
            checked = true;
        });
    }

    /// If it can, puts `from`, a node of op(A) at the place's level, to `place` with all that is below it, and returns
    /// true. No node is copied: the new matrix refers to A's, and keeps A's memory until it is compacted
    /// (hisparse_edit.hpp). Else nothing is done for `place`, and false is returned: if A has a scale other than 1;
    /// if `from` is a block of a wide leaf; if it covers rows or columns that the new matrix does not have there; at
    /// the root, if it is stored transposed or negative; and if share_nodes_of() found no numbers for A's arenas. Then
    /// open or write the place in another way. Reads each inner node below `from` and the heads of its leaves, to count
    /// them; the lanes share its children. If `from` has another level than the place, throws argument_error on the
    /// host; on a GPU a checked build ends the run with that error, and others return false.
    template <class Worker>
    [[nodiscard]] COPSE_HOST_DEVICE bool try_share(Worker& w, node_place place, shared_tree<T> const& a,
                                                   node from) const {
        if (!detail::expect_node(static_cast<bool>(from), "try_share()", "node", from)) return false;
        child_reference const top = from.reference;
        if (top.is_block_of_wide()) return false;
        bool const same_level = from.reference.level() == place.level();
        if (!detail::expect(same_level, detail::refused_shared_level{place, from}) || !same_level) return false;
        index_range const rows = a.tree.rows_of(from), columns = a.tree.columns_of(from);
        bool const is_root = place.parent() == node_place::no_parent;
        if (a.source < 0 || a.tree.scale() != T(1) || (is_root && !(top == top.as_stored())) ||
            place.row() + rows.count > row_count_ || place.column() + columns.count > column_count_)
            return false;
        std::int64_t const bytes = joiner_.record_below(w, reader_of(a.tree), top);
        if (bytes > 0) w.add(&joiner_.notes->shared_bytes, bytes);
        if (w.rank() == 0) w.add(&taken_[a.source], std::int64_t{1});
        joiner_.finish_place(w, place, top);
        return true;
    }

    /// Nothing goes to `place`.
    template <class Worker>
    COPSE_HOST_DEVICE void leave_out(Worker& w, node_place place) const {
        joiner_.finish_place(w, place, child_reference());
    }

    /// Opens the inner node that goes to `place`, and pushes an item for each child that it may have: to the first of
    /// Tasks that takes the item. each(child): calls child(row, column, source) for the candidates, the lanes share
    /// them; row and column are the first that the child covers, and no two candidates have the same. Without any the
    /// node is left out. each is called twice. Throws argument_error on the host if `place` is a leaf's.
    template <class... Tasks, class Worker, class Each>
    COPSE_HOST_DEVICE void open(Worker& w, node_place place, Each each) const {
        open_node<Tasks...>(
            w, place,
            [&](auto mark) { each([&](std::uint32_t row, std::uint32_t column, auto const&) { mark(row, column); }); },
            [&](auto push, detail::position_set const&) { each(push); });
    }

    /// The same where several sources may name one child: each(mark) is called once, and calls mark(row, column) for
    /// the candidates, as often as it likes for each. source(row, column) is what the child is made from.
    template <class... Tasks, class Worker, class Each, class Source>
    COPSE_HOST_DEVICE void open_marked(Worker& w, node_place place, Each each, Source source) const {
        open_node<Tasks...>(w, place, each, [&](auto push, detail::position_set const& candidates) {
            int const shift = joiner_.dimension_log2 * place.level(), mask = joiner_.dimension() - 1;
            candidates.for_each(w, [&](int, int position) {
                auto const row = static_cast<std::uint32_t>(
                    place.row() + (static_cast<std::int64_t>(position >> joiner_.dimension_log2) << shift));
                auto const column =
                    static_cast<std::uint32_t>(place.column() + (static_cast<std::int64_t>(position & mask) << shift));
                push(row, column, source(row, column));
            });
        });
    }

    /// Opens a node whose children are made from those of `from`, an inner node or a wide leaf: of the latter from its
    /// blocks (visit_rows.hpp). Each goes as far from the place's first row and column as it is from those of `from`.
    template <class... Tasks, class Worker>
    COPSE_HOST_DEVICE void push_children(Worker& w, node_place place, tree_view<T> const& tree, node from) const {
        auto const down = static_cast<std::uint32_t>(place.row()) - from.row;  // modulo 2^32: `from` may lie further on
        auto const right = static_cast<std::uint32_t>(place.column()) - from.column;
        open<Tasks...>(w, place, [&](auto child) {
            detail::for_each_child_or_block<T>(
                w, reader_of(tree), from, [&](node const& n, int, int) { child(n.row + down, n.column + right, n); });
        });
    }
    /// The same for what two nodes have below them (node_pairs.hpp); two wide leaves are taken apart, too.
    template <pairs Which, class... Tasks, class Worker>
    COPSE_HOST_DEVICE void push_child_pairs(Worker& w, node_place place, tree_pair<T> const& trees,
                                            node_pair const& from) const {
        open<Tasks...>(w, place, [&](auto child) {
            for_each_child_pair<Which>(w, trees, from, [&](node_pair const& pair) {
                node const& any = pair.a ? pair.a : pair.b;
                child(any.row, any.column, pair);
            });
        });
    }

  private:
    template <class>
    friend class tree_building;

    /// mark_all(mark): mark(row, column) for each child; push_all(push, candidates): push(row, column, source).
    template <class... Tasks, class Worker, class MarkAll, class PushAll>
    COPSE_HOST_DEVICE void open_node(Worker& w, node_place place, MarkAll mark_all, PushAll push_all) const {
        if (!expect_level(place, place.level() > 0)) return;
        detail::position_set const candidates(inner_memory(w), joiner_.dimension_log2);
        int const shift = joiner_.dimension_log2 * place.level(), mask = joiner_.dimension() - 1;
        auto const position = [&](std::uint32_t row, std::uint32_t column) {
            return (static_cast<int>(row >> shift) & mask) << joiner_.dimension_log2 |
                   (static_cast<int>(column >> shift) & mask);
        };
        candidates.clear(w);
        mark_all([&](std::uint32_t row, std::uint32_t column) { candidates.insert(w, position(row, column)); });
        w.sync();
        int const count = candidates.count(w);
        if (count == 0 || !has_places(w, place.level() - 1, count)) return leave_out(w, place);
        std::uint64_t const offset = joiner_.drafts.reserve(w, detail::open_node::bytes(count));
        if (offset == detail::bounded_pool::no_room) return leave_out(w, place);
        auto const number = static_cast<std::uint32_t>(offset >> 4);
        detail::open_node const node = detail::open_node::at(joiner_.drafts.memory, number);
        if (w.rank() == 0) *node.head = {place, count, count, 0};
        w.sync();
        for (int i = w.rank(); i < count; i += w.size()) node.references()[i] = child_reference();
        w.sync();
        push_all(
            [&](std::uint32_t row, std::uint32_t column, auto const& source) {
                int const at = position(row, column), slot = candidates.index_of(at);
                node.positions()[slot] = static_cast<std::uint16_t>(at);
                push_source<Tasks...>(w, source, {number, slot, place.level() - 1, row, column});
            },
            candidates);
        w.sync();
    }

    [[nodiscard]] COPSE_HOST_DEVICE static bool expect_level(node_place place, bool right) {
        return detail::expect(right, detail::refused_level{place});
    }
    COPSE_HOST_DEVICE void check_entry(node_place place, std::int64_t row, std::int64_t column) const {
        std::int64_t const size = std::int64_t{1} << (joiner_.dimension_log2 * (place.level() + 1));
        auto const inside = [&](std::int64_t i, std::int64_t first, std::int64_t end) {
            return i >= first && i < first + size && i < end;
        };
        bool const right = inside(row, place.row(), row_count_) && inside(column, place.column(), column_count_);
        detail::expect(right, detail::refused_entry{place, row, column});
    }

    /// A wide leaf, not a block of it, whose entries ascend as its rows and columns are seen.
    COPSE_HOST_DEVICE static bool is_whole_wide(node n) {
        return n && n.reference.is_wide_leaf() && n.reference.level() == 1 && !n.reference.transposed();
    }
    /// Whether an entry stays, which is then checked. Coordinates count from the place's.
    COPSE_HOST_DEVICE bool keep(node_place place, int row, int column, T& value, maybe<T> const& kept) const {
        if (kept.present) check_entry(place, place.row() + row, place.column() + column);
        value = kept.value;
        return kept.present;
    }

    /// Takes `count` places at `level` from the bound, which is also the capacity of the queues. False if it has no
    /// room for them. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE bool has_places(Worker& w, int level, int count) const {
        std::int64_t asked = 0;
        if (w.rank() == 0)
            asked = w.fetch_add(level == 0 ? &joiner_.notes->leaves : &joiner_.notes->inner_nodes, std::int64_t{count});
        return w.shuffle(asked, 0) + count <= (level == 0 ? bound_.leaves : bound_.inner_nodes);
    }

    template <class Task, class Item>
    COPSE_HOST_DEVICE static bool takes(Item const& item) {
        if constexpr (requires { Task::takes(item); })
            return Task::takes(item);
        else
            return true;
    }
    template <class... Tasks, class Worker, class Source>
    COPSE_HOST_DEVICE static void push_source(Worker& w, Source const& source, node_place place) {
        node_source<Source> const item{source, place};
        int which = 0;
        (void)((takes<Tasks>(item) || (++which, false)) || ...);
        push_one_of<Tasks...>(w, which, item);
    }

    template <class Worker>
    COPSE_HOST_DEVICE static std::byte* inner_memory(Worker& w) {
        return w.template scratch<std::byte>(inner_scratch_bytes).data();
    }
    template <detail::lanes_worker Worker>
    COPSE_HOST_DEVICE std::byte* leaf_memory(Worker& w) const {
        return w.template scratch<std::byte>(leaf_scratch_bytes).data();
    }
    template <detail::core_worker Worker>
    std::byte* leaf_memory(Worker& w) const {
        return desks_ + w.thread() * desk_bytes_;
    }
    template <detail::lanes_worker Worker>
    COPSE_HOST_DEVICE std::uint64_t reserve_for_leaf(Worker& w, std::int64_t bytes) const {
        return joiner_.pool.reserve(w, bytes);
    }
    template <detail::core_worker Worker>
    std::uint64_t reserve_for_leaf(Worker& w, std::int64_t bytes) const {
        return chunks_[w.thread()].reserve(w, joiner_.pool, bytes);
    }
    /// Memory for a leaf, among the drafts if it may become part of a wide leaf; null without room.
    template <class Worker>
    COPSE_HOST_DEVICE std::byte* place_leaf(Worker& w, detail::leaf_shape const& shape, child_reference& made) const {
        bool const small = shape.entries <= detail::wide_mean_in_leaf;
        detail::bounded_pool const& to = small ? joiner_.drafts : joiner_.pool;
        std::int64_t const bytes = detail::leaf_bytes(shape, joiner_.dimension(), sizeof(T));
        std::uint64_t const offset = small ? to.reserve(w, bytes) : reserve_for_leaf(w, bytes);
        if (offset == detail::bounded_pool::no_room) return nullptr;
        made = detail::leaf_reference(small ? joiner_.draft_arena() : joiner_.arena, offset, shape);
        return to.memory + offset;
    }

    detail::child_joiner<T> joiner_;
    building_bound bound_;
    std::int64_t* taken_ = nullptr;         // sub-trees of each source that the new matrix refers to
    std::byte* desks_ = nullptr;            // of a CPU's threads
    detail::pool_chunk* chunks_ = nullptr;  // of a CPU's threads
    std::int64_t desk_bytes_ = 0;
    std::int64_t row_count_ = 0;
    std::int64_t column_count_ = 0;
};

}  // namespace copse
