// y <- factor * A * x + beta * y from a plan's lists, ready for an executor; and its parts on one core of a CPU, with
// the widest vectors that it has (replay_cpu.cpp).
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree/node_reader.hpp>
#include <cstdint>

namespace copse::detail {

/// T: type of the matrix; V: of the vectors and sums. Trivially copyable; points to the executor's memory.
template <class T, class V>
struct replay {
    node_reader tree;
    listed_leaf const* items;
    std::int64_t item_count;  // of all parts
    plan_part const* parts;
    plan_split const* splits;
    part_stream const* streams = nullptr;  // of each part; null: none has any
    std::uint32_t const* stream_words = nullptr;
    T const* stream_values = nullptr;
    streak_range_of_part const* streak_ranges = nullptr;  // of each part, on a CPU; null: none has streaks
    plan_streak<T> const* streaks = nullptr;
    V const* x;
    std::int64_t x_size;
    V* y;
    V factor;
    V beta;
    V* slots;           // sums of the parts that share rows, d elements each
    bool reads_matrix;  // false where alpha is 0: neither A nor x is looked at then
};

/// Where mirrored items of one part add (mirrored_leaves.hpp): to rows of the group before end_row in y, to others in
/// the group's halo, times `factor`, which is 1 or -1.
template <class V>
struct mirrored_sums {
    listed_leaf const* items;
    std::int64_t count;
    std::int64_t end_row;  // of the group
    V* y;
    V* halo;
    V const* own_x;  // factor * x of the part's rows, from its first on
};

/// The same as sum_part() by a mirrored plan's items.
template <class T, class V>
void sum_mirrored_part(replay<T, V> const& product, std::int64_t part, mirrored_sums<V> const& to, V* sums);

/// Where the transposes of a part's leaves add (column_groups.hpp): column c of A to own[c] in the group's own columns,
/// to before[c] in front of them, to behind[c] behind them.
template <class V>
struct image_sums {
    V const* w;  // of the part's rows, from its first on
    std::int64_t own_first;
    std::int64_t own_last;
    V* before;
    V* own;
    V* behind;

    V* at(std::int64_t column) const {
        return (column < own_first ? before : column < own_last ? own : behind) + column;
    }
};

/// Adds the part's portion of A^T w.
template <class T, class V>
void sum_images_of_part(replay<T, V> const& product, std::int64_t part, image_sums<V> const& to);

/// sums[i] <- the sum of all that the part's items give to row first_row + i. `sums` has room for whole blocks of d
/// rows; what is behind the part's rows is undefined afterwards. Instantiated for float and double, and for
/// a float matrix with double vectors.
template <class T, class V>
void sum_part(replay<T, V> const& product, std::int64_t part, V* sums);

/// y[i] <- factor * sums[i] + beta * y[i], i < count. beta == 0 does not read y.
template <class V>
void write_rows(V factor, V const* sums, V beta, V* y, std::int64_t count);

}  // namespace copse::detail
