// A HiSparse matrix without the entries that are zero.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>

namespace copse {

struct prune_options {
    /// Store sub-trees of the result that are equal byte by byte once, as hisparse_options::share_identical does.
    bool share_identical = false;
};

/// A without its entries of value zero (of either sign, with the scale applied), explicit ones and those that cancelled
/// in a sum. m x n, with A's state, in the executor's memory, as A must be. If no entry is zero, the result shares A's
/// content. Otherwise it shares nothing of it: entries become compressed rows, and these a new tree. Beside the result
/// this takes what those two conversions take (hisparse.hpp) and 8 bytes for each entry. A matrix with far more rows
/// than entries goes through a coordinate list on the CPU, from a GPU too. Waits; on a GPU for the executor's stream
/// alone, unless sub-trees are to be shared.
/// Throws argument_error for a matrix in another memory, std::bad_alloc, cuda_error.
template <class T, any_executor Executor>
hisparse<T> prune(Executor& executor, hisparse<T> const& a, prune_options options = {});

}  // namespace copse
