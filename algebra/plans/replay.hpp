// y <- factor * A * x + beta * y from a plan's lists, ready for an executor.
#pragma once

#include <copse/algebra/plans/plan_lists.hpp>
#include <copse/formats/tree_view.hpp>
#include <cstdint>

namespace copse::detail {

/// T: type of the matrix; V: of the vectors and sums. Trivially copyable; points to the executor's memory.
template <class T, class V>
struct replay {
    tree_view tree;
    listed_leaf const* items;
    std::int64_t item_count;  // of all parts
    plan_part const* parts;
    plan_split const* splits;
    V const* x;
    std::int64_t x_size;
    V* y;
    V factor;
    V beta;
    V* slots;           // sums of the parts that share rows, d elements each
    bool reads_matrix;  // false where alpha is 0: neither A nor x is looked at then
};

}  // namespace copse::detail
