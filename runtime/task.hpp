// What a task is: a small class with a queue of its own.
//
//   struct halve {
//       using item = std::int64_t;                  // what its queue holds: trivially copyable, at most 64 bytes
//       static constexpr int width = 4;             // threads that work on one item: 1, 2, 4 .. 128
//       double* values;                             // the members are the same for all items of a run
//       template <class Worker>
//       COPSE_HOST_DEVICE void operator()(item i, Worker& w) const { if (w.rank() == 0) values[i] /= 2; }
//   };
//
// A task is trivially copyable, and not final. Optional members:
//   static constexpr char const* name             shown in reports and errors; default: the type's name
//   static constexpr int phase                    0 (default) .. 3; starts when all earlier phases are done
//   static constexpr int priority                 0 (default): of queues that hold items, workers draw from those of
//                                                 the highest priority. The device controller looks at none
//   static constexpr std::size_t scratch_bytes    memory on chip that one worker's lanes share (default 0): its open
//                                                 tiles and scratch() together. Times 128 / width at most 40 KiB
//   static constexpr int bulk_copies              copies by copy_bulk() that a worker has on their way at once, at most
//                                                 (default 0): numbers 0 .. bulk_copies - 1
//   static constexpr int resident_blocks          blocks of 128 threads that a multiprocessor of a GPU holds at once,
//                                                 at most 8: 8 leave each thread 64 registers, 4 leave it 128
#pragma once

#include <array>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace copse {

/// Threads in a block of every kernel of the scheduler, and the widest worker.
inline constexpr int block_threads = 128;
inline constexpr int phase_count = 4;
/// What an item may have at most.
inline constexpr std::size_t most_item_bytes = 64;

namespace detail {

template <class Task>
constexpr int task_phase() {
    if constexpr (requires { Task::phase; })
        return Task::phase;
    else
        return 0;
}

template <class Task>
constexpr int task_priority() {
    if constexpr (requires { Task::priority; })
        return Task::priority;
    else
        return 0;
}

template <class First, class... Others>
inline constexpr int highest_priority = [] {
    int most = task_priority<First>();
    ((most = task_priority<Others>() > most ? task_priority<Others>() : most), ...);
    return most;
}();

template <class Task>
constexpr std::size_t task_scratch_bytes() {
    if constexpr (requires { Task::scratch_bytes; })
        return Task::scratch_bytes;
    else
        return 0;
}

template <class Task>
constexpr std::size_t task_bulk_copies() {
    if constexpr (requires { Task::bulk_copies; })
        return std::size_t{Task::bulk_copies};
    else
        return 0;
}

/// The task's resident_blocks, but at most `most`; `most` if the task does not say.
template <class Task>
constexpr int task_resident_blocks(int most) {
    if constexpr (requires { Task::resident_blocks; })
        return Task::resident_blocks < most ? Task::resident_blocks : most;
    else
        return most;
}

template <class Task>
std::string task_name() {
    if constexpr (requires { Task::name; }) {
        return Task::name;
    } else {
        // "... [with Task = some::task; std::string = ...]" (gcc) or "... [Task = some::task]" (clang)
        std::string_view text = __PRETTY_FUNCTION__;
        std::size_t const begin = text.find("Task = ") + 7;
        return std::string(text.substr(begin, text.find_first_of(";]", begin) - begin));
    }
}

template <class Task, class... Tasks>
inline constexpr bool is_one_of = (std::is_same_v<Task, Tasks> || ...);

/// Position of Task in Tasks.
template <class Task, class... Tasks>
constexpr int index_of() {
    int index = 0;
    bool found = false;
    ((found = found || std::is_same_v<Task, Tasks>, index += found ? 0 : 1), ...);
    return index;
}

/// Positions of Tasks by priority: the highest first, those of one priority in order.
template <class... Tasks>
constexpr std::array<int, sizeof...(Tasks)> places_by_priority() {
    int constexpr count = sizeof...(Tasks);
    int const priorities[] = {task_priority<Tasks>()...};
    std::array<int, sizeof...(Tasks)> places{};
    for (int i = 0; i < count; ++i) {
        int place = 0;
        for (int k = 0; k < count; ++k)
            if (priorities[k] > priorities[i] || (priorities[k] == priorities[i] && k < i)) ++place;
        places[static_cast<std::size_t>(place)] = i;
    }
    return places;
}
template <std::size_t Place, class... Tasks>
using task_by_priority =
    std::tuple_element_t<static_cast<std::size_t>(places_by_priority<Tasks...>()[Place]), std::tuple<Tasks...>>;

template <class Task>
constexpr void check_task() {
    using item = typename Task::item;
    static_assert(std::is_trivially_copyable_v<item>,
                  "copse: a task's item must be trivially copyable: it travels through a queue");
    static_assert(sizeof(item) <= most_item_bytes,
                  "copse: a task's item must have at most 64 bytes; let it hold an index or a pointer");
    static_assert(std::is_trivially_copyable_v<Task>,
                  "copse: a task must be trivially copyable: it is handed to every block");
    static_assert(!std::is_final_v<Task>, "copse: a task must not be final");
    static_assert(Task::width >= 1 && Task::width <= block_threads && (Task::width & (Task::width - 1)) == 0,
                  "copse: a task's width must be a power of two from 1 to 128");
    static_assert(task_phase<Task>() >= 0 && task_phase<Task>() < phase_count,
                  "copse: a task's phase must be 0, 1, 2 or 3");
    static_assert(task_resident_blocks<Task>(1) == 1, "copse: a task's resident_blocks must be at least 1");
    static_assert(task_scratch_bytes<Task>() * (block_threads / Task::width) <= 40 * 1024,
                  "copse: scratch_bytes times the workers in a block (128 / width) must be at most 40 KiB");
}

}  // namespace detail
}  // namespace copse
