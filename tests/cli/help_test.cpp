// The help of each command says what a person needs to use it.
#include "cli/command.hpp"

namespace copse_test {
namespace {

using help_test = command_test;

void expect_help(outcome const& o, std::vector<std::string> const& parts) {
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "");
    for (auto const& part : parts) EXPECT_NE(o.out.find(part), std::string::npos) << "'" << part << "' is missing";
}

TEST_F(help_test, names_the_commands) {
    expect_help(run({"--help"}),
                {"info", "spmv", "add", "convert", "generate", "spy", "trace", "Examples:", "Exit status"});
    EXPECT_EQ(run({"-h"}).out, run({"--help"}).out);
}

TEST_F(help_test, of_spmv_names_options_and_json_fields) {
    expect_help(run({"spmv", "--help"}),
                {"--transpose", "--format hisparse|csr|csr5|sellp|cmrs|auto", "--on auto|cpu|gpu|emulated",
                 "--controller device|persistent|host", "--mode oneshot|plan", "--type double|float", "--alpha",
                 "--beta", "--x file", "--y file", "-o,--output", "--threads", "--repeat", "--json", "--seed",
                 "--memory", "peak_bytes", "--omega 4|8|16|32", "--kernel automatic|row_split|vector|merge_path",
                 "--sorted yes|no", "--node-dimension", "--values each|once", "csr_gbytes_per_second", "max_error",
                 "y <- alpha op(A) x + beta y"});
}

TEST_F(help_test, of_add_names_options_and_json_fields) {
    expect_help(
        run({"add", "--help"}),
        {"--transpose-a", "--transpose-b", "--alpha", "--beta", "--format", "--on auto|cpu|gpu|emulated",
         "--type double|float", "-o,--output", "--threads", "--repeat", "--json", "C = alpha op(A) + beta op(B)",
         "--memory", "peak_bytes", "result_entries", "entries_per_second", "matrix_b", "moved:10,1,poisson3d:96"});
}

TEST_F(help_test, of_info_explains_the_tree) {
    expect_help(run({"info", "--help"}),
                {"--node-dimension 64|128|256", "--json", "leaves", "COO", "CSR", "--omega 4|8|16|32", "--height"});
}

TEST_F(help_test, of_spy_says_what_is_drawn) {
    expect_help(run({"spy", "--help"}), {"-o,--output file", ".svg", ".html", ".png", "--node-dimension 64|128|256",
                                         "--transpose", "--json", "--threads", "480", "cell"});
}

TEST_F(help_test, of_convert_names_formats) {
    expect_help(run({"convert", "--help"}), {"--format hisparse|csr|csr5|sellp|cmrs|auto", "--check", "--memory",
                                             "--json", "--on auto|cpu|gpu|emulated", "--omega 4|8|16|32",
                                             "--kernel automatic|row_split|vector|merge_path", "--sorted yes|no"});
}

TEST_F(help_test, of_memory_names_the_gpus_too) {
    for (auto const* command : {"spmv", "add", "convert"})
        expect_help(run({command, "--help"}), {"--memory", "and of a GPU's", "device_peak_bytes"});
}

TEST_F(help_test, of_profile_says_what_it_is_worth) {
    expect_help(run({"spmv", "--help"}), {"--profile", "uncalibrated", "least_sectors"});
    expect_help(run({"add", "--help"}), {"--profile", "copse spmv"});
}

TEST_F(help_test, of_trace_says_what_the_page_has) {
    for (auto const* command : {"spmv", "add", "convert"}) expect_help(run({command, "--help"}), {"--trace file"});
    expect_help(run({"trace", "--help"}), {"-o,--output file", "HTML", "launch", "ui.perfetto.dev", "Examples:"});
}

TEST_F(help_test, of_generate_lists_every_generator) {
    std::vector<std::string> const names{
        "poisson2d", "poisson3d",    "stencil27", "elasticity", "trefethen", "qcd",     "dense",     "permutation",
        "banded",    "epidemiology", "rmat",      "circuit",    "lp",        "uniform", "dense_row", "moved"};
    expect_help(run({"generate", "--help"}), names);
    expect_help(run({"generate", "--list"}), names);
}

TEST_F(help_test, shows_the_examples_of_the_command_alone) {
    EXPECT_EQ(run({"generate", "--help"}).out.find("Exit status"), std::string::npos);
}

TEST_F(help_test, version) {
    auto const o = run({"--version"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out, "copse " COPSE_VERSION "\n");
}

}  // namespace
}  // namespace copse_test
