#include <algorithm>
#include <copse/algebra/plans/direction_maker.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/formats/tree/tree_difference.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <optional>
#include <utility>

namespace copse::detail {
namespace {

std::vector<node> transposed(std::vector<node> leaves) {
    for (node& n : leaves) n = {n.reference.transposed_if(true), n.column, n.row};
    return leaves;
}

/// As far as rearrange() looks at them.
plan_lists lists_of(plan_direction const& direction) {
    plan_lists lists;
    lists.items = direction.items.to_host();
    lists.parts = direction.parts.to_host();
    return lists;
}

/// What is turned for a direction without these leaves, as it sees them. What stays there unused would be taken for a
/// leaf that comes later, perhaps back, with the same key.
turned_map without(turned_map turned_of, std::vector<node> const& removed) {
    for (node const& n : removed)
        if (auto const leaf = turned_of.find(stored_key(n.reference)); is_turned(n) && --leaf->second.places == 0)
            turned_of.erase(leaf);
    return turned_of;
}

/// The leaves of a direction, as it sees them in the matrix.
std::vector<node> leaves_of(direction_content const& direction, int log2) {
    std::unordered_map<std::uint64_t, child_reference> originals;  // of the turned ones
    for (turned_leaf const& leaf : direction.turned_leaves.to_host())
        originals.emplace(stored_key(leaf.turned), leaf.original);
    std::vector<node> leaves;
    std::vector<listed_leaf> items = direction.lists->items.to_host();
    items.resize(static_cast<std::size_t>(direction.lists->item_count));
    for (listed_leaf const& item : items) {
        if (item.first > 0) continue;  // not the first block of a wide leaf
        node n = item.leaf;
        if (n.reference.is_wide_leaf()) {
            n.row -= static_cast<std::uint32_t>(row_in_leaf(item, log2));
            if (auto const original = originals.find(stored_key(n.reference)); original != originals.end())
                n.reference = original->second.negative_if(n.reference.negative());
        }
        leaves.push_back(n);
    }
    return leaves;
}

/// Whether a number that both have stands for different memory.
bool disagree(std::vector<arena> const& some, std::vector<arena> const& others) {
    return std::any_of(some.begin(), some.end(), [&](arena const& a) {
        return std::any_of(others.begin(), others.end(),
                           [&](arena const& b) { return a.number == b.number && a.memory != b.memory; });
    });
}

/// Turned leaves that are of no use any more stay until a plan is made anew: after so many updates that needed some.
constexpr std::size_t most_turned_arenas = 16;

/// What two plans for different matrices share, direction by direction.
template <class T>
class plan_updater {
  public:
    plan_updater(plan_content<T> const& old, plan_content<T> const& next) : old_(old), next_(next) {}

    std::unique_ptr<direction_content> updated(direction_content const& old, bool of_transpose) {
        std::optional<node_fetcher> looked_at;
        if (old_.matrix->notes == next_.matrix->notes && !old.lists->has_values()) {
            direction_maker<T> maker(next_, of_transpose, looked_at);
            maker.turn_again(old);
            maker.made().lists = old.lists;
            return maker.finish();
        }
        // Arenas of the matrix may have got numbers that had another meaning when the direction was made.
        if (old_.matrix->notes == next_.matrix->notes || disagree(old.turned, next_.matrix->arenas) ||
            disagree(old_.matrix->arenas, next_.matrix->arenas) || old.turned.size() >= most_turned_arenas)
            return anew(of_transpose);
        if (!changes_) changes_ = difference(*old_.matrix, *next_.matrix, sizeof(T));
        auto const as_seen = [&](std::vector<node> const& leaves) {
            return of_transpose ? transposed(leaves) : leaves;
        };
        std::vector<node> removed = as_seen(changes_->removed);
        std::vector<node> const added = as_seen(changes_->added);
        direction_maker<T> maker(next_, of_transpose, stored_);
        maker.made().turned = old.turned;
        turned_map const before = map_of(old);
        maker.turned_of() = without(before, removed);
        // A leaf that comes to stand in one more place.
        if (std::any_of(added.begin(), added.end(), [&](node const& n) {
                return is_turned(n) && maker.turned_of().contains(stored_key(n.reference));
            }))
            return anew(of_transpose);
        maker.turn_leaves(added);
        for (node& n : removed) n = seen_with(before, n);
        maker.place_lists(rearrange(lists_of(*old.lists), removed, maker.to_arrange(added), next_.shape,
                                    next_.matrix->dimension_log2));
        return maker.finish();
    }

