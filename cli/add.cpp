// copse add: one sum, checked against the reference and timed.
#include <fmt/format.h>

#include <algorithm>
#include <copse/algebra/add.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/statistics.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "cli/load.hpp"
#include "cli/measure.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace copse::cli {
namespace {

char const* const add_footer =
    R"(C = alpha op(A) + beta op(B), with op(A) = A, or A^T with --transpose-a, and op(B) likewise. C has an
entry wherever op(A) or op(B) has one: those that cancel are stored zeros. The sum is computed once and
checked, then again --repeat times, each into a new matrix, transpositions included. The first and the
last result are compared with a plain sum in long double; one that has other entries, or is off by more
than rounding can explain, is an error (exit status 1) and is not written.

JSON: the fields of copse spmv --json (see its help), where op is add, matrix, transpose, rows, cols and
entries are those of A, bytes those of A and B in this format, moved_bytes what is read of A and B and
written of C: bytes and result_bytes, without the nodes that a HiSparse C shares with A or B, on either
side (0 where it shares all), csr_gbytes_per_second as if CSR matrices with offsets of 4 bytes had been
moved, gflops counts a product for each entry of A and B and a sum for each pair that meets, and the
bound of max_error is 2 eps (|alpha a_ij| + |beta b_ij|); with --memory, peak_bytes and device_peak_bytes
are what one more sum takes of the host's and of the GPU's memory beside A and B, its result included.
With --profile (see the help of copse spmv): profile. Behind them: matrix_b, transpose_b, rows_b, cols_b, entries_b,
result_entries, result_bytes (of all of C, in this format), entries_per_second (of A and B).

Examples:
  copse add A.mtx B.mtx --beta -1 -o C.mtx
  copse add A.mtx A.mtx --transpose-b --alpha 0.5 --beta 0.5 -o symmetric.mtx
  copse add poisson3d:96 moved:10,1,poisson3d:96 --transpose-b --json)";

struct add_arguments {
    std::string matrix_a;
    std::string matrix_b;
    bool transpose_a = false;
    bool transpose_b = false;
    std::string alpha = "1";
    std::string beta = "1";
    std::string output;
    execution how;

    std::string adding() const { return "adding '" + matrix_a + "' and '" + matrix_b + "'"; }
};

/// What the options say together; each on its own is in order.
void check(CLI::App const& app, add_arguments& arguments) {
    auto& how = arguments.how;
    if (how.format == "csr") {
        if (how.where.on == "auto") how.where.on = "cpu";
        if (how.where.on != "cpu")
            throw argument_error("--format csr has no addition on " + how.where.on + ": it runs with --on cpu or auto");
    }
    check_execution(app, how);
    std::vector<std::string> const inputs{arguments.matrix_a, arguments.matrix_b};
    if (was_given(app, "--output")) announce_output(arguments.output, inputs);
    check_trace_option(app, how.trace, arguments.output, inputs);
}

template <class T>
struct operand {
    operand_shape shape;
    rows_or_coordinates<T> matrix;
};

/// The entries are as they came.
template <class T>
operand<T> read_operand(std::string const& name, bool transpose) {
    auto entries = load_entries<T>(name);
    return {{name, transpose, entries.row_count, entries.column_count, entries.entry_count()}, std::move(entries)};
}

/// Sorts the entries and sums equal ones.
template <class T>
void arrange(operand<T>& m, bool by_rows) {
    coo<T> const entries = std::get<coo<T>>(std::move(m.matrix));
    if (by_rows)
        m.matrix = rows_of(m.shape.matrix, entries);
    else
        m.matrix = rows_or_coordinates_of(m.shape.matrix, entries);
    m.shape.entries = std::visit([](auto const& sorted) { return sorted.entry_count(); }, m.matrix);
}

void check_shapes(operand_shape const& a, operand_shape const& b) {
    if (a.op_rows() == b.op_rows() && a.op_columns() == b.op_columns()) return;
    auto const text = [&](operand_shape const& m) {
        return fmt::format("{}'{}' is {} x {}", m.transpose ? "the transpose of " : "", m.matrix, m.op_rows(),
                           m.op_columns());
    };
    bool const fits_transposed = a.op_rows() == b.op_columns() && a.op_columns() == b.op_rows();
    throw shape_error(fmt::format("only matrices of one shape can be added: {}, {}{}", text(a), text(b),
                                  !fits_transposed ? ""
                                  : b.transpose    ? "; leave out --transpose-b"
                                                   : "; give --transpose-b"));
}

