// Plans on the emulated executor: the products of replay_emulated.hpp, as chosen.
#pragma once

#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_staged.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/trace/nvtx.hpp>
#include <type_traits>

namespace copse::detail {

/// Operands are checked.
template <class T, class V>
class placed_on_emulated : public ready_replay<T, V> {
  public:
    using ready_replay<T, V>::lists, ready_replay<T, V>::product;

    placed_on_emulated(emulated& executor, char const* operation, V alpha, spmv_plan<T> const& plan,
                       vector_view<V const> x, V beta, vector_view<V> y)
        : ready_replay<T, V>{make_replay<T, V>(executor, alpha, plan, x, beta, y), direction_of(plan)},
          slots_(executor, lists.slot_count << product.tree.dimension_log2()),
          both_(executor, reads_both_signs(lists, product) ? 2 * x.size() : 0) {
        check_rows_of_parts(operation, lists);
        product.slots = slots_.data();
        if (both_.size() == 0) return;
        for (std::int64_t i = 0; i < x.size(); ++i) both_.data()[x.size() + i] = -(both_.data()[i] = x.data()[i]);
        product = with_both(product, lists, static_cast<V const*>(both_.data()));
    }

  private:
    buffer<V> slots_, both_;
};

/// choices: all but the grid.
template <class T, class V, class Epilogue, class Choices = default_choices>
auto replay_on_emulated(emulated& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                        vector_view<V> y, Epilogue const& epilogue, Choices const& choices = {}) {
    nvtx_range const range(nvtx_room::algebra, "copse replay", plan.matrix().entry_count());
    using result = epilogue_result<V, Epilogue>;
    using split = replay_split_task<T, V, Epilogue>;
    check_replay(plan, x, y, executor.memory()->space());
    placed_on_emulated<T, V> const ready(executor, "spmv", alpha, plan, x, beta, y);
    sums_of_pieces<result> sums(ready.piece_count());
    auto const writer = writer_of(ready.product, epilogue, sums.data());
    with_part_task<true, T, V>(ready, writer, choices, [&]<class Part>(Part const& task) {
        run(executor, seed_range<Part>(0, ready.lists.part_count) + seed_range<split>(0, ready.lists.split_count), task,
            split{ready.product, writer, ready.lists.part_count});
    });
    if constexpr (!std::is_void_v<result>) return sums.total();
}

}  // namespace copse::detail
