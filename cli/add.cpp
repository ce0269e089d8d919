// copse add: one sum, checked against the reference and timed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "cli/add_text.hpp"
#include "cli/addition.hpp"
#include "cli/commands.hpp"
#include "cli/execution.hpp"
#include "cli/interruption.hpp"
#include "cli/load.hpp"
#include "cli/measurement_text.hpp"
#include "cli/memory_option.hpp"
#include "cli/numbers.hpp"
#include "cli/options.hpp"
#include "cli/row_numbers.hpp"

namespace copse::cli {
namespace {

operation const add_operation{
    "addition", {{"hisparse", false, true}, {"csr", true, false}}, "of A, B and C; csr: plain OpenMP, on the cpu"};

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

/// A matrix of the sum as it was read, and whether it is transposed.
template <class T>
struct operand {
    std::string const& name;
    measure::rows_or_coordinates<T> matrix;
    bool transpose;

    template <class Get>
    std::int64_t get(Get const& of) const {
        return std::visit(of, matrix);
    }
    std::int64_t rows() const {
        return get([](auto const& m) { return m.row_count; });
    }
    std::int64_t columns() const {
        return get([](auto const& m) { return m.column_count; });
    }
    std::int64_t entries() const {
        return get([](auto const& m) { return m.entry_count(); });
    }
    // Of op(M).
    std::int64_t op_rows() const { return transpose ? columns() : rows(); }
    std::int64_t op_columns() const { return transpose ? rows() : columns(); }
};

/// Its entries as they come: the shape is known, and nothing is sorted yet.
template <class T>
operand<T> read_operand(std::string const& name, bool transpose) {
    return {name, measure::load_entries<T>(name), transpose};
}

/// Sorted, with its equal entries summed.
template <class T>
void arrange(operand<T>& m, bool by_rows) {
    coo<T> const entries = std::get<coo<T>>(std::move(m.matrix));
    if (by_rows)
        m.matrix = measure::rows_of(m.name, entries);
    else
        m.matrix = measure::rows_or_coordinates_of(m.name, entries);
}

template <class T>
void check_shapes(operand<T> const& a, operand<T> const& b) {
    if (a.op_rows() == b.op_rows() && a.op_columns() == b.op_columns()) return;
    auto const text = [&](auto const& m) {
        return fmt::format("{}'{}' is {} x {}", m.transpose ? "the transpose of " : "", m.name, m.op_rows(),
                           m.op_columns());
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

std::string adding(add_arguments const& arguments) {
    return "adding '" + arguments.matrix_a + "' and '" + arguments.matrix_b + "'";
}

/// Runs the sum, prints its record, and writes entries_of(result).
template <class T, class EntriesOf>
void run_sum(add_arguments const& arguments, measure::sum_problem<T> const& what, measure::adder<T> adder,
             measure::target& where, EntriesOf const& entries_of) {
    std::vector<measure::adder<T>> only;
    only.push_back(std::move(adder));
    // The sum, its copy, and what the reference holds of it.
    auto const& a = what.a.matrix;
    auto const entries = static_cast<double>(a.entry_count() + what.b.matrix.entry_count());
    auto const bytes = entries * static_cast<double>(3 * (4 + sizeof(T)) + sizeof(long double)) +
                       3 * measure::offset_bytes(what.a.transpose ? a.column_count : a.row_count);
    measure::within_memory(adding(arguments), bytes, [&] {
        measure::run_in_turn(only, measure::expect(what), arguments.how.repeats, probe_of(arguments.how.memory, where));
    });
    auto const& record = only[0].record;
    print(arguments.how.json ? measure::json_line(to_json(record)) : add_text(record, where.fallback_reason()));
    if (!record.is_right()) throw error(wrong_result(record, arguments.output));
    if (!arguments.output.empty())
        write_output([&] { write_matrix_market(arguments.output, entries_of(only[0].what->result())); });
}

template <class T>
void add_rows(add_arguments const& arguments, T alpha, operand<T> a, T beta, operand<T> b, measure::target& where) {
    bool const transpose_a = a.transpose, transpose_b = b.transpose;
    csr<T> const rows_a = std::get<csr<T>>(std::move(a.matrix)), rows_b = std::get<csr<T>>(std::move(b.matrix));
    measure::sum_problem<T> const what{
        alpha, {arguments.matrix_a, rows_a, transpose_a}, beta, {arguments.matrix_b, rows_b, transpose_b}};
    run_sum(arguments, what, make_adder(what, arguments.how, where), where, [](csr<T> const& c) { return to_coo(c); });
}

/// Of op(M).
template <class T>
coo<T> coordinates_of(operand<T> const& m) {
    auto const* const stored = std::get_if<coo<T>>(&m.matrix);
    coo<T> entries = stored ? *stored : to_coo(std::get<csr<T>>(m.matrix));
    if (!m.transpose) return entries;
    std::swap(entries.row_count, entries.column_count);
    std::swap(entries.rows, entries.columns);
    return entries;
}

/// Where rows outnumber entries: only those that have some are numbered, and the sum is checked in these.
template <class T>
void add_coordinates(add_arguments const& arguments, T alpha, operand<T> const& a, T beta, operand<T> const& b,
                     measure::target& where) {
    coo<T> const entries_a = coordinates_of(a), entries_b = coordinates_of(b);
    measure::row_numbers rows;
    rows.add(entries_a);
    rows.add(entries_b);
    csr<T> const rows_a = rows.compress(entries_a), rows_b = rows.compress(entries_b);
    measure::sum_problem<T> const what{alpha, {a.name, rows_a}, beta, {b.name, rows_b}};
    auto const tree = [&](operand<T> const& m) {
        auto made = std::visit(
            [&](auto const& stored) { return measure::convert(where, m.name, stored, arguments.how.node_dimension); },
            m.matrix);
        if (m.transpose) made.matrix = made.matrix.transposed();
        return made;
    };
    run_sum(arguments, what, measure::hisparse_adder(what, tree(a), tree(b), where, rows), where,
            [&](csr<T> const& c) { return rows.expand(c, a.op_rows()); });
}

/// Throws error where memory is missing for what is known from the shapes alone.
template <class T>
void check_memory_for_rows(add_arguments const& arguments, operand<T> const& a, operand<T> const& b) {
    measure::check_memory_for_rows(a.name, std::get<coo<T>>(a.matrix));
    measure::check_memory_for_rows(b.name, std::get<coo<T>>(b.matrix));
    // A, B, and of the sum what run_sum() asks for.
    measure::check_memory(adding(arguments), measure::offset_bytes(a.rows()) + measure::offset_bytes(b.rows()) +
                                                 3 * measure::offset_bytes(a.op_rows()));
}

template <class T>
void add_matrices(add_arguments const& arguments) {
    // A mistake in a number should not cost the time to read a matrix.
    auto const alpha = measure::parse_real<T>("--alpha", arguments.alpha);
    auto const beta = measure::parse_real<T>("--beta", arguments.beta);
    measure::target where(arguments.how.where);
    auto const& format = arguments.how.format;
    auto a = read_operand<T>(arguments.matrix_a, arguments.transpose_a);
    auto b = read_operand<T>(arguments.matrix_b, arguments.transpose_b);
    check_shapes(a, b);
    // Of A, of B and of C.
    bool const few_entries = measure::outnumber(std::max({a.rows(), b.rows(), a.op_rows()}), a.entries() + b.entries());
    bool const by_rows = !few_entries || format == "csr";
    if (by_rows) check_memory_for_rows(arguments, a, b);
    arrange(a, by_rows);
    arrange(b, by_rows);
    if (!by_rows)
        add_coordinates(arguments, alpha, a, beta, b, where);
    else
        add_rows(arguments, alpha, std::move(a), beta, std::move(b), where);
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
                if (app->count("--output") > 0) {
                    measure::check_output(arguments->output, {arguments->matrix_a, arguments->matrix_b});
                    announce_output(arguments->output);
                }
                arguments->how.type == "float" ? add_matrices<float>(*arguments) : add_matrices<double>(*arguments);
            }};
}

}  // namespace copse::cli
