// Conversions on a GPU: from compressed rows on the host to HiSparse, CSR5, SELL-P and CMRS and back, in units of one
// product of the same rows.
//
//   with upload        from the host's arrays, as a program that has read a file calls it
//   from rows there    from compressed rows on the GPU, given away where the format takes their arrays (CSR5, CMRS)
//   back               to compressed rows on the GPU
//
// What comes back is compared with what went in before anything is timed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <copse/algebra/flat_plan.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/algebra/with_values.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/hisparse_sharing.hpp>
#include <copse/formats/padding_limit.hpp>
#include <copse/formats/prune.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <optional>
#include <type_traits>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/gpu_comparison/conversion_record.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/matrices.hpp"
#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "cli/target.hpp"
#include "cli/text.hpp"

namespace copse::bench {
namespace {

template <class T>
void drop_zeros(csr<T>& a) {
    std::int64_t kept = 0, k = 0;
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        for (auto const end = a.row_offsets[row + 1]; k < end; ++k) {
            if (a.values[k] == T(0)) continue;
            a.column_indices[kept] = a.column_indices[k];
            a.values[kept++] = a.values[k];
        }
        a.row_offsets[row + 1] = kept;
    }
    a.column_indices.resize(static_cast<std::size_t>(kept));
    a.values.resize(static_cast<std::size_t>(kept));
}

template <class T>
bool are_equal(csr<T> const& a, csr<T> const& b) {
    return a.row_offsets == b.row_offsets && a.column_indices == b.column_indices && a.values == b.values;
}

struct arguments : program_arguments {
    std::vector<std::string> formats{"csr5", "sellp", "cmrs", "hisparse"};
};

class conversions {
  public:
    explicit conversions(arguments const& a) : a_(a), program_("copse_convert_gpu", "conversions", a) {}

    int run() {
        auto const& names = !a_.matrices.empty() ? a_.matrices : a_.quick ? quick_gpu_sum_suite() : gpu_sum_suite();
        return program_.for_each_matrix("convert", names, [&](std::string const& name, std::string const& type) {
            type == "float" ? convert_matrix<float>(name) : convert_matrix<double>(name);
        });
    }

  private:
    bool has_format(std::string const& format) const {
        return std::find(a_.formats.begin(), a_.formats.end(), format) != a_.formats.end();
    }

    /// The median of some calls; conversions take milliseconds.
    template <class Work>
    double time_of(Work const& work) {
        return median_seconds(std::min(a_.repeats, 9), [&] { return program_.clock().time_waiting(work).wall; });
    }

    /// By a plan: no scheduler in it, and by events, as products are timed beside cuSPARSE.
    template <class T>
    double product_seconds(csr<T> const& a) {
        auto& executor = program_.executor();
        flat_plan<csr_matrix<T>> const plan(executor, csr_matrix<T>(executor, a));
        buffer<T> const x(executor, std::vector<T>(static_cast<std::size_t>(a.column_count), T(1)));
        buffer<T> const y(executor, a.row_count);
        return median_seconds(std::min(a_.repeats, 9), [&] {
            return program_.clock().time_queued([&] { spmv_async(executor, T(1), plan, x, T(0), y); }).events;
        });
    }

    /// A flat format: Matrix(executor, rows, options) and to_csr_matrix(executor, matrix). Each conversion gets rows that
    /// nobody shares, uploaded before the clock starts.
    template <class Matrix, class T, class Options>
    void convert_flat(conversion_record r, csr<T> const& a, Options const& options) {
        auto& executor = program_.executor();
        measured(r, [&] {
            auto const rows = [&] { return csr_matrix<T>(executor, a, {csr_kernel::vector}); };
            Matrix const made(executor, a, options);
            r.bytes = made.bytes();
            r.is_right = are_equal(to_csr(to_csr_matrix(executor, made)), a) &&
                         are_equal(to_csr(to_csr_matrix(executor, Matrix(executor, rows(), options))), a);
            r.peak_bytes = peak_bytes_of([&] { Matrix(executor, a, options); });
            r.seconds = time_of([&] { Matrix(executor, a, options); });
            r.there_seconds = median_seconds(std::min(a_.repeats, 9), [&] {
                auto given = rows();
                return program_.clock().time_waiting([&] { Matrix(executor, std::move(given), options); }).wall;
            });
            r.back_peak_bytes = peak_bytes_of([&] { to_csr_matrix(executor, made); });
            r.back_seconds = time_of([&] { to_csr_matrix(executor, made); });
        });
    }

