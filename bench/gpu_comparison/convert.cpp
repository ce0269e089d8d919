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
#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/csr5.hpp>
#include <copse/formats/flat_matrix.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/error.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/gpu_comparison/allocations.hpp"
#include "bench/gpu_comparison/follow_ups.hpp"
#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/product_check.hpp"
#include "bench/gpu_comparison/program.hpp"
#include "bench/gpu_comparison/race.hpp"
#include "bench/gpu_comparison/record.hpp"
#include "bench/gpu_comparison/suite.hpp"
#include "bench/gpu_comparison/watchdog.hpp"
#include "bench/harness/options.hpp"
#include "bench/harness/target.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

/// The calls of one competitor on the GPU. Each has a time limit of its own: who hangs is to be named, and the host's
/// work between them may take longer.
class calls_on_gpu {
  public:
    /// `name`: as --without has it.
    calls_on_gpu(gpu_program& program, std::string const& name, std::string const& matrix, std::string const& type)
        : program_(program), what_(fmt::format("[{}] of {}, {}", name, matrix, type)) {}

    template <class Work>
    auto call(Work const& work) const {
        unsigned constexpr hang_seconds = 60;  // twice what races have: an edit is the host's work too
        watchdog const limit(program_.name(), what_, hang_seconds);
        return work();
    }
    template <class Work>
    std::int64_t peak_bytes(Work const& work) const {
        program_.executor().release_workspace();
        return call([&] { return peak_bytes_of(work); });
    }
    /// The median of some calls; conversions take milliseconds. prepare() comes before each, and is not timed.
    template <class Prepare, class Work>
    double median_of(int most_repeats, Prepare const& prepare, Work const& work) const {
        return timing_of(std::min(program_.arguments().repeats, most_repeats),
                         [&] {
                             auto given = prepare();
                             return call([&] { return program_.clock().time_waiting([&] { work(given); }).seconds; });
                         })
            .median;
    }
    template <class Work>
    double median_of(int most_repeats, Work const& work) const {
        return median_of(
            most_repeats, [] { return 0; }, [&](int) { work(); });
    }
    /// Whether the GPU is lost with it.
    void throw_if_lost(std::string const& why) const { bench::throw_if_lost(what_ + ": " + why); }

  private:
    gpu_program& program_;
    std::string what_;
};

constexpr int most_conversions = 9;

/// What follows the conversion of one record.
template <class T>
class follow_up_steps {
  public:
    follow_up_steps(gpu_program& program, conversion_record& r, follow_up_name const& which, calls_on_gpu const& calls)
        : program_(program), r_(r), which_(which), calls_(calls) {}

    template <class Work>
    auto call(Work const& work) const {
        return calls_.call(work);
    }
    template <class Work, class Check>
    void follow(char const* key, Work const& work, Check const& is_right) const {
        std::optional<std::invoke_result_t<Work>> made;
        follow_up one;
        one.peak_bytes = calls_.peak_bytes([&] { made.emplace(work()); });
        if (!is_right(*made)) throw error("the result is wrong");
        made.reset();
        one.seconds = calls_.median_of(which_.most_repeats, work);
        r_.after[key] = one;
    }
    spmv_plan<T> plan(hisparse<T> const& tree) const { return {program_.executor(), tree, plan_directions::both}; }
    bool multiplies(spmv_plan<T> const& plan, csr<T> const& a) const {
        auto& executor = program_.executor();
        auto const x = random_on_gpu<T>(executor, a.column_count, program_.session().seed);
        buffer<T> const y(executor, a.row_count);
        csr_matrix<T> const rows(executor, a);
        return call([&] {
            spmv(executor, T(1), plan, x, T(0), y);
            return check_on_gpu(executor, rows, false, x.data())(y) <= 1;
        });
    }

  private:
    gpu_program& program_;
    conversion_record& r_;
    follow_up_name which_;
    calls_on_gpu const& calls_;
};

struct arguments : program_arguments {
    std::vector<std::string> formats{"csr5", "sellp", "cmrs", "hisparse"};
};

