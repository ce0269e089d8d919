// Products and sums of matrices beyond 2^31 bytes, or beyond what a host makes in reasonable time: made on the GPU,
// converted there, checked there.
//
// The quick suite takes less than ten minutes, by what smaller matrices took on an H100. Products: some 400 records;
// the stage spmv took 0.33 s for each of its own, one for ten times the entries makes seven minutes at most. Sums:
// stencil27:64 took 0.9 to 2.3 ms, csr2csc and csrgeam2 1.4 ms; stencil27:256 has 65 times the entries, 60 to 160 ms,
// with checks 8 seconds for each sum and type. circuit:1000000, whose nodes are as irregular as uniform's, took 5 to 9
// ms for 5 million entries: 350 ms for 192 million, 15 seconds. A minute and a half together, and they come first:
// bench/gpu begins nothing after three quarters of 590 seconds, which may cost a product or two, but not the sums.
#include <fmt/format.h>

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/sellp.hpp>
#include <memory>
#include <optional>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/large_conversion.hpp"
#include "bench/gpu_comparison/large_sum.hpp"
#include "bench/gpu_comparison/product.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench {
namespace {

/// A in the formats that are made on the GPU from rows on the GPU; for those that do not fit there is the reason.
template <class T>
struct large_formats {
    made_there<hisparse<T>> tree;
    made_there<csr5<T>> tiles;
    made_there<sellp<T>> slices;
    made_there<cmrs<T>> strips;
};

class large_comparison {
  public:
    explicit large_comparison(program_arguments const& a) : a_(a), program_("copse_large_gpu", "large", a) {}

    int run() {
        int status = 0;
        for (auto const& stretch : large_stretches(a_.matrices, a_.quick)) status = compare(stretch);
        return status;
    }

  private:
    /// Returns the program's exit status, of all that it did so far.
    int compare(large_stretch const& stretch) {
        return program_.for_each_matrix(
            stretch.products ? "spmv" : "add", stretch.names,
            [&](std::string const& name, std::string const& type) {
                bool const is_float = type == "float";
                if (stretch.products) is_float ? multiply<float>(name) : multiply<double>(name);
                if (stretch.sums) is_float ? add_large<float>(program_, name) : add_large<double>(program_, name);
            },
            [&](std::string const& name, std::string const& type) { return is_complete(stretch, name, type); });
    }

    /// Whether the file has all that is done with it.
    bool is_complete(large_stretch const& stretch, std::string const& name, std::string const& type) const {
        bool is = true;
        for (bool const transpose : {false, true}) {
            if (stretch.products) is = is && program_.is_measured("spmv", name, type, transpose);
            if (stretch.sums) is = is && program_.is_measured("add", name, type, false, transpose);
        }
        return is;
    }

    /// A flat format takes as much as A: it is made where that leaves half of the free memory to the calls.
    template <class Matrix, class T>
    made_there<Matrix> convert_flat(std::string const& name, std::string const& format, csr_matrix<T> const& a) {
        auto why = lack_of_memory(a.bytes(), free_bytes(program_.executor()));
        if (why.empty()) return convert_on_gpu<Matrix>(program_, name, format, a);
        made_there<Matrix> none;
        none.failure = std::move(why);
        return none;
    }

    template <class T>
    large_formats<T> convert_all(std::string const& name, csr_matrix<T> const& a) {
        large_formats<T> made;
        program_.executor().set_controller(controller_for_preparations);
        made.tree = convert_on_gpu<hisparse<T>>(program_, name, "hisparse", a,
                                                hisparse_options{.node_dimension = a_.node_dimension});
        made.tiles = convert_flat<csr5<T>>(name, "csr5", a);
        made.slices = convert_flat<sellp<T>>(name, "sellp", a);
        made.strips = convert_flat<cmrs<T>>(name, "cmrs", a);
        return made;
    }

    void add(gpu_entrants& all, std::unique_ptr<entrant> one) {
        if (!program_.is_left_out(one->record.name())) all.push_back(std::move(one));
    }
    static std::unique_ptr<entrant> refused(race_record r, std::string const& why) {
        r.failure = why;
        r.is_refused = true;
        return std::make_unique<absent>(std::move(r));
    }

    /// A in a format of ours under each controller, or why it could not be made.
    template <class T, class Matrix>
    void add_one_shots(gpu_entrants& all, gpu_problem<T> const& what, std::string const& format,
                       made_there<Matrix> const& m) {
        for (auto const& name : a_.controllers)
            add(all, m.matrix ? one_shot(program_.clock(), what, format, copies(m), controller_named(name))
                              : refused(describe(what, "copse", format + ' ' + name, format, 0), m.failure));
    }

    /// A flat format also by launches alone, as cuSPARSE's calls are. A plan would turn A on the host.
    template <class T, class Matrix>
    void add_flat(gpu_entrants& all, gpu_problem<T> const& what, std::string const& format,
                  made_there<Matrix> const& m) {
        add_one_shots(all, what, format, m);
        if (m.matrix)
            add(all, launches(program_.clock(), what, describe_ours(what, format, "async", copies(m)),
                              copies(m).op(what.transpose).of_set));
    }

    template <class Matrix>
    static copies_of<Matrix> copies(made_there<Matrix> const& m) {
        return {{*m.matrix}, m.seconds};
    }

    template <class T>
    void measure_product(csr_matrix<T> const& a, gpu_problem<T> const& what, large_formats<T> const& in) {
        gpu_entrants all;
        if (program_.cusparse())
            for (auto& one : cusparse_products<T>(*program_.cusparse(), program_.clock(), what, {a}))
                add(all, std::move(one));
        if (in.tree.matrix) add(all, hisparse_plan(program_.clock(), what, copies(in.tree)));
        add_one_shots(all, what, "hisparse", in.tree);
        add_flat(all, what, "csr", made_there<csr_matrix<T>>{a, 0, ""});
        add_flat(all, what, "csr5", in.tiles);
        add_flat(all, what, "sellp", in.slices);
        add_flat(all, what, "cmrs", in.strips);
        program_.race(all);
    }

    template <class T>
    void multiply(std::string const& name) {
        auto& executor = program_.executor();
        auto const formula = formula_for_gpu(name);
        std::optional<csr_matrix<T>> a;
        std::optional<large_formats<T>> formats;
        for (bool const transpose : {false, true}) {
            if (program_.is_measured("spmv", name, type_name<T>, transpose)) continue;
            if (!a) {
                program_.show("make, convert");
                a = make_on_gpu<T>(executor, formula);
                formats = convert_all(name, *a);
            }
            program_.show(transpose ? "A^T x" : "A x");
            auto const what = problem_of<T>(executor, name, {*a}, transpose, program_.session().seed);
            measure_product(*a, what, *formats);
        }
    }

    program_arguments a_;
    gpu_program program_;
};

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    program_arguments a;
    return run_program(
        "copse_large_gpu",
        "Products and sums of matrices that are made and checked on the GPU: poisson3d, stencil27, uniform", argc, argv,
        a, [&] { return large_comparison(a).run(); });
}
