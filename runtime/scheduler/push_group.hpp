// Pushing from lanes that run side by side: the lanes that are there reserve room once for all of them.
//
// A group is whatever lanes happen to be together: rank(), size(), and broadcast(v), which gives every lane rank 0's
// value.
//   gpu        the coalesced threads of the warp
//   emulated   a subset that the executor picks
#pragma once

#include <copse/runtime/scheduler/run_view.hpp>

namespace copse::detail {

template <class Machine, class Item, class Group>
COPSE_HOST_DEVICE void push_into(Group const& group, queue_of_run<Item> const& to, Item const& item) {
    queue_reservation room{};
    if (group.rank() == 0) {
        room = to.queue.template try_reserve<Machine>(group.size());
        to.template account<Machine>(room, group.size());
    }
    room = group.broadcast(room);
    if (group.rank() < room.count()) to.queue.template write<Machine>(room, group.rank(), item);
}

template <class Machine, class Task, class Group, class Run>
COPSE_HOST_DEVICE void push_together(Group const& group, Run const& run, typename Task::item const& item) {
    push_into<Machine>(group, run.template whole_queue<Task>(), item);
}

}  // namespace copse::detail
