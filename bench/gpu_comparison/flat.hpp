// The flat formats as competitors on a GPU: products through plans, which go by rows in both directions, and one-shot
// under a controller, which scatter for A^T x.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/gpu_comparison/product.hpp"

namespace copse::bench {

/// "csr row-split", "csr vector", "csr merge-path", "csr5", "sellp", "cmrs"
std::vector<std::string> const& flat_forms();

/// One matrix in one of these forms, a copy for each set of inputs, with a plan for each direction. What it gives
/// shares its content.
template <class T>
class flat_copies {
  public:
    virtual ~flat_copies() = default;
    virtual gpu_competitor<T> by_plan(gpu& executor, gpu_problem<T> const& problem) const = 0;
    virtual gpu_competitor<T> one_shot(gpu& executor, gpu_problem<T> const& problem, controller which) const = 0;
};

/// `turned`: A^T on the host. Converts on the GPU. Throws argument_error for a name that is no form, what the format's
/// conversion throws (too_much_padding), cuda_error.
template <class T>
std::unique_ptr<flat_copies<T>> copy_flat(gpu& executor, matrix_copies<T> const& matrix, csr<T> const& turned,
                                          std::string const& form);

/// The competitor that a form which could not be made has in the race: a record that says why.
template <class T>
gpu_competitor<T> refused_form(gpu_problem<T> const& problem, std::string const& form, std::string const& why);

}  // namespace copse::bench
