// Random trees of tasks of several widths, pushed in every way: all executors do the same work.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

/// A tree: node i's children are first_child[i] .. first_child[i] + child_count[i] - 1; kind[i] says which task visits
/// it and way[i] how it pushes its children.
struct tree {
    std::vector<std::int64_t> first_child;
    std::vector<std::int32_t> child_count;
    std::vector<std::int32_t> kind;
    std::vector<std::int32_t> way;
    std::int64_t size() const { return static_cast<std::int64_t>(kind.size()); }
};

struct forest_view {
    std::int64_t const* first_child;
    std::int32_t const* child_count;
    std::int32_t const* kind;
    std::int32_t const* way;
    std::int64_t* visits;
};

template <int Kind>
struct walk;

/// Calls f.template operator()<Task>() for the task of a kind.
template <class F>
void with_kind(int kind, F f) {
    if (kind == 0)
        f.template operator()<walk<0>>();
    else if (kind == 1)
        f.template operator()<walk<1>>();
    else
        f.template operator()<walk<2>>();
}

template <int Kind>
struct walk {
    using item = std::int64_t;
    static constexpr int width = Kind == 0 ? 1 : Kind == 1 ? 8 : 64;
    forest_view forest;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        std::int64_t const first = forest.first_child[i];
        std::int32_t const count = forest.child_count[i];
        if (w.rank() == 0) w.add(&forest.visits[i], 1 + count);
        // All children of a node are of one kind when they are pushed together, and of their own when one by one.
        if (forest.way[i] == 0) {
            for (std::int32_t k = w.rank(); k < count; k += w.size())
                with_kind(forest.kind[first + k], [&]<class To>() { w.template push<To>(first + k); });
        } else {
            with_kind(forest.way[i] - 1, [&]<class To>() {
                if (count % 2 == 0)
                    w.template push_n<To>(static_cast<std::uint32_t>(count),
                                          [=](std::uint32_t k) { return first + k; });
                else if (w.rank() == 0)
                    w.template push_range<To>(first, count);
            });
        }
    }
};

rc::Gen<tree> random_tree() {
    return rc::gen::exec([] {
        auto const size = *rc::gen::inRange<std::int64_t>(1, 150);
        tree t;
        std::int64_t next = 1;
        for (std::int64_t i = 0; i < size; ++i) {
            std::int64_t const left = size - next;
            // While nodes are left, the last one known must have a child.
            std::int64_t const least = left > 0 && next == i + 1 ? 1 : 0;
            auto const most = std::min<std::int64_t>(left, *rc::gen::element<std::int64_t>(1, 3, 40));
            auto const count = least + *rc::gen::inRange<std::int64_t>(0, std::max<std::int64_t>(most - least, 0) + 1);
            t.first_child.push_back(next);
            t.child_count.push_back(static_cast<std::int32_t>(std::min(count, left)));
            next += t.child_count.back();
            t.kind.push_back(*rc::gen::inRange(0, 3));
            t.way.push_back(*rc::gen::inRange(0, 4));
        }
        return t;
    });
}

template <class Executor>
std::vector<std::int64_t> visits_on(Executor& executor, tree const& t) {
    buffer<std::int64_t> const first_child(executor, t.first_child);
    buffer<std::int32_t> const child_count(executor, t.child_count), kind(executor, t.kind), way(executor, t.way);
    buffer<std::int64_t> const visits(executor, std::vector<std::int64_t>(t.kind.size(), 0));
    forest_view const forest{first_child.data(), child_count.data(), kind.data(), way.data(), visits.data()};
    // Small queues: much is spilled.
    auto const options = run_options().capacity<walk<0>>(2, 256).capacity<walk<1>>(8, 256).capacity<walk<2>>(1, 256);
    run(executor, options, seed<walk<1>>(0), walk<0>{forest}, walk<1>{forest}, walk<2>{forest});
    return visits.to_host();
}

RC_GTEST_PROP(random_trees, are_walked_alike_by_every_executor, ()) {
    tree const t = *random_tree();
    std::vector<std::int64_t> expected;
    for (std::int32_t const count : t.child_count) expected.push_back(1 + count);
    RC_LOG(std::to_string(t.size()) + " nodes");

    cpu one(1), two(2);
    RC_ASSERT(visits_on(one, t) == expected);
    RC_ASSERT(visits_on(two, t) == expected);
    auto const seed = *rc::gen::arbitrary<std::uint64_t>();
    for (controller c : {controller::persistent, controller::device, controller::host}) {
        emulated explored({.seed = seed, .controller = c});
        RC_ASSERT(visits_on(explored, t) == expected);
    }
}

}  // namespace
}  // namespace copse::tests
