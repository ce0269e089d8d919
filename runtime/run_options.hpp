// What a run is told: the items it starts with, how many items its queues hold, who may cancel it, where it is traced.
//
//   copse::seed<visit>(root)                            one item
//   copse::seed<visit>(std::vector{a, b, c})            several
//   copse::seed_range<scale>(0, n)                      items 0 .. n - 1, stored as one entry
//   copse::seed_range<scale>(0, n) + copse::seed<visit>(root)
#pragma once

#include <copse/runtime/cancellable.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/run_view.hpp>
#include <copse/runtime/trace.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace copse {

namespace detail {

/// Bytes in an executor's memory that are copied to the host at the end of a run.
struct copy_with_report {
    void const* there = nullptr;
    void* here = nullptr;
    std::size_t bytes = 0;
};

}  // namespace detail

struct queue_capacity {
    std::int64_t items = std::int64_t{1} << 18;
    std::int64_t spill = 0;
    std::int64_t ranges = 256;
};

/// Queues hold 2^18 items, and take 256 ranges per run, unless told otherwise:
///     copse::run(cpu, copse::run_options().capacity<visit>(1'000'000), seeds, visit{...});
class run_options {
  public:
    /// Lets Task's queue hold at least `items` + `spill` waiting items at once, in one ring, and take `ranges` ranges
    /// in all; both numbers are rounded up to a power of two. They are 0 to 2^31: else run() throws argument_error.
    template <class Task>
    run_options& capacity(std::int64_t items, std::int64_t spill = 0, std::int64_t ranges = 256) {
        capacities_[typeid(Task)] = {items, spill, ranges};
        return *this;
    }
    template <class Task>
    queue_capacity of() const {
        return of(typeid(Task));
    }
    queue_capacity of(std::type_index task) const {
        auto const found = capacities_.find(task);
        return found == capacities_.end() ? queue_capacity{} : found->second;
    }
    /// Whether capacity<Task>() was called.
    template <class Task>
    bool names_capacity() const {
        return capacities_.contains(typeid(Task));
    }

    /// Cancels the run when a stop is requested, from any thread: std::stop_source source; ... source.request_stop().
    /// Task functions that have begun go on to their end; all other items are dropped, and run() throws `cancelled`.
    /// A run that has ended by then is not changed. What tasks wrote until then stays.
    run_options& cancelled_by(std::stop_token stop) {
        stop_ = std::move(stop);
        return *this;
    }
    /// The token that was given, or else that of the calling thread (copse::cancellable).
    std::stop_token stop() const { return stop_.stop_possible() ? stop_ : cancellable::of_this_thread(); }

    /// Traces the run (trace.hpp). `to` must live until the run has ended. A run that ends in an error is traced too,
    /// unless CUDA failed.
    run_options& traced_by(trace& to) {
        trace_ = &to;
        return *this;
    }
    /// The trace that was named, or else that of the calling thread (copse::tracing); null if there is none.
    trace* traced() const { return trace_ ? trace_ : tracing::of_this_thread(); }

  private:
    friend void copies_with_report(run_options& options, detail::copy_with_report const& what) { options.copy_ = what; }
    friend detail::copy_with_report const& copy_of(run_options const& options) { return options.copy_; }

    std::map<std::type_index, queue_capacity> capacities_;
    std::stop_token stop_;
    trace* trace_ = nullptr;
    detail::copy_with_report copy_;
};

template <class Task>
struct seed_entry {
    std::vector<typename Task::item> items;
    std::int64_t range_first = 0;
    std::int64_t range_count = 0;
};

template <class... Tasks>
struct seed_list {
    std::tuple<seed_entry<Tasks>...> entries;
};

/// One item.
template <class Task>
seed_list<Task> seed(typename Task::item const& item) {
    return {{seed_entry<Task>{{item}}}};
}

/// A number of another type than the task's item. The item must be able to hold it.
template <class Task, class Number>
requires(std::is_arithmetic_v<Number> &&
         !std::is_same_v<Number, typename Task::item>) seed_list<Task> seed(Number number) {
    if constexpr (check_item<Task, Number>())
        return {{seed_entry<Task>{{static_cast<typename Task::item>(number)}}}};
    else
        return {};
}

/// Several items, in one call.
template <class Task>
seed_list<Task> seed(std::vector<typename Task::item> items) {
    return {{seed_entry<Task>{std::move(items)}}};
}

/// Items first .. first + count - 1, as one entry of the queue. The task's item must be made from std::int64_t. Throws
/// argument_error if count < 0.
template <class Task>
seed_list<Task> seed_range(std::int64_t first, std::int64_t count) {
    static_assert(std::is_convertible_v<std::int64_t, typename Task::item>,
                  "copse: seed_range: items of a range are numbers; this task's item is not made from std::int64_t");
    if (count < 0) throw argument_error("seed_range: count is " + std::to_string(count) + "; it must be 0 or more");
    return {{seed_entry<Task>{{}, first, count}}};
}

/// Both: a run may begin with items of several tasks.
template <class... A, class... B>
seed_list<A..., B...> operator+(seed_list<A...> a, seed_list<B...> b) {
    return {std::tuple_cat(std::move(a.entries), std::move(b.entries))};
}

namespace detail {

/// Items, those of ranges among them.
template <class... Seeded>
std::int64_t seed_count(seed_list<Seeded...> const& seeds) {
    return std::apply(
        [](auto const&... entry) {
            return (std::int64_t{0} + ... + (static_cast<std::int64_t>(entry.items.size()) + entry.range_count));
        },
        seeds.entries);
}

/// Pushes `count` items, up to 65,536 by one reservation.
template <class Item, class Machine>
void push_all(push_target<Item, Machine> const& to, Item const* items, std::int64_t count) {
    std::int64_t constexpr at_once = 1 << 16;
    for (std::int64_t begin = 0; begin < count; begin += at_once) {
        auto const wanted = static_cast<std::uint32_t>(count - begin < at_once ? count - begin : at_once);
        ring_positions const room = to.reserve(wanted);
        for (std::uint32_t i = 0; i < room.count; ++i) to.queue.ring.write(room.first + i, items[begin + i]);
    }
}

template <class Run, class... Seeded>
void push_seeds(Run const& run, seed_list<Seeded...> const& seeds) {
    auto push = [&]<class Task>(seed_entry<Task> const& entry) {
        if constexpr (check_push<Run, Task, Task>()) {
            push_all(push_target_of<Task>(run), entry.items.data(), static_cast<std::int64_t>(entry.items.size()));
            if constexpr (std::is_convertible_v<std::int64_t, typename Task::item>)
                push_target_of<Task>(run).push_range(entry.range_first, entry.range_count);
        }
    };
    std::apply([&](auto const&... entry) { (push(entry), ...); }, seeds.entries);
}

}  // namespace detail

}  // namespace copse
