// What a command cannot have the memory for it refuses before it begins, in one line. Under a limit of address space,
// so that it does not depend on how much the machine has.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "cli/command.hpp"

namespace copse_test {
namespace {

/// 2^31 rows take 16 GiB of offsets of 8 bytes, as many columns 16 GiB of x.
class memory_limit_test : public command_test {
  protected:
    memory_limit_test() {
        write("rows.mtx", "%%MatrixMarket matrix coordinate real general\n2147483648 1 1\n2147483648 1 1\n");
        write("columns.mtx", "%%MatrixMarket matrix coordinate real general\n1 2147483648 1\n1 2147483648 1\n");
    }
    /// copse with these arguments and so many GiB.
    outcome run_within_limit(std::string const& arguments, int gigabytes = 8) const {
        return run_program("/bin/sh", {"-c", "ulimit -v " + std::to_string(gigabytes << 20) + " && " COPSE_COMMAND " " +
                                                 arguments + " --threads 1"});
    }
};

TEST_F(memory_limit_test, a_generator_says_what_its_matrix_takes) {
    for (auto const* command : {"info stencil27:200", "convert stencil27:200 --format csr5", "spmv stencil27:200",
                                "info moved:10,1,stencil27:200"}) {
        auto const o = run_within_limit(command, 2);
        expect_error(o, "stencil27: 213847192 entries in 8000000 x 8000000 need 3.42 GB, and ");
        expect_error(o, " GB are available: give smaller arguments, as in stencil27:96");
    }
}

TEST_F(memory_limit_test, convert_asks_for_row_offsets) {
    expect_error(run_within_limit("convert rows.mtx --format csr5"),
                 "not enough memory for sorting the entries of 'rows.mtx', which takes 34.4 GB or more");
}

TEST_F(memory_limit_test, spmv_asks_for_row_offsets_and_vectors) {
    expect_error(run_within_limit("spmv rows.mtx"),
                 "not enough memory for sorting the entries of 'rows.mtx', which takes 34.4 GB or more");
    expect_error(run_within_limit("spmv columns.mtx"),
                 "not enough memory for multiplying 'columns.mtx', which takes 34.4 GB or more");
    expect_error(run_within_limit("spmv columns.mtx --transpose"),
                 "not enough memory for multiplying 'columns.mtx', which takes 68.7 GB or more");
}

TEST_F(memory_limit_test, add_asks_for_row_offsets_and_those_of_the_sum) {
    expect_error(run_within_limit("add columns.mtx rows.mtx --transpose-b --format csr"),
                 "not enough memory for sorting the entries of 'rows.mtx', which takes 34.4 GB or more");
    expect_error(run_within_limit("add columns.mtx columns.mtx --transpose-a --transpose-b --format csr"),
                 "not enough memory for adding 'columns.mtx' and 'columns.mtx', which takes 51.5 GB or more");
}

/// What is missing for 2^26 rows, of which the sorting alone would fit, is said before it begins.
class early_refusal_test : public command_test {
  protected:
    early_refusal_test() {
        write("tall.mtx", "%%MatrixMarket matrix coordinate real general\n67108864 1 2\n9 1 1\n67108864 1 1\n");
        write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n1 4194304 2\n1 9 1\n1 4194304 1\n");
    }
    /// copse with these arguments, one thread and 1.5 GiB; its largest resident set, in megabytes.
    double run_measured(std::string const& arguments, outcome& o) const {
        pid_t const child = ::fork();
        if (child == 0) {
            o = run_program("/bin/sh",
                            {"-c", "ulimit -v 1572864 && exec " COPSE_COMMAND " " + arguments + " --threads 1"});
            rusage used{};
            ::getrusage(RUSAGE_CHILDREN, &used);
            std::ofstream(folder_ / "status") << o.status << ' ' << used.ru_maxrss;
            ::_exit(0);
        }
        ::waitpid(child, nullptr, 0);
        double kilobytes = 0;
        std::ifstream(folder_ / "status") >> o.status >> kilobytes;
        auto const text_of = [&](char const* name) {
            std::ifstream file(folder_ / name);
            return std::string(std::istreambuf_iterator<char>(file), {});
        };
        o.out = text_of("out");
        o.err = text_of("err");
        return kilobytes / 1024;
    }
};

TEST_F(early_refusal_test, nothing_is_sorted_first) {
    for (auto const& [command, text] :
         {std::pair{"spmv tall.mtx --transpose", "multiplying 'tall.mtx', which takes 1.61 GB or more"},
          {"spmv tall.mtx", "multiplying 'tall.mtx', which takes 2.68 GB or more"},
          {"spmv tall.mtx --transpose --type float --format csr5",
           "multiplying 'tall.mtx', which takes 1.61 GB or more"},
          {"convert tall.mtx --format csr --check", "converting 'tall.mtx' to csr, which takes 1.61 GB or more"},
          {"add tall.mtx tall.mtx --format csr", "adding 'tall.mtx' and 'tall.mtx', which takes 2.68 GB or more"}}) {
        outcome o;
        EXPECT_LT(run_measured(command, o), 100) << command;
        expect_error(o, std::string("not enough memory for ") + text);
    }
    outcome o;
    EXPECT_LT(run_measured("add tall.mtx wide.mtx --format csr", o), 100);
    expect_error(o, "only matrices of one shape can be added");
}

/// y as it was, before each run, in the product, and copied for the check: 4 times 34 MB, and no more.
TEST_F(early_refusal_test, the_check_of_a_product_takes_no_memory_for_empty_rows) {
    outcome o;
    EXPECT_LT(run_measured("spmv wide.mtx --transpose --repeat 0", o), 4 * 32 + 40);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.out.find("right: largest error"), std::string::npos) << o.out;
}

}  // namespace
}  // namespace copse_test
