// The program behind bench/run: SpMV and transposed SpMV of HiSparse beside plain CSR and, with --peers, other
// libraries; or, with --add, additions beside them; or, with --sizes, bytes per entry; or the papers' matrices
// (--papers); or the flat formats with other sizes (--tune).
//
// It measures and checks, and prints JSON lines (json_lines.hpp); progress goes to standard error. bench/report makes
// tables and pictures of the lines.
#include <hwy/targets.h>
#include <CLI/CLI.hpp>
#include <copse/runtime/error.hpp>
#include <cstdlib>
#include <exception>

#include "bench/harness/options.hpp"
#include "bench/modes.hpp"

namespace copse::bench {
namespace {

int run(arguments const& a) {
    if (a.type == "mixed" && (a.columns > 0 || a.add || a.sizes || a.papers || a.tune))
        throw argument_error(
            "--type mixed is for products; --add, --columns, --sizes, --papers and --tune take double, float or both");
    if (a.avx2) {
#ifdef HWY_COMPILE_ONLY_STATIC
        throw argument_error("--avx2: this build has one instruction set; build it with Highway's library");
#else
        hwy::DisableTargets(HWY_AVX3 | (HWY_AVX3 - 1));  // better targets have lower bits
        setenv("MKL_ENABLE_INSTRUCTIONS", "AVX2", 1);    // read when MKL is loaded
#endif
    }
    auto const measure = a.columns > 0 ? columns_mode
                         : a.papers    ? paper_mode
                         : a.tune      ? tuning_mode
                         : a.sizes     ? size_mode
                                       : product_mode;
    json_lines lines(a.json);
    return measure(a, lines) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void add_options(CLI::App& app, arguments& a) {
    app.set_help_flag("-h,--help", "print this help");
    app.get_formatter()->column_width(38);
    app.add_option("matrix", a.matrices,
                   "Matrix Market files, folders of them, or generators (default: a suite of generated ones)")
        ->type_name("");
    app.add_flag("--add", a.add,
                 "A + B, A^T + B^T and A + B^T, where B is A with its entries moved, instead of products")
        ->disable_flag_override();
    app.add_flag("--sizes", a.sizes, "bytes per entry in each format, beside the goals for them; nothing is timed")
        ->disable_flag_override()
        ->excludes("--add");
    app.add_flag(
           "--papers", a.papers,
           "the tables of the papers on CSR5, SELL-P and CMRS with stand-ins for their matrices, or with those of "
           "them that a folder has")
        ->disable_flag_override()
        ->excludes("--add", "--sizes");
    app.add_flag("--tune", a.tune, "CSR5, SELL-P and CMRS with other sizes of tiles, slices and strips")
        ->disable_flag_override()
        ->excludes("--add", "--sizes", "--papers");
    app.add_flag("--gpu", a.gpu,
                 "of --tune: on the GPU alone; --quick then takes fewer matrices, as large, and leaves out no size")
        ->disable_flag_override()
        ->needs("--tune");
    app.add_flag("--peers", a.peers,
                 "products beside other libraries, on 2 threads by default; additions are beside them anyway")
        ->disable_flag_override()
        ->excludes("--sizes", "--papers", "--tune");
    add_whole(app, "--columns", a.columns, 1, 256,
              "products with so many columns of X and Y, beside MKL, instead of vectors; on 2 threads by default")
        ->excludes("--add", "--sizes", "--papers", "--tune", "--peers");
    app.add_flag("--quick", a.quick, "a suite of small matrices, fewer repeats: does it all work?")
        ->disable_flag_override();
    app.add_option("--json", a.json, "write the JSON lines to this file, too")->type_name("file");
    app.add_option("--measured", a.measured,
                   "of --papers and --tune: leave out the matrices that this file of such lines has")
        ->type_name("file");
    add_whole(app, "--seconds", a.seconds, 1, 1000000, "of --papers and --tune: start no matrix after this long");
    add_choice(app, "--type", a.type, {"double", "float", "both", "mixed"},
               "of the values (default double; with --sizes both); mixed: products of a float matrix with double "
               "vectors");
    add_threads(app, a.threads);
    add_whole(app, "--repeat", a.repeats, 1, 1000000,
              "timed runs of each product or sum (default 15, of products with --peers 7, with --quick 5; "
              "--papers and --tune: "
              "9, with --quick 3, with --gpu 21)");
    add_node_dimension(app, a.node_dimension);
    app.add_flag("--avx2", a.avx2, "without AVX-512, as a processor that has none: copse's code and MKL's")
        ->disable_flag_override();
    add_whole(app, "--triad", a.triad_megabytes, 1, 1000000,
              "MB of each array that the bandwidth is measured with: less than the cache holds gives another "
              "ceiling (default four times the cache, 128 at least)");
    app.footer("bench/README.md says what is measured and how to read it.");
}

}  // namespace
}  // namespace copse::bench

int main(int argc, char** argv) {
    using namespace copse::bench;
    try {
        CLI::App app(
            "SpMV and transposed SpMV: HiSparse beside plain CSR and other libraries (--peers), or additions (--add), "
            "checked and timed; or sizes; or the papers' matrices (--papers), or other sizes of the flat formats "
            "(--tune). Prints JSON lines, of which bench/report makes tables",
            "copse_bench");
        arguments a;
        add_options(app, a);
        try {
            app.parse(argc, argv);
        } catch (CLI::Success const& e) {
            return app.exit(e);
        }
        return run(a);
    } catch (std::exception const& e) {
        complain(e.what());
        return EXIT_FAILURE;
    }
}
