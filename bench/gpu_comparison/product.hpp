// A product that takes part in the comparison on a GPU: ours under one controller, or cuSPARSE's in one of its
// variants.
#pragma once

#include <copse/runtime/report.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/gpu_comparison/cusparse_library.hpp"
#include "bench/gpu_comparison/inputs.hpp"
#include "bench/gpu_comparison/record.hpp"

namespace copse::bench {

template <class T>
class gpu_product {
  public:
    virtual ~gpu_product() = default;
    /// Once, before the first run: what all runs share, not counted in a run's time. The seconds for one set, where
    /// work is done that belongs to the product. Throws copse::error.
    virtual std::optional<double> prepare() = 0;
    /// y <- op(A) x for one set of the problem, on the executor's stream; the report where there is one.
    virtual std::optional<run_report> run(int set) = 0;
    /// Bytes on the GPU that prepare() left for one set, beside A in its format: a plan, a workspace, a stored A^T.
    virtual std::int64_t kept_bytes() const { return 0; }
    /// What making them took on the GPU at most, they themselves included; none where that is not known.
    virtual std::optional<std::int64_t> prepare_peak_bytes() const { return std::nullopt; }
    /// What a run reads beside A in its format, x and y: a plan's lists.
    virtual std::int64_t list_bytes() const { return 0; }
};

template <class T>
struct gpu_competitor {
    gpu_record record;
    std::unique_ptr<gpu_product<T>> product;
};

/// HiSparse, one traversal for each product, under one controller. The problem and the executor must outlive it.
template <class T>
gpu_competitor<T> hisparse_on_gpu(gpu& executor, gpu_problem<T> const& problem, controller which);

/// HiSparse replayed from a plan: launches only, timed as cuSPARSE's calls are.
template <class T>
gpu_competitor<T> plan_on_gpu(gpu& executor, gpu_problem<T> const& problem);

/// What HiSparse's paper calls naive: a thread for each row of A; for A^T x it adds to y by atomic additions.
template <class T>
gpu_competitor<T> naive_on_gpu(gpu& executor, gpu_problem<T> const& problem);

/// cuSPARSE's ways to the same product (cusparse_variants.hpp). The problem, the executor and the library must outlive
/// them.
template <class T>
std::vector<gpu_competitor<T>> cusparse_on_gpu(cusparse_library const& library, gpu& executor,
                                               gpu_problem<T> const& problem);

/// The record before anything is measured; `bytes` are those of A in the format.
template <class T>
gpu_record describe(gpu_problem<T> const& problem, std::string library, std::string variant, std::int64_t bytes);

}  // namespace copse::bench