/// Throws error where memory is missing for what is known from the shapes alone.
template <class T>
void check_memory_for_rows(add_arguments const& arguments, operand<T> const& a, operand<T> const& b) {
    for (auto const* m : {&a, &b}) check_memory(sorting(m->shape.matrix), sorting_bytes(std::get<coo<T>>(m->matrix)));
    // A, B, and of the sum what run_sum() asks for.
    check_memory(arguments.adding(),
                 offset_bytes(a.shape.rows) + offset_bytes(b.shape.rows) + 3 * offset_bytes(a.shape.op_rows()));
}

/// Of op(M).
template <class T>
coo<T> coordinates_of(operand<T> const& m) {
    auto const* const stored = std::get_if<coo<T>>(&m.matrix);
    coo<T> entries = stored ? *stored : to_coo(std::get<csr<T>>(m.matrix));
    if (!m.shape.transpose) return entries;
    std::swap(entries.row_count, entries.column_count);
    std::swap(entries.rows, entries.columns);
    return entries;
}

/// The sum by compressed rows, as the reference and --format csr compute it. With `numbers` these are the rows of op(A)
/// and op(B) that have entries.
template <class T>
struct sum_of_rows {
    T alpha;
    csr<T> const& a;
    bool transpose_a;
    T beta;
    csr<T> const& b;
    bool transpose_b;
    row_numbers const* numbers = nullptr;
};

template <class T>
std::int64_t result_bytes(csr<T> const& c) {
    return bytes_of(c);
}
template <class T>
std::int64_t result_bytes(hisparse<T> const& c) {
    return c.content()->reachable_bytes;
}

/// Runs make(), which gives C, checks the first and the last C, prints the record and writes C.
/// by_rows(C): its rows, as `what` has them. shared_bytes(C): what it has in common with A and B.
template <class T, class Make, class ByRows, class SharedBytes>
void run_sum(add_arguments const& arguments, record r, sum_of_rows<T> const& what, target const& where,
             Make const& make, ByRows const& by_rows, SharedBytes const& shared_bytes) {
    std::optional<decltype(make())> c;
    auto const error = [&](reference::sum<T> const& expected) {
        r.plus->result_bytes = result_bytes(*c);
        // What C shares is in A or B and in C, and stays where it is. (That its inner nodes are read once, to be
        // counted, is left out, as is the second look at C's own.)
        r.moved_bytes = r.bytes + r.plus->result_bytes - 2 * shared_bytes(*c);
        return reference::max_error(by_rows(*c), expected);
    };
    // The sum, its copy, and what the reference holds of it.
    auto const entries = static_cast<double>(what.a.entry_count() + what.b.entry_count());
    auto const rows = what.transpose_a ? what.a.column_count : what.a.row_count;
    auto const bytes = entries * (3 * (4 + sizeof(T)) + sizeof(long double)) + 3 * offset_bytes(rows);
    within_memory(arguments.adding(), bytes, [&] {
        auto const expected =
            reference::add<T>(what.alpha, what.a, what.transpose_a, what.beta, what.b, what.transpose_b);
        r.plus->result_entries = expected.c.entry_count();
        r.csr_moved_bytes = csr_bytes(r.a.rows, r.a.entries, sizeof(T)) +
                            csr_bytes(r.plus->b.rows, r.plus->b.entries, sizeof(T)) +
                            csr_bytes(r.a.op_rows(), r.plus->result_entries, sizeof(T));
        where.with([](auto& executor) { forget_accesses(executor); });
        measure(r, {[&] { c.reset(); }, [&] { c = make(); }, [&] { return error(expected); }}, arguments.how.repeats,
                checks::first_and_last,
                arguments.how.memory ? where.with([](auto& executor) { return peak_on(executor); }) : memory_probe(),
                arguments.how.trace);
        r.profile = where.with([](auto& executor) { return accesses_of(executor); });
    });
    report(r, arguments.how.json, arguments.output, [&] {
        auto const sum = by_rows(*c);
        write_matrix_market(arguments.output, what.numbers ? what.numbers->expand(sum, r.a.op_rows()) : to_coo(sum));
    });
}