    /// make() is done with a tree: its memory, is_right(what it gave), its time. Gives that.
    template <class Make, class Check>
    auto follow(conversion_record& r, char const* key, Make const& make, Check const& is_right) {
        program_.executor().release_workspace();
        std::optional<std::invoke_result_t<Make>> made;
        auto& one = r.after[key];
        one.peak_bytes = peak_bytes_of([&] { made.emplace(make()); });
        r.is_right = r.is_right && is_right(*made);
        one.seconds = time_of([&] { make(); });
        return *std::move(made);
    }

    /// Twice each value.
    template <class T>
    void give_values(conversion_record& r, csr<T> const& a, hisparse<T> const& tree) {
        csr<T> expected = a;
        for (auto& value : expected.values) value *= 2;
        buffer<T> const values(program_.executor(), expected.values);
        follow(
            r, "values", [&] { return with_values(program_.executor(), tree, values); },
            [&](hisparse<T> const& other) { return are_equal(to_csr(other), expected); });
    }

    /// Every other value becomes zero.
    template <class T>
    void prune_half(conversion_record& r, csr<T> const& a, hisparse<T> const& tree) {
        auto& executor = program_.executor();
        csr<T> expected = a;
        for (std::size_t i = 0; i < expected.values.size(); i += 2) expected.values[i] = T(0);
        auto const with_zeros = with_values(executor, tree, expected.values);
        drop_zeros(expected);
        follow(
            r, "prune", [&] { return prune(executor, with_zeros); },
            [&](hisparse<T> const& left) { return are_equal(to_csr(left), expected); });
    }

    template <class T>
    void compact_once(conversion_record& r, csr<T> const& a, hisparse<T> const& tree) {
        follow(
            r, "compact", [&] { return compact(tree); },
            [&](hisparse<T> const& alone) { return are_equal(to_csr(alone), a); });
    }

    /// A thousand entries that lie apart, each twice as large; of fewer all.
    template <class T>
    void edit_some(conversion_record& r, csr<T> const& a, hisparse<T> const& tree) {
        csr<T> expected = a;
        edits<T> changes;
        auto const step = std::max<std::int64_t>(1, a.entry_count() / 1000);
        std::int64_t row = 0;
        for (std::int64_t k = 0; k < a.entry_count(); k += step) {
            while (a.row_offsets[row + 1] <= k) ++row;
            changes.set(row, a.column_indices[k], expected.values[k] *= 2);
        }
        auto const edited = follow(
            r, "edit", [&] { return edit(tree, changes); },
            [&](hisparse<T> const& other) { return are_equal(to_csr(other), expected); });
        spmv_plan<T> const plan(program_.executor(), tree);
        follow(
            r, "update", [&] { return update(plan, edited); },
            [&](spmv_plan<T> const& updated) { return multiplies(updated, expected); });
    }

    /// Whether A x by the plan is the product with `a`.
    template <class T>
    bool multiplies(spmv_plan<T> const& plan, csr<T> const& a) {
        auto& executor = program_.executor();
        auto const x = random_on_gpu<T>(executor, a.column_count, program_.session().seed);
        buffer<T> const y(executor, a.row_count);
        spmv(executor, T(1), plan, x, T(0), y);
        return error_on_gpu(executor, csr_matrix<T>(executor, a), false, x, y) <= 1;
    }

