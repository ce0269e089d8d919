// copse add: one sum, checked against the reference and timed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/add_text.hpp"
#include "cli/addition.hpp"
#include "cli/commands.hpp"
#include "cli/execution.hpp"
#include "cli/load.hpp"
#include "cli/measurement_text.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"

namespace copse::cli {
namespace {

operation const add_operation{"addition",
                              {{"hisparse", false, true}, {"csr", true, false}},
                              "of A, B and C; csr: plain OpenMP, on the cpu",
                              "addition"};

struct add_arguments {
    std::string matrix_a;
    std::string matrix_b;
    bool transpose_a = false;
    bool transpose_b = false;
    std::string alpha = "1";
    std::string beta = "1";
    std::string output;
    execution how;
};

template <class T>
void check_shapes(measure::addend<T> const& a, measure::addend<T> const& b) {
    auto const rows = [](auto const& m) { return m.transpose ? m.matrix.column_count : m.matrix.row_count; };
    auto const columns = [](auto const& m) { return m.transpose ? m.matrix.row_count : m.matrix.column_count; };
    if (rows(a) == rows(b) && columns(a) == columns(b)) return;
    auto const text = [&](auto const& m) {
        return fmt::format("{}'{}' is {} x {}", m.transpose ? "the transpose of " : "", m.name, rows(m), columns(m));
    };
    throw shape_error(fmt::format("only matrices of one shape can be added: {}, {}", text(a), text(b)));
}

template <class T>
measure::adder<T> make_adder(measure::sum_problem<T> const& what, execution const& how, measure::target& where) {
    if (how.format == "csr") return measure::csr_adder(what, where.threads());
    auto const tree = [&](measure::addend<T> const& m) {
        return measure::convert(where, m.name, m.matrix, how.node_dimension);
    };
    return measure::hisparse_adder(what, tree(what.a), tree(what.b), where);
}

template <class T>
void add_matrices(add_arguments const& arguments) {
    // A mistake in a number should not cost the time to read a matrix.
    auto const alpha = measure::parse_real<T>("--alpha", arguments.alpha);
    auto const beta = measure::parse_real<T>("--beta", arguments.beta);
    auto where = make_target(arguments.how, add_operation);
    auto const a = measure::load_matrix<T>(arguments.matrix_a);
    auto const b = measure::load_matrix<T>(arguments.matrix_b);
    measure::sum_problem<T> const what{
        alpha, {arguments.matrix_a, a, arguments.transpose_a}, beta, {arguments.matrix_b, b, arguments.transpose_b}};
    check_shapes(what.a, what.b);
    std::vector<measure::adder<T>> only;
    only.push_back(make_adder(what, arguments.how, where));
    // The sum, its copy, and what the reference holds of it; row offsets of each.
    auto const entries = static_cast<double>(a.entry_count() + b.entry_count());
    auto const bytes = entries * static_cast<double>(3 * (4 + sizeof(T)) + sizeof(long double)) +
                       32 * static_cast<double>(arguments.transpose_a ? a.column_count : a.row_count);
    measure::within_memory("adding '" + arguments.matrix_a + "' and '" + arguments.matrix_b + "'", bytes, [&] {
        measure::run_in_turn(only, measure::expect(what), arguments.how.repeats, arguments.how.memory_run());
    });
    auto const& record = only[0].record;
    print(arguments.how.json ? measure::json_line(to_json(record)) : add_text(record, where.fallback_reason()));
    if (!record.is_right()) throw error(wrong_result(record, arguments.output));
    if (!arguments.output.empty()) write_matrix_market(arguments.output, to_coo(only[0].what->result()));
}

void add_operands(CLI::App& app, add_arguments& a) {
    add_matrix(app, a.matrix_a, "A");
    add_matrix(app, a.matrix_b, "B");
    app.add_flag("--transpose-a", a.transpose_a, "add A^T")->disable_flag_override();
    app.add_flag("--transpose-b", a.transpose_b, "add B^T")->disable_flag_override();
    app.add_option("--alpha", a.alpha, "factor of A (default 1)")->type_name("number");
    app.add_option("--beta", a.beta, "factor of B (default 1)")->type_name("number");
    app.add_option("-o,--output", a.output, "write the sum to this Matrix Market file")->type_name("file");
}

}  // namespace

command add_add(CLI::App& all) {
    auto const arguments = std::make_shared<add_arguments>();
    auto* const app = all.add_subcommand("add", "add two matrices, check the sum, time it");
    add_operands(*app, *arguments);
    add_execution(*app, arguments->how, add_operation);
    app->footer(add_footer());
    return {app, [app, arguments] {
                check_execution(*app, arguments->how, add_operation);
                if (app->count("--output") > 0)
                    measure::check_output(arguments->output, {arguments->matrix_a, arguments->matrix_b});
                arguments->how.type == "float" ? add_matrices<float>(*arguments) : add_matrices<double>(*arguments);
            }};
}

}  // namespace copse::cli
