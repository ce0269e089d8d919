// Pushing from lanes that run side by side: the lanes that are there reserve room once for all of them.
//
// A group is whatever lanes happen to be together: rank(), size(), and broadcast(v), which gives every lane rank 0's
// value.
//   gpu        the coalesced threads of the warp
//   emulated   a subset that the executor picks
#pragma once

#include <copse/runtime/scheduler/run_view.hpp>

namespace copse::detail {

template <class Group, class Item, class Machine>
COPSE_HOST_DEVICE void push_together(Group const& group, push_target<Item, Machine> const& to, Item const& item) {
    queue_reservation room{};
    if (group.rank() == 0) room = to.reserve(group.size());
    room = group.broadcast(room);
    if (group.rank() < room.count()) to.queue.write(room, group.rank(), item);
}

}  // namespace copse::detail
