// A HiSparse matrix without the entries that are zero.
#pragma once

#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>

namespace copse {

struct prune_options {
    /// Store sub-trees of the result that are equal byte by byte once, as hisparse_options::share_identical does.
    bool share_identical = false;
};

/// Returns A without its entries of value zero (+0 or -0, with the scale applied): explicit zeros, and entries that
/// cancelled in a sum. The result is m x n, with A's state, in the executor's memory, where A must be, too. If no entry
/// is zero, the result shares A's content. Otherwise it shares nothing with A. While it runs it takes memory for
/// building_bound::of(a) (tree_building.hpp); with share_identical also for a copy of the result, from a GPU on the
/// host. A sub-tree that A stores once for several places is stored several times without share_identical. Waits; on a
/// GPU for the executor's stream alone, unless share_identical is set.
/// Throws argument_error for a matrix in another memory, shape_error for a result that may take more than 64 GiB, what
/// run() throws, std::bad_alloc, cuda_error.
template <class T, any_executor Executor>
hisparse<T> prune(Executor& executor, hisparse<T> const& a, prune_options options = {});

}  // namespace copse
