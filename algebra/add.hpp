// Addition of HiSparse matrices (hisparse §6).
//
//   auto c = copse::add(gpu, 1.0, a, 1.0, copse::transposed(b));      // C = A + B^T, B as it is stored
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>
#include <copse/runtime/report.hpp>
#include <type_traits>

namespace copse {

struct add_options {
    bool prune = false;  // entries of C whose value is zero are dropped, explicit zeros of A and B among them
    /// Gets the queues of all runs, one after the other, and the sum of their seconds: of the addition, of counting C's
    /// nodes, of copying what C would share. Empty if nothing ran.
    run_report* report = nullptr;
};

/// C = alpha op(A) + beta op(B). op is the operand's state: transposed(a), scaled(a, s).
/// A and B: m x n (with their states applied), of one node dimension, in the executor's memory; so is C. C has the
/// union of their patterns: entries that cancel stay as zeros unless `prune` is set (formats/prune.hpp).
/// An entry of C is f_A a_ij + f_B b_ij, with f_A and f_B alpha and beta times the operands' scales. An operand without
/// an entry there adds no term: a factor of Inf or NaN makes no new entries. C's own scale is finite. A factor of 0 is
/// applied like any other: the entries stay, as zeros, or as NaN where they were Inf or NaN.
/// Sub-trees that only one operand has are shared with it where its values need no factor; otherwise they are copied.
/// Where C's nodes would be less than half of the memory that it keeps, or what it shares less than an eighth of what
/// it keeps of others', those that it shares are copied too.
/// Where both operands' factors (alpha or beta times the scale) are the same number, that is C's scale, and stored
/// values are added first; with a number below 1 only if all that are added stay finite. alpha and
/// a scale are multiplied with each other first: where that is too large or too small for T, infinities or zeros come
/// of values that all three together would have kept.
/// Nodes that are not shared have the kinds that a conversion of C's entries would give them (leaves/leaf.hpp). Where
/// nodes over leaves become wide leaves all of C's own nodes move once more, to memory that is reserved beside the
/// other.
/// A transposed operand is read as it is stored. The same operands give the same entries; where nodes lie in memory
/// differs from run to run. While it runs it reserves memory for the largest result that could be: about 1.25 times
/// bytes(A) + bytes(B), and 84 bytes for each entry of a wide leaf; on a CPU, for each thread, room for the largest two
/// nodes over leaves that may meet, up to 23 MB with d = 128 and 91 MB with d = 256, of which only what is used becomes
/// memory. Sub-trees of C that are equal byte by byte are stored
/// once only after compact(c, {.share_identical = true}) (formats/hisparse_sharing.hpp). Waits.
/// Throws shape_error when op(A) and op(B) differ in shape or the new nodes take more than 64 GiB, argument_error when
/// their node dimensions differ or one is in another memory, and what run() throws. A and B stay as they are.
template <class T, any_executor Executor>
hisparse<T> add(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a, std::type_identity_t<T> beta,
                hisparse<T> const& b, add_options options = {});

}  // namespace copse
