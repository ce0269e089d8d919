// Turned copies of wide leaves (plan_content.hpp) by steps: which leaves, where their copies lie, their entries by
// blocks of rows. What turn() (turned_leaves.cpp) does leaf by leaf.
//
//   place   where a direction sees a leaf that is to be turned; numbered by rows and columns
//   leaf    what is turned: at one place or more. Copies lie in the order of the leaves' first places
#pragma once

#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/planning_steps.hpp>
#include <copse/formats/flat/offset_search.hpp>
#include <copse/formats/leaves/entry_search.hpp>
#include <copse/formats/leaves/leaf.hpp>
#include <copse/formats/steps/begins_anew.hpp>
#include <copse/formats/tree/arena_limit.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace copse::detail {

struct mark_turned_leaves {
    node const* leaves;
    std::uint8_t* marks;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        child_reference const r = leaves[i].reference;
        marks[i] = r.is_wide_leaf() && r.transposed() ? 1 : 0;
    }
};

struct key_places {
    node const* leaves;
    std::uint32_t const* numbers;  // of the leaves in the list, by place
    int leaf_log2;                 // rows of a wide leaf
    int column_bits;
    std::uint64_t* keys;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        node const n = leaves[numbers[i]];
        keys[i] = std::uint64_t{n.row >> leaf_log2} << column_bits | n.column >> leaf_log2;
    }
};

/// The same key for all places of a leaf; places are numbered.
struct key_places_by_leaf {
    node const* leaves;
    std::uint32_t const* numbers;
    std::uint64_t* keys;
    std::uint32_t* places;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        keys[i] = storage_number(leaves[numbers[i]].reference);
        places[i] = static_cast<std::uint32_t>(i);
    }
};

/// Leaves get their numbers; a stable sort of places by leaf leaves the first one in front.
struct key_leaves_by_place {
    std::uint32_t const* places;
    std::uint32_t const* first_places;  // of each leaf: where in `places`
    std::uint64_t* keys;
    std::uint32_t* order;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        keys[i] = places[first_places[i]];
        order[i] = static_cast<std::uint32_t>(i);
    }
};

/// What is to be turned, in the order of the copies.
struct leaves_in_order {
    node const* leaves;
    std::uint32_t const* numbers;  // by place
    std::uint64_t const* first;    // the place where each is seen first
    std::uint32_t const* order;    // which leaf it is, by where it is stored
    std::uint32_t const* begins;   // by that: where in the list of places by leaf it begins
    std::int64_t count;
    std::int64_t place_count;
    COPSE_HOST_DEVICE child_reference reference(std::int64_t i) const {
        child_reference const r = leaves[numbers[first[i]]].reference;
        return r.negative_if(r.negative());
    }
    COPSE_HOST_DEVICE std::int64_t places(std::int64_t i) const {
        std::int64_t const which = order[i];
        return (which + 1 < count ? begins[which + 1] : place_count) - begins[which];
    }
};

COPSE_HOST_DEVICE inline leaf_shape shape_of_turned(node_reader const& tree, child_reference r) {
    return wide_leaf::shape_of(tree.address(r), r);
}

/// Bytes and entries of each copy; one more place.
struct measure_turned {
    leaves_in_order from;
    node_reader tree;
    std::int64_t value_bytes;
    std::int64_t* bytes;
    std::int64_t* entries;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        bytes[i] = entries[i] = 0;
        if (i == from.count) return;
        leaf_shape const shape = shape_of_turned(tree, from.reference(i));
        bytes[i] = wide_leaf::bytes(shape, 0, value_bytes);
        entries[i] = shape.entries;
    }
};

/// Copies without their entries.
template <class T>
struct begin_turned {
    leaves_in_order from;
    node_reader tree;
    int arena;
    std::byte* nodes;
    std::int64_t const* offsets;
    turned_leaf* turned;
    std::uint32_t* ranks;  // by where leaves are stored: which copy
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        child_reference const r = from.reference(i);
        leaf_shape const shape = shape_of_turned(tree, r);
        turned[i] = {r, leaf_reference(arena, static_cast<std::uint64_t>(offsets[i]), shape), from.places(i)};
        ranks[from.order[i]] = static_cast<std::uint32_t>(i);
        if (r.values_once())
            wide_leaf_writer<T>::prepare_once(nodes + offsets[i], shape.entries,
                                              tree.template wide_leaf<T>({r, 0, 0}).values[0]);
        else
            wide_leaf_writer<T>::prepare(nodes + offsets[i], shape.entries);
    }
};

