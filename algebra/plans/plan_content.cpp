#include <algorithm>
#include <copse/algebra/plans/part_streaks.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/row_streams.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/formats/tree/tree_difference.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory/copy_buffer.hpp>
#include <optional>
#include <span>

namespace copse::detail {
namespace {

std::vector<node> transposed(std::vector<node> leaves) {
    for (node& n : leaves) n = {n.reference.transposed_if(true), n.column, n.row};
    return leaves;
}

template <class T>
std::shared_ptr<plan_direction const> place(plan_lists&& lists, row_streams<T> const& streams,
                                            part_streaks<T> const& streaks, mirrored_lists&& mirrored,
                                            std::shared_ptr<memory> const& where) {
    auto const placed = std::make_shared<plan_direction>();
    plan_direction& result = *placed;
    if (!streams.words.empty()) {
        result.streams = {where, std::span<part_stream const>(streams.parts)};
        result.stream_words = {where, std::span<std::uint32_t const>(streams.words)};
        result.stream_values = {where, std::as_bytes(std::span<T const>(streams.values))};
    }
    if (!streaks.streaks.empty()) {
        result.streak_ranges = {where, std::span<streak_range_of_part const>(streaks.parts)};
        result.streaks = {where, std::as_bytes(std::span<plan_streak<T> const>(streaks.streaks))};
    }
    result.mirrored = std::move(mirrored);
    result.item_count = std::ssize(lists.items);
    if (result.item_count % 2 != 0) lists.items.push_back({});
    result.items = {where, std::span<listed_leaf const>(lists.items)};
    result.parts = {where, std::span<plan_part const>(lists.parts)};
    result.splits = {where, std::span<plan_split const>(lists.splits)};
    result.part_count = lists.part_count();
    result.split_count = std::ssize(lists.splits);
    result.slot_count = lists.slots;
    result.work_before = std::move(lists.work_before);
    for (plan_part const& part : lists.parts) result.most_rows = std::max<std::int64_t>(result.most_rows, part.rows);
    return placed;
}

/// As far as rearrange() looks at them.
plan_lists lists_of(plan_direction const& direction) {
    plan_lists lists;
    lists.items = direction.items.to_host();
    lists.parts = direction.parts.to_host();
    return lists;
}

/// A leaf as a direction has it.
node seen_with(turned_map const& turned_of, node n) {
    bool const is_turned = n.reference.is_wide_leaf() && n.reference.transposed();
    return is_turned ? node{turned_of.at(stored_key(n.reference)).turned, n.row, n.column} : n;
}

/// What is turned of a matrix without these leaves of it. What stays there unused would be taken for a leaf that comes
/// later, perhaps back, with the same key.
turned_map without(turned_map turned_of, std::vector<node> const& removed) {
    for (node const& n : removed)
        if (auto const leaf = turned_of.find(stored_key(n.reference));
            n.reference.is_wide_leaf() && --leaf->second.places == 0)
            turned_of.erase(leaf);
    return turned_of;
}

/// All arenas of a plan and its matrix, where the host can read.
class arenas_on_host {
  public:
    template <class T>
    explicit arenas_on_host(plan_content<T> const& plan) {
        bool const is_readable = plan.where->space() == memory_space::host;
        for (auto const* arenas : {&plan.matrix->arenas, &plan.turned})
            for (arena const& a : *arenas) {
                if (!is_readable) copies_.push_back(a.memory->to_host());
                addresses_[static_cast<std::size_t>(a.number)] = is_readable ? a.memory->data() : copies_.back().data();
            }
    }
    node_reader tree(int dimension_log2) const { return {0, addresses_[0], addresses_.data(), dimension_log2}; }

  private:
    std::vector<std::vector<std::byte>> copies_;
    std::array<std::byte const*, most_arenas> addresses_{};  // by number
};

/// A plan while it is put together.
template <class T>
class plan_maker {
  public:
    plan_maker(std::shared_ptr<hisparse_content const> matrix, plan_shape const& shape,
               std::shared_ptr<memory> const& where)
        : plan_(std::make_shared<plan_content<T>>()) {
        plan_->matrix = std::move(matrix);
        plan_->shape = shape;
        plan_->where = where;
    }

