// A sum C = op(A) + op(B) that takes part in the comparison on a GPU: ours under one controller, or cuSPARSE's.
#pragma once

#include <copse/algebra/sums/sum_choices.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/executor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/clock.hpp"
#include "bench/gpu_comparison/cusparse_library.hpp"
#include "bench/gpu_comparison/inputs.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/record.hpp"
#include "bench/gpu_comparison/sum_row_check.hpp"

namespace copse::bench {

/// A and B on the GPU as all competitors want them.
template <class T>
struct sum_set {
    device_csr<T> rows_a, rows_b;
    hisparse<T> tree_a, tree_b;
};

/// The same on the host, and as many sets of them as set_count() says (inputs.hpp).
template <class T>
struct sum_operands {
    std::string name_a, name_b;
    csr<T> a, b;
    std::vector<sum_set<T>> sets;
    double tree_seconds = 0;  // conversion of both, placement included
};

/// B: A with each entry moved by a normal distribution (hisparse §7: of sigma 10). Throws what conversions throw.
template <class T>
sum_operands<T> make_sum_operands(gpu& executor, std::string const& name, csr<T> a, int sigma, int node_dimension,
                                  int most_sets = 32);

/// One of the matrices that are added: op(M) = M^T when `transpose`.
template <class T>
struct gpu_addend {
    std::string name;
    device_csr_view<T> rows;  // borrowed; without offsets where 32 bits are too few for them
    std::optional<hisparse<T>> tree;
    bool transpose = false;
};

template <class T>
struct sum_on_gpu {
    gpu_addend<T> a, b;
    double tree_seconds = 0;
};

/// Of one set.
template <class T>
sum_on_gpu<T> sum_of(sum_operands<T> const& operands, bool transpose_a, bool transpose_b, int set = 0);

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
    /// Poisons the memory that run() finds from prepare() on and writes again. Asynchronous.
    virtual void spoil() {}
    virtual csr<T> result() const = 0;
    /// The same without a way to the host. Waits.
    virtual rows_of_sum<T> rows_on_gpu() const = 0;
    /// All of C's, in the competitor's format; and those of them that are A's or B's as well.
    virtual std::int64_t result_bytes() const = 0;
    virtual std::int64_t shared_bytes() const { return 0; }
    /// Bytes on the GPU that prepare() has left beside A and B.
    virtual std::int64_t kept_bytes() const { return 0; }
};

/// What sums are held to.
template <class T>
struct sum_check {
    /// The largest error of an entry in units of what arithmetic may be off by; infinity for other entries.
    std::function<double(gpu_sum<T> const& sum)> error;
    std::int64_t entry_count;  // of a right sum
};

/// By the reference, on the host.
template <class T>
sum_check<T> host_sum_check(csr<T> const& a, bool transpose_a, csr<T> const& b, bool transpose_b);

/// Where the operands are on the GPU and nowhere else: every entry of C is looked up in A and in B there, and C has as
/// many as it is to have. Waits. The executor must outlive it.
template <class T>
sum_check<T> large_sum_check(gpu& executor, csr_matrix<T> const& a, bool transpose_a, csr_matrix<T> const& b,
                             bool transpose_b);

/// A sum in a race, with a gpu_sum for each set of operands. The check must outlive it.
template <class T>
class sum_entrant final : public gpu_entrant {
  public:
    sum_entrant(gpu_clock& clock, race_record r, std::vector<std::unique_ptr<gpu_sum<T>>> of_set,
                sum_check<T> const& check);

    void prepare() override;
    /// Poisons what C will lie in. Without this the pool hands on the last sum's memory, and that was right.
    void set_up(int set) override;
    std::optional<run_report> call(int set) override { return of(set).run(); }
    double largest_error(int set) override;
    void forget(int set) override { of(set).forget(); }

  private:
    gpu_sum<T>& of(int set) const { return *of_set_[static_cast<std::size_t>(set)]; }

    std::vector<std::unique_ptr<gpu_sum<T>>> of_set_;
    sum_check<T> const& check_;
};

/// What a way to a sum is, before its operands: makes the sum of one set.
template <class T>
struct sum_way {
    race_record record;
    std::function<std::unique_ptr<gpu_sum<T>>(sum_on_gpu<T> const& what)> make;
    /// Bytes on the GPU that prepare() leaves beside A and B at least.
    std::int64_t bytes_to_keep = 0;
};

template <class T>
race_record describe(sum_on_gpu<T> const& what, std::string library, std::string variant, std::int64_t bytes);

/// Whose tasks unite pairs of large leaves: add()'s, or add_by_halves and add_by_intervals.
enum class sum_tasks { of_add, by_halves, by_intervals };

/// How ours is made; the default is add()'s.
struct hisparse_sum_way {
    char const* name = "";
    detail::sum_choices choices = {};
    sum_tasks tasks = sum_tasks::of_add;  // others in double, and not under the device controller
};

template <class T>
sum_way<T> hisparse_sum(gpu& executor, sum_on_gpu<T> const& what, controller which, hisparse_sum_way const& how = {});

/// A + B by others than add()'s. Not in float: nvcc takes minutes for each.
hisparse<double> sum_by_tasks(sum_tasks which, gpu& executor, hisparse<double> const& a, hisparse<double> const& b,
                              add_options const& options);

/// csrgeam2 by its three calls: the workspace's size, C's rows and entries, C. Transposed operands by csr2csc in each
/// call, or stored; where both are transposed, also C by csr2csc. "memory there": workspaces, room for transposes, and
/// for as many entries as A and B have together, are there before. The rows, the executor and the library must outlive
/// them.
template <class T>
std::vector<sum_way<T>> cusparse_sums(cusparse_library const& library, gpu& executor, sum_on_gpu<T> const& what);

}  // namespace copse::bench
