// The way up in a tree that tasks make (tree_writer.hpp): what is finished goes to its parent, and the task that
// finishes the last child joins the children: as a sparse or a dense node, or as a wide leaf, by the rules of
// conversions. open_nodes.hpp has the memory.
#pragma once

#include <algorithm>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/leaves/leaf_merge.hpp>
#include <copse/formats/leaves/leaf_order.hpp>
#include <copse/formats/leaves/wide_from_entries.hpp>
#include <copse/formats/leaves/wide_from_leaves.hpp>
#include <copse/formats/node.hpp>
#include <copse/formats/tree/census_counters.hpp>
#include <copse/formats/tree/inner_node_writer.hpp>
#include <copse/formats/tree/node_pool.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/formats/tree/open_nodes.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/scheduler/worker_kinds.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace copse::detail {

/// Trivially copyable. All functions that take a worker are collective, but for record() and end_record().
template <class T>
struct child_joiner {
    COPSE_HOST_DEVICE int dimension() const { return 1 << dimension_log2; }
    COPSE_HOST_DEVICE leaf_order order() const { return {dimension_log2}; }
    /// Of nodes that are drafts.
    COPSE_HOST_DEVICE int draft_arena() const { return arena ^ 1; }
    COPSE_HOST_DEVICE bool is_draft(child_reference r) const { return r.arena() == draft_arena(); }
    COPSE_HOST_DEVICE bool is_shared(child_reference r) const { return r.arena() != arena && !is_draft(r); }
    COPSE_HOST_DEVICE std::byte const* address(child_reference r) const {
        return (is_shared(r) ? arenas[r.arena()] : (is_draft(r) ? drafts : pool).memory) + r.offset();
    }
    COPSE_HOST_DEVICE std::int64_t bytes_of(child_reference leaf) const {
        return leaf_bytes(shape_of(leaf, address(leaf)), dimension(), sizeof(T));
    }

    /// `made`, or nothing, is what goes to `place`; then the parents of which it was the last child are joined.
    template <class Worker>
    COPSE_HOST_DEVICE void finish_place(Worker& w, node_place place, child_reference made) const {
        COPSE_NO_UNROLL
        for (;;) {
            w.sync();  // what all lanes have written is there
            if (place.parent() == node_place::no_parent) return finish_root(w, made);
            open_node const parent = open_node::at(drafts.memory, place.parent());
            int last = 0;
            if (w.rank() == 0) {
                parent.references()[place.slot()] = made;
                last = w.count_down(&parent.head->pending) ? 1 : 0;
            }
            last = w.shuffle(last, 0);
            if (last == 0) return;
            w.sync();  // all lanes see what the other children's tasks have written
            place = parent.head->place;
            made = join(w, parent, place.level());
        }
    }

    /// Entries of a wide leaf one after the other: how many, and in how many blocks.
    struct block_run {
        std::int32_t entries = 0;
        std::int32_t blocks = 0;
        std::int32_t first = 0;  // block
        std::int32_t last = 0;
        /// One entry of a block.
        COPSE_HOST_DEVICE static block_run of(std::int32_t block) { return {1, 1, block, block}; }
        COPSE_HOST_DEVICE friend block_run operator+(block_run const& a, block_run const& b) {
            if (a.entries == 0) return b;
            if (b.entries == 0) return a;
            return {a.entries + b.entries, a.blocks + b.blocks - (a.last == b.first ? 1 : 0), a.first, b.last};
        }
    };
    /// Writes to `place`, of level 1, a wide leaf of those of `count` entries that stay, if the rule wants one of them;
    /// returns false, and has done nothing, if not. entry(i, row, column, value): whether entry i stays; coordinates
    /// count from the place's; entries ascend as those of wide leaves. It is not collective, and called twice; on one
    /// core once.
    template <lanes_worker Worker, class Entry>
    COPSE_HOST_DEVICE bool try_write_wide(Worker& w, node_place place, int count, Entry entry) const {
        // f(whether this lane's entry stays, what stays up to it, row, column, value), after all that stay are counted.
        auto const for_each = [&](auto f) {
            block_run before;
            COPSE_NO_UNROLL
            for (int begin = 0; begin < count; begin += w.size()) {
                int const i = begin + w.rank();
                int row = 0, column = 0;
                T value{};
                block_run mine;
                if (i < count && entry(i, row, column, value))
                    mine = block_run::of(row >> dimension_log2 << dimension_log2 | column >> dimension_log2);
                block_run const through =
                    before + w.inclusive_scan(mine, [](block_run const& a, block_run const& b) { return a + b; });
                f(mine.entries > 0, through.entries, row, column, value);
                before = w.shuffle(through, w.size() - 1);
            }
            return before;
        };
        block_run const sums = for_each([](bool, int, int, int, T) {});
        if (sums.entries > 0 && !is_wide(sums.entries, sums.blocks)) return false;
        child_reference made;
        if (sums.entries > 0) {
            std::uint64_t const offset = pool.reserve(w, wide_leaf::bytes(sums.entries, sizeof(T)));
            if (offset != bounded_pool::no_room) {
                if (w.rank() == 0) wide_leaf_writer<T>::prepare(pool.memory + offset, sums.entries);
                wide_leaf_writer<T> const writer(pool.memory + offset, sums.entries);
                for_each([&](bool stays, int through, int row, int column, T value) {
                    if (stays) writer.put(through - 1, row, column, value);
                });
                made = leaf_reference(arena, offset, wide_leaf::shape(sums.entries));
            }
        }
        finish_place(w, place, made);
        return true;
    }