  private:
    std::unique_ptr<direction_content> anew(bool of_transpose) {
        hisparse_content nothing = hisparse_content();
        nothing.dimension_log2 = next_.matrix->dimension_log2;
        std::vector<node> const leaves = difference(nothing, *next_.matrix, sizeof(T)).added;
        std::optional<node_fetcher> stored;
        return direction_maker<T>(next_, of_transpose, stored).make(of_transpose ? transposed(leaves) : leaves);
    }

    plan_content<T> const& old_;
    plan_content<T> const& next_;
    std::optional<tree_difference> changes_;
    std::optional<node_fetcher> stored_;
};

}  // namespace

std::int64_t direction_content::bytes() const {
    auto sum = static_cast<std::int64_t>(arena_table.bytes() + turned_leaves.bytes()) + lists->bytes() +
               8 * std::ssize(lists->work_before);
    for (arena const& a : turned) sum += static_cast<std::int64_t>(a.memory->bytes());
    return sum;
}

int number_of_turned(std::vector<arena> const& others) {
    int const number = new_arena_number(others);
    if (number < 0)
        throw argument_error(
            "spmv_plan: the matrix is spread over 256 arenas, and the plan needs one more; make the plan with "
            "compact(a)");
    return number;
}

void read_with_turned(direction_content& direction, hisparse_content const& matrix,
                      std::shared_ptr<memory> const& where) {
    direction.tree = reader_of(matrix);
    if (direction.turned.empty()) return;
    std::vector<std::byte const*> table(most_arenas, nullptr);
    for (std::vector<arena> const* arenas : {&matrix.arenas, &std::as_const(direction.turned)})
        for (arena const& a : *arenas) table[static_cast<std::size_t>(a.number)] = a.memory->data();
    direction.arena_table = {where, std::span<std::byte const* const>(table)};
    arena const& first = direction.turned.front();
    direction.tree = {first.number, first.memory->data(), direction.arena_table.data(), matrix.dimension_log2};
}

template <class T>
direction_content const& plan_content<T>::direction(bool of_transpose) const {
    return directions[of_transpose].get([&] {
        nvtx_range const range(nvtx_room::algebra, "copse spmv plan", matrix->entry_count);
        if (by_steps)
            if (auto made = by_steps(*this, of_transpose)) return made;
        std::optional<node_fetcher> stored;
        std::vector<node> const leaves = leaves_of(*directions[!of_transpose].made(), matrix->dimension_log2);
        return direction_maker<T>(*this, of_transpose, stored).make(transposed(leaves));
    });
}

template <class T>
std::int64_t plan_content<T>::bytes() const {
    std::int64_t sum = 0;
    for (auto const& direction : directions)
        if (auto const* const made = direction.made()) sum += made->bytes();
    return sum;
}

template <class T>
std::shared_ptr<plan_content<T> const> make_plan(std::shared_ptr<hisparse_content const> matrix,
                                                 std::vector<node> const& leaves, std::array<bool, 2> wanted,
                                                 plan_shape const& shape, std::shared_ptr<memory> const& where) {
    auto const plan = std::make_shared<plan_content<T>>(std::move(matrix), shape, where);
    std::optional<node_fetcher> stored;
    for (bool const of_transpose : {false, true})
        if (wanted[of_transpose])
            plan->directions[of_transpose].get([&] {
                return direction_maker<T>(*plan, of_transpose, stored).make(of_transpose ? transposed(leaves) : leaves);
            });
    return plan;
}

template <class T>
std::shared_ptr<plan_content<T> const> update_plan(plan_content<T> const& old,
                                                   std::shared_ptr<hisparse_content const> matrix) {
    auto const plan = std::make_shared<plan_content<T>>(std::move(matrix), old.shape, old.where);
    plan->by_steps = old.by_steps;
    plan_updater<T> updater(old, *plan);
    for (bool const of_transpose : {false, true})
        if (auto const* const made = old.directions[of_transpose].made())
            plan->directions[of_transpose].get([&] { return updater.updated(*made, of_transpose); });
    return plan;
}

template struct plan_content<float>;
template struct plan_content<double>;
template std::shared_ptr<plan_content<float> const> make_plan(std::shared_ptr<hisparse_content const>,
                                                              std::vector<node> const&, std::array<bool, 2>,
                                                              plan_shape const&, std::shared_ptr<memory> const&);
template std::shared_ptr<plan_content<double> const> make_plan(std::shared_ptr<hisparse_content const>,
                                                               std::vector<node> const&, std::array<bool, 2>,
                                                               plan_shape const&, std::shared_ptr<memory> const&);
template std::shared_ptr<plan_content<float> const> update_plan(plan_content<float> const&,
                                                                std::shared_ptr<hisparse_content const>);
template std::shared_ptr<plan_content<double> const> update_plan(plan_content<double> const&,
                                                                 std::shared_ptr<hisparse_content const>);

}  // namespace copse::detail
