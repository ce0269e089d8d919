// The union of two wide leaves is a wide leaf: block by block of d x d, small blocks by one lane each, crowded ones by
// all lanes together.
#pragma once

#include <copse/algebra/add_nodes.hpp>
#include <copse/formats/serial_worker.hpp>

namespace copse::detail {

/// Up to so many entries of both sides a lane unites alone, comparing each with each.
inline constexpr int alone_in_block = 32;

/// A block of the result while it is made.
template <class T>
class wide_block {
  public:
    COPSE_HOST_DEVICE wide_block(addition<T> const& run, leaf_part const& a, leaf_part const& b)
        : run_(run), a_(a), b_(b) {}

    COPSE_HOST_DEVICE bool is_small() const { return a_.count + b_.count <= alone_in_block; }

    /// Entries of a small block.
    COPSE_HOST_DEVICE int count() const {
        int both = 0;
        for_each(run_.b, b_, [&](int position, int, int, T) { both += find(run_.a, a_, position) ? 1 : 0; });
        return a_.count + b_.count - both;
    }
    /// Writes a small block's entries, from `first` on.
    COPSE_HOST_DEVICE void write(wide_leaf_writer<T> const& writer, int first) const {
        for_each(run_.a, a_, [&](int position, int row, int column, T value) {
            T sum = run_.a.factor * value;
            for_each(run_.b, b_, [&](int other, int, int, T v) {
                if (other == position) sum += run_.b.factor * v;
            });
            writer.put(first + before(position), row, column, sum);
        });
        for_each(run_.b, b_, [&](int position, int row, int column, T value) {
            if (!find(run_.a, a_, position)) writer.put(first + before(position), row, column, run_.b.factor * value);
        });
    }

    /// Collective; `memory`: large_union::bytes(d).
    template <class Worker>
    COPSE_HOST_DEVICE int count_together(Worker& w, std::byte* memory) const {
        return unite(w, memory).shape(w, sizeof(T)).entries;
    }
    template <class Worker>
    COPSE_HOST_DEVICE void write_together(Worker& w, std::byte* memory, wide_leaf_writer<T> const& writer,
                                          int first) const {
        large_union leaf = unite(w, memory);
        int const entries = leaf.shape(w, sizeof(T)).entries;
        for (int i = w.rank(); i < entries; i += w.size()) writer.set_value(first + i, T(-0.0));
        w.sync();
        for (int side = 0; side < 2; ++side) {
            T const factor = run_.side(side).factor;
            visit<visited::entries>(w, run_.side(side), part_of(side, a_, b_),
                                    [&](int position, int row, int column, T value) {
                                        writer.add(first + leaf.index_of(position), row, column, factor * value);
                                    });
            w.sync();
        }
    }

  private:
    using operand = typename addition<T>::operand;

    template <class Worker>
    COPSE_HOST_DEVICE large_union unite(Worker& w, std::byte* memory) const {
        large_union leaf(memory, run_.order());
        leaf.clear(w);
        for (int side = 0; side < 2; ++side)
            visit<visited::positions>(w, run_.side(side), part_of(side, a_, b_),
                                      [&](int position, int, int) { leaf.insert(w, position); });
        w.sync();
        return leaf;
    }
    /// f(position in the block, row and column in the wide leaf, value), or without the value; the lanes share the entries.
    template <visited What, class Worker, class F>
    COPSE_HOST_DEVICE void visit(Worker& w, operand const& side, leaf_part const& part, F f) const {
        if (part.count == 0) return;
        leaf_order const order = run_.order();
        visit_wide<What>(w, side.tree.template wide_leaf<T>({part.reference, 0, 0}), part.first, part.count,
                         [&](int, int row, int column, auto... value) {
                             f(order.position(row & order.mask(), column & order.mask()), row, column, value...);
                         });
    }
    /// The same by one lane.
    template <class F>
    COPSE_HOST_DEVICE void for_each(operand const& side, leaf_part const& part, F f) const {
        serial_worker alone;
        visit<visited::entries>(alone, side, part, f);
    }
    COPSE_HOST_DEVICE bool find(operand const& side, leaf_part const& part, int position) const {
        bool found = false;
        for_each(side, part, [&](int other, int, int, T) { found |= other == position; });
        return found;
    }
    /// Entries of the union before `position`.
    COPSE_HOST_DEVICE int before(int position) const {
        int smaller = 0;
        for_each(run_.a, a_, [&](int other, int, int, T) { smaller += other < position ? 1 : 0; });
        for_each(run_.b, b_,
                 [&](int other, int, int, T) { smaller += other < position && !find(run_.a, a_, other) ? 1 : 0; });
        return smaller;
    }

