// The flat formats in the comparison on a GPU: products through plans, which go by rows in both directions, and
// one-shot under a controller, which scatter for A^T x.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/gpu_comparison/product.hpp"

namespace copse::bench {

/// "csr row-split", "csr vector", "csr merge-path", "csr5", "sellp", "cmrs", "cmrs stretches"
std::vector<std::string> const& flat_forms();

/// One matrix in one of these forms, a copy for each set of inputs, with a plan for each direction.
template <class T>
struct flat_copies {
    std::function<std::unique_ptr<entrant>(gpu_clock& clock, gpu_problem<T> const& what)> by_plan;
    std::function<std::unique_ptr<entrant>(gpu_clock& clock, gpu_problem<T> const& what, controller which)> one_shot;
};

/// `turned`: A^T on the host. Converts on the GPU. Throws argument_error for a name that is no form, what the format's
/// conversion throws (too_much_padding), cuda_error.
template <class T>
flat_copies<T> copy_flat(gpu& executor, matrix_copies<T> const& matrix, csr<T> const& turned, std::string const& form);

}  // namespace copse::bench