    /// Turns these leaves, of which none is yet.
    void turn_leaves(std::vector<node> const& leaves, std::vector<node> const& of_transpose) {
        std::vector<arena> taken = plan_->matrix->arenas;
        taken.insert(taken.end(), plan_->turned.begin(), plan_->turned.end());
        number_ = new_arena_number(taken);
        std::vector<child_reference> wide;  // what has to be looked at
        for (node const& n : leaves)
            if (n.reference.is_wide_leaf()) wide.push_back(n.reference);
        if (wide.empty()) return;
        fetch(wide);
        turned_ = turn<T>(*stored_, {&leaves, &of_transpose}, number_);
        if (turned_.nodes.empty()) return;
        if (number_ < 0)
            throw argument_error(
                "spmv_plan: the matrix is spread over 256 arenas, and the plan needs one more; make "
                "the plan with compact(a)");
        plan_->turned.push_back(
            {number_, std::make_shared<buffer<std::byte>>(copy_in<std::byte>(plan_->where, turned_.nodes))});
        plan_->turned_of.insert(turned_.map.begin(), turned_.map.end());
    }

    /// Turns what `old` has turned, for other values.
    void turn_again(plan_content<T> const& old) {
        plan_->turned_of = old.turned_of;
        if (old.turned.empty()) return;
        std::vector<child_reference> originals;
        for (auto const& [key, leaf] : old.turned_of) originals.push_back(leaf.original);
        fetch(originals);
        for (arena const& a : old.turned) {
            std::vector<std::byte> nodes(a.memory->bytes());
            write_turned<T>(*stored_, old.turned_of, a.number, nodes.data());
            plan_->turned.push_back(
                {a.number, std::make_shared<buffer<std::byte>>(copy_in<std::byte>(plan_->where, nodes))});
        }
    }

    /// Leaves of a direction, turned ones in place of those that need it: all of them just turned.
    std::vector<plan_leaf> to_arrange(std::vector<node> const& leaves) const {
        node_reader const own_tree(number_, turned_.nodes.data(), nullptr, plan_->matrix->dimension_log2);
        std::vector<plan_leaf> result;
        result.reserve(leaves.size());
        for (node n : leaves) {
            if (!n.reference.is_wide_leaf()) {
                result.push_back({n, nullptr, n.reference.entries()});
                continue;
            }
            node const own = seen_with(plan_->turned_of, n);
            auto const leaf = n.reference.transposed() ? own_tree.template wide_leaf<T>(own) : stored_leaf(own);
            result.push_back({own, leaf.rows, leaf.count});
        }
        return result;
    }
    std::shared_ptr<plan_direction const> place_lists(plan_lists&& lists) {
        row_streams<T> streams;
        part_streaks<T> streaks;
        plan_shape const& shape = plan_->shape;
        mirrored_lists mirrored;
        if ((shape.most_in_streamed_leaf > 0 || shape.has_streaks || shape.most_groups > 0) && !arenas_)
            arenas_.emplace(*plan_);
        int const log2 = plan_->matrix->dimension_log2;
        if (shape.most_in_streamed_leaf > 0) streams = make_streams<T>(arenas_->tree(log2), lists, shape);
        if (shape.has_streaks) streaks = find_part_streaks<T>(arenas_->tree(log2), lists);
        if (shape.most_groups > 0)
            mirrored = find_mirrored_leaves(arenas_->tree(log2), lists, streaks.parts, sizeof(T), shape.most_groups);
        return place(std::move(lists), streams, streaks, std::move(mirrored), plan_->where);
    }
    std::shared_ptr<plan_content<T>> finish() {
        if (plan_->turned.empty()) return plan_;
        std::vector<std::byte const*> table(most_arenas, nullptr);
        auto const enter = [&](std::vector<arena> const& arenas) {
            for (arena const& a : arenas) table[static_cast<std::size_t>(a.number)] = a.memory->data();
        };
        enter(plan_->matrix->arenas);
        enter(plan_->turned);
        plan_->arena_table = {plan_->where, std::span<std::byte const* const>(table)};
        return plan_;
    }
    plan_content<T>& plan() { return *plan_; }

  private:
    void fetch(std::vector<child_reference> const& wide) {
        stored_.emplace(*plan_->matrix, sizeof(T));
        stored_->fetch(wide);
    }
    wide_leaf_view<T> stored_leaf(node n) const {
        fetched_node const leaf = stored_->fetched(n.reference);
        return leaf.tree.template wide_leaf<T>(leaf.place);
    }

