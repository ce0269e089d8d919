// Addition of HiSparse matrices (hisparse §6).
//
//   auto c = copse::add(gpu, 1.0, a, 1.0, copse::transposed(b));      // C = A + B^T, B as it is stored
//
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

struct add_options {
    bool prune = false;  // entries of C whose value is zero are dropped, explicit zeros of A and B among them
    /// If not null, add() writes a report here: the queues of all its runs, one after the other, and the sum of the
    /// runs' seconds. There is a run for each of these that is needed: adding the operands; counting C's nodes (on a
    /// cpu; in lanes only if C has twins); copying nodes that C would share; referring to twins. Empty if nothing ran.
    run_report* report = nullptr;
};

/// C = alpha op(A) + beta op(B). op is the operand's state: transposed(a), scaled(a, s).
/// A and B: m x n (with their states applied), of one node dimension, in the executor's memory; C likewise. C has an
/// entry wherever op(A) or op(B) has one: entries that cancel stay as zeros unless `prune` is set
/// (formats/hisparse_edit.hpp).
/// An entry of C is f_A a_ij + f_B b_ij, with f_A and f_B alpha and beta times the operands' scales. An operand without
/// an entry there adds no term: a factor of Inf or NaN makes no new entries. C's own scale is finite. A factor of 0 is
/// applied like any other: the entries stay, as zeros, or as NaN where they were Inf or NaN.
/// If both factors (alpha or beta times the operand's scale) are the same number, that number becomes C's scale, and
/// stored values are added as they are; if the number is below 1, only if all these sums stay finite. alpha and a scale
/// are multiplied with each other first: if their product overflows or underflows T, entries become infinite or zero
/// although alpha, scale and value multiplied in another order would not.
///
/// A sub-tree that only one operand has is shared with that operand if its values need no factor; else it is copied.
/// Shared sub-trees are copied, too, in two cases: C's nodes would be less than half of the memory that C keeps alive,
/// or the shared nodes less than an eighth of the operands' memory that C keeps alive. Nodes that are not shared have
/// the kinds that a conversion of C's entries would give them (leaves/leaf.hpp). If nodes over leaves become wide
/// leaves, all of C's own nodes are copied once more, to memory that is reserved in addition. Other sub-trees of C than
/// those of the next paragraph that are equal byte by byte are stored once only after compact(c, {.share_identical =
/// true}) (formats/hisparse_edit.hpp).
///
/// Sub-trees of C at (i, j) and (j, i) of one node are made and stored once if op(A)'s there are one node, mostly in
/// two states (hisparse_options::share_transposed), and op(B)'s are one in the same two, or if one operand has none at
/// both places. So C = A + B stores half where A and B are symmetric and do, or skew and do. (Blocks within a wide leaf
/// are stored twice.) The entries are those of a sum of matrices that store all, bit by bit, with one exception: where
/// C stores a sub-tree once with its negative, entries that cancel are 0 on one side and -0 on the other, and sums that
/// are not rounded to nearest are rounded the other way there.
///
/// A transposed operand is read as it is stored. The same operands give the same entries; the addresses of nodes differ
/// from run to run. While add() runs it reserves memory for the largest possible result: about 1.25 times bytes(A) +
/// bytes(B), and 84 bytes for each entry of a wide leaf. On a CPU each thread also reserves address space for the
/// largest two nodes over leaves that may meet, up to 23 MB with d = 128 and 91 MB with d = 256; only the pages that
/// are written take memory. On a GPU C may keep more than its nodes take, of the reserved memory, while all that the
/// device's matrices keep so is no more than a sixteenth of its memory: to move C would take as long as to write it.
/// Waits.
/// Throws shape_error when op(A) and op(B) differ in shape or the new nodes take more than 64 GiB, argument_error when
/// the node dimensions differ or an operand is in another memory, and what run() throws. A and B stay as they are.
template <class T, any_executor Executor>
hisparse<T> add(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a, std::type_identity_t<T> beta,
                hisparse<T> const& b, add_options options = {});

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

/// C = alpha op(A) + beta op(B) as add() without a plan forms it, but for three things: C's scale is 1, C shares no
/// nodes with other matrices, and every C has a value for each entry that it stores. All sums by one plan
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
template <any_executor Executor, class T>  // so that &add<T, Executor> is the function without a plan
hisparse<T> add(Executor& executor, sum_plan<T> const& plan, std::type_identity_t<T> alpha, hisparse<T> const& a,
                std::type_identity_t<T> beta, hisparse<T> const& b) {
    return detail::add_by_plan<T>(executor, plan, std::array{alpha, beta}, std::array{a, b});
}
/// factors[0] operands[0] + factors[1] operands[1] + ...
template <any_executor Executor, class T>
hisparse<T> add(Executor& executor, sum_plan<T> const& plan, std::span<std::type_identity_t<T> const> factors,
                std::span<hisparse<std::type_identity_t<T>> const> operands) {
    return detail::add_by_plan<T>(executor, plan, factors, operands);
}

}  // namespace copse
