// copse spmv: one product, checked against the reference and timed.
#include <fmt/format.h>

#include <copse/algebra/flat_spmv.hpp>
#include <copse/algebra/spmv.hpp>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/algebra/tuned_plan.hpp>
#include <copse/formats/statistics.hpp>
#include <memory>
#include <optional>
#include <type_traits>

#include "cli/formats.hpp"
#include "cli/load.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/product.hpp"

namespace copse::cli {
namespace {

char const* const spmv_footer =
    R"(y <- alpha op(A) x + beta y, with op(A) = A, or A^T with --transpose. The product runs once and is checked,
then runs again --repeat times. Every run starts from the same y, and its result is compared with a plain
product in long double; one that is off by more than rounding can explain is an error (exit status 1) and
is not written.

--format auto takes a format by a rule: by the lengths of rows, the places of entries and the size of the caches;
`copse info` says which, and why. Where SELL-P pads too much: HiSparse on the cpu, and else CSR5.
--tune N finds the format by a trial that may take as long as a tenth of N products. Its verdict can be given back
as --format. sellp-sorted: SELL-P of rows sorted by length; sellp-trimmed: with CSR5 for the long ones; both need
--mode plan.

JSON: op, transpose, matrix, format, on (where it ran), controller (null on the cpu), type, threads (of the
CPU), rows, cols, entries, bytes (of A in this format, and of the plan), moved_bytes (what a product reads
of them, x, y, and y again where it is read), convert_seconds (from CSR; 0: plan_seconds has it), seconds (median of
the repeats), plan_seconds (null: no plan), first_seconds (the first run), mode, gflops (2 entries per second),
gbytes_per_second (moved_bytes), csr_gbytes_per_second (as if CSR with offsets of 4 bytes had been moved in the same
time: comparable between formats), max_error (largest |y_i - reference_i| / bound_i, right up to 1; bound_i is
(entries of the row + 3) eps (|alpha| |op(A)| |x| + |beta| |y|)_i), node_dimension, repeats, min_seconds, max_seconds,
spread (distance of the quartiles / median); with --memory peak_bytes: what one more product takes of the host's
memory at most, beside A, a plan, x and y (null: this system does not count), and on a GPU
device_peak_bytes: what of the GPU's, as the executor's pool counts it. What the conversion and the plan
take: copse convert --memory.

--profile counts, on emulated, what the tasks of all runs did in memory: sectors of 32 bytes that the lanes of a
warp touch together and how few would do, lanes without an access, atomic additions to one address, conflicts of
banks (passes and how few would do), bytes by queue. The figures are uncalibrated, and know no caches. JSON: profile
(calibrated, queues: task, bytes, moved_bytes; lines: task, file, line, access, requests, lane_accesses, idle_lanes,
bytes, sectors, least_sectors, passes, least_passes).

Examples:
  copse spmv A.mtx --transpose --alpha 2 --x x.mtx -o y.mtx
  copse spmv poisson3d:96 --format csr --threads 1 --json
  copse spmv rmat:8 --on emulated --controller persistent --seed 7    the GPU's code, without a GPU
  copse spmv rmat:8 --on emulated --format csr5 --profile             how well it would load there)";

struct spmv_arguments {
    std::string matrix;
    bool transpose = false;
    execution how;
    std::string mode = "oneshot";
    std::string alpha = "1";
    std::string beta = "0";
    std::string x;
    std::string y;
    std::string output;

    std::optional<std::int64_t> tune;

