#include <algorithm>
#include <copse/algebra/plan_content.hpp>
#include <copse/formats/leaf_writer.hpp>
#include <copse/formats/node_access.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/parallel_for.hpp>

namespace copse::detail {
namespace {

/// The wide leaves of a direction that are transposed in it, each turned.
template <class T>
class turned_leaves {
  public:
    turned_leaves(hisparse_content const& content, int arena) : content_(content), arena_(arena) {}

    /// The node that a transposed wide leaf is replaced by.
    node replace(node n) const {
        auto const place = std::lower_bound(references_.begin(), references_.end(), n.reference, before);
        node result = n;
        result.reference = turned_[static_cast<std::size_t>(place - references_.begin())];
        return result;
    }

    void collect(std::vector<node> const& leaves) {
        for (node n : leaves)
            if (n.reference.kind() == node_kind::wide && n.reference.transposed()) references_.push_back(n.reference);
    }
    /// After all collect(): every byte of the arena.
    std::vector<std::byte> turn() {
        std::sort(references_.begin(), references_.end(), before);
        references_.erase(std::unique(references_.begin(), references_.end()), references_.end());
        std::int64_t bytes = 0;
        node_fetcher fetcher(content_, sizeof(T));
        for (child_reference r : references_) {
            std::int64_t const entries = fetcher.fetch(r).extent.entries;
            if (bytes > std::int64_t{1} << 36) break;
            turned_.emplace_back(arena_, static_cast<std::uint64_t>(bytes), entries, node_kind::wide, 1);
            bytes += wide_leaf_bytes(entries, sizeof(T));
        }
        if (bytes > std::int64_t{1} << 36)
            throw shape_error("spmv_plan: the wide leaves of the transposed product take more than 64 GiB");
        std::vector<std::byte> arena(static_cast<std::size_t>(bytes));
        parallel_for(
            static_cast<std::int64_t>(references_.size()), 4, [&] { return node_fetcher(content_, sizeof(T)); },
            [&](node_fetcher& own, std::int64_t i) {
                auto const k = static_cast<std::size_t>(i);
                fetched_node const leaf = own.fetch(references_[k]);
                turn(leaf.tree.template wide_leaf<T>(leaf.place), arena.data() + turned_[k].offset());
            });
        return arena;
    }

  private:
    static bool before(child_reference a, child_reference b) {
        return std::pair(a.arena(), a.offset()) < std::pair(b.arena(), b.offset());
    }

    /// Stably sorted by blocks of rows, as op(A) sees them.
    void turn(wide_leaf_view<T> const& leaf, std::byte* memory) const {
        int const log2 = content_.dimension_log2;
        std::vector<std::int32_t> next((std::size_t{1} << log2) + 1, 0);
        for (int i = 0; i < leaf.count; ++i) ++next[static_cast<std::size_t>(leaf.rows[i] >> log2) + 1];
        for (std::size_t b = 1; b < next.size(); ++b) next[b] += next[b - 1];
        wide_leaf_writer<T>::prepare(memory, leaf.count);
        wide_leaf_writer<T> const writer(memory);
        for (int i = 0; i < leaf.count; ++i)
            writer.put(next[static_cast<std::size_t>(leaf.rows[i] >> log2)]++, leaf.rows[i], leaf.columns[i],
                       leaf.values[i]);
    }

