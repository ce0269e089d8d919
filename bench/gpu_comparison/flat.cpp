#include "bench/gpu_comparison/flat.hpp"

#include <array>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <utility>

namespace copse::bench {
namespace {

constexpr std::array csr_forms{std::pair{"csr row-split", csr_kernel::row_split},
                               std::pair{"csr vector", csr_kernel::vector},
                               std::pair{"csr merge-path", csr_kernel::merge_path}};

/// A plan chooses CSR's kernel for A^T by its rows. So where the kernel is set, A^T x is the product by rows of a plan
/// for A^T, which is `turned`.
template <class Matrix, class T>
flat_copies<T> copy_as(gpu& executor, matrix_copies<T> const& matrix, std::string const& form, csr<T> const* turned,
                       typename Matrix::options_type const& options = {}) {
    using plan = flat_plan<Matrix>;
    copies_of<Matrix> all;
    std::vector<plan> plans, turned_plans;
    double plan_seconds = 0;
    std::int64_t plan_peak_bytes = 0;
    for (std::size_t set = 0; set < matrix.copies.size(); ++set) {
        all.seconds = seconds_of([&] { all.of_set.emplace_back(executor, matrix.a, options); });
        executor.release_workspace();  // what making a plan takes from it is to be counted
        plan_peak_bytes = peak_bytes_of([&] {
            plan_seconds = seconds_of([&] { plans.emplace_back(executor, all.of_set.back(), plan_directions::both); });
        });
        if (turned) turned_plans.emplace_back(executor, Matrix(executor, *turned, options));
    }
    bool const is_turned = turned != nullptr;
    auto const by_plan = [=](gpu_clock& clock, gpu_problem<T> const& what) {
        auto r = describe_ours(what, form, "plan", all);
        r.m.mode = "plan";
        r.prepare_seconds = plan_seconds;
        r.prepare_peak_bytes = plan_peak_bytes;
        auto op = what.transpose && is_turned ? turned_plans : plans;
        if (what.transpose && !is_turned)
            for (auto& one : op) one = one.transposed();
        r.kept_bytes = op.front().bytes();
        return launches<T>(clock, what, std::move(r), std::move(op));
    };
    return {by_plan, [=](gpu_clock& clock, gpu_problem<T> const& what, controller which) {
                return one_shot(clock, what, form, all, which);
            }};
}

}  // namespace

std::vector<std::string> const& flat_forms() {
    static std::vector<std::string> const forms{
        csr_forms[0].first, csr_forms[1].first, csr_forms[2].first, "csr5", "sellp", "cmrs", "cmrs stretches"};
    return forms;
}

template <class T>
flat_copies<T> copy_flat(gpu& executor, matrix_copies<T> const& matrix, csr<T> const& turned, std::string const& form) {
    for (auto const& [name, kernel] : csr_forms)
        if (form == name) return copy_as<csr_matrix<T>>(executor, matrix, form, &turned, csr_matrix_options{kernel});
    csr<T> const* const none = nullptr;
    if (form == "csr5") return copy_as<csr5<T>>(executor, matrix, form, none);
    if (form == "sellp") return copy_as<sellp<T>>(executor, matrix, form, none);
    if (form == "cmrs") return copy_as<cmrs<T>>(executor, matrix, form, none);
    if (form == "cmrs stretches") return copy_as<cmrs<T>>(executor, matrix, form, none, cmrs_options{.stretch = 2048});
    throw argument_error("'" + form + "' is no form of a flat format");
}

template flat_copies<float> copy_flat(gpu&, matrix_copies<float> const&, csr<float> const&, std::string const&);
template flat_copies<double> copy_flat(gpu&, matrix_copies<double> const&, csr<double> const&, std::string const&);

}  // namespace copse::bench
