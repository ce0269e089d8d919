// copse spmv: one product, checked against the reference and timed.
#include <fmt/format.h>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/auto_format.hpp"
#include "cli/commands.hpp"
#include "cli/competitors.hpp"
#include "cli/execution.hpp"
#include "cli/flat_arguments.hpp"
#include "cli/flat_competitor.hpp"
#include "cli/flat_formats.hpp"
#include "cli/interruption.hpp"
#include "cli/load.hpp"
#include "cli/measurement_text.hpp"
#include "cli/memory_option.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/product_check.hpp"
#include "cli/spmv_text.hpp"

namespace copse::cli {
namespace {

/// HiSparse first: it is the default.
std::vector<format_choice> formats() {
    std::vector<format_choice> all{{"hisparse", false, true}};
    for (auto const* name : flat_format_names) all.push_back({name, false, false});
    all.push_back({"auto", false, true});
    return all;
}

operation const spmv_operation{"product", formats(), "of A"};

struct spmv_arguments {
    std::string matrix;
    bool transpose = false;
    execution how;
    measure::flat_options flat;
    std::string mode = "oneshot";
    std::string alpha = "1";
    std::string beta = "0";
    std::string x;
    std::string y;
    std::string output;
};

/// What the options say together; each on its own is in order.
void check(CLI::App const& app, spmv_arguments& a) {
    auto const given = [&](char const* option) { return app.count(option) > 0; };
    check_execution(app, a.how, spmv_operation);
    check_flat_options(app, a.how.format);
    if (given("--output")) {
        measure::check_output(a.output, {a.matrix, a.x});
        announce_output(a.output);
    }
    for (auto const* option : {"--x", "--y"})
        if (given(option) && app[option]->as<std::string>().empty())
            throw argument_error(std::string(option) + ": a file name is needed");
}

template <class T>
measure::operands<T> read_operands(spmv_arguments const& arguments, csr<T> const& a) {
    auto const m = arguments.transpose ? a.column_count : a.row_count;
    auto const n = arguments.transpose ? a.row_count : a.column_count;
    auto const use = fmt::format("the product with {}'{}' ({} x {})", arguments.transpose ? "the transpose of " : "",
                                 arguments.matrix, a.row_count, a.column_count);
    auto const vector = [&](char const* option, std::string const& path, std::int64_t size, T value) {
        return path.empty() ? std::vector<T>(static_cast<std::size_t>(size), value)
                            : measure::load_vector<T>(option, path, size, use);
    };
    return {measure::parse_real<T>("--alpha", arguments.alpha), vector("--x", arguments.x, n, T(1)),
            measure::parse_real<T>("--beta", arguments.beta), vector("--y", arguments.y, m, T(0))};
}

template <class T>
measure::competitor<T> make_competitor(spmv_arguments const& arguments, std::string const& format,
                                       measure::problem<T> const& what, measure::target& where) {
    bool const by_plan = arguments.mode == "plan";
    if (format != "hisparse")
        return measure::make_flat_entrant(where, what.matrix, what.a, format, by_plan, arguments.flat)(what);
    auto const tree = measure::convert(where, what.matrix, what.a, arguments.how.node_dimension);
    if (!by_plan) return measure::hisparse_competitor(what, tree, where);
    return measure::plan_competitor(what, tree, measure::make_plan(where, what.matrix, tree.matrix), where);
}

/// What takes part, and why auto chose its format; no reason where the format was given.
template <class T>
struct entry {
    measure::competitor<T> competitor;
    std::string reason;
};

/// SELL-P may refuse what the rule of auto gives it.
template <class T>
entry<T> make_entry(spmv_arguments const& arguments, measure::problem<T> const& what, measure::target& where) {
    auto const make = [&](std::string_view format) {
        return make_competitor<T>(arguments, std::string(format), what, where);
    };
    if (arguments.how.format != "auto") return {make(arguments.how.format), ""};
    auto const choice = measure::choose_format(what.a, what.transpose, arguments.mode == "plan", where.on());
    try {
        return {make(name_of(choice.format)), std::string(choice.reason)};
    } catch (too_much_padding const&) {
        return {make(measure::instead_of_sellp(where.on())), "too much padding in SELL-P"};
    }
}

/// Throws error where memory is missing for what is known from the shape alone: nothing has been sorted yet.
template <class T>
void check_memory_for(spmv_arguments const& arguments, coo<T> const& a, measure::target const& where) {
    measure::check_memory_for_rows(arguments.matrix, a);
    auto const inputs = static_cast<double>(arguments.transpose ? a.row_count : a.column_count);
    auto const outputs = static_cast<double>(arguments.transpose ? a.column_count : a.row_count);
    // x; y as it was, as it is before each run, and as the check copies it; both in the executor's memory.
    double const executor_has_own = where.on() == "gpu" ? 1 : 0;
    double bytes =
        measure::offset_bytes(a.row_count) +
        static_cast<double>(sizeof(T)) * ((2 - executor_has_own) * inputs + (4 - executor_has_own) * outputs);
    // Offsets of rows in the format, and of columns in its plans.
    bool const has_offsets = arguments.how.format == "csr" || arguments.how.format == "csr5";
    if (has_offsets && where.on() != "gpu") {
        bytes += measure::offset_bytes(a.row_count);
        if (arguments.mode == "plan") bytes += measure::offset_bytes(a.column_count);
    }
    measure::check_memory("multiplying '" + arguments.matrix + "'", bytes);
}

template <class T>
csr<T> load(spmv_arguments const& arguments, measure::target const& where) {
    auto const entries = measure::load_entries<T>(arguments.matrix);
    check_memory_for(arguments, entries, where);
    return measure::rows_of(arguments.matrix, entries);
}

template <class T>
void multiply(spmv_arguments const& arguments) {
    // A mistake in a number should not cost the time to read a matrix.
    measure::parse_real<T>("--alpha", arguments.alpha);
    measure::parse_real<T>("--beta", arguments.beta);
    measure::target where(arguments.how.where);
    auto const a = load<T>(arguments, where);
    auto const v = read_operands(arguments, a);
    measure::problem<T> const what{arguments.matrix, a, arguments.transpose, v};
    auto entry = make_entry(arguments, what, where);
    std::vector<measure::competitor<T>> only;
    only.push_back(std::move(entry.competitor));
    measure::run_in_turn(only, measure::product_check<T>(a, arguments.transpose, v), arguments.how.repeats,
                         measure::checks::every_run, probe_of(arguments.how.memory, where));
    auto const& record = only[0].record;
    print(arguments.how.json ? measure::json_line(to_json(record))
                             : spmv_text(record, where.fallback_reason(), entry.reason));
    if (!record.is_right()) throw error(wrong_result(record, arguments.output));
    if (!arguments.output.empty())
        write_output([&] { write_matrix_market_vector<T>(arguments.output, only[0].what->result()); });
}

void add_operands(CLI::App& app, spmv_arguments& a) {
    app.add_flag("--transpose", a.transpose, "multiply with A^T")->disable_flag_override();
    app.add_option("--alpha", a.alpha, "default 1")->type_name("number");
    app.add_option("--beta", a.beta, "default 0; y is read only where beta is not 0")->type_name("number");
    app.add_option("--x", a.x, "Matrix Market file of the vector x (default: ones)")->type_name("file");
    app.add_option("--y", a.y, "Matrix Market file of the vector y (default: zeros)")->type_name("file");
    app.add_option("-o,--output", a.output, "write the resulting y to this Matrix Market file")->type_name("file");
}

}  // namespace

command add_spmv(CLI::App& all) {
    auto const arguments = std::make_shared<spmv_arguments>();
    auto* const app = all.add_subcommand("spmv", "multiply a matrix with a vector, check the result, time it");
    add_matrix(*app, arguments->matrix);
    add_operands(*app, *arguments);
    add_execution(*app, arguments->how, spmv_operation);
    add_flat_options(*app, arguments->flat);
    add_choice(
        *app, "--mode", arguments->mode, {"oneshot", "plan"},
        "oneshot (default): A as it is stored for each product; plan: what products have in common is done once");
    app->footer(spmv_footer());
    return {app, [app, arguments] {
                check(*app, *arguments);
                arguments->how.type == "float" ? multiply<float>(*arguments) : multiply<double>(*arguments);
            }};
}

}  // namespace copse::cli