    hisparse_content const& content_;
    int arena_;
    std::vector<child_reference> references_;  // ascending
    std::vector<child_reference> turned_;      // of the same index
};

/// A wide leaf, not transposed: an item for each block of rows.
template <class T>
void cut(wide_leaf_view<T> const& leaf, node place, int log2, std::vector<plan_item>& items) {
    for (int first = 0; first < leaf.count;) {
        int const block = leaf.rows[first] >> log2;
        int const last = static_cast<int>(
            std::partition_point(leaf.rows + first, leaf.rows + leaf.count,
                                 [&](std::uint16_t row) { return row >> log2 <= block; }) -
            leaf.rows);
        node rows = place;
        rows.row += static_cast<std::uint32_t>(block) << log2;
        items.push_back({rows, first, last});
        first = last;
    }
}

/// Items of one direction. `arena`: the turned leaves, on the host.
template <class T>
std::vector<plan_item> make_items(hisparse_content const& content, std::vector<node> const& leaves,
                                  turned_leaves<T> const& turned, std::byte const* arena) {
    std::vector<plan_item> items;
    items.reserve(leaves.size());
    int const log2 = content.dimension_log2;
    node_fetcher fetcher(content, sizeof(T));
    for (node n : leaves) {
        if (n.reference.kind() != node_kind::wide) {
            items.push_back({n, 0, 0});
        } else if (n.reference.transposed()) {
            node const own = turned.replace(n);
            cut(tree_view(own.reference.arena(), arena, nullptr, log2).template wide_leaf<T>(own), own, log2, items);
        } else {
            fetched_node const leaf = fetcher.fetch(n.reference);
            cut(leaf.tree.template wide_leaf<T>(leaf.place), n, log2, items);
        }
    }
    return items;
}

std::vector<node> transposed(std::vector<node> leaves) {
    for (node& n : leaves) n = {n.reference.transposed_if(true), n.column, n.row};
    return leaves;
}

plan_direction place(plan_lists&& lists, std::shared_ptr<memory> const& where) {
    plan_direction result;
    result.items = {where, std::span<plan_item const>(lists.items)};
    result.parts = {where, std::span<plan_part const>(lists.parts)};
    result.splits = {where, std::span<plan_split const>(lists.splits)};
    result.part_count = lists.part_count();
    result.split_count = std::ssize(lists.splits);
    result.slot_count = lists.slots;
    result.work_before = std::move(lists.work_before);
    for (plan_part const& part : lists.parts) result.most_rows = std::max<std::int64_t>(result.most_rows, part.rows);
    return result;
}

}  // namespace

template <class T>
tree_view plan_content<T>::tree() const {
    tree_view const stored = view_of(*matrix);
    return turned_arena < 0 ? stored
                            : tree_view(turned_arena, turned.data(), arena_table.data(), matrix->dimension_log2);
}

template <class T>
std::int64_t plan_content<T>::bytes() const {
    std::size_t sum = turned.bytes() + arena_table.bytes();
    for (plan_direction const& d : directions)
        sum += d.items.bytes() + d.parts.bytes() + d.splits.bytes() + d.work_before.size() * sizeof(std::int64_t);
    return static_cast<std::int64_t>(sum);
}

template <class T>
std::shared_ptr<plan_content<T> const> make_plan(std::shared_ptr<hisparse_content const> matrix,
                                                 std::vector<node> const& leaves, plan_shape const& shape,
                                                 std::shared_ptr<memory> const& where) {
    auto plan = std::make_shared<plan_content<T>>();
    plan->matrix = matrix;
    plan->where = where;
    std::vector<node> const turned_leaves_of = transposed(leaves);
    int const number = new_arena_number(matrix->arenas);
    turned_leaves<T> turned(*matrix, number);
    turned.collect(leaves);
    turned.collect(turned_leaves_of);
    std::vector<std::byte> const arena = turned.turn();
    if (!arena.empty()) {
        if (number < 0)
            throw argument_error("spmv_plan: the matrix is spread over 256 arenas, and the plan needs one more; plan "
                                 "with compact(a)");
        plan->turned = {where, std::span<std::byte const>(arena)};
        plan->turned_arena = number;
        std::vector<std::byte const*> table(most_arenas, nullptr);
        for (copse::arena const& a : matrix->arenas) table[static_cast<std::size_t>(a.number)] = a.memory->data();
        table[static_cast<std::size_t>(number)] = plan->turned.data();
        plan->arena_table = {where, std::span<std::byte const* const>(table)};
    }
    int const log2 = matrix->dimension_log2;
    plan->directions[0] =
        place(arrange(make_items<T>(*matrix, leaves, turned, arena.data()), shape, matrix->row_count, log2), where);
    plan->directions[1] = place(
        arrange(make_items<T>(*matrix, turned_leaves_of, turned, arena.data()), shape, matrix->column_count, log2),
        where);
    return plan;
}

template struct plan_content<float>;
template struct plan_content<double>;
template std::shared_ptr<plan_content<float> const> make_plan(std::shared_ptr<hisparse_content const>,
                                                              std::vector<node> const&, plan_shape const&,
                                                              std::shared_ptr<memory> const&);
template std::shared_ptr<plan_content<double> const> make_plan(std::shared_ptr<hisparse_content const>,
                                                               std::vector<node> const&, plan_shape const&,
                                                               std::shared_ptr<memory> const&);

}  // namespace copse::detail