/// The direction sees the copies. i: in the list of places by leaf.
struct refer_to_turned {
    std::uint32_t const* numbers;
    std::uint32_t const* places;
    std::uint32_t const* begins;
    std::int64_t leaf_count;
    std::uint32_t const* ranks;
    turned_leaf const* turned;
    node* leaves;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        child_reference& r = leaves[numbers[places[i]]].reference;
        r = turned[ranks[row_of_entry(begins, 0, leaf_count - 1, i)]].turned.negative_if(r.negative());
    }
};

/// Entries of all leaves that are turned.
template <class T>
struct turned_entries {
    node_reader tree;
    turned_leaf const* turned;
    std::int64_t leaf_count;
    std::int64_t const* before;  // entries before each leaf
};

/// Leaf and block of rows, as the direction sees it; entries get their numbers.
template <class T>
struct key_turned_entries {
    turned_entries<T> from;
    std::uint64_t* keys;
    std::uint32_t* numbers;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        std::int64_t const leaf = row_of_entry(from.before, 0, from.leaf_count - 1, i);
        auto const view = from.tree.template wide_leaf<T>({from.turned[leaf].original, 0, 0});
        int const log2 = from.tree.dimension_log2();
        keys[i] = static_cast<std::uint64_t>(leaf) << log2 |
                  static_cast<std::uint64_t>(view.rows[i - from.before[leaf]] >> log2);
        numbers[i] = static_cast<std::uint32_t>(i);
    }
};

/// Sorted stably.
template <class T>
struct put_turned_entries {
    turned_entries<T> from;
    std::uint64_t const* keys;
    std::uint32_t const* numbers;
    std::byte* nodes;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        auto const leaf = static_cast<std::int64_t>(keys[i] >> from.tree.dimension_log2());
        turned_leaf const which = from.turned[leaf];
        auto const view = from.tree.template wide_leaf<T>({which.original, 0, 0});
        auto const k = static_cast<int>(numbers[i] - from.before[leaf]);
        std::int64_t const place = i - from.before[leaf];
        std::byte* const memory = nodes + which.turned.offset();
        if (view.values.once())
            wide_leaf_writer<T>::of_once(memory).put_place(place, view.rows[k], view.columns[k]);
        else
            wide_leaf_writer<T>(memory).put(place, view.rows[k], view.columns[k], view.values[k]);
    }
};

/// Copies into `nodes` the entries of all leaves that are turned; these have `count` entries.
template <class T, class Steps>
void put_entries(Steps& steps, turned_entries<T> const& from, std::int64_t count, std::byte* nodes) {
    auto keys = room_for<std::uint64_t>(steps, count);
    auto numbers = room_for<std::uint32_t>(steps, count);
    steps.for_each(count, key_turned_entries<T>{from, keys.data(), numbers.data()});
    sort_numbers(steps, keys, numbers, bits_to_sort(from.leaf_count - 1) + from.tree.dimension_log2());
    steps.for_each(count, put_turned_entries<T>{from, keys.data(), numbers.data(), nodes});
}