    template <core_worker Worker, class Entry>
    bool try_write_wide(Worker& w, node_place place, int count, Entry entry) const {
        return try_write_wide_of(w, place, count, [&](auto put) {
            for (int i = 0; i < count; ++i) {
                int row = 0, column = 0;
                T value{};
                if (entry(i, row, column, value)) put(row, column, value);
            }
        });
    }
    /// The same of at most `most` entries that each(put) calls out, once: put(row, column, value), ascending.
    template <core_worker Worker, class Each>
    bool try_write_wide_of(Worker& w, node_place place, int most, Each each) const {
        auto const size = static_cast<std::size_t>(most);
        auto const values = std::make_unique_for_overwrite<T[]>(size);
        auto const rows = std::make_unique_for_overwrite<std::uint16_t[]>(size),
                   columns = std::make_unique_for_overwrite<std::uint16_t[]>(size);
        int count = 0, blocks = 0, last = -1;
        each([&, to_values = values.get(), to_rows = rows.get(), to_columns = columns.get()](int row, int column,
                                                                                             T value) {
            int const block = row >> dimension_log2 << dimension_log2 | column >> dimension_log2;
            blocks += block != last ? 1 : 0;
            last = block;
            to_values[count] = value;
            to_rows[count] = static_cast<std::uint16_t>(row);
            to_columns[count] = static_cast<std::uint16_t>(column);
            ++count;
        });
        if (count > 0 && !is_wide(count, blocks)) return false;
        child_reference made;
        std::uint64_t const offset =
            count == 0 ? bounded_pool::no_room : pool.reserve(w, wide_leaf::bytes(count, sizeof(T)));
        if (offset != bounded_pool::no_room) {
            wide_leaf_writer<T>::prepare(pool.memory + offset, count);
            wide_leaf_writer<T> const writer(pool.memory + offset, count);
            std::copy_n(values.get(), count, writer.values());
            std::copy_n(rows.get(), count, writer.rows());
            std::copy_n(columns.get(), count, writer.columns());
            made = leaf_reference(arena, offset, wide_leaf::shape(count));
        }
        finish_place(w, place, made);
        return true;
    }

    /// The same of two wide leaves merged. keeps(row, column, in_a, in_b, value): whether the place stays, and its
    /// value; in_a and in_b are a's and b's, where they have one. Both: only places that both have.
    template <bool Both, lanes_worker Worker, class Keeps>
    COPSE_HOST_DEVICE bool try_merge_wide(Worker& w, node_place place, wide_leaf_view<T> const& a,
                                          wide_leaf_view<T> const& b, Keeps keeps) const {
        merge_step at;
        return try_write_wide(w, place, a.count + b.count, [&](int k, int& row, int& column, T& value) {
            at = merge_step_at(a, b, order(), at, k);
            if (Both ? !(at.in_a && at.in_b) : !(at.in_a || at.in_b)) return false;
            row = at.in_a ? a.rows[at.a] : b.rows[at.b];
            column = at.in_a ? a.columns[at.a] : b.columns[at.b];
            return keeps(row, column, at.in_a ? a.values.at(at.a) : nullptr, at.in_b ? b.values.at(at.b) : nullptr,
                         value);
        });
    }
    template <bool Both, core_worker Worker, class Keeps>
    bool try_merge_wide(Worker& w, node_place place, wide_leaf_view<T> const& a, wide_leaf_view<T> const& b,
                        Keeps keeps) const {
        int const most = !Both ? a.count + b.count : std::min(a.count, b.count);
        return try_write_wide_of(w, place, most, [&](auto put) {
            merge_leaves<Both, true>(a, entry_numbers{0, a.count}, b, entry_numbers{0, b.count}, order(), false,
                                     [&](int row, int column, T const* in_a, T const* in_b) {
                                         T value;
                                         if (keeps(row, column, in_a, in_b, value)) put(row, column, value);
                                     });
        });
    }

