// Pushing to one of several queues that hold the same items, chosen at run time: how work is sorted into bins (hisparse
// §4.1).
//
//   copse::push_one_of<small, medium, large>(w, bin, item);     // into the bin-th of the three; nowhere if bin is 3
//
// On the GPU, lanes that choose different queues push side by side: one reservation per queue, in one pass over the
// code. With an `if` per queue, SpMV's eight bins made kernels of twice the size that took nvcc twice as long.
#pragma once

#include <copse/runtime/config.hpp>

namespace copse {

/// Like worker.push<T>(item) for the T at position `which` of Tasks. Any lane, in divergent code too.
template <class... Tasks, class Worker, class Item>
COPSE_HOST_DEVICE void push_one_of(Worker& worker, int which, Item const& item) {
    if constexpr (requires { worker.template push_one_of<Tasks...>(which, item); }) {
        worker.template push_one_of<Tasks...>(which, item);
    } else {
        int i = 0;
        ((i++ == which ? worker.template push<Tasks>(item) : void()), ...);
    }
}

}  // namespace copse
