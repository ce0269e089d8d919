// What a sum shares with others, copied to its own nodes where it is too little for all of theirs to be kept.
//
//   C   [ own | own | own | free ]      before: some references lead to A and to B, and keep all of their memory
//   C   [ own | own | own | copies ]    after
#pragma once

#include <copse/algebra/sums/add_tasks.hpp>
#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::detail {

/// An inner node of C's own: children that are others' are copied. `run`: both operands are C.
template <class T>
struct gather_shared {
    using item = child_reference;  // as it is stored
    static constexpr int width = 32;
    static constexpr char const* name = "what an inner node shares";

    addition<T> run;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item inner, Worker& w) const {
        auto* const slots = reinterpret_cast<child_reference*>(run.nodes.memory + inner.offset());
        int const count = run.a.tree.child_count({inner, 0, 0});
        for (int i = w.rank(); i < count; i += w.size()) {
            child_reference const child = slots[i];
            if (!child) continue;
            if (child.arena() != run.arena)
                push_copy<T>(w, {child, slots + i, true});
            else if (!child.is_leaf())
                w.template push<gather_shared<T>>(child);
        }
        w.sync();
    }
};

template <class T, template <class...> class List>
using gather_tasks = List<gather_shared<T>, copy_inner_node<T>, copy_leaf<T>>;

}  // namespace copse::detail