    template <class T>
    void convert_tree(conversion_record r, csr<T> const& a, std::string const& controller_name) {
        auto& executor = program_.executor();
        hisparse_options const options{.node_dimension = a_.node_dimension};
        r.format = "hisparse " + controller_name;
        executor.set_controller(measure::controller_named(controller_name));
        measured(r, [&] {
            csr_matrix<T> const there(executor, a);
            hisparse<T> const made(executor, a, options);
            r.bytes = made.bytes();
            r.is_right = are_equal(to_csr(made), a) && are_equal(to_csr(hisparse<T>(executor, there, options)), a) &&
                         are_equal(to_csr(to_csr_matrix(executor, made)), a);
            executor.release_workspace();
            r.peak_bytes = peak_bytes_of([&] { hisparse<T>(executor, there, options); });
            r.seconds = time_of([&] { hisparse<T>(executor, a, options); });
            r.there_seconds = time_of([&] { hisparse<T>(executor, there, options); });
            executor.release_workspace();
            r.back_peak_bytes = peak_bytes_of([&] { to_csr_matrix(executor, made); });
            r.back_seconds = time_of([&] { to_csr_matrix(executor, made); });
            give_values(r, a, made);
            edit_some(r, a, made);
            prune_half(r, a, made);
            if (controller_name == a_.controllers.front()) compact_once(r, a, made);
        });
    }

    /// A format that refuses the matrix is no failure.
    template <class Work>
    void measured(conversion_record& r, Work const& work) {
        auto const name = "conversion to " + r.format;
        if (program_.is_left_out(name)) return;
        try {
            watchdog const limit(program_.name(), fmt::format("[{}] of {}, {}", name, r.matrix, r.type), 120);
            work();
        } catch (too_much_padding const& e) {
            r.failure = e.what();
            r.is_refused = true;
        } catch (copse::error const& e) {
            r.failure = e.what();
            throw_if_lost(fmt::format("[{}] of {}: {}", name, r.matrix, e.what()));
        }
        program_.write({json_line(r, program_.session())});
        if (!r.is_refused && (!r.failure.empty() || !r.is_right))
            program_.fail(fmt::format("{}, {}, {}: {}", r.matrix, r.type, r.format,
                                      r.failure.empty() ? "what comes back is not what went in" : r.failure));
        found_.push_back(r);
    }

    template <class T>
    void convert_matrix(std::string const& name) {
        if (program_.is_measured("convert", name, measure::type_name<T>, false)) return program_.show("in the file");
        program_.show("load");
        auto const a = load_for_gpu<T>(name);
        found_.clear();
        program_.show("csr");
        conversion_record r;
        r.bench = program_.bench();
        r.matrix = name;
        r.type = measure::type_name<T>;
        r.entries = a.entry_count();
        {
            watchdog const limit(program_.name(), "[" + work_on(name, r.type) + "]", 120);
            r.product_seconds = product_seconds(a);
        }
        program_.show("flat formats");
        auto const as = [&](std::string const& format) {
            auto one = r;
            one.format = format;
            return one;
        };
        if (has_format("csr5")) convert_flat<csr5<T>>(as("csr5"), a, csr5_options{});
        if (has_format("sellp")) convert_flat<sellp<T>>(as("sellp"), a, sellp_options{});
        if (has_format("cmrs")) {
            convert_flat<cmrs<T>>(as("cmrs"), a, cmrs_options{});
            convert_flat<cmrs<T>>(as("cmrs unsorted"), a, cmrs_options{.sorted = false});
            convert_flat<cmrs<T>>(as("cmrs padded"), a, cmrs_options{.per_row = cmrs_chunk / 4});
        }
        program_.show("hisparse");
        if (has_format("hisparse"))
            for (auto const& controller : a_.controllers) convert_tree(r, a, controller);
        program_.print(conversion_table(found_));
    }

    arguments a_;
    gpu_program program_;
    std::vector<conversion_record> found_;
};

void add_options(CLI::App& app, arguments& a) {
    app.add_option("--formats", a.formats, "some of csr5, sellp, cmrs, hisparse (default all)")
        ->check(CLI::IsMember({"csr5", "sellp", "cmrs", "hisparse"}).description(""))
        ->type_name("name,...")
        ->delimiter(',')
        ->allow_extra_args(false);
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    arguments a;
    return run_program(
        "copse_convert_gpu", "Conversions of matrices on a GPU, checked and timed, in products of CSR", argc, argv, a,
        [&] { return conversions(a).run(); }, [&](CLI::App& app) { add_options(app, a); });
}
