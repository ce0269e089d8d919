// Addition of HiSparse matrices (hisparse §6).
//
//   auto c = copse::add(gpu, 1.0, a, 1.0, copse::transposed(b));      // C = A + B^T, B as it is stored
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>
#include <type_traits>

namespace copse {

struct add_options {
    bool prune = false;  // entries of C whose value is zero are dropped, explicit zeros of A and B among them
    /// If not null, add() writes a report here: the queues of all its runs, one after the other, and the sum of the
    /// runs' seconds. Runs add the operands, count C's nodes (not in lanes, unless C has twins), copy nodes that C
    /// would share, and refer to twins. Empty if nothing ran.
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

}  // namespace copse
