// Products of matrices beyond 2^31 bytes, or beyond what a host makes in reasonable time: made on the GPU, converted
// there, checked there.
#include <fmt/format.h>

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/statistics.hpp>
#include <limits>
#include <memory>
#include <optional>

#include "bench/gpu_comparison/cusparse_handle.hpp"
#include "bench/gpu_comparison/large_race.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "cli/target.hpp"

namespace copse::bench {
namespace {

template <class Matrix>
struct converted {
    std::optional<Matrix> matrix;
    double seconds = 0;
};

/// A in the formats that are made on the GPU from rows on the GPU; those that do not fit are absent.
template <class T>
struct large_formats {
    converted<hisparse<T>> tree;
    converted<csr5<T>> tiles;
    converted<sellp<T>> slices;
    converted<cmrs<T>> strips;
};

struct cusparse_way {
    char const* name;
    cusparseSpMVAlg_t algorithm;
    bool preprocess;
};
constexpr cusparse_way ways[] = {{"csr 1", CUSPARSE_SPMV_CSR_ALG1, false},
                                 {"csr 2", CUSPARSE_SPMV_CSR_ALG2, false},
                                 {"csr 1, preprocess", CUSPARSE_SPMV_CSR_ALG1, true},
                                 {"csr 2, preprocess", CUSPARSE_SPMV_CSR_ALG2, true}};

class large_products {
  public:
    explicit large_products(program_arguments const& a) : a_(a), program_("copse_large_gpu", "large", "spmv", a) {}

    int run() {
        auto const& names = !a_.matrices.empty() ? a_.matrices : a_.quick ? quick_large_suite() : large_suite();
        return program_.for_each_matrix(names, [&](std::string const& name, std::string const& type) {
            type == "float" ? measure_matrix<float>(name) : measure_matrix<double>(name);
        });
    }

  private:
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
        r.m.bytes = bytes;
        auto const vector_bytes = static_cast<std::int64_t>(what.x.bytes() + what.y.bytes());
        r.m.moved_bytes = bytes + vector_bytes;
        r.m.csr_moved_bytes = csr_bytes(a.row_count(), a.entry_count(), sizeof(T)) + vector_bytes;
        return r;
    }

    /// One format's conversion, which may find no memory left; the others go on. From rows that somebody shares: formats
    /// that take rows over copy them on the GPU.
    template <class Matrix, class Rows, class... Options>
    void convert(std::string const& name, char const* format, Rows rows, converted<Matrix>& to,
                 Options const&... options) {
        watchdog const limit(program_.name(), fmt::format("[conversion to {}] of {}", format, name), 120);
        if (program_.is_left_out(std::string("conversion to ") + format)) return;
        try {
            to.seconds =
                measure::seconds_of([&] { to.matrix.emplace(program_.executor(), std::move(rows), options...); });
        } catch (copse::error const& e) {
            throw_if_lost(fmt::format("[conversion to {}] of {}: {}", format, name, e.what()));
            program_.fail(fmt::format("{}: {}: {}", name, format, e.what()));
        }
    }

    template <class T>
    large_formats<T> convert_all(std::string const& name, csr_matrix<T> const& a) {
        large_formats<T> made;
        program_.executor().set_controller(controller_for_preparations);
        convert(name, "hisparse", a, made.tree, hisparse_options{.node_dimension = a_.node_dimension});
        convert(name, "csr5", a, made.tiles);
        convert(name, "sellp", a, made.slices);
        convert(name, "cmrs", a, made.strips);
        return made;
    }

    template <class T>
    void add_cusparse(large_race<T>& race, large_problem<T> const& what, buffer<std::int32_t> const& offsets) {
        auto const handle = std::make_shared<cusparse_handle>(*program_.cusparse(), program_.executor());
        auto const& rows = *what.a.content();
        auto const operation = what.transpose ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
        for (auto const& way : ways) {
            auto r = describe(what, "cusparse", std::string(way.name) + (what.transpose ? ", transpose" : ""),
                              csr_bytes(rows.row_count, rows.entry_count, sizeof(T)));
            r.clock = "events";
            auto const call = std::make_shared<std::optional<spmv_call<T>>>();
            auto const prepare = [&what, &rows, &offsets, handle, call, operation, way] {
                call->emplace(
                    *handle,
                    describe_csr(*handle, rows.row_count, rows.column_count, offsets, rows.column_indices, rows.values),
                    operation, way.algorithm, what.x, what.y);
                if (way.preprocess) (*call)->preprocess(*handle);
                return (*call)->workspace_bytes();
            };
            race.add(
                std::move(r), [handle, call] { (*call)->run(*handle); }, prepare);
        }
    }

