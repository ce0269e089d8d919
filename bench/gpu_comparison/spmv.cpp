// SpMV and transposed SpMV on a GPU: HiSparse and the flat formats beside cuSPARSE, in one process.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <copse/algebra/spmv.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/runtime/error.hpp>
#include <map>
#include <memory>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/gpu_comparison/flat.hpp"
#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/target.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

struct arguments : program_arguments {
    std::vector<std::string> formats{"hisparse", "csr", "csr5", "sellp", "cmrs"};
    bool all_plans = false;          // of hisparse, in other ways too
    std::string one_shot = "first";  // of the flat formats: under no controller, the first of --controllers, or all
};

/// A matrix as all competitors of ours and of cuSPARSE want it.
template <class T>
struct formats_on_gpu {
    matrix_copies<T> copies;
    std::vector<flat_copies<T>> flat;
    copies_of<hisparse<T>> twins;
    std::map<std::string, std::string> refused;  // why, by form
};

class comparison {
  public:
    comparison(arguments const& a) : a_(a), program_("copse_spmv_gpu", "spmv", a) {}

    int run() {
        auto const& names = !a_.matrices.empty() ? a_.matrices
                            : a_.papers          ? hisparse_paper_suite(a_.quick)
                            : a_.quick           ? quick_gpu_suite
                                                 : gpu_suite;
        return program_.for_each_matrix(
            "spmv", names,
            [&](std::string const& name, std::string const& type) {
                type == "float" ? measure_matrix<float>(name) : measure_matrix<double>(name);
            },
            [&](std::string const& name, std::string const& type) { return products_left(name, type).empty(); });
    }

  private:
    bool has_format(std::string const& format) const {
        return std::find(a_.formats.begin(), a_.formats.end(), format) != a_.formats.end();
    }
    std::vector<std::string> one_shot_controllers() const {
        if (a_.one_shot == "none" || a_.controllers.empty()) return {};
        return a_.one_shot == "first" ? std::vector{a_.controllers.front()} : a_.controllers;
    }

    /// A x, A^T x: whether transposed, of those that are not in the file.
    std::vector<bool> products_left(std::string const& name, std::string const& type) const {
        std::vector<bool> left;
        for (bool const transpose : {false, true})
            if (!program_.is_measured("spmv", name, type, transpose)) left.push_back(transpose);
        return left;
    }

    /// A format that refuses the matrix takes no part; one that fails, for lack of memory perhaps, hides no other.
    template <class T>
    void add_form(formats_on_gpu<T>& all, csr<T> const& turned, std::string const& form) {
        try {
            all.flat.push_back(copy_flat(program_.executor(), all.copies, turned, form));
        } catch (too_much_padding const& e) {
            all.refused[form] = e.what();
        } catch (copse::error const& e) {
            all.refused[form] = e.what();
            throw_if_lost(fmt::format("[conversion] to {}: {}", form, e.what()));
            program_.fail(fmt::format("{}: {}: {}", all.copies.name, form, e.what()));
        }
    }

    template <class T>
    formats_on_gpu<T> convert(std::string const& name, csr<T> a) {
        watchdog const limit(program_.name(), "[" + work_on(name, type_name<T>) + "]", a_.quick ? 120 : 300);
        formats_on_gpu<T> all{
            copy_matrix(program_.executor(), name, std::move(a), a_.node_dimension, a_.most_sets), {}, {}, {}};
        if (a_.all_plans && has_format("hisparse")) all.twins = with_twins(all.copies.trees);
        auto forms = flat_forms();
        std::erase_if(forms, [&](std::string const& form) { return !has_format(form.substr(0, form.find(' '))); });
        if (forms.empty()) return all;
        auto const turned = transpose(all.copies.a);
        for (auto const& form : forms) add_form(all, turned, form);
        return all;
    }

    template <class T>
    gpu_entrants entrants(formats_on_gpu<T> const& all, gpu_problem<T> const& problem) {
        auto& clock = program_.clock();
        gpu_entrants found;
        auto const add = [&](std::unique_ptr<entrant> one) {
            if (!program_.is_left_out(one->record.name())) found.push_back(std::move(one));
        };
        if (program_.cusparse())
            for (auto& one : cusparse_products(*program_.cusparse(), clock, problem, all.copies.copies))
                add(std::move(one));
        add(naive_product(clock, problem, all.copies.copies));
        if (has_format("hisparse")) {
            add(hisparse_plan(clock, problem, all.copies.trees));
            if (a_.all_plans) {
                for (plan_way const& way : other_ways()) add(hisparse_plan(clock, problem, all.copies.trees, way));
                if (!all.twins.of_set.empty())
                    for (plan_way const& way : ways_of_twins()) add(hisparse_plan(clock, problem, all.twins, way));
                for (both_way const& way : both_ways()) add(hisparse_both(clock, problem, all.copies.trees, way));
            }
            for (auto const& name : a_.controllers)
                add(one_shot(clock, problem, "hisparse", all.copies.trees, controller_named(name)));
        }
        for (auto const& copies : all.flat) {
            add(copies.by_plan(clock, problem));
            for (auto const& name : one_shot_controllers())
                add(copies.one_shot(clock, problem, controller_named(name)));
        }
        for (auto const& [form, why] : all.refused) {
            auto r = describe(problem, "copse", form + " plan", format_of(form), 0);
            r.m.mode = "plan";
            r.failure = why;
            r.is_refused = true;
            add(std::make_unique<absent>(std::move(r)));
        }
        return found;
    }

    template <class T>
    void measure_matrix(std::string const& name) {
        auto const left = products_left(name, type_name<T>);
        if (left.empty()) return program_.show("in the file");
        program_.show("load");
        auto a = load_for_gpu<T>(name);
        program_.show("convert");
        auto const all = convert(name, std::move(a));
        for (bool const transpose : left) {
            program_.show(transpose ? "A^T x" : "A x");
            auto const& host = all.copies.a;
            auto const problem =
                problem_of(program_.executor(), name, all.copies.copies, transpose, program_.session().seed,
                           is_checked_on_gpu(host.entry_count()) ? nullptr : &host);
            program_.race(entrants(all, problem));
        }
    }

    arguments a_;
    gpu_program program_;
};

void add_options(CLI::App& app, arguments& a) {
    add_list(app, "--formats", a.formats,
             "of ours: some of hisparse, csr (three kernels), csr5, sellp, cmrs (default all)");
    app.add_flag("--all-plans", a.all_plans,
                 "HiSparse's plans made and replayed in other ways, and for two products, too");
    add_choice(app, "--one-shot", a.one_shot, {"none", "first", "all"},
               "of the flat formats, beside their plans: under which of --controllers (default first)");
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    arguments a;
    return run_program(
        "copse_spmv_gpu", "SpMV and transposed SpMV on a GPU: our formats beside cuSPARSE, checked and timed", argc,
        argv, a, [&] { return comparison(a).run(); }, [&](CLI::App& app) { add_options(app, a); });
}
