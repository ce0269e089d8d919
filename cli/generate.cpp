// copse generate: writes the matrix that a generator makes.
#include <fmt/format.h>

#include <copse/formats/generators.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/error.hpp>
#include <variant>

#include "cli/load.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/text.hpp"

namespace copse::cli {
namespace {

struct generate_arguments {
    std::string generator;
    std::string output;
    bool list = false;
};

std::string list_of_generators() {
    return "Generators, as name:argument,argument,... (whole numbers; [,m=n] may be left out and is then n):\n" +
           generator_help();
}

std::string help_footer() {
    return list_of_generators() +
           "\nA generator's name is accepted wherever a matrix file is. The same name gives the same matrix on every\n"
           "machine. The file is Matrix Market, coordinate real general, sorted by row and column.\n"
           "\nExamples:\n"
           "  copse generate poisson3d:96 -o A.mtx\n"
           "  copse spmv rmat:16,8        the matrix is generated and multiplied, and no file is needed";
}

void run_generate(generate_arguments const& arguments) {
    if (arguments.list) return print(list_of_generators());
    if (arguments.generator.empty())
        throw argument_error(
            "generate needs the name of a generator, such as poisson3d:96 (see copse generate --list)");
    if (arguments.output.empty()) throw argument_error("generate needs a file to write to: -o FILE");
    announce_output(arguments.output);
    if (!is_generator(arguments.generator)) generate<double>(arguments.generator);  // which says so
    auto const a = std::visit(
        [](auto const& sorted) {
            if constexpr (requires { to_coo(sorted); })
                return to_coo(sorted);
            else
                return sorted;
        },
        rows_or_coordinates_of(arguments.generator, load_entries<double>(arguments.generator)));
    write_output([&] { write_matrix_market(arguments.output, a); });
    print(fmt::format("{}: {} x {}, {} entries\n", arguments.output, with_commas(a.row_count),
                      with_commas(a.column_count), with_commas(a.entry_count())));
}

}  // namespace

command add_generate(CLI::App& all) {
    auto const arguments = std::make_shared<generate_arguments>();
    CLI::App& app = add_command(all, "generate", "write a matrix that is made from a formula to a file", help_footer());
    add_generator(app, arguments->generator);
    add_file(app, "-o,--output", arguments->output, "the Matrix Market file to write");
    add_flag(app, "--list", arguments->list, "list the generators and their arguments");
    return {&app, [arguments] { run_generate(*arguments); }};
}

}  // namespace copse::cli