    addition<T> const& run_;
    leaf_part a_;
    leaf_part b_;
};

/// f(k, block) for the crowded blocks of a table, by all lanes together. Most blocks of a wide leaf are not: the lanes look
/// for them in many at once. (One block after the other took a tenth of a sum of R-MAT graphs on an H100.) Collective.
template <class T, class Worker, class F>
COPSE_HOST_DEVICE COPSE_INLINE void for_each_crowded_block(Worker& w, addition<T> const& run, block_table const& table,
                                                           F f) {
    auto const block = [&](int k) { return wide_block<T>(run, table.a(k), table.b(k)); };
    for (int begin = 0; begin < table.count; begin += w.size()) {
        int const own = begin + w.rank();
        if (!w.any(own < table.count && !block(own).is_small())) continue;
        for (int k = begin; k < table.count && k < begin + w.size(); ++k)
            if (wide_block<T> const one = block(k); !one.is_small()) f(k, one);
    }
}

/// The number of entries in the union, and in `first` where each block's begin. Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE std::int64_t count_wide(Worker& w, addition<T> const& run,
                                                             block_table const& table, std::int32_t* first,
                                                             std::byte* memory) {
    for (int k = w.rank(); k < table.count; k += w.size()) {
        wide_block<T> const block(run, table.a(k), table.b(k));
        if (block.is_small()) first[k] = block.count();
    }
    for_each_crowded_block<T>(w, run, table, [&](int k, wide_block<T> const& block) {
        int const entries = block.count_together(w, memory);
        if (w.rank() == 0) first[k] = entries;
    });
    w.sync();
    int const share = (table.count + w.size() - 1) / w.size();
    int const begin = w.rank() * share < table.count ? w.rank() * share : table.count;
    int const end = begin + share < table.count ? begin + share : table.count;
    int mine = 0;
    for (int k = begin; k < end; ++k) mine += first[k];
    int const through = w.inclusive_scan(mine, [](int x, int y) { return x + y; });
    int before = through - mine;
    for (int k = begin; k < end; ++k) {
        int const entries = first[k];
        first[k] = before;
        before += entries;
    }
    int const total = w.shuffle(through, w.size() - 1);
    w.sync();
    return total;
}

/// The union of two wide leaves, from the table of their blocks; false where it would have too many entries for one.
/// `memory`: large_union::bytes(d). Collective.
template <class T, class Worker>
COPSE_HOST_DEVICE COPSE_FORCE_INLINE child_reference unite_wide(Worker& w, addition<T> const& run,
                                                                block_table const& table, std::byte* memory) {
    std::uint64_t const offset =
        run.temporary.reserve(w, table.count * static_cast<std::int64_t>(sizeof(std::int32_t)));
    auto* const first = reinterpret_cast<std::int32_t*>(run.temporary.memory + offset);
    std::int64_t const entries = count_wide(w, run, table, first, memory);
    if (entries > child_reference::most_wide_entries) return {};
    std::uint64_t const node = run.nodes.reserve(w, wide_leaf_bytes(entries, sizeof(T)));
    if (w.rank() == 0) wide_leaf_writer<T>::prepare(run.nodes.memory + node, entries);
    w.sync();
    wide_leaf_writer<T> const writer(run.nodes.memory + node);
    for (int k = w.rank(); k < table.count; k += w.size()) {
        wide_block<T> const block(run, table.a(k), table.b(k));
        if (block.is_small()) block.write(writer, first[k]);
    }
    for_each_crowded_block<T>(
        w, run, table, [&](int k, wide_block<T> const& block) { block.write_together(w, memory, writer, first[k]); });
    w.sync();
    return run.reference(node, entries, node_kind::wide, 1);
}

}  // namespace copse::detail
