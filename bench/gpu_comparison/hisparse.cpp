// Our products in the comparison on a GPU.
#include <algorithm>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/statistics.hpp>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/gpu_comparison/product.hpp"
#include "bench/harness/target.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

template <class T>
class hisparse_product final : public gpu_product<T> {
  public:
    hisparse_product(gpu& executor, gpu_problem<T> const& problem, controller which)
        : executor_(executor), problem_(problem), which_(which) {}

    std::optional<double> prepare() override {
        for (auto const& copy : problem_.matrix.copies)
            matrices_.push_back(problem_.transpose ? copy.tree.transposed() : copy.tree);
        return std::nullopt;
    }
    std::optional<run_report> run(int set) override {
        auto const& vectors = problem_.sets[static_cast<std::size_t>(set)];
        executor_.set_controller(which_);
        return spmv<T>(executor_, 1, matrices_[static_cast<std::size_t>(set)], vectors.x, 0, vectors.y);
    }

  private:
    gpu& executor_;
    gpu_problem<T> const& problem_;
    controller which_;
    std::vector<hisparse<T>> matrices_;
};

/// One plan for each copy of the matrix, made once: its time is that of preparing.
template <class T>
class plan_product final : public gpu_product<T> {
  public:
    plan_product(gpu& executor, gpu_problem<T> const& problem) : executor_(executor), problem_(problem) {}

    std::optional<double> prepare() override {
        executor_.set_controller(controller_for_preparations);
        executor_.release_workspace();  // what making a plan takes from it is to be counted
        double seconds = 0;
        for (auto const& copy : problem_.matrix.copies) {
            auto const peak = peak_bytes_of([&] {
                seconds += measure::seconds_of([&] {
                    spmv_plan<T> const plan(executor_, copy.tree);
                    plans_.push_back(problem_.transpose ? plan.transposed() : plan);
                });
            });
            peak_bytes_ = std::max(peak_bytes_, peak);
        }
        return seconds / static_cast<double>(plans_.size());
    }
    std::optional<run_report> run(int set) override {
        auto const& vectors = problem_.sets[static_cast<std::size_t>(set)];
        spmv_async<T>(executor_, 1, plans_[static_cast<std::size_t>(set)], vectors.x, 0, vectors.y);
        return std::nullopt;
    }
    std::int64_t kept_bytes() const override { return plans_.front().bytes(); }
    std::optional<std::int64_t> prepare_peak_bytes() const override { return peak_bytes_; }
    std::int64_t list_bytes() const override { return plans_.front().list_bytes(); }

  private:
    gpu& executor_;
    gpu_problem<T> const& problem_;
    std::vector<spmv_plan<T>> plans_;
    std::int64_t peak_bytes_ = 0;
};

}  // namespace

template <class T>
gpu_record describe(gpu_problem<T> const& problem, std::string library, std::string variant, std::int64_t bytes) {
    gpu_record r;
    auto const& a = problem.matrix.a;
    r.library = std::move(library);
    r.variant = std::move(variant);
    r.sets = problem.set_count();
    r.m.transpose = problem.transpose;
    r.m.matrix = problem.matrix.name;
    r.m.format = "csr";
    r.m.on = "gpu";
    r.m.type = measure::type_name<T>;
    r.m.rows = a.row_count;
    r.m.columns = a.column_count;
    r.m.entries = a.entry_count();
    r.m.bytes = bytes;
    auto const vector_bytes = (a.row_count + a.column_count) * static_cast<std::int64_t>(sizeof(T));
    r.m.moved_bytes = bytes + vector_bytes;
    r.m.csr_moved_bytes = csr_bytes(a.row_count, a.entry_count(), sizeof(T)) + vector_bytes;
    return r;
}

template <class T>
gpu_record describe_tree(gpu_problem<T> const& problem, std::string variant) {
    auto const& tree = problem.matrix.copies.front().tree;
    auto r = describe(problem, "copse", std::move(variant), tree.bytes());
    r.m.format = "hisparse";
    r.m.convert_seconds = problem.matrix.tree_seconds;
    r.m.node_dimension = tree.node_dimension();
    return r;
}

template <class T>
gpu_competitor<T> plan_on_gpu(gpu& executor, gpu_problem<T> const& problem) {
    auto r = describe_tree(problem, "hisparse plan");
    r.clock = "events";
    r.m.mode = "plan";
    return {std::move(r), std::make_unique<plan_product<T>>(executor, problem)};
}

template <class T>
gpu_competitor<T> hisparse_on_gpu(gpu& executor, gpu_problem<T> const& problem, controller which) {
    auto r = describe_tree(problem, "hisparse " + measure::name_of(which));
    r.clock = "wall";
    r.m.controller = measure::name_of(which);
    return {std::move(r), std::make_unique<hisparse_product<T>>(executor, problem, which)};
}

template gpu_record describe(gpu_problem<float> const&, std::string, std::string, std::int64_t);
template gpu_record describe(gpu_problem<double> const&, std::string, std::string, std::int64_t);
template gpu_competitor<float> plan_on_gpu(gpu&, gpu_problem<float> const&);
template gpu_competitor<double> plan_on_gpu(gpu&, gpu_problem<double> const&);
template gpu_competitor<float> hisparse_on_gpu(gpu&, gpu_problem<float> const&, controller);
template gpu_competitor<double> hisparse_on_gpu(gpu&, gpu_problem<double> const&, controller);

}  // namespace copse::bench
