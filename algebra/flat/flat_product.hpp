// What a flat format brings for its products: two class templates, specialised in a header of the format's own.
//
//   lanes_product<csr5<T>>      csr5_tasks.hpp: tasks for executors with many lanes (emulated, gpu)
//   cpu_product<csr5<T>>        cpu/flat/csr5_parts.hpp: functions for a part of the matrix on one core, called by
//                               flat_cpu.hpp
//
// The products themselves (flat_run.hpp, flat_cpu.hpp) check operands, apply the state, and see to it that A is not
// looked at where alpha is 0, and that the factor is finite (product_factor.hpp).
#pragma once

#include <copse/algebra/products/element_ranges.hpp>
#include <copse/cpu/flat/operands.hpp>
#include <copse/runtime/memory.hpp>
#include <copse/runtime/report.hpp>
#include <cstdint>
#include <memory>

namespace copse::detail {

/// Stretches of y, for products that add to it.
template <class T>
task_range<scale_output<T>> scaling_of(flat_product<T> const& p, std::int64_t size) {
    scale_output<T> const scale{p.y, size, p.beta};
    return {scale, p.beta == T(1) ? 0 : stretches(size, scale.stretch)};
}

/// For a Matrix whose values are of type T:
///
///   static run_report multiply(content const&, std::shared_ptr<memory> const& workspace, flat_product<T> const&, F f);
///     Calls f(task_range...) with the tasks that write all of y, and returns its result; memory that the tasks share is
///     the workspace's until f is back. No atomics on values: sums of rows that several items share have one order.
///   static run_report scatter(content const&, std::int64_t y_size, bool reads_matrix, flat_product<T> const&, F f);
///     The same for y <- factor * A^T * x + beta * y: scaling_of() first, then tasks of a later phase that add to y by
///     w.add(). Where reads_matrix is false these have no items.
///
///   template <template <class...> class List> using runs = std::tuple<List<...>, ...>;
///     The tasks of all runs that f may get, in order: for the device controller.
template <class Matrix>
struct lanes_product;

}  // namespace copse::detail
