// copse: looks at, multiplies with, adds and generates sparse matrices. Errors are one line on standard error.
#include <CLI/CLI.hpp>
#include <copse/runtime/error.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/text.hpp"

namespace {

using copse::cli::command;

char const* const examples =
    R"(Examples:
  copse info A.mtx                             what the matrix looks like, and its tree
  copse spy A.mtx -o A.svg                     a picture of it
  copse spmv A.mtx                             y <- A x with x of ones, checked and timed
  copse spmv A.mtx --transpose --x x.mtx -o y.mtx
  copse add A.mtx B.mtx --transpose-b -o C.mtx  C = A + B^T
  copse generate --list                        matrices that need no file
  copse spmv stencil27:96 --format csr5 --json one of them, by CSR5, as JSON
  copse convert A.mtx --format csr5 --check    into a format and back
  copse spmv A.mtx --trace a.json; copse trace a.json -o a.html    what ran when, as a page
  copse spmv --help                            each command has a help of its own

Exit status: 0, or 1 after an error, which is one line on standard error. A signal that ends copse (Ctrl-C) is
reported there too, and no unfinished file stays.)";

int fail(std::string const& message) {
    std::fprintf(stderr, "copse: error: %s\n", copse::cli::one_line(message).c_str());
    return EXIT_FAILURE;
}

/// What CLI11 says, and where to look for what is right.
int fail_to_parse(CLI::App const& app, std::vector<command> const& commands, CLI::ParseError const& e) {
    std::string named = "copse";
    std::string known;
    for (auto const& c : commands) {
        if (c.app->parsed()) named += " " + c.app->get_name();
        known += (known.empty() ? "" : ", ") + c.app->get_name();
    }
    std::string what = e.what();
    // Without a command CLI11 says that one is needed, and nothing of what stands in its place.
    if (auto const rest = app.remaining(); named == "copse" && !rest.empty()) {
        what = "'" + rest[0] + "' is " +
               (rest[0].starts_with('-') ? "not an option of copse" : "not a command: there are " + known);
    }
    return fail(what + " (see " + named + " --help)");
}

int run(int argc, char** argv) {
    CLI::App app("copse: sparse matrices as trees, multiplied by a task scheduler on the CPU or the GPU", "copse");
    app.set_version_flag("--version", "copse " COPSE_VERSION, "print the version");
    app.set_help_flag("-h,--help", "print this help");
    app.get_formatter()->column_width(38);
    app.require_subcommand(1);
    std::vector<command> const commands{copse::cli::add_info(app),    copse::cli::add_spy(app),
                                        copse::cli::add_spmv(app),    copse::cli::add_add(app),
                                        copse::cli::add_convert(app), copse::cli::add_generate(app),
                                        copse::cli::add_trace(app)};
    app.footer(examples);  // last: sub-commands inherit what is there before them
    try {
        app.parse(argc, argv);
        copse::cli::answer_signals(CLI::detail::join(std::vector<std::string>(argv + 1, argv + argc), " "));
        for (auto const& c : commands)
            if (c.app->parsed()) c.run();
    } catch (CLI::Success const& e) {
        int const status = app.exit(e);  // help or version, on standard output
        return std::cout.flush() ? status : fail("cannot write to standard output");
    } catch (CLI::ParseError const& e) {
        return fail_to_parse(app, commands, e);
    }
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (copse::out_of_memory const& e) {
        return fail(e.what());
    } catch (std::bad_alloc const&) {
        return fail("out of memory");
    } catch (std::exception const& e) {
        return fail(copse::cli::with_option_names(e.what()));
    }
}
