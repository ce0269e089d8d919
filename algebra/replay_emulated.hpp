// Products with a plan on the emulated executor: the GPU's tasks, lane by lane, also with an epilogue.
//
//   double const sum = copse::spmv(executor, 1.0, plan, x, 0.0, y, square{});
#pragma once

#include <copse/algebra/plans/plan_run.hpp>
#include <copse/algebra/plans/replay_staged.hpp>
#include <copse/algebra/plans/replay_tasks.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/nvtx.hpp>
#include <type_traits>
#include <vector>

namespace copse {
namespace detail {

template <class T, class V, class Epilogue>
auto replay_on_emulated(emulated& executor, V alpha, spmv_plan<T> const& plan, vector_view<V const> x, V beta,
                        vector_view<V> y, Epilogue const& epilogue, replay_choices const& choices = {}) {
    nvtx_range const range(nvtx_room::algebra, "copse replay", plan.matrix().entry_count());
    using result = epilogue_result<V, Epilogue>;
    using split = replay_split_task<T, V, Epilogue>;
    auto product = make_replay<T, V>(executor, alpha, plan, x, beta, y);
    plan_direction const& lists = direction_of(plan);
    check_rows_of_parts("spmv", lists);
    buffer<V> const slots(executor, lists.slot_count << product.tree.dimension_log2());
    product.slots = slots.data();
    buffer<V> const both(executor, reads_both_signs(lists, product) ? 2 * x.size() : 0);
    if (both.size() > 0) {
        for (std::int64_t i = 0; i < x.size(); ++i) both.data()[x.size() + i] = -(both.data()[i] = x.data()[i]);
        product = with_both(product, lists, static_cast<V const*>(both.data()));
    }
    auto const replay_into = [&](result_pointer<result> sums) {
        row_writer<V, Epilogue> const writer{y.data(), product.factor, beta, epilogue, sums};
        auto const run_parts = [&]<class Part>(Part const& task) {
            run(executor, seed_range<Part>(0, lists.part_count) + seed_range<split>(0, lists.split_count), task,
                split{product, writer, lists.part_count});
        };
        if (choices.staged)
            run_parts(replay_staged_task<T, V, Epilogue>{{product, writer, choices.fetch_ahead},
                                                         keeps_leaves(lists, choices)});
        else if (keeps_leaves(lists, choices))
            run_parts(replay_part_task<T, V, Epilogue, true>{product, writer, choices.fetch_ahead});
        else
            run_parts(replay_part_task<T, V, Epilogue>{product, writer, choices.fetch_ahead});
    };
    if constexpr (std::is_void_v<result>) {
        replay_into(nullptr);
    } else {
        std::vector<result> sums(static_cast<std::size_t>(lists.part_count + lists.split_count));
        replay_into(sums.data());
        result total{};
        for (result const& sum : sums) total += sum;
        return total;
    }
}

}  // namespace detail

/// Computes what spmv() with a plan and an epilogue computes (spmv_plan.hpp), by the tasks of a GPU; epilogue(i, y_i)
/// runs in their lanes. Each plan has one order of summation, whatever the interleaving. Throws what spmv() with a plan
/// throws, and worker_misuse.
template <class T, plan_epilogue<T> Epilogue>
auto spmv(emulated& executor, std::type_identity_t<T> alpha, spmv_plan<T> const& plan,
          std::type_identity_t<vector_view<T const>> x, std::type_identity_t<T> beta,
          std::type_identity_t<vector_view<T>> y, Epilogue const& epilogue) {
    return detail::replay_on_emulated<T, T>(executor, alpha, plan, x, beta, y, epilogue);
}
template <plan_epilogue<double> Epilogue>
auto spmv(emulated& executor, double alpha, spmv_plan<float> const& plan, vector_view<double const> x, double beta,
          vector_view<double> y, Epilogue const& epilogue) {
    return detail::replay_on_emulated<float, double>(executor, alpha, plan, x, beta, y, epilogue);
}

}  // namespace copse
