#include "bench/gpu_comparison/flat.hpp"

#include <array>
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <utility>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/harness/target.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

constexpr std::array csr_forms{std::pair{"csr row-split", csr_kernel::row_split},
                               std::pair{"csr vector", csr_kernel::vector},
                               std::pair{"csr merge-path", csr_kernel::merge_path}};

std::string format_of(std::string const& form) {
    return form.substr(0, form.find(' '));
}

/// Launches only, as cuSPARSE's calls are.
template <class T, class Plan>
class flat_plan_product final : public gpu_product<T> {
  public:
    flat_plan_product(gpu& executor, gpu_problem<T> const& problem, std::vector<Plan> plans, double seconds,
                      std::int64_t peak_bytes)
        : executor_(executor),
          problem_(problem),
          plans_(std::move(plans)),
          seconds_(seconds),
          peak_bytes_(peak_bytes) {}

    std::optional<double> prepare() override { return seconds_; }
    std::optional<run_report> run(int set) override {
        auto const& vectors = problem_.sets[static_cast<std::size_t>(set)];
        spmv_async(executor_, T(1), plans_[static_cast<std::size_t>(set)], vectors.x, T(0), vectors.y);
        return std::nullopt;
    }
    std::int64_t kept_bytes() const override { return plans_.front().bytes(); }
    std::optional<std::int64_t> prepare_peak_bytes() const override { return peak_bytes_; }

  private:
    gpu& executor_;
    gpu_problem<T> const& problem_;
    std::vector<Plan> plans_;
    double seconds_;
    std::int64_t peak_bytes_;
};

template <class T, class Matrix>
class flat_product final : public gpu_product<T> {
  public:
    flat_product(gpu& executor, gpu_problem<T> const& problem, std::vector<Matrix> matrices, controller which)
        : executor_(executor), problem_(problem), matrices_(std::move(matrices)), which_(which) {}

    std::optional<double> prepare() override { return std::nullopt; }
    std::optional<run_report> run(int set) override {
        auto const& vectors = problem_.sets[static_cast<std::size_t>(set)];
        executor_.set_controller(which_);
        return spmv(executor_, T(1), matrices_[static_cast<std::size_t>(set)], vectors.x, T(0), vectors.y);
    }

  private:
    gpu& executor_;
    gpu_problem<T> const& problem_;
    std::vector<Matrix> matrices_;
    controller which_;
};

/// A plan chooses CSR's kernel for A^T by its rows. So where the kernel is set, A^T x is the product by rows of a plan
/// for A^T.
template <class T, class Matrix>
class flat_copies_of final : public flat_copies<T> {
  public:
    using plan = flat_plan<Matrix>;

    /// make(csr): a matrix of the form.
    template <class Make>
    flat_copies_of(gpu& executor, std::string form, matrix_copies<T> const& matrix, csr<T> const* turned,
                   Make const& make)
        : form_(std::move(form)) {
        auto const count = matrix.copies.size();
        for (std::size_t set = 0; set < count; ++set) {
            convert_seconds_ = measure::seconds_of([&] { matrices_.push_back(make(matrix.a)); });
            executor.release_workspace();  // what making a plan takes from it is to be counted
            plan_peak_bytes_ = peak_bytes_of(
                [&] { plan_seconds_ = measure::seconds_of([&] { plans_.emplace_back(executor, matrices_.back()); }); });
            if (turned) turned_plans_.emplace_back(executor, make(*turned));
        }
    }

    gpu_competitor<T> by_plan(gpu& executor, gpu_problem<T> const& problem) const override {
        bool const is_turned = problem.transpose && !turned_plans_.empty();
        auto plans = is_turned ? turned_plans_ : plans_;
        if (problem.transpose && !is_turned)
            for (auto& one : plans) one = one.transposed();
        auto r = describe_form(problem, " plan");
        r.m.mode = "plan";
        r.clock = "events";
        return {std::move(r), std::make_unique<flat_plan_product<T, plan>>(executor, problem, std::move(plans),
                                                                           plan_seconds_, plan_peak_bytes_)};
    }

    gpu_competitor<T> one_shot(gpu& executor, gpu_problem<T> const& problem, controller which) const override {
        auto matrices = matrices_;
        if (problem.transpose)
            for (auto& one : matrices) one = one.transposed();
        auto r = describe_form(problem, " " + measure::name_of(which));
        r.m.controller = measure::name_of(which);
        return {std::move(r), std::make_unique<flat_product<T, Matrix>>(executor, problem, std::move(matrices), which)};
    }

  private:
    gpu_record describe_form(gpu_problem<T> const& problem, std::string const& how) const {
        auto r = describe(problem, "copse", form_ + how, matrices_.front().bytes());
        r.clock = "wall";
        r.m.format = format_of(form_);
        r.m.convert_seconds = convert_seconds_;
        return r;
    }

    std::string form_;
    std::vector<Matrix> matrices_;
    std::vector<plan> plans_, turned_plans_;
    double convert_seconds_ = 0, plan_seconds_ = 0;
    std::int64_t plan_peak_bytes_ = 0;
};

template <class Matrix, class T>
std::unique_ptr<flat_copies<T>> copy_as(gpu& executor, matrix_copies<T> const& matrix, std::string const& form) {
    auto const make = [&](csr<T> const& a) { return Matrix(executor, a); };
    return std::make_unique<flat_copies_of<T, Matrix>>(executor, form, matrix, nullptr, make);
}

}  // namespace

std::vector<std::string> const& flat_forms() {
    static std::vector<std::string> const forms{
        csr_forms[0].first, csr_forms[1].first, csr_forms[2].first, "csr5", "sellp", "cmrs"};
    return forms;
}

template <class T>
std::unique_ptr<flat_copies<T>> copy_flat(gpu& executor, matrix_copies<T> const& matrix, csr<T> const& turned,
                                          std::string const& form) {
    for (auto const& [name, kernel] : csr_forms) {
        if (form != name) continue;
        csr_matrix_options const options{kernel};
        auto const make = [&](csr<T> const& a) { return csr_matrix<T>(executor, a, options); };
        return std::make_unique<flat_copies_of<T, csr_matrix<T>>>(executor, form, matrix, &turned, make);
    }
    if (form == "csr5") return copy_as<csr5<T>>(executor, matrix, form);
    if (form == "sellp") return copy_as<sellp<T>>(executor, matrix, form);
    if (form == "cmrs") return copy_as<cmrs<T>>(executor, matrix, form);
    throw argument_error("'" + form + "' is no form of a flat format");
}

template <class T>
gpu_competitor<T> refused_form(gpu_problem<T> const& problem, std::string const& form, std::string const& why) {
    auto r = describe(problem, "copse", form + " plan", 0);
    r.m.format = format_of(form);
    r.m.mode = "plan";
    r.failure = why;
    r.is_refused = true;
    return {std::move(r), nullptr};
}

template std::unique_ptr<flat_copies<float>> copy_flat(gpu&, matrix_copies<float> const&, csr<float> const&,
                                                       std::string const&);
template std::unique_ptr<flat_copies<double>> copy_flat(gpu&, matrix_copies<double> const&, csr<double> const&,
                                                        std::string const&);
template gpu_competitor<float> refused_form(gpu_problem<float> const&, std::string const&, std::string const&);
template gpu_competitor<double> refused_form(gpu_problem<double> const&, std::string const&, std::string const&);

}  // namespace copse::bench