    /// The same of the entries that each(put) calls out in any order: put(row, column, value). marked: for positions of
    /// d x d. each is called once, and in lanes twice more before true is returned. False, too, if the place's level is
    /// not 1.
    template <class Worker, class Each>
    COPSE_HOST_DEVICE COPSE_FORCE_INLINE bool try_write_wide(Worker& w, node_place place, position_set const& marked,
                                                             Each each) const {
        if (place.level() != 1) return false;
        bool refused = false;
        child_reference made;
        write_wide_leaf<T>(w, order(), marked, each, [&](called_entries const& called) -> wide_leaf_memory {
            refused = called.entries > 0 && !is_wide(called.entries, called.blocks);
            if (refused || called.entries == 0) return {};
            std::uint64_t const ends = drafts.reserve(w, 4 * std::int64_t{called.blocks});
            std::uint64_t const offset = pool.reserve(w, wide_leaf::bytes(called.entries, sizeof(T)));
            if (ends == bounded_pool::no_room || offset == bounded_pool::no_room) return {};
            made = leaf_reference(arena, offset, wide_leaf::shape(called.entries));
            return {pool.memory + offset, reinterpret_cast<std::int32_t*>(drafts.memory + ends)};
        });
        if (refused) return false;
        finish_place(w, place, made);
        return true;
    }

    template <class Worker>
    COPSE_HOST_DEVICE void finish_root(Worker& w, child_reference made) const {
        if (made && is_draft(made)) {
            std::uint64_t const offset = pool.reserve(w, bytes_of(made));
            made = offset == bounded_pool::no_room || w.rank() > 0 ? child_reference() : to_pool(made, offset);
        }
        if (w.rank() != 0) return;
        if (made) {
            running_census<std::int64_t> counted;
            record(w, counted, made, entries_of(made));
            end_record(w, counted);
        }
        notes->root = made;
        w.add(&notes->finished, std::int64_t{1});
    }
    /// By one lane.
    COPSE_HOST_DEVICE child_reference to_pool(child_reference leaf, std::uint64_t offset) const {
        auto const* const from = reinterpret_cast<std::uint64_t const*>(address(leaf));
        auto* const to = reinterpret_cast<std::uint64_t*>(pool.memory + offset);
        std::int64_t const words = bytes_of(leaf) / 8;
        for (std::int64_t i = 0; i < words; ++i) to[i] = from[i];
        return leaf.placed(arena, offset);
    }

    // The census. Threads of a CPU have counters of their own.

    COPSE_HOST_DEVICE std::int64_t entries_of(child_reference r) const {
        return r.is_wide_leaf() ? wide_leaf::count(address(r)) : r.entries();
    }
    template <class Worker>
    COPSE_HOST_DEVICE void record(Worker& w, running_census<std::int64_t>& counted, child_reference r,
                                  std::int64_t entries) const {
        counted.add(w, counters_of(w), counters_of(w) + census_counters::visits, r, entries);
    }
    template <class Worker>
    COPSE_HOST_DEVICE void end_record(Worker& w, running_census<std::int64_t>& counted) const {
        counted.hand_on(w, counters_of(w), counters_of(w) + census_counters::visits);
    }
    template <lanes_worker Worker>
    COPSE_HOST_DEVICE std::int64_t* counters_of(Worker&) const {
        return counters;
    }
    template <core_worker Worker>
    std::int64_t* counters_of(Worker& w) const {
        return counters + w.thread() * std::int64_t{census_counters::count};
    }

    /// Records the nodes below `top`, in another tree: the lanes share its children, and each lane walks down from its
    /// own. Returns the bytes of the nodes that this lane has recorded; the first lane's include the bytes of `top`.
    template <class Worker>
    COPSE_HOST_DEVICE std::int64_t record_below(Worker& w, node_reader const& tree, child_reference top) const {
        node_geometry const geometry{dimension_log2, sizeof(T)};
        std::int64_t bytes = w.rank() == 0 ? extent_of(top, tree.address(top), geometry).bytes : 0;
        if (top.is_leaf()) return bytes;
        running_census<std::int64_t> counted;
        auto const visit = [&](child_reference r) {
            node_extent const extent = extent_of(r, tree.address(r), geometry);
            bytes += extent.bytes;
            record(w, counted, r, extent.entries);
        };
        struct step {
            child_reference inner;
            int next;
        };
        step way[level_count];
        int const slots = child_slot_count(top, dimension_log2);
        for (int i = w.rank(); i < slots; i += w.size()) {
            way[0] = {top, i};
            for (int depth = 1; depth > 0;) {
                step& here = way[depth - 1];
                bool const done =
                    depth == 1 ? here.next != i : here.next == child_slot_count(here.inner, dimension_log2);
                if (done) {
                    --depth;
                    continue;
                }
                child_reference const child = tree.child({here.inner, 0, 0}, here.next++).reference;
                if (!child) continue;
                visit(child);
                if (!child.is_leaf()) way[depth++] = {child, 0};
            }
        }
        end_record(w, counted);
        return bytes;
    }

