#include <algorithm>
#include <copse/algebra/plan_content.hpp>
#include <copse/formats/leaf_writer.hpp>
#include <copse/formats/node_access.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/parallel_for.hpp>
#include <initializer_list>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace copse::detail {
namespace {

/// The wide leaves of a direction that are transposed in it, each turned.
template <class T>
class turned_leaves {
  public:
    turned_leaves(host_tree const& stored, int arena) : stored_(stored), arena_(arena) {}

    /// The node that a transposed wide leaf is replaced by.
    node replace(node n) const { return {turned_.at(key(n.reference)), n.row, n.column}; }

    /// All bytes of the arena: for every direction one wide leaf after the other as the rows of that direction are.
    std::vector<std::byte> turn(std::vector<node> const& leaves, std::vector<node> const& leaves_of_transpose) {
        std::vector<child_reference> const originals = distinct({&leaves, &leaves_of_transpose});
        std::int64_t bytes = 0;
        for (child_reference r : originals) {
            if (bytes > std::int64_t{1} << 36)
                throw shape_error("spmv_plan: the wide leaves of the transposed product take more than 64 GiB");
            std::int64_t const entries = stored_.extent(r).entries;
            turned_[key(r)] = child_reference(arena_, static_cast<std::uint64_t>(bytes), entries, node_kind::wide, 1);
            bytes += wide_leaf_bytes(entries, sizeof(T));
        }
        std::vector<std::byte> arena(static_cast<std::size_t>(bytes));
        parallel_for(
            std::ssize(originals), 4, [] { return 0; },
            [&](int, std::int64_t i) {
                child_reference const r = originals[static_cast<std::size_t>(i)];
                turn(stored_.view().template wide_leaf<T>(node{r, 0, 0}), arena.data() + turned_.at(key(r)).offset());
            });
        return arena;
    }

  private:
    static std::uint64_t key(child_reference r) { return static_cast<std::uint64_t>(r.arena()) << 48 | r.offset(); }

    std::vector<child_reference> distinct(std::initializer_list<std::vector<node> const*> directions) const {
        std::vector<child_reference> result;
        std::unordered_set<std::uint64_t> seen;
        for (std::vector<node> const* leaves : directions) {
            std::vector<node> wide;
            for (node n : *leaves)
                if (n.reference.kind() == node_kind::wide && n.reference.transposed()) wide.push_back(n);
            std::sort(wide.begin(), wide.end(), [](node const& a, node const& b) {
                return std::pair(a.row, a.column) < std::pair(b.row, b.column);
            });
            for (node n : wide)
                if (seen.insert(key(n.reference)).second) result.push_back(n.reference);
        }
        return result;
    }

    /// Stably sorted by blocks of rows, as op(A) sees them.
    void turn(wide_leaf_view<T> const& leaf, std::byte* memory) const {
        int const log2 = stored_.geometry().dimension_log2;
        std::vector<std::int32_t> next((std::size_t{1} << log2) + 1, 0);
        for (int i = 0; i < leaf.count; ++i) ++next[static_cast<std::size_t>(leaf.rows[i] >> log2) + 1];
        for (std::size_t b = 1; b < next.size(); ++b) next[b] += next[b - 1];
        wide_leaf_writer<T>::prepare(memory, leaf.count);
        wide_leaf_writer<T> const writer(memory);
        for (int i = 0; i < leaf.count; ++i)
            writer.put(next[static_cast<std::size_t>(leaf.rows[i] >> log2)]++, leaf.rows[i], leaf.columns[i],
                       leaf.values[i]);
    }

    host_tree const& stored_;
    int arena_;
    std::unordered_map<std::uint64_t, child_reference> turned_;  // by the key of the original
};

/// The leaves of one direction. `arena`: the turned ones, on the host.
template <class T>
std::vector<plan_leaf> leaves_to_arrange(host_tree const& stored, std::vector<node> const& leaves,
                                         turned_leaves<T> const& turned, tree_view const& arena) {
    std::vector<plan_leaf> result;
    result.reserve(leaves.size());
    for (node n : leaves) {
        if (n.reference.kind() != node_kind::wide) {
            result.push_back({n, nullptr, n.reference.entries()});
            continue;
        }
        node const own = n.reference.transposed() ? turned.replace(n) : n;
        auto const leaf = (n.reference.transposed() ? arena : stored.view()).template wide_leaf<T>(own);
        result.push_back({own, leaf.rows, leaf.count});
    }
    return result;
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
    auto sum = static_cast<std::int64_t>(turned.bytes() + arena_table.bytes());
    for (plan_direction const& d : directions) sum += d.bytes() + 8 * std::ssize(d.work_before);
    return sum;
}

template <class T>
std::shared_ptr<plan_content<T> const> make_plan(std::shared_ptr<hisparse_content const> matrix,
                                                 std::vector<node> const& leaves, plan_shape const& shape,
                                                 std::shared_ptr<memory> const& where) {
    auto plan = std::make_shared<plan_content<T>>();
    plan->matrix = matrix;
    plan->where = where;
    std::vector<node> const of_transpose = transposed(leaves);
    int const number = new_arena_number(matrix->arenas);
    host_tree const stored(*matrix, sizeof(T));
    turned_leaves<T> turned(stored, number);
    std::vector<std::byte> const arena = turned.turn(leaves, of_transpose);
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
    tree_view const turned_tree(number, arena.data(), nullptr, log2);
    auto const lists = [&](std::vector<node> const& of_direction, std::int64_t row_count) {
        return place(arrange(leaves_to_arrange(stored, of_direction, turned, turned_tree), shape, row_count, log2),
                     where);
    };
    plan->directions[0] = lists(leaves, matrix->row_count);
    plan->directions[1] = lists(of_transpose, matrix->column_count);
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
