// Whether a sum's own nodes have values that are not finite: where both operands' factors are C's scale, and that is below
// 1, stored values may be too large for their sum where C's are not.
#pragma once

#include <copse/algebra/sums/addition.hpp>
#include <copse/formats/tree_view.hpp>
#include <copse/formats/visit_entries.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// A node of C's own; an inner node looks for others below.
template <class T>
struct find_overflow {
    using item = node;
    static constexpr int width = 32;
    static constexpr char const* name = "values that are not finite";

    tree_view tree;
    int arena;
    std::int64_t* found;  // how many lanes have one

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        if (n.reference.is_leaf()) {
            if (has_one(w, n.reference)) w.add(found, std::int64_t{1});
        } else {
            for (int i = w.rank(); i < tree.child_count(n); i += w.size())
                if (node const child = tree.child(n, i); child && child.reference.arena() == arena)
                    w.template push<find_overflow>(child);
        }
        w.sync();
    }

  private:
    /// This lane's share of the values; padding is zero.
    template <class Worker>
    COPSE_HOST_DEVICE bool has_one(Worker& w, child_reference leaf) const {
        stored_leaf const shape = stored<T>(tree, leaf);
        auto const* const values = reinterpret_cast<T const*>(tree.address(leaf) + shape.values_offset);
        bool some = false;
        for (std::int64_t i = w.rank(); i < shape.values; i += w.size()) some |= values[i] - values[i] != T(0);
        return some;
    }
};

}  // namespace copse::detail
