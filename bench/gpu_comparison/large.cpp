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
#include <copse/formats/statistics.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <memory>
#include <optional>

#include "bench/gpu_comparison/large_conversion.hpp"
#include "bench/gpu_comparison/large_cusparse.hpp"
#include "bench/gpu_comparison/large_race.hpp"
#include "bench/gpu_comparison/large_sum.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/harness/target.hpp"

namespace copse::bench {
namespace {

/// A in the formats that are made on the GPU from rows on the GPU; for those that do not fit there is the reason.
template <class T>
struct large_formats {
    converted<hisparse<T>> tree;
    converted<csr5<T>> tiles;
    converted<sellp<T>> slices;
    converted<cmrs<T>> strips;
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

    template <class T>
    gpu_record describe(large_problem<T> const& what, std::string library, std::string variant, std::int64_t bytes) {
        auto const& a = what.a;
        gpu_record r;
        r.library = std::move(library);
        r.variant = std::move(variant);
        r.clock = "wall";
        r.m.transpose = what.transpose;
        r.m.matrix = what.name;
        r.m.format = "csr";
        r.m.on = "gpu";
        r.m.type = measure::type_name<T>;
        r.m.rows = a.row_count();
        r.m.columns = a.column_count();
        r.m.entries = a.entry_count();
        set_bytes(r, what, bytes);
        return r;
    }

    /// `bytes`: of A in the record's format.
    template <class T>
    static void set_bytes(gpu_record& r, large_problem<T> const& what, std::int64_t bytes) {
        auto const vector_bytes = static_cast<std::int64_t>(what.x.bytes() + what.y.bytes());
        r.m.bytes = bytes;
        r.m.moved_bytes = bytes + vector_bytes;
        r.m.csr_moved_bytes = csr_bytes(what.a.row_count(), what.a.entry_count(), sizeof(T)) + vector_bytes;
    }

    /// A flat format takes as much as A: it is made where that leaves half of the free memory to the calls.
    template <class Matrix, class T>
    converted<Matrix> convert_flat(std::string const& name, std::string const& format, csr_matrix<T> const& a) {
        auto why = lack_of_memory(a.bytes(), free_bytes(program_.executor()));
        if (why.empty()) return convert_on_gpu<Matrix>(program_, name, format, a);
        converted<Matrix> none;
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

    /// cuSPARSE's products; one that is not possible is in the records with the reason.
    template <class T>
    void add_cusparse(large_race<T>& race, large_problem<T> const& what) {
        auto const handle = std::make_shared<cusparse_handle>(*program_.cusparse(), program_.executor());
        auto const inputs = std::make_shared<large_cusparse<T>>(program_.executor(), what);
        auto const& a = what.a;
        for (auto const& variant : cusparse_variants(what.transpose)) {
            auto r = describe(what, "cusparse", variant.name, 0);
            r.clock = "events";
            r.m.format = variant.format();
            r.keeps_transpose = variant.how == transposition::stored;
            if (program_.is_left_out(r.name())) continue;
            try {
                watchdog const limit(program_.name(), race_name(r), 120);
                auto const operands = inputs->operands(variant);
                set_bytes(r, what,
                          bytes_read(variant, a.row_count(), a.column_count(), a.entry_count(), sizeof(T),
                                     operands.slices ? operands.slices->bytes() : 0));
                add_cusparse_product<T>(race, r, {handle, inputs, operands, variant, {}});
            } catch (copse::error const& e) {
                throw_if_lost(race_name(r) + ": " + e.what());
                race.refuse(r, e.what());
            }
        }
    }

    template <class T>
    struct cusparse_entrant {
        std::shared_ptr<cusparse_handle> handle;
        std::shared_ptr<large_cusparse<T>> inputs;
        cusparse_operands<T> operands;
        cusparse_variant variant;
        std::optional<cusparse_product<T>> product;
    };

    template <class T>
    static void add_cusparse_product(large_race<T>& race, gpu_record r, cusparse_entrant<T> entrant) {
        auto const one = std::make_shared<cusparse_entrant<T>>(std::move(entrant));
        race.add(
            std::move(r),
            [one]() -> std::optional<run_report> {
                one->product->run();
                return std::nullopt;
            },
            [one]() -> prepared_bytes {
                one->product.emplace(*one->handle, one->variant, one->operands);
                one->product->prepare();
                COPSE_CUDA_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(one->handle->executor.stream())));
                return {one->product->kept_bytes()};
            });
    }