class conversions {
  public:
    explicit conversions(arguments const& a) : a_(a), program_("copse_convert_gpu", "conversions", a) {}

    int run() {
        auto const& names = !a_.matrices.empty() ? a_.matrices : a_.quick ? quick_gpu_sum_suite : gpu_sum_suite;
        return program_.for_each_matrix(
            "convert", names,
            [&](std::string const& name, std::string const& type) {
                type == "float" ? convert_matrix<float>(name) : convert_matrix<double>(name);
            },
            [&](std::string const& name, std::string const& type) { return formats_left(name, type).empty(); });
    }

  private:
    bool has_format(std::string const& format) const {
        return std::find(a_.formats.begin(), a_.formats.end(), format) != a_.formats.end();
    }

    /// By a plan: no scheduler in it, and by events, as products are timed beside cuSPARSE.
    template <class T>
    double product_seconds(csr<T> const& a) {
        auto& executor = program_.executor();
        flat_plan<csr_matrix<T>> const plan(executor, csr_matrix<T>(executor, a));
        buffer<T> const x(executor, std::vector<T>(static_cast<std::size_t>(a.column_count), T(1)));
        buffer<T> const y(executor, a.row_count);
        return timing_of(std::min(a_.repeats, 9),
                         [&] {
                             return program_.clock()
                                 .time_queued([&] { spmv_async(executor, T(1), plan, x, T(0), y); })
                                 .seconds;
                         })
            .median;
    }

    /// A flat format: Matrix(executor, rows, options) and to_csr_matrix(executor, matrix). Each conversion gets rows
    /// that nobody shares, uploaded before the clock starts.
    template <class Matrix, class T, class Options>
    void convert_flat(conversion_record r, csr<T> const& a, Options const& options) {
        auto& executor = program_.executor();
        measured(r, [&](calls_on_gpu const& calls) {
            auto const rows = [&] { return csr_matrix<T>(executor, a, {csr_kernel::vector}); };
            auto const make = [&] { Matrix(executor, a, options); };
            Matrix const made = calls.call([&] { return Matrix(executor, a, options); });
            auto const back = [&] { to_csr_matrix(executor, made); };
            r.bytes = made.bytes();
            r.is_right =
                are_equal(to_csr(calls.call([&] { return to_csr_matrix(executor, made); })), a) &&
                are_equal(
                    to_csr(calls.call([&] { return to_csr_matrix(executor, Matrix(executor, rows(), options)); })), a);
            r.peak_bytes = calls.peak_bytes(make);
            r.seconds = calls.median_of(most_conversions, make);
            r.there_seconds = calls.median_of(
                most_conversions, rows, [&](csr_matrix<T>& given) { Matrix(executor, std::move(given), options); });
            r.back_peak_bytes = calls.peak_bytes(back);
            r.back_seconds = calls.median_of(most_conversions, back);
        });
    }

    template <class T>
    void convert_tree(conversion_record r, csr<T> const& a, std::string const& controller_name) {
        auto& executor = program_.executor();
        hisparse_options const options{.node_dimension = a_.node_dimension};
        executor.set_controller(controller_named(controller_name));
        measured(r, [&](calls_on_gpu const& calls) {
            csr_matrix<T> const there(executor, a);
            hisparse<T> const made = calls.call([&] { return hisparse<T>(executor, a, options); });
            auto const make = [&] { hisparse<T>(executor, there, options); };
            auto const back = [&] { to_csr_matrix(executor, made); };
            r.bytes = made.bytes();
            r.is_right = are_equal(to_csr(made), a) &&
                         are_equal(to_csr(calls.call([&] { return hisparse<T>(executor, there, options); })), a) &&
                         are_equal(to_csr(calls.call([&] { return to_csr_matrix(executor, made); })), a);
            r.peak_bytes = calls.peak_bytes(make);
            r.seconds = calls.median_of(most_conversions, [&] { hisparse<T>(executor, a, options); });
            r.there_seconds = calls.median_of(most_conversions, make);
            r.back_peak_bytes = calls.peak_bytes(back);
            r.back_seconds = calls.median_of(most_conversions, back);
            for (auto const& which : follow_up_names)
                if (controller_name == a_.controllers.front() || std::string(which.key) != "compact")
                    follow(r, which, a, made);
        });
    }