    /// op(A) in a format of ours, if it could be made.
    template <class T, class Matrix>
    void add_one_shots(large_race<T>& race, large_problem<T> const& what, std::string const& format,
                       converted<Matrix> const& m) {
        if (m.matrix) add_one_shots(race, what, format, what.transpose ? m.matrix->transposed() : *m.matrix, m.seconds);
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
                spmv(program_.executor(), T(1), m, what.x, T(0), what.y);
            });
        }
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
            std::move(r), [this, &what, plan] { spmv_async<T>(program_.executor(), 1, **plan, what.x, 0, what.y); },
            [this, plan, tree] {
                program_.executor().set_controller(controller_for_preparations);
                plan->emplace(program_.executor(), tree);
                return (*plan)->bytes();
            });
    }

    template <class T>
    std::vector<gpu_record> measure_product(large_problem<T> const& what, large_formats<T> const& in,
                                            buffer<std::int32_t> const& offsets) {
        auto const op = [&](auto const& m) { return what.transpose ? m.transposed() : m; };
        large_race<T> race(program_, what);
        if (program_.cusparse() && offsets.size() > 0) add_cusparse(race, what, offsets);
        if (in.tree.matrix) add_plan(race, what, op(*in.tree.matrix), in.tree.seconds);
        add_one_shots(race, what, "hisparse", in.tree);
        add_one_shots(race, what, "csr", op(what.a), 0);
        add_one_shots(race, what, "csr5", in.tiles);
        add_one_shots(race, what, "sellp", in.slices);
        add_one_shots(race, what, "cmrs", in.strips);
        auto records = race.run();
        program_.keep(records);
        return records;
    }

    /// None where it cannot take part: its offsets here are of 32 bits.
    template <class T>
    buffer<std::int32_t> offsets_for_cusparse(std::string const& name, csr_matrix<T> const& a) {
        if (a.entry_count() <= std::numeric_limits<std::int32_t>::max())
            return narrow_offsets(program_.executor(), a.content()->row_offsets);
        program_.complain(
            fmt::format("{}: cuSPARSE is left out: {} entries are more than the 2^31 - 1 of its offsets here", name,
                        a.entry_count()));
        return {};
    }

    template <class T>
    void measure_matrix(std::string const& name) {
        auto& executor = program_.executor();
        auto const formula = formula_of(name);
        if (!formula) throw argument_error("'" + name + "': poisson3d, stencil27 and uniform are made on the GPU");
        std::vector<gpu_record> found;
        std::optional<csr_matrix<T>> a;
        std::optional<large_formats<T>> formats;
        buffer<std::int32_t> offsets;
        for (bool const transpose : {false, true}) {
            if (program_.is_measured(name, measure::type_name<T>, transpose)) continue;
            if (!a) {
                program_.show("make, convert");
                a = make_on_gpu<T>(executor, *formula);
                offsets = offsets_for_cusparse(name, *a);
                formats = convert_all(name, *a);
            }
            program_.show(transpose ? "A^T x" : "A x");
            auto const n = transpose ? a->row_count() : a->column_count();
            auto const m = transpose ? a->column_count() : a->row_count();
            large_problem<T> const what{name, *a, transpose, random_on_gpu<T>(executor, n, program_.session().seed),
                                        buffer<T>(executor, m)};
            auto const records = measure_product(what, *formats, offsets);
            found.insert(found.end(), records.begin(), records.end());
        }
        program_.print_matrix(found);
    }

    program_arguments a_;
    gpu_program program_;
};

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    program_arguments a;
    return run_program("copse_large_gpu",
                       "Products of matrices that are made and checked on the GPU: poisson3d, stencil27, uniform", argc,
                       argv, a, [&] { return large_products(a).run(); });
}
