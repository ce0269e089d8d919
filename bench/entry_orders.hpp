// The entries of leaves in other orders than the library's, and what products and sums take then.
#pragma once

#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/tuning.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench {

enum class entry_order { by_diagonals, by_rows, by_columns };

/// What `a` stores, without its state, its nodes copied into `where`, with the entries of each list in this order. What
/// lies in wide leaves, in dense ones and in leaves with runs keeps its order. Works for content in any memory. Edits
/// and conversions want the library's order.
template <class T>
hisparse<T> with_entries(hisparse<T> const& a, entry_order order, std::shared_ptr<memory> const& where);

/// A race of the three orders in each of A x and A^T x, from plans, A + B and A + B^T. A and B are `a` with each entry
/// moved (sigma 10, seeds 1 and 2): their leaves are lists wherever they are neither wide nor dense. A + B^T where A is
/// square. `clock`: null but for a GPU, whose products CUDA events time. Throws what the operations throw, and error
/// where a result is wrong.
template <class T>
std::vector<tuning_race> race_orders(std::string const& name, csr<T> const& a, measure::target& where,
                                     std::shared_ptr<gpu_clock> const& clock, int repeats);

}  // namespace copse::bench
