// Making and replaying plans on any executor. One traversal by the scheduler finds the leaves that a product meets: the
// task of leaves writes them down. Included where run() for an executor is compiled.
#pragma once

#include <array>
#include <copse/algebra/for_each_leaf.hpp>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/algebra/plans/replay.hpp>
#include <copse/algebra/plans/replay_choices.hpp>
#include <copse/algebra/products/product_factor.hpp>
#include <copse/algebra/products/spmv_run.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {

struct record_leaf : takes_any_leaves<0, any_size> {
    using item = node;
    static constexpr int width = 1;
    static constexpr char const* name = "record leaf";

    node* leaves;
    std::int64_t* count;

    template <class Worker>
    COPSE_HOST_DEVICE void operator()(item n, Worker& w) const {
        leaves[w.fetch_add(count, 1)] = n;
    }
};

/// For the device controller.
template <template <class...> class List>
using spmv_plan_runs = List<record_leaf, inner_dense<leaf_tasks<record_leaf>>, inner_many<leaf_tasks<record_leaf>>,
                            inner_few<leaf_tasks<record_leaf>>>;

/// `count` leaves in the executor's temporary memory.
struct recorded_leaves {
    buffer<node> leaves;
    std::int64_t count = 0;

    std::vector<node> to_host() const {
        std::vector<node> result(static_cast<std::size_t>(count));
        leaves.read(0, result);
        return result;
    }
};

/// All leaves of op(A), each time that a traversal meets them, in any order.
template <class Executor, class T>
recorded_leaves record_leaves(Executor& executor, hisparse<T> const& a) {
    if (!a.root()) return {};
    auto const& temporary = temporary_memory(executor);
    std::int64_t const none = 0;
    buffer<std::int64_t> const count(temporary, std::span(&none, 1));
    recorded_leaves recorded{{temporary, record_leaf::visits(a.census())}};
    run_on_leaves(executor, a, record_leaf{{}, recorded.leaves.data(), count.data()});
    recorded.count = count.to_host().front();
    return recorded;
}

/// Make a direction of `plan` where the executor works: from the matrix's leaves as they are stored, or from the other
/// direction. Wait. Null where the host has to make it. (plan_steps_operation.hpp)
template <class T, lanes_executor Executor>
std::unique_ptr<direction_content> direction_from_leaves(Executor& executor, plan_content<T> const& plan,
                                                         recorded_leaves const& recorded, bool of_transpose);
template <class T, lanes_executor Executor>
std::unique_ptr<direction_content> direction_from_other(plan_content<T> const& plan, bool of_transpose);

/// Of operands that are checked. `slots` is left to the executor.
template <class T, class V>
replay<T, V> replay_of(spmv_plan<T> const& plan, V alpha, vector_view<V const> x, V beta, vector_view<V> y) {
    direction_content const& direction = direction_content_of(plan);
    plan_direction const& lists = *direction.lists;
    return {.tree = direction.tree,
            .items = lists.items.data(),
            .item_count = lists.item_count,
            .parts = lists.parts.data(),
            .splits = lists.splits.data(),
            .streams = lists.streams.size() > 0 ? lists.streams.data() : nullptr,
            .stream_words = lists.stream_words.data(),
            .stream_values = reinterpret_cast<T const*>(lists.stream_values.data()),
            .streak_ranges = lists.streaks.size() > 0 ? lists.streak_ranges.data() : nullptr,
            .streaks = reinterpret_cast<plan_streak<T> const*>(lists.streaks.data()),
            .x = x.data(),
            .x_size = x.size(),
            .y = y.data(),
            .factor = product_factor(alpha, static_cast<V>(plan.matrix().scale())),
            .beta = beta,
            .slots = nullptr,
            .reads_matrix = alpha != V(0)};
}
/// Whether workers with lanes read x and -x: then `both` has room for them, and with_both() is what they replay.
template <class T, class V>
bool reads_both_signs(plan_direction const& lists, replay<T, V> const& product) {
    return lists.items_by_sign.size() > 0 && product.reads_matrix;
}
template <class T, class V>
replay<T, V> with_both(replay<T, V> product, plan_direction const& lists, V const* both) {
    product.items = lists.items_by_sign.data();
    product.x = both;
    product.x_size *= 2;
    return product;
}
/// A product and the lists that it replays, with its memory.
template <class T, class V>
struct ready_replay {
    replay<T, V> product;
    plan_direction const& lists;

    std::int64_t piece_count() const { return lists.part_count + lists.split_count; }
};
/// Whether leaves that a worker with lanes reads are to stay in a cache for another one.
inline bool keeps_leaves(plan_direction const& lists, replay_choices const& choices) {
    return choices.keep_twins && lists.leaves_repeat;
}
/// Throws what spmv() throws before anything is started.
template <class T, class V>
void check_replay(spmv_plan<T> const& plan, vector_view<V const> x, vector_view<V> y, memory_space space) {
    content_of(plan);  // of a plan that was moved from: says so
    check_space("spmv", plan.matrix().space(), "the plan's matrix", space);
    check_product("spmv", plan.row_count(), plan.column_count(), x, y, space);
}
/// Of operands that are checked; the direction's lists are made by the executor's threads, if this is their first use.
template <class T, class V, class Executor>
replay<T, V> make_replay(Executor const& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                         vector_view<V> y) {
    direction_of(executor, plan);
    return replay_of<T, V>(plan, alpha, x, beta, y);
}

/// How the cpu executor cuts the plan for a matrix. Instantiated for float, double.
template <class T>
plan_shape cpu_shape(hisparse<T> const& a, int threads);

/// Null where the host has to make it.
template <class T, lanes_executor Executor>
std::shared_ptr<plan_content<T> const> plan_by_steps(Executor& executor, std::shared_ptr<hisparse_content const> matrix,
                                                     recorded_leaves const& recorded, std::array<bool, 2> wanted,
                                                     plan_shape const& shape) {
    auto const plan = std::make_shared<plan_content<T>>(std::move(matrix), shape, executor.memory());
    plan->by_steps = &direction_from_other<T, Executor>;
    for (bool const of_transpose : {false, true}) {
        if (!wanted[of_transpose]) continue;
        auto made = direction_from_leaves<T>(executor, *plan, recorded, of_transpose);
        if (!made) return nullptr;
        plan->directions[of_transpose].get([&] { return std::move(made); });
    }
    return plan;
}

template <class Executor, class T>
std::shared_ptr<plan_content<T> const> plan_on(Executor& executor, hisparse<T> const& a, plan_directions directions,
                                               plan_shape const& shape) {
    nvtx_range const range(nvtx_room::algebra, "copse spmv plan", a.entry_count());
    check_space("spmv_plan", a.space(), "A", executor.memory()->space());
    auto const recorded = record_leaves(executor, hisparse<T>(a.content()));
    std::array<bool, 2> wanted{};
    wanted.fill(directions == plan_directions::both);
    wanted[a.is_transposed()] = true;
    if constexpr (lanes_executor<Executor>)
        if (auto plan = plan_by_steps<T>(executor, a.content(), recorded, wanted, shape)) return plan;
    return on_threads_of(
        executor, [&] { return make_plan<T>(a.content(), recorded.to_host(), wanted, shape, executor.memory()); });
}

}  // namespace copse::detail
