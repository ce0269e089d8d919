// Every mistake is one line on standard error that names it, exit status 1, and nothing on standard output or on disk.
#include "cli/command.hpp"

namespace copse_test {
namespace {

class error_test : public command_test {
  protected:
    error_test() {
        write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n");
        write("two.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
        write("words.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 one\n");
        write("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n");
        std::filesystem::create_directory(folder_ / "work" / "folder");
    }
    /// Copse with these arguments fails, says `text`, and leaves the folder as it was.
    void expect(std::vector<std::string> const& arguments, std::string const& text) const {
        auto const before = files();
        std::string line;
        for (auto const& argument : arguments) line += argument + ' ';
        SCOPED_TRACE("copse " + line);
        expect_error(run(arguments), text);
        EXPECT_EQ(files(), before);
    }
};

TEST_F(error_test, command_lines) {
    expect({}, "subcommand");
    expect({"prune"}, "'prune' is not a command: there are info, spy, spmv, add, convert, generate");
    expect({"-v"}, "'-v' is not an option of copse");
    expect({"spmv", "A.mtx", "--json=no"}, "json was given");
    expect({"info"}, "matrix is required");
    expect({"spmv"}, "(see copse spmv --help)");
    expect({"spmv", "A.mtx", "two.mtx"}, "two.mtx");
    expect({"spmv", "A.mtx", "--fast"}, "--fast");
    expect({"spmv", "A.mtx", "--alpha"}, "--alpha");
    expect({"spmv", "A.mtx", "--threads", "1", "--threads", "2"}, "--threads");
}

TEST_F(error_test, choices) {
    expect({"spmv", "A.mtx", "--format", "ellpack"}, "ellpack");
    expect({"spmv", "A.mtx", "--on", "tpu"}, "tpu");
    expect({"spmv", "A.mtx", "--type", "half"}, "half");
    expect({"spmv", "A.mtx", "--controller", "me"}, "me");
    expect({"spmv", "A.mtx", "--mode", "later"}, "later");
    expect({"spmv", "A.mtx", "--node-dimension", "100"}, "100");
    expect({"info", "A.mtx", "--node-dimension", "0"}, "--node-dimension");
    expect({"info", "A.mtx", "--values", "twice"}, "--values");
    expect({"info", "A.mtx", "--share", "everything"}, "--share");
}

TEST_F(error_test, numbers) {
    for (auto const* number : {"x", "", "1e400", "1,5", "0x10", "--2", "1 2"})
        expect({"spmv", "A.mtx", std::string("--alpha=") + number}, "--alpha");
    expect({"spmv", "A.mtx", "--beta", "y"}, "--beta: 'y' is not a number");
    expect({"spmv", "A.mtx", "--type", "float", "--alpha", "1e39"}, "float");
    for (auto const* number : {"0", "-1", "2.5", "two", "99999999999999999999", "1025", "1e2"})
        expect({"spmv", "A.mtx", "--threads", number}, "--threads");
    expect({"spmv", "A.mtx", "--repeat", "-1"}, "--repeat: '-1' is not a whole number from 0");
    expect({"spmv", "A.mtx", "--on", "emulated", "--seed", "-1"}, "--seed");
}

TEST_F(error_test, options_that_do_not_go_together) {
    expect({"add", "A.mtx", "A.mtx", "--format", "csr", "--on", "gpu"}, "cpu");
    expect({"add", "A.mtx", "A.mtx", "--format", "csr", "--on", "emulated"}, "cpu");
    expect({"spmv", "A.mtx", "--format", "csr", "--node-dimension", "64"}, "--node-dimension");
    expect({"spmv", "A.mtx", "--format", "csr", "--values", "once"},
           "--values belongs to --format hisparse, not to csr");
    expect({"spmv", "A.mtx", "--on", "cpu", "--controller", "host"}, "--controller");
    expect({"spmv", "A.mtx", "--on", "cpu", "--seed", "1"}, "--seed");
    expect({"spmv", "A.mtx", "--seed", "1"}, "--seed");
    expect({"spmv", "A.mtx", "--on", "cpu", "--profile"}, "--profile belongs to --on emulated");
    expect({"spmv", "A.mtx", "--profile"}, "--profile belongs to --on emulated");
}

TEST_F(error_test, explicit_gpu_where_none_can_be_used) {
    expect({"spmv", "A.mtx", "--on", "gpu"}, "GPU");
}

TEST_F(error_test, matrices) {
    expect({"info", "none.mtx"}, "cannot read 'none.mtx'");
    std::string const advice = "there is no such file or generator; check the path, or see copse generate --list";
    expect({"spmv", "none.mtx"}, "cannot read 'none.mtx': " + advice);
    expect({"spmv", "none:3"}, "cannot read 'none:3': " + advice);
    expect({"spmv", std::string(300, 'n')}, "File name too long");
    expect({"spmv", "folder"}, "folder");
    expect({"spmv", ""}, "''");
    expect({"spmv", "words.mtx"}, "words.mtx:3:");
    expect({"spmv", "complex.mtx"}, "complex");
    expect({"spmv", "poisson4d:3"}, "poisson4d:3");
    expect({"spmv", "poisson3d"}, "poisson3d");
    expect({"spmv", "poisson3d:x"}, "poisson3d");
    expect({"spmv", "poisson3d:2000"}, "2147483647");
    expect({"spmv", "line\nbreak.mtx"}, "line break.mtx");
}

// What a file is, in place of what it should be; and the command takes its name from the one that it is called by.
TEST_F(error_test, files_of_another_kind) {
    write("a b.bz2", "BZh91AY&SY");
    expect({"info", "a b.bz2"},
           "a b.bz2:1: this is a file compressed by bzip2, not Matrix Market text; decompress it: "
           "bzip2 -dc 'a b.bz2' > matrix.mtx");
    expect({"spmv", "A.mtx", "--x", "a b.bz2"}, "compressed by bzip2");
    write("empty.mtx", "");
    expect({"convert", "empty.mtx", "--format", "csr5"}, "empty.mtx:1: the file is empty");
    write("one.mtx", "%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
    expect({"add", "A.mtx", "one.mtx"}, "one.mtx:1: a percent sign is missing");
    expect({"spmv", "A.mtx", "--x", "A.mtx"}, "a vector has one column or one row; this file holds a matrix of 2 x 3");
}

TEST_F(error_test, vectors) {
    expect({"spmv", "A.mtx", "--x", "two.mtx"},
           "--x: 'two.mtx' has 2 elements, but the product with 'A.mtx' (2 x 3) needs 3; it fits with --transpose");
    expect({"spmv", "A.mtx", "--transpose", "--y", "two.mtx"},
           "--y: 'two.mtx' has 2 elements, but the product with the transpose of 'A.mtx' (2 x 3) needs 3; it fits "
           "without --transpose");
    expect({"spmv", "poisson2d:3", "--y", "two.mtx"},
           "--y: 'two.mtx' has 2 elements, but the product with 'poisson2d:3' (9 x 9) needs 9\n");
    expect({"spmv", "A.mtx", "--x", ""}, "--x: a file name is needed");
    expect({"spmv", "A.mtx", "--x", "A.mtx"}, "A.mtx");
    expect({"spmv", "A.mtx", "--x", "none.mtx"},
           "cannot read 'none.mtx': No such file or directory; the path is relative");
    expect({"spmv", "A.mtx", "--y", "words.mtx"}, "words.mtx");
}

TEST_F(error_test, outputs) {
    expect({"spmv", "A.mtx", "-o", "folder"}, "cannot write 'folder': it is a directory");
    expect({"spmv", "A.mtx", "-o", "nowhere/y.mtx"}, "nowhere");
    expect({"spmv", "A.mtx", "-o", ""}, "cannot write ''");
    expect({"spmv", "A.mtx", "-o", "./A.mtx"}, "cannot write './A.mtx': it is the input; name another file");
    expect({"add", "A.mtx", "poisson2d:3", "-o", "A.mtx"}, "it is the input");
    expect({"add", "poisson2d:3", "A.mtx", "-o", "A.mtx"}, "it is the input");
    expect({"generate", "poisson2d:3", "-o", "folder"}, "it is a directory");
    expect({"generate", "poisson2d:3", "-o", "nowhere/A.mtx"}, "nowhere");
}

TEST_F(error_test, generate) {
    expect({"generate"}, "--list");
    expect({"generate", "poisson2d:3"}, "-o");
    expect({"generate", "A.mtx", "-o", "B.mtx"}, "not the name of a generator");
    expect({"generate", "poisson2d:0", "-o", "B.mtx"}, "poisson2d");
    expect({"generate", "poisson2d:3,3,3", "-o", "B.mtx"}, "too many");
}

TEST_F(error_test, standard_output_that_is_closed) {
    auto const o = run_program("/bin/sh", {"-c", COPSE_COMMAND " generate --list >&-"});
    expect_error(o, "cannot write to standard output");
}

}  // namespace
}  // namespace copse_test
