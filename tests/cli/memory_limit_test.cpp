// What a command cannot have the memory for it refuses before it begins, in one line. Under a limit of address space, so
// that it does not depend on how much the machine has.
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
                 "not enough memory for multiplying 'columns.mtx', which takes 51.5 GB or more");
    expect_error(run_within_limit("spmv columns.mtx --transpose"),
                 "not enough memory for multiplying 'columns.mtx', which takes 137 GB or more");
}

TEST_F(memory_limit_test, add_asks_for_row_offsets_and_those_of_the_sum) {
    expect_error(run_within_limit("add columns.mtx rows.mtx --transpose-b --format csr"),
                 "not enough memory for sorting the entries of 'rows.mtx', which takes 34.4 GB or more");
    expect_error(run_within_limit("add columns.mtx columns.mtx --transpose-a --transpose-b --format csr"),
                 "not enough memory for adding 'columns.mtx' and 'columns.mtx', which takes 68.7 GB or more");
}

}  // namespace
}  // namespace copse_test
