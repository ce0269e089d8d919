// What the host's part of a run knows of its tasks: nothing of their types. Code that takes facts is compiled once.
// Code that takes types is compiled again for every list of tasks, and there are hundreds.
#pragma once

#include <copse/runtime/task.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace copse::detail {

struct task_facts {
    std::string (*name)();
    std::type_info const* type;
    std::size_t item_bytes;
    std::size_t item_alignment;
    bool takes_ranges;
    int width;
    int phase;
    int priority;
    std::size_t scratch_bytes;  // of a worker
};

using fact_list = std::span<task_facts const>;

/// Of each task, in order. The facts live as long as the program.
template <class... Tasks>
fact_list facts_of() {
    static constexpr task_facts all[] = {{&task_name<Tasks>, &typeid(Tasks), sizeof(typename Tasks::item),
                                          alignof(typename Tasks::item),
                                          std::is_convertible_v<std::int64_t, typename Tasks::item>, Tasks::width,
                                          task_phase<Tasks>(), task_priority<Tasks>(), task_scratch_bytes<Tasks>()}...};
    return all;
}

/// Positions of the tasks: the highest priority first, those of one priority in order.
std::vector<std::size_t> by_priority(fact_list tasks);

/// "copse a, b", for ranges of a timeline (nvtx.hpp): one task, or all that a launch is for.
std::string range_name_of(fact_list tasks);

template <class... Tasks>
char const* range_name() {
    static std::string const name = range_name_of(facts_of<Tasks...>());
    return name.c_str();
}

}  // namespace copse::detail