    std::shared_ptr<plan_content<T>> plan_;
    std::optional<node_fetcher> stored_;    // of the wide leaves
    std::optional<arenas_on_host> arenas_;  // all, where streams or streaks are made
    int number_ = -1;
    turned_leaves turned_;
};

/// Whether a number that both have stands for different memory.
bool disagree(std::vector<arena> const& some, std::vector<arena> const& others) {
    return std::any_of(some.begin(), some.end(), [&](arena const& a) {
        return std::any_of(others.begin(), others.end(),
                           [&](arena const& b) { return a.number == b.number && a.memory != b.memory; });
    });
}

/// Turned leaves that are of no use any more stay until a plan is made anew: after so many updates that needed some.
constexpr std::size_t most_turned_arenas = 16;

}  // namespace

template <class T>
node_reader plan_content<T>::tree() const {
    if (turned.empty()) return reader_of(*matrix);
    return {turned.front().number, turned.front().memory->data(), arena_table.data(), matrix->dimension_log2};
}

template <class T>
std::int64_t plan_content<T>::bytes() const {
    auto sum = static_cast<std::int64_t>(arena_table.bytes());
    for (auto const& d : directions) sum += d->bytes() + 8 * std::ssize(d->work_before);
    for (arena const& a : turned) sum += static_cast<std::int64_t>(a.memory->bytes());
    return sum;
}

template <class T>
std::shared_ptr<plan_content<T> const> make_plan(std::shared_ptr<hisparse_content const> matrix,
                                                 std::vector<node> const& leaves, plan_shape const& shape,
                                                 std::shared_ptr<memory> const& where) {
    plan_maker<T> maker(matrix, shape, where);
    std::vector<node> const of_transpose = transposed(leaves);
    maker.turn_leaves(leaves, of_transpose);
    auto const lists = [&](std::vector<node> const& of_direction, std::int64_t row_count) {
        return maker.place_lists(arrange(maker.to_arrange(of_direction), shape, row_count, matrix->dimension_log2));
    };
    maker.plan().directions[0] = lists(leaves, matrix->row_count);
    maker.plan().directions[1] = lists(of_transpose, matrix->column_count);
    return maker.finish();
}

template <class T>
std::shared_ptr<plan_content<T> const> update_plan(plan_content<T> const& old,
                                                   std::shared_ptr<hisparse_content const> matrix) {
    auto const make_anew = [&] {
        hisparse_content nothing = hisparse_content();
        nothing.dimension_log2 = matrix->dimension_log2;
        return make_plan<T>(matrix, difference(nothing, *matrix, sizeof(T)).added, old.shape, old.where);
    };
    if (old.matrix->notes == matrix->notes) {
        if (old.directions[0]->has_values() || old.directions[1]->has_values()) return make_anew();
        plan_maker<T> maker(matrix, old.shape, old.where);
        maker.plan().directions = old.directions;
        maker.turn_again(old);
        return maker.finish();
    }
    // Arenas of the matrix may have got numbers that had another meaning when the plan was made.
    if (disagree(old.turned, matrix->arenas) || disagree(old.matrix->arenas, matrix->arenas) ||
        old.turned.size() >= most_turned_arenas)
        return make_anew();
    tree_difference const changes = difference(*old.matrix, *matrix, sizeof(T));
    plan_maker<T> maker(matrix, old.shape, old.where);
    maker.plan().turned = old.turned;
    maker.plan().turned_of = without(old.turned_of, changes.removed);
    // A leaf that comes to stand in one more place.
    if (std::any_of(changes.added.begin(), changes.added.end(), [&](node const& n) {
            return n.reference.is_wide_leaf() && maker.plan().turned_of.contains(stored_key(n.reference));
        }))
        return make_anew();
    std::vector<node> const added_to_transpose = transposed(changes.added);
    maker.turn_leaves(changes.added, added_to_transpose);
    auto const lists = [&](plan_direction const& direction, std::vector<node> removed, std::vector<node> const& added) {
        for (node& n : removed) n = seen_with(old.turned_of, n);
        return maker.place_lists(
            rearrange(lists_of(direction), removed, maker.to_arrange(added), old.shape, matrix->dimension_log2));
    };
    maker.plan().directions[0] = lists(*old.directions[0], changes.removed, changes.added);
    maker.plan().directions[1] = lists(*old.directions[1], transposed(changes.removed), added_to_transpose);
    return maker.finish();
}

template struct plan_content<float>;
template struct plan_content<double>;
template std::shared_ptr<plan_content<float> const> make_plan(std::shared_ptr<hisparse_content const>,
                                                              std::vector<node> const&, plan_shape const&,
                                                              std::shared_ptr<memory> const&);
template std::shared_ptr<plan_content<double> const> make_plan(std::shared_ptr<hisparse_content const>,
                                                               std::vector<node> const&, plan_shape const&,
                                                               std::shared_ptr<memory> const&);
template std::shared_ptr<plan_content<float> const> update_plan(plan_content<float> const&,
                                                                std::shared_ptr<hisparse_content const>);
template std::shared_ptr<plan_content<double> const> update_plan(plan_content<double> const&,
                                                                 std::shared_ptr<hisparse_content const>);

}  // namespace copse::detail
