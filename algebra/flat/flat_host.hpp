// Definitions of spmv() and flat_plan for the executors on the CPU. A format's file (csr_matrix_spmv.cpp) includes it
// with what the format brings, and instantiates them.
#pragma once

#include <copse/algebra/flat/flat_cpu.hpp>
#include <copse/algebra/flat/flat_plan_run.hpp>
#include <copse/algebra/flat/flat_run.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse {

template <flat_format Matrix>
run_report spmv(cpu& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    return detail::multiply_on_cpu(executor, alpha, a, x, beta, y);
}

template <flat_format Matrix>
run_report spmv(emulated& executor, typename Matrix::value_type alpha, Matrix const& a,
                vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
                vector_view<typename Matrix::value_type> y) {
    return detail::multiply_on(executor, alpha, a, x, beta, y,
                               [&](auto const&... of_run) { return run(executor, of_run...); });
}

template <flat_format Matrix>
flat_plan<Matrix>::flat_plan(cpu& executor, Matrix const& a)
    : flat_plan(detail::make_flat_plan(
                    executor, a, [&](auto const& content) { return detail::parts_for<Matrix>(executor, content); }),
                a) {}

template <flat_format Matrix>
flat_plan<Matrix>::flat_plan(emulated& executor, Matrix const& a)
    : flat_plan(detail::make_flat_plan(executor, a, [](auto const&) { return std::vector<std::int64_t>(); }), a) {}

template <flat_format Matrix>
void spmv(cpu& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          vector_view<typename Matrix::value_type> y) {
    auto const& direction = detail::direction_of(plan);
    detail::multiply_on_cpu(executor, alpha, direction.matrix.scaled(plan.matrix().scale()), x, beta, y,
                            &direction.parts);
}

template <flat_format Matrix>
void spmv(emulated& executor, typename Matrix::value_type alpha, flat_plan<Matrix> const& plan,
          vector_view<typename Matrix::value_type const> x, typename Matrix::value_type beta,
          vector_view<typename Matrix::value_type> y) {
    spmv(executor, alpha, detail::direction_of(plan).matrix.scaled(plan.matrix().scale()), x, beta, y);
}

}  // namespace copse