/// Adds in the format that was asked for.
template <class T>
void add_operands(add_arguments const& arguments, operand<T> const& a, operand<T> const& b, sum_of_rows<T> const& what,
                  target const& where) {
    auto r = describe<T>(a.shape, arguments.how.format, where);
    r.plus = sum_shape{b.shape};
    if (r.format == "csr") {
        r.bytes = bytes_of(what.a) + bytes_of(what.b);
        auto const make = [&] {
            return add<T>(where.threads, what.alpha, what.a, what.transpose_a, what.beta, what.b, what.transpose_b);
        };
        return run_sum(arguments, r, what, where, make, std::identity(), [](auto const&) { return 0; });
    }
    // op(M)
    auto const tree = [&](operand<T> const& m) {
        auto const convert = [&](auto& executor) {
            auto const from = [&](auto const& stored) {
                return within_memory(converting(m.shape.matrix, r.format), converted_bytes(stored, r.format),
                                     [&] { return make_matrix<hisparse<T>>(executor, stored, arguments.how.options); });
            };
            return std::visit(from, m.matrix);
        };
        auto const made = timed(r.convert_seconds, [&] { return where.with(convert); });
        return m.shape.transpose ? made.transposed() : made;
    };
    auto const tree_a = tree(a), tree_b = tree(b);
    r.bytes = tree_a.bytes() + tree_b.bytes();
    r.node_dimension = tree_a.node_dimension();
    auto const make = [&] {
        return where.with([&](auto& executor) { return add(executor, what.alpha, tree_a, what.beta, tree_b); });
    };
    auto const by_rows = [&](hisparse<T> const& c) {
        return what.numbers ? what.numbers->compress(to_coo(c)) : to_csr(c);
    };
    // A and B were converted one by one: no node is both's.
    auto const shared = [&](hisparse<T> const& c) { return shared_bytes(tree_a, c) + shared_bytes(tree_b, c); };
    run_sum(arguments, r, what, where, make, by_rows, shared);
}

template <class T>
void add_matrices(add_arguments const& arguments) {
    // A mistake in a number should not cost the time to read a matrix.
    auto const alpha = parse_real<T>("--alpha", arguments.alpha), beta = parse_real<T>("--beta", arguments.beta);
    target const where(arguments.how.where);
    auto a = read_operand<T>(arguments.matrix_a, arguments.transpose_a);
    auto b = read_operand<T>(arguments.matrix_b, arguments.transpose_b);
    check_shapes(a.shape, b.shape);
    // Of A, of B and of C.
    auto const most_rows = std::max({a.shape.rows, b.shape.rows, a.shape.op_rows()});
    bool const by_rows = arguments.how.format == "csr" || !outnumber(most_rows, a.shape.entries + b.shape.entries);
    if (by_rows) check_memory_for_rows(arguments, a, b);
    arrange(a, by_rows);
    arrange(b, by_rows);
    if (by_rows) {
        sum_of_rows<T> const what{alpha, std::get<csr<T>>(a.matrix), a.shape.transpose,
                                  beta,  std::get<csr<T>>(b.matrix), b.shape.transpose};
        return add_operands(arguments, a, b, what, where);
    }
    coo<T> const entries_a = coordinates_of(a), entries_b = coordinates_of(b);
    row_numbers occurring;
    occurring.add(entries_a);
    occurring.add(entries_b);
    csr<T> const rows_a = occurring.compress(entries_a), rows_b = occurring.compress(entries_b);
    add_operands(arguments, a, b, {alpha, rows_a, false, beta, rows_b, false, &occurring}, where);
}

}  // namespace

command add_add(CLI::App& all) {
    auto const arguments = std::make_shared<add_arguments>();
    CLI::App& app = add_command(all, "add", "add two matrices, check the sum, time it", add_footer);
    add_matrix(app, arguments->matrix_a, "A");
    add_matrix(app, arguments->matrix_b, "B");
    add_flag(app, "--transpose-a", arguments->transpose_a, "add A^T");
    add_flag(app, "--transpose-b", arguments->transpose_b, "add B^T");
    add_factor(app, "--alpha", arguments->alpha, "factor of A (default 1)");
    add_factor(app, "--beta", arguments->beta, "factor of B (default 1)");
    add_file(app, "-o,--output", arguments->output, "write the sum to this Matrix Market file");
    add_execution(app, arguments->how, "addition", {"hisparse", "csr"}, "of A, B and C; csr: plain OpenMP, on the cpu");
    return {&app, [&app, arguments] {
                check(app, *arguments);
                arguments->how.type == "float" ? add_matrices<float>(*arguments) : add_matrices<double>(*arguments);
            }};
}

}  // namespace copse::cli