/// Makes the turned leaves of a direction of rows x columns, if it sees wide leaves transposed; `leaves`, as it sees
/// them, then refer to these. made.tree: of the matrix. Waits.
template <class T, class Steps>
void turn_leaves(Steps& steps, plan_content<T> const& plan, std::int64_t rows, std::int64_t columns,
                 buffer<node> const& leaves, direction_content& made) {
    if (plan.matrix->census.wide_leaves() == 0) return;
    nvtx_range const range(nvtx_room::algebra, "copse turn leaves");
    auto const marks = room_for<std::uint8_t>(steps, leaves.size());
    steps.for_each(leaves.size(), mark_turned_leaves{leaves.data(), marks.data()});
    auto numbers = select_marked(steps, marks, leaves.size());
    std::int64_t const places = numbers.size();
    if (places == 0) return;
    auto keys = room_for<std::uint64_t>(steps, places);
    int const leaf_log2 = 2 * plan.matrix->dimension_log2, column_bits = bits_to_sort((columns - 1) >> leaf_log2);
    steps.for_each(places, key_places{leaves.data(), numbers.data(), leaf_log2, column_bits, keys.data()});
    sort_numbers(steps, keys, numbers, bits_to_sort((rows - 1) >> leaf_log2) + column_bits);
    auto by_leaf = room_for<std::uint32_t>(steps, places);
    steps.for_each(places, key_places_by_leaf{leaves.data(), numbers.data(), keys.data(), by_leaf.data()});
    sort_numbers(steps, keys, by_leaf, storage_bits);
    auto const begins = room_for<std::uint32_t>(steps, places);
    std::int64_t const count = steps.select(places, begins_anew{nullptr, keys.data(), 0}, begins.data());
    auto first = room_for<std::uint64_t>(steps, count);
    auto order = room_for<std::uint32_t>(steps, count);
    steps.for_each(count, key_leaves_by_place{by_leaf.data(), begins.data(), first.data(), order.data()});
    sort_numbers(steps, first, order, bits_to_sort(places - 1));

    leaves_in_order const from{leaves.data(), numbers.data(), first.data(), order.data(), begins.data(), count, places};
    auto const offsets = room_for<std::int64_t>(steps, count + 1), before = room_for<std::int64_t>(steps, count + 1);
    steps.for_each(count + 1, measure_turned{from, made.tree, sizeof(T), offsets.data(), before.data()});
    std::int64_t const bytes = add_up(steps, offsets), entries = add_up(steps, before);
    check_arena_bytes("spmv_plan", "the wide leaves of the transposed product take", bytes);
    int const number = number_of_turned(plan.matrix->arenas);
    buffer<std::byte> nodes(plan.where, bytes);
    made.turned_leaves = {plan.where, count};
    turned_leaf* const turned = made.turned_leaves.data();
    auto const ranks = room_for<std::uint32_t>(steps, count);
    steps.for_each(count, begin_turned<T>{from, made.tree, number, nodes.data(), offsets.data(), turned, ranks.data()});
    steps.for_each(places, refer_to_turned{numbers.data(), by_leaf.data(), begins.data(), count, ranks.data(), turned,
                                           leaves.data()});
    put_entries<T>(steps, {made.tree, turned, count, before.data()}, entries, nodes.data());
    made.turned.push_back({number, std::make_shared<buffer<std::byte>>(std::move(nodes))});
    read_with_turned(made, *plan.matrix, plan.where);
}

/// Leaves of a direction, as it sees them in the matrix: items that are the first of a leaf.
struct mark_first_items {
    listed_leaf const* items;
    std::uint8_t* marks;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const { marks[i] = items[i].first == 0 ? 1 : 0; }
};
struct put_leaves {
    listed_leaf const* items;
    std::uint32_t const* numbers;
    int dimension_log2;
    turned_leaf const* turned;  // ascending by where the copies are stored
    std::int64_t turned_count;
    node* leaves;
    COPSE_HOST_DEVICE void operator()(std::int64_t i) const {
        listed_leaf const item = items[numbers[i]];
        node n = item.leaf;
        if (n.reference.is_wide_leaf()) {
            n.row -= static_cast<std::uint32_t>(row_in_leaf(item, dimension_log2));
            std::uint64_t const stored = storage_number(n.reference);
            std::int64_t const k = lower_bound(turned_count, stored,
                                               [this](std::int64_t of) { return storage_number(turned[of].turned); });
            if (k < turned_count && storage_number(turned[k].turned) == stored)
                n.reference = turned[k].original.negative_if(n.reference.negative());
        }
        leaves[i] = n;
    }
};

/// The leaves of a direction that is made, as it sees them in the matrix.
template <class Steps>
buffer<node> leaves_by_steps(Steps& steps, direction_content const& direction, int dimension_log2) {
    plan_direction const& lists = *direction.lists;
    auto const marks = room_for<std::uint8_t>(steps, lists.item_count);
    steps.for_each(lists.item_count, mark_first_items{lists.items.data(), marks.data()});
    auto const numbers = select_marked(steps, marks, lists.item_count);
    auto leaves = room_for<node>(steps, numbers.size());
    steps.for_each(leaves.size(),
                   put_leaves{lists.items.data(), numbers.data(), dimension_log2, direction.turned_leaves.data(),
                              direction.turned_leaves.size(), leaves.data()});
    return leaves;
}

}  // namespace copse::detail
