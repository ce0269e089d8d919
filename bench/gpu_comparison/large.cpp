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
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/product.hpp"
#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/program_sums.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "bench/harness/target.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

template <class Matrix>
struct made_there {
    std::optional<Matrix> matrix;
    double seconds = 0;
    std::string failure;  // why there is none
};

/// One format's conversion, which may find no memory left; the others go on. From rows that somebody shares: formats
/// that take rows over copy them on the GPU. Throws gpu_lost.
template <class Matrix, class Rows, class... Options>
made_there<Matrix> convert_on_gpu(gpu_program& program, std::string const& name, std::string const& format, Rows rows,
                                  Options const&... options) {
    watchdog const limit(program.name(), fmt::format("[conversion to {}] of {}", format, name), 120);
    made_there<Matrix> made;
    if (program.is_left_out("conversion to " + format)) {
        made.failure = "the conversion is left out";
        return made;
    }
    try {
        made.seconds = seconds_of([&] { made.matrix.emplace(program.executor(), std::move(rows), options...); });
    } catch (copse::error const& e) {
        throw_if_lost(fmt::format("[conversion to {}] of {}: {}", format, name, e.what()));
        made.failure = e.what();
        program.fail(fmt::format("{}: {}: {}", name, format, e.what()));
    }
    return made;
}

/// A in the formats that are made on the GPU from rows on the GPU; for those that do not fit there is the reason.
template <class T>
struct large_formats {
    made_there<hisparse<T>> tree;
    made_there<csr5<T>> tiles;
    made_there<sellp<T>> slices;
    made_there<cmrs<T>> strips;
};

/// Of B. Stencils meet in two of three entries, or in two of seven; random ones hardly.
constexpr std::int64_t columns_further = 1;

/// A or B: its rows with offsets of 64 bits, and of 32 bits as cuSPARSE has them, and its tree.
template <class T>
struct large_addend {
    std::string name;
    csr_matrix<T> rows;
    buffer<std::int32_t> narrow;  // none where its entries are too many
    made_there<hisparse<T>> tree;

    gpu_addend<T> view(bool transpose) const { return {name, borrow(rows, narrow), tree.matrix, transpose}; }
};

template <class T>
class large_sums {
  public:
    large_sums(gpu_program& program, std::string const& name)
        : program_(program),
          formula_(formula_for_gpu(name)),
          a_(complete(name, make_on_gpu<T>(program.executor(), formula_))),
          b_(complete("rotated:" + std::to_string(columns_further) + ',' + name,
                      make_rotated_on_gpu<T>(program.executor(), formula_, columns_further))) {}

    void race(bool transpose_b) {
        sum_on_gpu<T> const what{a_.view(false), b_.view(transpose_b), a_.tree.seconds + b_.tree.seconds};
        auto ways = sum_ways(program_, what);
        auto const& failure = a_.tree.failure.empty() ? b_.tree.failure : a_.tree.failure;
        for (auto& way : ways)
            if (way.record.is_ours()) way.record.failure = failure;
        refuse_too_large(ways);
        auto const check = large_sum_check(program_.executor(), a_.rows, false, b_.rows, transpose_b);
        race_in<T>(program_, check, std::move(ways), {what});
    }

  private:
    large_addend<T> complete(std::string name, csr_matrix<T> rows) {
        auto& executor = program_.executor();
        buffer<std::int32_t> narrow;
        if (lack_of_width(rows.entry_count()).empty()) narrow = narrow_offsets(executor, rows.content()->row_offsets);
        executor.set_controller(controller_for_preparations);
        auto tree = convert_on_gpu<hisparse<T>>(
            program_, name, "hisparse", rows, hisparse_options{.node_dimension = program_.arguments().node_dimension});
        return {std::move(name), std::move(rows), std::move(narrow), std::move(tree)};
    }

    /// cuSPARSE counts C's entries in 32 bits, and what it keeps leaves half of the free memory to the sums.
    void refuse_too_large(std::vector<sum_way<T>>& ways) {
        auto const free = free_bytes(program_.executor());
        std::int64_t kept = 0;
        for (auto& one : ways) {
            if (one.record.library != "cusparse") continue;
            auto why = lack_of_width(a_.rows.entry_count() + b_.rows.entry_count());
            auto const bytes = kept + one.bytes_to_keep;
            if (why.empty()) why = lack_of_memory(bytes, free);
            one.record.failure = why;
            one.record.is_refused = !why.empty();
            if (why.empty()) kept = bytes;
        }
    }

    gpu_program& program_;
    row_formula formula_;
    large_addend<T> a_, b_;
};

/// A + B and A + B^T of the matrix of this name, B: A with every entry one column further, the last ones in the first
/// column. By HiSparse under each controller and cuSPARSE; the records are in the file and in a table. What finds no
/// memory is a record with the reason, and what was taken is free again behind it. Throws argument_error for a name of
/// which there is no formula; gpu_lost; cuda_error where not even the rows of A and B have room.
template <class T>
void add_large(gpu_program& program, std::string const& name) {
    std::optional<large_sums<T>> sums;
    for (bool const transpose_b : {false, true}) {
        if (program.is_measured("add", name, type_name<T>, false, transpose_b)) continue;
        if (!sums) {
            program.show("make, convert");
            sums.emplace(program, name);
        }
        program.show(transpose_b ? "A + B^T" : "A + B");
        sums->race(transpose_b);
    }
}

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