    bool by_plan() const { return mode == "plan"; }
};

/// What the options say together; each on its own is in order.
void check(CLI::App const& app, spmv_arguments& a) {
    if (a.tune && was_given(app, "--format"))
        throw argument_error("--tune finds a format, --format names one: give one of them");
    if (a.tune) a.how.format = "tuned";
    check_execution(app, a.how);
    if (was_given(app, "--output")) announce_output(a.output, {a.matrix, a.x});
    check_trace_option(app, a.how.trace, a.output, {a.matrix, a.x, a.y});
    if (a.tune && !was_given(app, "--mode")) a.mode = "plan";
    if (a.tune && !a.by_plan()) throw argument_error("--tune is for products from a plan: leave out --mode");
    if (is_of_plans(a.how.format) && !a.by_plan())
        throw argument_error("--format " + a.how.format + ": plans have it; add --mode plan");
    if (was_given(app, "--x") && a.x.empty()) throw argument_error("--x: a file name is needed");
    if (was_given(app, "--y") && a.y.empty()) throw argument_error("--y: a file name is needed");
}

/// Throws error where memory is missing for what is known from the shape alone: nothing has been sorted yet.
template <class T>
void check_memory_for(spmv_arguments const& arguments, coo<T> const& a, target const& where) {
    check_memory(sorting(arguments.matrix), sorting_bytes(a));
    auto const inputs = static_cast<double>(arguments.transpose ? a.row_count : a.column_count);
    auto const outputs = static_cast<double>(arguments.transpose ? a.column_count : a.row_count);
    // x; y as it was, as it is before each run, and as the check copies it; both in the executor's memory.
    double const executor_has_own = where.on == "gpu" ? 1 : 0;
    double bytes =
        offset_bytes(a.row_count) + sizeof(T) * ((2 - executor_has_own) * inputs + (4 - executor_has_own) * outputs);
    // Offsets of rows in the format, and of columns in its plans.
    if ((arguments.how.format == "csr" || arguments.how.format == "csr5") && where.on != "gpu") {
        bytes += offset_bytes(a.row_count);
        if (arguments.by_plan()) bytes += offset_bytes(a.column_count);
    }
    check_memory("multiplying '" + arguments.matrix + "'", bytes);
}

template <class T>
csr<T> load(spmv_arguments& arguments, target const& where) {
    auto const entries = load_entries<T>(arguments.matrix, arguments.how.options.source);
    check_memory_for(arguments, entries, where);
    return rows_of(arguments.matrix, entries);
}

template <class T>
operands<T> read_operands(spmv_arguments const& arguments, csr<T> const& a) {
    auto const m = arguments.transpose ? a.column_count : a.row_count;
    auto const n = arguments.transpose ? a.row_count : a.column_count;
    auto const use = fmt::format("the product with {}'{}' ({} x {})", arguments.transpose ? "the transpose of " : "",
                                 arguments.matrix, a.row_count, a.column_count);
    auto const vector = [&](char const* option, std::string const& path, std::int64_t size, T value) {
        auto const advice = [&](std::int64_t given) {
            if (given != m + n - size) return "";
            return arguments.transpose ? "; it fits without --transpose" : "; it fits with --transpose";
        };
        return path.empty() ? std::vector<T>(static_cast<std::size_t>(size), value)
                            : load_vector<T>(option, path, size, use, advice);
    };
    return {parse_real<T>("--alpha", arguments.alpha), vector("--x", arguments.x, n, T(1)),
            parse_real<T>("--beta", arguments.beta), vector("--y", arguments.y, m, T(0))};
}

template <class T, class Executor>
spmv_plan<T> make_plan(Executor& executor, hisparse<T> const& a) {
    return {executor, a};
}
template <class T, class Executor, flat_format Matrix>
flat_plan<Matrix> make_plan(Executor& executor, Matrix const& a) {
    return {executor, a};
}

/// Multiplies with op(A) in its format, or by a plan, and prints the record.
template <class T, class Executor, class Matrix>
void run_product(spmv_arguments const& arguments, record& r, csr<T> const& a, operands<T> const& v, Executor& executor,
                 Matrix const& op_a) {
    auto const& how = arguments.how;
    auto const vector_bytes =
        (std::ssize(v.x) + (v.beta == 0 ? 1 : 2) * std::ssize(v.y)) * static_cast<std::int64_t>(sizeof(T));
    r.csr_moved_bytes = csr_bytes(a.row_count, a.entry_count(), sizeof(T)) + vector_bytes;
    r.moved_bytes += vector_bytes;
    if constexpr (requires { op_a.list_bytes(); }) r.moved_bytes += op_a.list_bytes();
    forget_accesses(executor);
    auto const y = measure_product(r, executor, op_a, a, arguments.transpose, v, how.repeats, how.memory, how.trace);
    r.profile = accesses_of(executor);
    report(r, how.json, arguments.output, [&] { write_matrix_market_vector<T>(arguments.output, y); });
}

/// Converts to the format, makes a plan if one was asked for, and multiplies.
template <class Matrix, class T, class Executor>
void multiply(spmv_arguments const& arguments, record r, csr<T> const& a, operands<T> const& v, Executor& executor) {
    auto const bytes = converted_bytes(a, r.format);
    auto const run = [&](auto const& op_a) { run_product(arguments, r, a, v, executor, op_a); };
    auto const matrix = timed(r.convert_seconds, [&] {
        return within_memory(converting(r.a.matrix, r.format), bytes,
                             [&] { return make_matrix<Matrix>(executor, a, arguments.how.options); });
    });
    if constexpr (requires { matrix.node_dimension(); }) r.node_dimension = matrix.node_dimension();
    r.bytes = r.moved_bytes = matrix.bytes();
    auto const op_a = arguments.transpose ? matrix.transposed() : matrix;
    if (!arguments.by_plan()) return run(op_a);
    r.mode = "plan";
    auto const plan_bytes = flat_format<Matrix> ? bytes : static_cast<double>(matrix.bytes());
    auto const plan = timed(r.plan_seconds.emplace(), [&] {
        return within_memory("making a plan for '" + r.a.matrix + "'", plan_bytes,
                             [&] { return make_plan<T>(executor, op_a); });
    });
    r.bytes += plan.bytes();
    run(plan);
}

/// By a plan of op(A)'s rows in the format that a trial finds, or in the one that was named.
template <class T, class Executor>
void multiply_tuned(spmv_arguments const& arguments, record r, csr<T> const& a, operands<T> const& v,
                    Executor& executor) {
    auto const op_a = arguments.transpose ? transpose(a) : csr<T>();
    auto const& rows = arguments.transpose ? op_a : a;
    auto verdict = arguments.tune ? format_verdict() : format_verdict(*matrix_format_named(r.format));
    if (arguments.tune) {
        verdict = timed(r.tune_seconds.emplace(), [&] {
            return within_memory("tuning '" + r.a.matrix + "'", converted_bytes(rows, "csr"), [&] {
                return tune(executor, rows, {.products = *arguments.tune, .transposed = false});
            });
        });
        r.format = name_of(verdict.stored);
        r.format_reason = fmt::format("by a trial for {} products", with_commas(*arguments.tune));
    }
    r.mode = "plan";
    auto const plan = timed(r.plan_seconds.emplace(), [&] {
        return within_memory("making a plan for '" + r.a.matrix + "'", converted_bytes(rows, "csr"),
                             [&] { return tuned_plan<T>(executor, rows, verdict); });
    });
    r.bytes = r.moved_bytes = plan.bytes();
    run_product(arguments, r, a, v, executor, plan);
}

template <class T>
void multiply(spmv_arguments arguments) {
    // A mistake in a number should not cost the time to read a matrix.
    parse_real<T>("--alpha", arguments.alpha);
    parse_real<T>("--beta", arguments.beta);
    target const where(arguments.how.where);
    auto const a = load<T>(arguments, where);
    auto const v = read_operands(arguments, a);
    operand_shape const shape{arguments.matrix, arguments.transpose, a.row_count, a.column_count, a.entry_count()};
    take_format(arguments.how.format, a, use_of(arguments.transpose, arguments.by_plan(), where.on),
                [&](std::string const& format, std::string const& reason) {
                    auto r = describe<T>(shape, format, where);
                    r.format_reason = reason;
                    where.with([&](auto& executor) {
                        if (arguments.tune || is_of_plans(format)) return multiply_tuned(arguments, r, a, v, executor);
                        with_format<T>(format, [&]<class Matrix>(std::type_identity<Matrix>) {
                            multiply<Matrix>(arguments, r, a, v, executor);
                        });
                    });
                });
}

}  // namespace

