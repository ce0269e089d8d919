// What a plan keeps: for A and for A^T, each from its first use on, lists and turned copies of wide leaves.
//
// A wide leaf's entries are sorted by blocks of rows. Seen transposed they are not, and no owner of rows could take its
// entries without looking at all: a direction in which a wide leaf is transposed has a copy of it, turned.
#pragma once

#include <array>
#include <copse/algebra/plans/column_groups.hpp>
#include <copse/algebra/plans/made_once.hpp>
#include <copse/algebra/plans/mirrored_leaves.hpp>
#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace copse::detail {

/// The lists in the executor's memory.
struct plan_direction {
    buffer<listed_leaf> items;  // to a multiple of 16 bytes: as replay_tasks.hpp reads them
    // For workers with lanes, if leaves count negatively: the same, where the columns of these count from column_count
    // on, and none counts negatively. Products then read | x | -x |.
    buffer<listed_leaf> items_by_sign;
    buffer<plan_part> parts;
    buffer<plan_split> splits;
    buffer<part_stream> streams;  // of each part; empty where no part has one
    buffer<std::uint32_t> stream_words;
    buffer<std::byte> stream_values;
    buffer<streak_range_of_part> streak_ranges;  // of each part; empty where no part has streaks
    buffer<std::byte> streaks;                   // plan_streak<T>
    mirrored_lists mirrored;                     // without groups: none
    column_groups columns;                       // the same
    std::int64_t item_count = 0;
    std::int64_t part_count = 0;
    std::int64_t split_count = 0;
    std::int64_t slot_count = 0;
    std::vector<std::int64_t> work_before;  // of each part, and of all
    std::int64_t time = 0;                  // of a product on one core, in units of an entry's
    std::int64_t most_rows = 0;             // in a part
    bool leaves_repeat = false;  // in lists for lanes: a quarter of the items or more are seen elsewhere, too

    /// Whether it has copies of values.
    bool has_values() const { return streams.size() > 0 || streaks.size() > 0; }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(
            items.bytes() + items_by_sign.bytes() + parts.bytes() + splits.bytes() + streams.bytes() +
            stream_words.bytes() + stream_values.bytes() + streak_ranges.bytes() + streaks.bytes() +
            mirrored.items.size() * sizeof(listed_leaf) + mirrored.parts.size() * sizeof(mirrored_part) +
            columns.ends.size() * sizeof(std::int64_t));
    }
    /// What a product reads of them.
    std::int64_t bytes_read() const {
        std::int64_t const unread = mirrored.groups.empty() ? 0 : static_cast<std::int64_t>(items.bytes());
        return bytes() - unread - static_cast<std::int64_t>(items_by_sign.bytes());
    }
};

struct turned_leaf {
    child_reference original;  // transposed, as the direction sees it, but not negative
    child_reference turned;
    std::int64_t places;  // where the direction sees it
};
/// By stored_key() of the original.
using turned_map = std::unordered_map<std::uint64_t, turned_leaf>;

struct turned_leaves {
    buffer<std::byte> nodes;  // of the arena whose number was given; in host memory
    turned_map map;
};

/// Of `leaves`, as a direction sees them, the wide ones that are transposed, one after the other by rows. `stored` has
/// fetched them. T: type of the values. Parallel (OpenMP). Throws shape_error when they take more than 64 GiB.
template <class T>
turned_leaves turn(node_fetcher const& stored, std::vector<node> const& leaves, int arena);

/// Those of `map` that are in the arena with this number, each at its place in `nodes`. `stored` has fetched the
/// originals.
template <class T>
void write_turned(node_fetcher const& stored, turned_map const& map, int arena, std::byte* nodes);

/// The lists of a direction, and the leaves that are turned for it. Never changed once it is there.
struct direction_content {
    std::shared_ptr<plan_direction const> lists;  // plans that differ in values only have the same
    std::vector<arena> turned;                    // what updates have added to the first
    buffer<turned_leaf> turned_leaves;            // ascending by where the copies are stored (stored_key())
    buffer<std::byte const*> arena_table;         // of the matrix's arenas and of `turned`; empty without turned leaves
    node_reader tree;                             // of the matrix, with the turned leaves

    std::int64_t bytes() const;
};

/// A number for the arena of turned leaves. Throws argument_error if `others` have them all.
int number_of_turned(std::vector<arena> const& others);

/// Makes what products of `direction` read `matrix` by, and its turned leaves if it has some.
void read_with_turned(direction_content& direction, hisparse_content const& matrix,
                      std::shared_ptr<memory> const& where);

/// Never changed once it is there, but that a direction is made when it is first asked for: one is there from the
/// beginning. T: type of the matrix.
template <class T>
struct plan_content {
    plan_content(std::shared_ptr<hisparse_content const> of, plan_shape const& cut, std::shared_ptr<memory> in)
        : matrix(std::move(of)), shape(cut), where(std::move(in)) {}

    std::shared_ptr<hisparse_content const> matrix;
    plan_shape shape;
    std::shared_ptr<memory> where;
    std::array<made_once<direction_content>, 2> directions;  // A, A^T
    // Makes a direction from the other one where the executor works; null: the host does. Returns null where the host
    // has to.
    std::unique_ptr<direction_content> (*by_steps)(plan_content const& plan, bool of_transpose) = nullptr;

    /// Made from the other one, unless it is there: waits for the device then. Parallel (OpenMP). Thread-safe. Throws
    /// what make_plan() throws; the plan stays as it was.
    direction_content const& direction(bool of_transpose) const;
    /// Of the directions that are made.
    std::int64_t bytes() const;
};

/// By the host. leaves: those of the content, as stored; wanted: whether A and A^T are made now, at least one of them;
/// where: of the executor. Parallel (OpenMP). Throws shape_error when the turned leaves take more than 64 GiB,
/// argument_error when the matrix leaves no number for their arena, cuda_error.
template <class T>
std::shared_ptr<plan_content<T> const> make_plan(std::shared_ptr<hisparse_content const> matrix,
                                                 std::vector<node> const& leaves, std::array<bool, 2> wanted,
                                                 plan_shape const& shape, std::shared_ptr<memory> const& where);

/// The plan for another matrix of the same dimensions and node dimension, with the directions that `plan` has made:
/// what both share is taken over; the lists, where only values differ. Throws the same.
template <class T>
std::shared_ptr<plan_content<T> const> update_plan(plan_content<T> const& plan,
                                                   std::shared_ptr<hisparse_content const> matrix);

/// Of op(A). Made now, if this is its first use.
template <class T>
direction_content const& direction_content_of(spmv_plan<T> const& plan) {
    return content_of(plan)->direction(plan.matrix().is_transposed());
}
/// The lists for op(A). Made now, if this is their first use.
template <class T>
plan_direction const& direction_of(spmv_plan<T> const& plan) {
    return *direction_content_of(plan).lists;
}
/// The same; made by the executor's threads.
template <class Executor, class T>
plan_direction const& direction_of(Executor const& executor, spmv_plan<T> const& plan) {
    return on_threads_of(executor, [&]() -> plan_direction const& { return direction_of(plan); });
}
/// Throws argument_error if a worker of many lanes has no room on chip for the rows of a part.
inline void check_rows_of_parts(std::string const& operation, plan_direction const& lists) {
    if (lists.most_rows > replay_rows)
        throw argument_error(operation + ": the plan was made by a cpu, in parts of up to " +
                             std::to_string(lists.most_rows) + " rows, but the executor's lanes have room for " +
                             std::to_string(replay_rows) + "; make a plan with the same executor");
}

}  // namespace copse::detail
