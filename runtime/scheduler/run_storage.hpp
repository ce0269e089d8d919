// The memory behind a run: one allocation, zeroed in front (control, counters, tickets, ranges), items behind.
//
//   | control | per queue: counters, statistics, tickets, range entries | per queue: items | trace, if there is one |
//   |<---------------------- zero_bytes ------------------------------->|                  |
//
// It is laid out without the tasks' types, from facts of them; view_of() then gives the queues their items.
#pragma once

#include <bit>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/controller.hpp>
#include <copse/runtime/scheduler/machine.hpp>
#include <copse/runtime/scheduler/run_view.hpp>
#include <copse/runtime/task.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

namespace copse::detail {

/// What the host's part of a run knows of its tasks: nothing of their types. Code that takes facts is compiled once.
/// Code that takes types is compiled again for every list of tasks, and there are hundreds.
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

/// "copse a, b", for ranges of a timeline (trace/nvtx.hpp): one task, or all that a launch is for.
std::string range_name_of(fact_list tasks);

template <class... Tasks>
char const* range_name() {
    static std::string const name = range_name_of(facts_of<Tasks...>());
    return name.c_str();
}

/// Hands out aligned pieces of a block of memory; with no memory it only counts.
class memory_cursor {
  public:
    explicit memory_cursor(std::byte* base) : base_(base) {}
    std::byte* take(std::size_t bytes, std::size_t alignment) {
        alignment = alignment > 16 ? alignment : 16;
        bytes_ = (bytes_ + alignment - 1) / alignment * alignment;
        std::byte* const piece = base_ ? base_ + bytes_ : nullptr;
        bytes_ += bytes;
        return piece;
    }
    template <class T>
    T* take(std::size_t count) {
        return reinterpret_cast<T*>(take(count * sizeof(T), alignof(T)));
    }
    std::size_t bytes() const { return bytes_; }

  private:
    std::byte* base_;
    std::size_t bytes_ = 0;
};

/// Where the parts of a queue lie.
struct queue_memory {
    ring_counters* counters;
    std::uint32_t* tickets;
    std::byte* items;
    std::uint32_t capacity;
    range_counters* counters_of_ranges;
    range_entry* ranges;
    std::uint32_t range_capacity;
    queue_statistics* statistics;
};

struct run_layout {
    std::vector<queue_memory> queues;
    run_counters* control;
    std::byte* trace;  // null where the run is not traced
    std::size_t zero_bytes;
    std::size_t bytes;
};

/// The smallest power of two that holds `count` and `more`, or 0. what: "items", "ranges". Throws argument_error above
/// 2^31.
std::uint32_t ring_capacity(std::string const& queue, char const* what, std::int64_t count, std::int64_t more = 0);

/// The layout of a run in memory at `base` (256-byte aligned). With base == nullptr only the sizes are meaningful.
run_layout lay_out(std::byte* base, run_options const& options, fact_list tasks);

/// The queue in that memory.
template <class Item, class Machine>
queue_view<Item, Machine> queue_in(queue_memory const& m) {
    return {{m.counters, m.tickets, reinterpret_cast<Item*>(m.items), m.capacity,
             static_cast<std::uint32_t>(std::bit_width(m.capacity | 1u) - 1)},
            {m.counters_of_ranges, m.ranges, m.range_capacity},
            m.statistics};
}
/// Its counters, no items.
template <class Machine>
queue_view<std::byte, Machine> levels_in(queue_memory m) {
    m.items = nullptr;
    return queue_in<std::byte, Machine>(m);
}

template <class Machine>
run_control<Machine>* control_in(run_layout const& layout) {
    return static_cast<run_control<Machine>*>(layout.control);
}
template <class Machine>
run_trace_memory<Machine>* trace_in(run_layout const& layout) {
    return reinterpret_cast<run_trace_memory<Machine>*>(layout.trace);
}

template <class Machine, class... Tasks>
run_view<Machine, Tasks...> view_of(run_layout const& layout, Tasks const&... tasks) {
    queue_memory const* next = layout.queues.data();
    // Braces: from left to right.
    return {task_queue<Tasks, Machine>{tasks, queue_in<typename Tasks::item, Machine>(*next++)}...,
            control_in<Machine>(layout), trace_in<Machine>(layout)};
}

/// Throws what the failure record of a run says, if anything. refusal: the words, if that is what it says.
void throw_failure(failure_record const& failure, char const* refusal, fact_list tasks);

/// The report of a run from one set of figures per task, in order.
run_report make_report(fact_list tasks, queue_figures const* figures);

}  // namespace copse::detail
