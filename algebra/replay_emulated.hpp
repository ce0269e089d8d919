// Products with a plan on the emulated executor: the GPU's tasks, lane by lane, also with an epilogue.
//
//   double const sum = copse::spmv(executor, 1.0, plan, x, 0.0, y, square{});
#pragma once

#include <copse/algebra/plans/replay_on_emulated.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/emulated.hpp>
#include <type_traits>

namespace copse {

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