    /// One that fails leaves the conversion's times and the others alone.
    template <class T>
    void follow(conversion_record& r, follow_up_name const& which, csr<T> const& a, hisparse<T> const& tree) {
        auto const name = fmt::format("{} of {}", which.text, r.format);
        if (!r.is_right || program_.is_left_out(name)) return;
        calls_on_gpu const calls(program_, name, r.matrix, r.type);
        try {
            follow_up_steps<T> steps(program_, r, which, calls);
            follow_up_on(which.key, program_.executor(), a, tree, steps);
        } catch (copse::error const& e) {
            calls.throw_if_lost(e.what());
            r.after[which.key] = {.failure = e.what()};
            program_.fail(fmt::format("{}, {}, {}: {}", r.matrix, r.type, name, e.what()));
        }
    }

    /// A format that refuses the matrix is no failure.
    template <class Work>
    void measured(conversion_record& r, Work const& work) {
        auto const name = "conversion to " + r.format;
        if (program_.is_left_out(name)) return;
        calls_on_gpu const calls(program_, name, r.matrix, r.type);
        try {
            work(calls);
        } catch (too_much_padding const& e) {
            r.failure = e.what();
            r.is_refused = true;
        } catch (copse::error const& e) {
            r.failure = e.what();
            calls.throw_if_lost(e.what());
        }
        program_.write(json_line(r, program_.session()));
        if (!r.is_refused && (!r.failure.empty() || !r.is_right))
            program_.fail(fmt::format("{}, {}, {}: {}", r.matrix, r.type, r.format,
                                      r.failure.empty() ? "what comes back is not what went in" : r.failure));
    }

    /// Of the record's format in its type.
    template <class T>
    void convert_to(conversion_record const& r, csr<T> const& a) {
        if (r.format == "csr5") return convert_flat<csr5<T>>(r, a, csr5_options{});
        if (r.format == "sellp") return convert_flat<sellp<T>>(r, a, sellp_options{});
        if (r.format == "cmrs") return convert_flat<cmrs<T>>(r, a, cmrs_options{});
        if (r.format == "cmrs unsorted") return convert_flat<cmrs<T>>(r, a, cmrs_options{.sorted = false});
        if (r.format == "cmrs padded") return convert_flat<cmrs<T>>(r, a, cmrs_options{.per_row = cmrs_chunk / 4});
        convert_tree(r, a, r.format.substr(r.format.find(' ') + 1));
    }

    /// What the records call them: those that were asked for and are not in the file.
    std::vector<std::string> formats_left(std::string const& matrix, std::string const& type) const {
        std::vector<std::string> left;
        for (std::string const format : {"csr5", "sellp", "cmrs", "cmrs unsorted", "cmrs padded"})
            if (has_format(format.substr(0, format.find(' ')))) left.push_back(format);
        if (has_format("hisparse"))
            for (auto const& controller : a_.controllers) left.push_back("hisparse " + controller);
        std::erase_if(left, [&](auto const& format) { return program_.is_converted(matrix, type, format); });
        return left;
    }

    template <class T>
    void convert_matrix(std::string const& name) {
        auto const left = formats_left(name, type_name<T>);
        if (left.empty()) return program_.show("in the file");
        program_.show("load");
        auto const a = load_for_gpu<T>(name);
        program_.show("csr");
        conversion_record r;
        r.bench = program_.bench();
        r.matrix = name;
        r.type = type_name<T>;
        r.entries = a.entry_count();
        {
            watchdog const limit(program_.name(), "[" + work_on(name, r.type) + "]", 120);
            r.product_seconds = product_seconds(a);
        }
        for (auto const& format : left) {
            program_.show(format);
            auto one = r;
            one.format = format;
            convert_to(one, a);
        }
    }

    arguments a_;
    gpu_program program_;
};

void add_options(CLI::App& app, arguments& a) {
    add_list(app, "--formats", a.formats, "some of csr5, sellp, cmrs, hisparse (default all)");
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