    struct child_sums {
        std::int64_t children = 0;
        std::int64_t entries = 0;      // of leaves
        std::int64_t draft_bytes = 0;  // of leaves that lie in the drafts
        std::int64_t pool_bytes = 0;   // of leaves that lie in the pool
        COPSE_HOST_DEVICE friend child_sums operator+(child_sums const& a, child_sums const& b) {
            return {a.children + b.children, a.entries + b.entries, a.draft_bytes + b.draft_bytes,
                    a.pool_bytes + b.pool_bytes};
        }
    };

    /// The node, or nothing.
    template <class Worker>
    COPSE_HOST_DEVICE child_reference join(Worker& w, open_node const& node, int level) const {
        child_sums mine;
        for (int i = w.rank(); i < node.head->count; i += w.size()) {
            child_reference const child = node.references()[i];
            if (!child) continue;
            bool const leaf = child.level() == 0;
            std::int64_t const bytes = leaf ? bytes_of(child) : 0;
            bool const draft = is_draft(child), in_pool = !draft && !is_shared(child);
            mine = mine + child_sums{1, leaf ? child.entries() : 0, draft ? bytes : 0, in_pool ? bytes : 0};
        }
        child_sums const sums = w.reduce(mine, [](child_sums const& a, child_sums const& b) { return a + b; });
        if (sums.children == 0) return {};
        if (level == 1 && is_wide(sums.entries, sums.children)) return join_as_wide(w, node, sums);
        return join_as_inner(w, node, level, sums);
    }

    template <class Worker>
    COPSE_HOST_DEVICE child_reference join_as_inner(Worker& w, open_node const& node, int level,
                                                    child_sums const& sums) const {
        std::int64_t const d = dimension();
        node_kind const kind = smallest_inner(sums.children, d);
        std::int64_t const bytes = inner_bytes(kind, sums.children, d);
        std::uint64_t const offset = pool.reserve(w, bytes + sums.draft_bytes);
        if (offset == bounded_pool::no_room) return {};
        inner_node_writer const writer(pool.memory + offset, kind, static_cast<int>(sums.children), dimension_log2);
        writer.prepare(w);
        int children = 0;
        std::int64_t leaves = 0;  // bytes of drafts before
        running_census<std::int64_t> counted;
        COPSE_NO_UNROLL
        for (int begin = 0; begin < node.head->count; begin += w.size()) {
            int const slot = begin + w.rank();
            child_reference child = slot < node.head->count ? node.references()[slot] : child_reference();
            std::int64_t const own = child && is_draft(child) ? bytes_of(child) : 0;
            int const through = children + w.inclusive_scan(child ? 1 : 0, [](int a, int b) { return a + b; });
            std::int64_t const leaves_through =
                leaves + w.inclusive_scan(own, [](std::int64_t a, std::int64_t b) { return a + b; });
            if (child) {
                if (own > 0) child = to_pool(child, offset + static_cast<std::uint64_t>(bytes + leaves_through - own));
                writer.place(through - 1, node.positions()[slot]) = child;
                record(w, counted, child, entries_of(child));
            }
            children = w.shuffle(through, w.size() - 1);
            leaves = w.shuffle(leaves_through, w.size() - 1);
        }
        end_record(w, counted);
        return {arena, offset, sums.children, kind, level};
    }

    template <class Worker>
    COPSE_HOST_DEVICE child_reference join_as_wide(Worker& w, open_node const& node, child_sums const& sums) const {
        std::uint64_t const offset = pool.reserve(w, wide_leaf::bytes(sums.entries, sizeof(T)));
        if (offset == bounded_pool::no_room) return {};
        if (w.rank() == 0) w.add(&notes->unused_bytes, static_cast<std::uint64_t>(sums.pool_bytes));
        write_wide_of_leaves<T>(
            w, pool.memory + offset, sums.entries, order(), node.head->count,
            [&](int slot) {
                child_reference const leaf = node.references()[slot];
                if (leaf && is_shared(leaf)) w.add(&notes->shared_bytes, -bytes_of(leaf));
                auto const position = std::uint32_t{node.positions()[slot]};
                return copse::node{leaf, position >> dimension_log2 << dimension_log2,
                                   (position & static_cast<std::uint32_t>(dimension() - 1)) << dimension_log2};
            },
            [&](child_reference leaf) { return address(leaf); });
        return leaf_reference(arena, offset, wide_leaf::shape(sums.entries));
    }

    bounded_pool pool{};
    bounded_pool drafts{};
    building_notes* notes = nullptr;
    std::int64_t* counters = nullptr;
    std::byte const* const* arenas = nullptr;  // of all matrices whose nodes are shared, by number
    int dimension_log2 = 0;
    int arena = 0;
};

}  // namespace copse::detail
