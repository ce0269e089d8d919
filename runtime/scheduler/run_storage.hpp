// The memory behind a run: one allocation, zeroed in front (control, counters, tickets, ranges), items behind.
//
//   | control | per queue: counters, statistics, tickets, range entries | per queue: items | trace, if there is one |
//   |<---------------------- zero_bytes ------------------------------->|                  |
#pragma once

#include <bit>
#include <copse/runtime/error.hpp>
#include <copse/runtime/report.hpp>
#include <copse/runtime/run_options.hpp>
#include <copse/runtime/scheduler/run_view.hpp>
#include <cstddef>
#include <string>

namespace copse::detail {

/// Throws what a failure record says; `queue` is the name of its queue.
[[noreturn]] void throw_failure(failure_record const& failure, std::string const& queue);

template <class Machine, class... Tasks>
struct run_storage {
    run_view<Machine, Tasks...> view;
    std::size_t zero_bytes;
    std::size_t bytes;
};

/// Hands out aligned pieces of a block of memory; with no memory it only counts.
class memory_cursor {
  public:
    explicit memory_cursor(std::byte* base) : base_(base) {}
    template <class T>
    T* take(std::size_t count) {
        std::size_t const alignment = alignof(T) > 16 ? alignof(T) : 16;
        bytes_ = (bytes_ + alignment - 1) / alignment * alignment;
        T* const piece = base_ ? reinterpret_cast<T*>(base_ + bytes_) : nullptr;
        bytes_ += count * sizeof(T);
        return piece;
    }
    std::size_t bytes() const { return bytes_; }

  private:
    std::byte* base_;
    std::size_t bytes_ = 0;
};

/// The smallest power of two that holds `items` and `more`, or 0. Throws argument_error above 2^31.
template <class Task>
std::uint32_t ring_capacity(std::int64_t items, std::int64_t more = 0) {
    std::int64_t constexpr most = std::int64_t{1} << 31;
    if (items < 0 || more < 0 || items > most - more)
        throw argument_error("capacity of queue '" + task_name<Task>() + "' is " + std::to_string(items) +
                             (more == 0 ? "" : " and " + std::to_string(more) + " of spill") +
                             "; it must lie between 0 and 2^31");
    return items + more == 0 ? 0 : std::bit_ceil(static_cast<std::uint32_t>(items + more));
}

/// The layout of a run in memory at `base` (256-byte aligned). With base == nullptr only the sizes are meaningful.
template <class Machine, class... Tasks>
run_storage<Machine, Tasks...> lay_out(std::byte* base, run_options const& options, Tasks const&... tasks) {
    memory_cursor cursor(base);
    auto* const control = cursor.take<run_control<Machine>>(1);
    auto lay_out_queue = [&]<class Task>(Task const& task) {
        using item = typename Task::item;
        queue_capacity const capacity = options.of<Task>();
        std::uint32_t const items = ring_capacity<Task>(capacity.items, capacity.spill);
        ring_view<item, Machine> const ring{cursor.take<ring_counters>(1), cursor.take<std::uint32_t>(items), nullptr,
                                            items, static_cast<std::uint32_t>(std::bit_width(items | 1u) - 1)};
        std::uint32_t const ranges =
            std::is_convertible_v<std::int64_t, item> ? ring_capacity<Task>(capacity.ranges) : 0;
        range_list_view<Machine> const list{cursor.take<range_counters>(1), cursor.take<range_entry>(ranges), ranges};
        return task_queue<Task, Machine>{task, {ring, list, cursor.take<queue_statistics>(1)}};
    };
    // Braces: the queues are laid out from left to right.
    run_storage<Machine, Tasks...> storage{{lay_out_queue(tasks)..., control}, 0, 0};
    storage.zero_bytes = cursor.bytes();
    auto place_items = [&]<class Task>() {
        auto& queue = static_cast<task_queue<Task, Machine>&>(storage.view).queue;
        queue.ring.items = cursor.take<typename Task::item>(queue.ring.capacity);
        return false;
    };
    run_view<Machine, Tasks...>::any_task(place_items);
    if (trace const* const to = options.traced()) {
        using memory = trace_memory<Machine>;
        struct alignas(alignof(memory)) line {
            std::byte bytes[alignof(memory)];
        };
        std::size_t const lines = (memory::bytes_of(to->options()) + sizeof(line) - 1) / sizeof(line);
        storage.view.trace = reinterpret_cast<memory*>(cursor.take<line>(lines));
    }
    storage.bytes = cursor.bytes();
    return storage;
}

/// While it lives, a stop that is requested ends the run as a failure does: at once, from the requester's thread, so
/// that workers have nothing more to look at.
template <class Machine>
auto cancel_on_stop(run_options const& options, run_control<Machine>& control) {
    auto const cancel = [&control] { control.fail(failure_kind::cancelled, 0, 0, 0, 0); };
    return std::stop_callback<decltype(cancel)>(options.stop(), cancel);
}

/// "copse a, b", for ranges of a timeline (nvtx.hpp): one task, or all that a launch is for.
template <class... Tasks>
char const* range_name() {
    static std::string const name = [] {
        std::string text;
        ((text += (text.empty() ? "copse " : ", ") + task_name<Tasks>()), ...);
        return text;
    }();
    return name.c_str();
}

/// Throws what the failure record of a run says, if anything.
template <class... Tasks>
void throw_failure(failure_record const& failure) {
    if (failure.state == 0) return;
    std::string const names[] = {task_name<Tasks>()...};
    throw_failure(failure, names[failure.queue]);
}

/// The report of a run from one set of figures per task, in order.
template <class... Tasks>
run_report make_report(queue_figures const* figures) {
    run_report report;
    std::string const names[] = {task_name<Tasks>()...};
    for (std::size_t i = 0; i < sizeof...(Tasks); ++i) {
        queue_statistics const& done = figures[i].done;
        report.queues.push_back({names[i], static_cast<std::int64_t>(done.items),
                                 static_cast<std::int64_t>(done.batches), static_cast<std::int64_t>(done.launches),
                                 figures[i].peak_fill, figures[i].capacity,
                                 static_cast<double>(done.nanoseconds) * 1e-9});
    }
    return report;
}

/// The same, where the host can read the run's memory.
template <class Machine, class... Tasks>
run_report make_report(run_view<Machine, Tasks...> const& view) {
    queue_figures const figures[] = {queue_of<Tasks>(view).figures()...};
    return make_report<Tasks...>(figures);
}

}  // namespace copse::detail
