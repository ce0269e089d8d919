// A sum C = op(A) + op(B) that takes part in the comparison on a GPU: ours under one controller, or cuSPARSE's.
#pragma once

#include <copse/cpu/reference.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/report.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/gpu_comparison/cusparse_library.hpp"
#include "bench/gpu_comparison/inputs.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/record.hpp"

namespace copse::bench {

/// A and B, on the host and as all competitors want them.
template <class T>
struct sum_operands {
    std::string name_a, name_b;
    csr<T> a, b;
    device_csr<T> rows_a, rows_b;
    hisparse<T> tree_a, tree_b;
    double tree_seconds = 0;  // conversion of both, placement included
};

/// B: A with each entry moved by a normal distribution of sigma 10 (hisparse §7). Throws what conversions throw.
template <class T>
sum_operands<T> make_sum_operands(gpu& executor, std::string const& name, csr<T> a, int node_dimension);

/// Which of the two are transposed.
template <class T>
struct sum_on_gpu {
    sum_operands<T> const& of;
    bool transpose_a = false;
    bool transpose_b = false;
};

/// run(): C in new memory, with the memory that is needed on the way and every transposition; waits. forget() gives C's
/// memory back.
template <class T>
class gpu_sum {
  public:
    virtual ~gpu_sum() = default;
    /// Once, before the first run; not counted in a run's time.
    virtual void prepare() {}
    /// The report where there is one.
    virtual std::optional<run_report> run() = 0;
    virtual void forget() = 0;
    virtual csr<T> result() const = 0;
    /// C's own, in the competitor's format.
    virtual std::int64_t result_bytes() const = 0;
    /// Bytes on the GPU that prepare() left beside A and B.
    virtual std::int64_t kept_bytes() const { return 0; }
};

template <class T>
struct sum_competitor {
    gpu_record record;
    std::unique_ptr<gpu_sum<T>> sum;
};

template <class T>
gpu_record describe(sum_on_gpu<T> const& what, std::string library, std::string variant, std::int64_t bytes);

template <class T>
sum_competitor<T> hisparse_sum(gpu& executor, sum_on_gpu<T> const& what, controller which);

/// csrgeam2 by its three calls: the workspace's size, C's rows and entries, C. Transposed operands by csr2csc in each
/// call, or stored; where both are transposed, also C by csr2csc. "memory there": the workspace, and room for as many
/// entries as A and B have together, are there before. The operands, the executor and the library must outlive them.
template <class T>
std::vector<sum_competitor<T>> cusparse_sums(cusparse_library const& library, gpu& executor, sum_on_gpu<T> const& what);

/// All by the wall clock, in turn; checked before and behind. As race_on_gpu. Throws gpu_lost.
template <class T>
void race_sums(gpu_clock& clock, sum_on_gpu<T> const& what, std::vector<sum_competitor<T>>& competitors,
               gpu_race_options const& options);

}  // namespace copse::bench
