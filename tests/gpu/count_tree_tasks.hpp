// Tasks that grow a complete tree and count its leaves.
#pragma once

#include <copse/runtime/config.hpp>
#include <cstdint>

namespace copse::tests {

struct count_leaf {
    using item = std::int64_t;
    static constexpr int width = 1;
    std::int64_t* leaves;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item, Worker& w) const {
        w.add(leaves, 1);
    }
};

/// An item is a node's height; a node of height h has `children` children of height h - 1.
struct grow_tree {
    using item = std::int64_t;
    static constexpr int width = 4;
    int children;
    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item height, Worker& w) const {
        for (int i = w.rank(); i < children; i += w.size()) {
            if (height > 1)
                w.template push<grow_tree>(height - 1);
            else
                w.template push<count_leaf>(0);
        }
    }
};

}  // namespace copse::tests
