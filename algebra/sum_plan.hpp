// Sums of matrices whose structures stay: where each value goes is recorded once, for all sums.
//
//   copse::sum_plan<double> plan(cpu, m, k);                              // records M + K
//   copse::hisparse<double> c = copse::add(cpu, plan, 1.0, m, dt, k);     // C = M + dt K, again and again
//   copse::sum_plan<double> both(cpu, a, copse::transposed(b));           // A + B^T, B as it is stored
#pragma once

#include <array>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/executor.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace copse {

template <class T>
class sum_plan;

namespace detail {

template <class T>
struct sum_plan_content;

template <class T, any_executor Executor>
std::shared_ptr<sum_plan_content<T> const> record_sum(Executor& executor, std::span<hisparse<T> const> operands);
template <class T, any_executor Executor>
hisparse<T> add_by_plan(Executor& executor, sum_plan<T> const& plan, std::span<T const> factors,
                        std::span<hisparse<T> const> operands);

}  // namespace detail

/// Where each value of the operands goes in the sum of their structures. Copies are cheap, and share what is recorded.
/// Sums by one plan from several threads take turns. A plan that was moved from throws argument_error
/// where it is used.
template <class T>
class sum_plan {
  public:
    /// For sums of op(A) and op(B), `a` and `b` with their states; or of any number of operands. Takes the nodes of a
    /// sum, which have a value for each entry; 16 bytes for each stretch of values that lie beside each other in an
    /// operand; and 2 for each value whose neighbour lies elsewhere in the sum. The host makes the plan, in some fifty
    /// times a sum's time, and with about 40 bytes for each entry meanwhile.
    /// Sums store a sub-tree once for several places if each operand has the same stored values at all of them, in the
    /// same two senses, or has no entry there: a block and its transpose, or the negative of that, and identical blocks
    /// (hisparse_options::share_transposed, share_identical). So sums of symmetric or skew matrices that store a half
    /// store a half. (Of floats, sums of up to 2^31 entries.)
    /// Waits. Throws argument_error where there is no operand, or one has another node dimension or is not in the
    /// executor's memory; shape_error where shapes differ; cuda_error, std::bad_alloc.
    template <any_executor Executor>
    sum_plan(Executor& executor, hisparse<T> const& a, hisparse<T> const& b)
        : sum_plan(executor, std::span<hisparse<T> const>(std::array{a, b})) {}
    template <any_executor Executor>
    sum_plan(Executor& executor, std::span<hisparse<T> const> operands)
        : content_(detail::record_sum<T>(executor, operands)) {}

    std::int64_t row_count() const;
    std::int64_t column_count() const;
    /// Of a sum.
    std::int64_t entry_count() const;
    std::int64_t operand_count() const;
    /// Bytes of the lists, and of the sums that the plan keeps.
    std::int64_t bytes() const;

  private:
    friend std::shared_ptr<detail::sum_plan_content<T> const> const& content_of(sum_plan const& plan) {
        return detail::unless_moved_from(plan.content_, "sum_plan");
    }

    std::shared_ptr<detail::sum_plan_content<T> const> content_;
};

/// C = alpha op(A) + beta op(B) as add() without a plan forms it (add.hpp), but for three things: C's scale is 1, C
/// shares no nodes with other matrices, and every C has a value for each entry that it stores. All sums by one plan
/// have the same structure: a plan of products with C stays, as after with_values() (update() of spmv_plan.hpp).
/// a and b: the plan's operands, or what with_values() or another sum_plan made of them: with new values, in the same
/// structure and direction. Scales may differ from those at the time of recording. with_values() keeps the structure of
/// an operand that shares nodes within itself only if the values let it share them.
/// Terms are added in the order of the operands, and the same operands give the same bits each time. Where C stores a
/// sub-tree once with its negative, entries that cancel are 0 on one side and -0 on the other, and sums that are not
/// rounded to nearest are rounded the other way there.
/// C is written where an earlier sum by this plan lies if nobody has that one any more: no matrix, no copy of it, no
/// spmv_plan. Otherwise C has memory of its own. The plan keeps two sums so: a loop that replaces C and the plan of its
/// products takes no new memory. Nothing is ever changed that somebody else has. Waits.
/// Throws argument_error, which names the operand, for another structure, direction or memory, and for another number
/// of operands or factors than the plan's; cuda_error, std::bad_alloc.
template <class T, any_executor Executor>
hisparse<T> add(Executor& executor, sum_plan<T> const& plan, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<T> beta, hisparse<T> const& b) {
    return detail::add_by_plan<T>(executor, plan, std::array{alpha, beta}, std::array{a, b});
}
/// factors[0] operands[0] + factors[1] operands[1] + ...
template <class T, any_executor Executor>
hisparse<T> add(Executor& executor, sum_plan<T> const& plan, std::span<std::type_identity_t<T> const> factors,
                std::span<hisparse<std::type_identity_t<T>> const> operands) {
    return detail::add_by_plan<T>(executor, plan, factors, operands);
}

}  // namespace copse
