// The items a run starts with.
//
//   copse::seed<visit>(root)                            one item
//   copse::seed<visit>(std::vector{a, b, c})            several
//   copse::seed_range<scale>(0, n)                      items 0 .. n - 1, stored as one entry
//   copse::seed_range<scale>(0, n) + copse::seed<visit>(root)
#pragma once

#include <copse/runtime/scheduler/run_view.hpp>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

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

template <class Task>
seed_list<Task> seed(std::vector<typename Task::item> items) {
    return {{seed_entry<Task>{std::move(items)}}};
}

template <class Task>
seed_list<Task> seed_range(std::int64_t first, std::int64_t count) {
    return {{seed_entry<Task>{{}, first, count}}};
}

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
