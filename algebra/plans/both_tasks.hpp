// A x and A^T w in one launch, by the tasks of two products: what reads a leaf for a row of y and what reads it for a
// column start next to each other, so that the second reading meets a cache.
//
//   items   | part 0 of A | part 0 of A^T | part 1 of A | part 1 of A^T | part 2 of A^T | part 2 of A | ...
//
// Where a matrix has its entries near the diagonal, from one corner to the other, these are neighbours in it, too.
#pragma once

#include <algorithm>
#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/task.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace copse::detail {

/// Two lists, in proportion to their lengths, each in its order. 2^31 items at most in each.
class lists_in_turn {
  public:
    lists_in_turn(std::int64_t first, std::int64_t second) : count_(first + second) {
        std::int64_t const one = std::int64_t{1} << 32;
        if (count_ > 0) share_ = static_cast<std::uint64_t>((first * one + count_ - 1) / count_);
    }

    struct place {
        bool in_second;
        std::int64_t index;
    };
    std::int64_t count() const { return count_; }
    COPSE_HOST_DEVICE place operator[](std::int64_t i) const {
        std::int64_t const of_first = before(i);
        return before(i + 1) > of_first ? place{false, of_first} : place{true, i - of_first};
    }

  private:
    /// Of the first list, in front of item i.
    COPSE_HOST_DEVICE std::int64_t before(std::int64_t i) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(i) * share_ >> 32);
    }

    std::int64_t count_;
    std::uint64_t share_ = 0;  // of the first list, in units of 2^-32, rounded up
};

/// Two tasks as one, whose items are theirs in turn.
template <class First, class Second>
struct tasks_in_turn {
    using item = std::int64_t;
    static constexpr int width = First::width;
    static constexpr int phase = task_phase<First>();
    static constexpr char const* name = First::name;
    static constexpr std::size_t scratch_bytes = std::max(task_scratch_bytes<First>(), task_scratch_bytes<Second>());
    static constexpr int resident_blocks = std::min(task_resident_blocks<First>(8), task_resident_blocks<Second>(8));
    static_assert(Second::width == width && task_phase<Second>() == phase);

    First first;
    Second second;
    lists_in_turn items;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item i, Worker& w) const {
        auto const at = items[i];
        if constexpr (std::is_same_v<First, Second>)
            (at.in_second ? second : first)(at.index, w);  // one body
        else if (at.in_second)
            second(at.index, w);
        else
            first(at.index, w);
    }
};

/// The parts of both products, and the rows of either that several parts share. Leaves that are read stay in the cache.
template <class T, class V, class EpilogueY, class EpilogueZ>
using both_part_task = tasks_in_turn<replay_part_task<T, V, EpilogueY, true>, replay_part_task<T, V, EpilogueZ, true>>;
template <class T, class V, class EpilogueY, class EpilogueZ>
using both_split_task = tasks_in_turn<replay_split_task<T, V, EpilogueY>, replay_split_task<T, V, EpilogueZ>>;

/// f(parts, splits): the tasks of two products.
template <class T, class V, class EpilogueY, class EpilogueZ, class F>
void with_both_tasks(ready_replay<T, V> const& a, row_writer<V, EpilogueY> const& of_y, ready_replay<T, V> const& b,
                     row_writer<V, EpilogueZ> const& of_z, bool fetch_ahead, F f) {
    f(
        both_part_task<T, V, EpilogueY, EpilogueZ>{
            {a.product, of_y, fetch_ahead}, {b.product, of_z, fetch_ahead}, {a.lists.part_count, b.lists.part_count}},
        both_split_task<T, V, EpilogueY, EpilogueZ>{{a.product, of_y, a.lists.part_count},
                                                    {b.product, of_z, b.lists.part_count},
                                                    {a.lists.split_count, b.lists.split_count}});
}

}  // namespace copse::detail