    /// op(A) in a format of ours, or why it could not be made.
    template <class T, class Matrix>
    void add_one_shots(large_race<T>& race, large_problem<T> const& what, std::string const& format,
                       converted<Matrix> const& m) {
        if (m.matrix)
            return add_one_shots(race, what, format, what.transpose ? m.matrix->transposed() : *m.matrix, m.seconds);
        for (auto const& name : a_.controllers) {
            auto r = describe(what, "copse", format + ' ' + name, 0);
            r.m.format = format;
            race.refuse(std::move(r), m.failure);
        }
    }

    /// `m`: op(A) in a format of ours, under each controller.
    template <class T, class Matrix>
    void add_one_shots(large_race<T>& race, large_problem<T> const& what, std::string const& format, Matrix const& m,
                       double convert_seconds) {
        for (auto const& name : a_.controllers) {
            auto r = describe(what, "copse", format + ' ' + name, m.bytes());
            r.m.format = format;
            r.m.controller = name;
            r.m.convert_seconds = convert_seconds;
            race.add(std::move(r), [this, &what, m, name] {
                program_.executor().set_controller(measure::controller_named(name));
                return spmv(program_.executor(), T(1), m, what.x, T(0), what.y);
            });
        }
    }

    /// `m`: op(A) in a flat format of ours, by launches alone, as cuSPARSE's calls are. A plan would turn A on the
    /// host.
    template <class T, class Matrix>
    void add_launches(large_race<T>& race, large_problem<T> const& what, std::string const& format, Matrix const& m,
                      double convert_seconds) {
        auto r = describe(what, "copse", format + " async", m.bytes());
        r.clock = "events";
        r.m.format = format;
        r.m.convert_seconds = convert_seconds;
        race.add(std::move(r), [this, &what, m]() -> std::optional<run_report> {
            spmv_async(program_.executor(), T(1), m, what.x, T(0), what.y);
            return std::nullopt;
        });
    }

    template <class T, class Matrix>
    void add_flat(large_race<T>& race, large_problem<T> const& what, std::string const& format,
                  converted<Matrix> const& m) {
        add_one_shots(race, what, format, m);
        if (m.matrix) add_launches(race, what, format, what.transpose ? m.matrix->transposed() : *m.matrix, m.seconds);
    }

    template <class T>
    void add_plan(large_race<T>& race, large_problem<T> const& what, hisparse<T> const& tree, double convert_seconds) {
        auto r = describe(what, "copse", "hisparse plan", tree.bytes());
        r.clock = "events";
        r.m.format = "hisparse";
        r.m.mode = "plan";
        r.m.convert_seconds = convert_seconds;
        auto const plan = std::make_shared<std::optional<spmv_plan<T>>>();
        race.add(
            std::move(r),
            [this, &what, plan]() -> std::optional<run_report> {
                spmv_async<T>(program_.executor(), 1, **plan, what.x, 0, what.y);
                return std::nullopt;
            },
            [this, plan, tree]() -> prepared_bytes {
                program_.executor().set_controller(controller_for_preparations);
                plan->emplace(program_.executor(), tree);
                return {(*plan)->bytes(), (*plan)->list_bytes()};
            });
    }

    template <class T>
    void measure_product(large_problem<T> const& what, large_formats<T> const& in) {
        auto const op = [&](auto const& m) { return what.transpose ? m.transposed() : m; };
        large_race<T> race(program_, what);
        if (program_.cusparse()) add_cusparse(race, what);
        if (in.tree.matrix) add_plan(race, what, op(*in.tree.matrix), in.tree.seconds);
        add_one_shots(race, what, "hisparse", in.tree);
        add_one_shots(race, what, "csr", op(what.a), 0);
        add_launches(race, what, "csr", op(what.a), 0);
        add_flat(race, what, "csr5", in.tiles);
        add_flat(race, what, "sellp", in.slices);
        add_flat(race, what, "cmrs", in.strips);
        program_.keep(race.run());
    }

    template <class T>
    void multiply(std::string const& name) {
        auto& executor = program_.executor();
        auto const formula = formula_for_gpu(name);
        std::optional<csr_matrix<T>> a;
        std::optional<large_formats<T>> formats;
        for (bool const transpose : {false, true}) {
            if (program_.is_measured("spmv", name, measure::type_name<T>, transpose)) continue;
            if (!a) {
                program_.show("make, convert");
                a = make_on_gpu<T>(executor, formula);
                formats = convert_all(name, *a);
            }
            program_.show(transpose ? "A^T x" : "A x");
            auto const n = transpose ? a->row_count() : a->column_count();
            auto const m = transpose ? a->column_count() : a->row_count();
            large_problem<T> const what{name, *a, transpose, random_on_gpu<T>(executor, n, program_.session().seed),
                                        buffer<T>(executor, m)};
            measure_product(what, *formats);
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