command add_spmv(CLI::App& all) {
    auto const arguments = std::make_shared<spmv_arguments>();
    CLI::App& app = add_command(all, "spmv", "multiply a matrix with a vector, check the result, time it", spmv_footer);
    add_matrix(app, arguments->matrix);
    add_flag(app, "--transpose", arguments->transpose, "multiply with A^T");
    add_factor(app, "--alpha", arguments->alpha, "default 1");
    add_factor(app, "--beta", arguments->beta, "default 0; y is read only where beta is not 0");
    add_file(app, "--x", arguments->x, "Matrix Market file of the vector x (default: ones)");
    add_file(app, "--y", arguments->y, "Matrix Market file of the vector y (default: zeros)");
    add_file(app, "-o,--output", arguments->output, "write the resulting y to this Matrix Market file");
    auto formats = format_names();
    for (auto const name : matrix_format_names)
        if (is_of_plans(name)) formats.emplace_back(name);
    add_execution(app, arguments->how, "product", formats, "of A");
    add_tune(app, arguments->tune);
    add_flat_options(app, arguments->how.options);
    add_choice(app, "--mode", {"oneshot", "plan"},
               "oneshot (default): A as it is stored for each product; plan: what products have in common is done once",
               arguments->mode);
    return {&app, [&app, arguments] {
                check(app, *arguments);
                arguments->how.type == "float" ? multiply<float>(*arguments) : multiply<double>(*arguments);
            }};
}

}  // namespace copse::cli
