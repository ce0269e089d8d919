// What a plan keeps: the lists for A and for A^T, and the nodes that only it has.
//
// A wide leaf's entries are sorted by blocks of rows. Seen transposed they are not, and no owner could take the entries
// of its rows without looking at all: for a direction in which a wide leaf is transposed the plan has a copy of it, turned.
#pragma once

#include <copse/algebra/plan_lists.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace copse::detail {

/// The lists in the executor's memory.
struct plan_direction {
    buffer<plan_item> items;
    buffer<plan_part> parts;
    buffer<plan_split> splits;
    std::int64_t part_count = 0;
    std::int64_t split_count = 0;
    std::int64_t slot_count = 0;
    std::vector<std::int64_t> work_before;  // of each part, and of all
    std::int64_t most_rows = 0;             // in a part

    std::int64_t bytes() const {
        return static_cast<std::int64_t>(items.bytes() + parts.bytes() + splits.bytes());
    }
};

template <class T>
struct plan_content {
    std::shared_ptr<hisparse_content const> matrix;
    std::array<plan_direction, 2> directions;  // A, A^T
    buffer<std::byte> turned;                  // wide leaves, an arena of the plan's own
    int turned_arena = -1;
    buffer<std::byte const*> arena_table;
    std::shared_ptr<memory> where;

    tree_view tree() const;
    std::int64_t bytes() const;
};

/// leaves: those of the content, as stored; where: of the executor. Parallel (OpenMP). Throws shape_error when the turned
/// leaves take more than 64 GiB, argument_error when the matrix leaves no number for their arena, cuda_error.
template <class T>
std::shared_ptr<plan_content<T> const> make_plan(std::shared_ptr<hisparse_content const> matrix,
                                                 std::vector<node> const& leaves, plan_shape const& shape,
                                                 std::shared_ptr<memory> const& where);

}  // namespace copse::detail
