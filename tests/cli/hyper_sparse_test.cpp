// Matrices of 2^31 rows or columns with a few entries: what needs no row offsets works in little memory, what does says
// so. Under a limit of address space, so that it does not depend on how much the machine has.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace copse_test {
namespace {

using nlohmann::json;

std::string const banner = "%%MatrixMarket matrix coordinate real general\n";
std::string const far = "2147483648";

class hyper_sparse_test : public command_test {
  protected:
    hyper_sparse_test() {
        write("left.mtx", banner + far + ' ' + far + " 1\n" + far + " 1 2.5\n");    // the last row's first
        write("right.mtx", banner + far + ' ' + far + " 1\n1 " + far + " -2.5\n");  // the first row's last
        write("tall.mtx", banner + far + " 1 3\n1 1 1\n" + far + " 1 3\n1 1 4\n");
        write("wide.mtx", banner + "1 " + far + " 3\n1 1 1\n1 1000000 2\n1 " + far + " 3\n");
    }
    /// copse with these arguments and 2 GiB.
    outcome run_in_little(std::string const& arguments) const {
        return run_program("/bin/sh", {"-c", "ulimit -v " + std::to_string(2 << 20) + " && " COPSE_COMMAND " " +
                                                 arguments + " --threads 1"});
    }
    /// The object that it prints, with --json.
    json record(std::string const& arguments) const {
        auto const o = run_in_little(arguments + " --json");
        EXPECT_EQ(o.status, 0) << arguments << ": " << o.err;
        EXPECT_EQ(o.err, "");
        return o.status == 0 ? json::parse(o.out) : json();
    }
};

TEST_F(hyper_sparse_test, info) {
    for (std::string const matrix : {"left.mtx", "tall.mtx", "wide.mtx"}) {
        auto const r = record("info " + matrix);
        EXPECT_EQ(r["entries"], matrix == "left.mtx" ? 1 : matrix == "tall.mtx" ? 2 : 3);
        EXPECT_EQ(r["row_entries"]["maximum"], matrix == "wide.mtx" ? 3 : 1);
        EXPECT_EQ(r["row_entries"]["empty_rows"].get<std::int64_t>(),
                  matrix == "wide.mtx" ? 0 : r["rows"].get<std::int64_t>() - r["entries"].get<std::int64_t>());
        EXPECT_EQ(r["tree"]["levels"].size(), 5u);
        for (auto const& f : r["formats"]) {
            bool const needs_offsets = f["format"] == "csr5" || f["format"] == "sellp" || f["format"] == "cmrs";
            EXPECT_EQ(f["bytes"].is_null(), needs_offsets && matrix != "wide.mtx") << f;
        }
    }
    auto const text = run_in_little("info left.mtx").out;
    EXPECT_NE(text.find("\ncsr5, sellp, cmrs: not enough memory for sorting the entries of 'left.mtx', which takes "
                        "34.4 GB or more: "),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("csr: with offsets of 4 bytes"), std::string::npos) << text;
}

TEST_F(hyper_sparse_test, convert) {
    for (std::string const on : {"cpu", "emulated"})
        for (std::string const matrix : {"left.mtx", "tall.mtx", "wide.mtx"}) {
            auto const r = record("convert " + matrix + " --format hisparse --check --on " + on);
            EXPECT_EQ(r["checked"], true);
            EXPECT_TRUE(r["back_seconds"].is_number()) << r;
            EXPECT_EQ(r["rows"], matrix == "wide.mtx" ? 1 : std::int64_t{1} << 31);
        }
    EXPECT_EQ(record("convert left.mtx --format hisparse --on cpu")["bytes"], 80);
}

TEST_F(hyper_sparse_test, add) {
    auto const sum = [&](std::string const& arguments) {
        auto const r = record("add " + arguments + " -o C.mtx --repeat 1");
        EXPECT_LE(r["max_error"], 1);
        return read("C.mtx").substr(banner.size());
    };
    std::string const square = far + ' ' + far + ' ';
    for (std::string const on : {" --on cpu", " --on emulated"}) {
        EXPECT_EQ(sum("left.mtx right.mtx --alpha 2" + on), square + "2\n1 " + far + " -2.5\n" + far + " 1 5\n");
        EXPECT_EQ(sum("left.mtx right.mtx --transpose-a" + on), square + "1\n1 " + far + " 0\n");
        EXPECT_EQ(sum("left.mtx right.mtx --transpose-b" + on), square + "1\n" + far + " 1 0\n");
        EXPECT_EQ(sum("left.mtx left.mtx --transpose-a --transpose-b" + on), square + "1\n1 " + far + " 5\n");
        EXPECT_EQ(sum("wide.mtx tall.mtx --transpose-b" + on),
                  "1 " + far + " 3\n1 1 6\n1 1000000 2\n1 " + far + " 6\n");
        EXPECT_EQ(sum("wide.mtx wide.mtx --transpose-a --transpose-b --beta -1" + on),
                  far + " 1 3\n1 1 0\n1000000 1 0\n" + far + " 1 0\n");
    }
}

TEST_F(hyper_sparse_test, records_of_sums_are_of_the_matrices_as_they_are_stored) {
    auto const r = record("add wide.mtx tall.mtx --transpose-a --type float");
    std::int64_t const rows = std::int64_t{1} << 31;
    EXPECT_EQ(r["rows"], 1);
    EXPECT_EQ(r["cols"], rows);
    EXPECT_EQ(r["transpose"], true);
    EXPECT_EQ(r["rows_b"], rows);
    EXPECT_EQ(r["cols_b"], 1);
    EXPECT_EQ(r["transpose_b"], false);
    EXPECT_EQ(r["entries"], 3);
    EXPECT_EQ(r["entries_b"], 2);  // one of them from two
    EXPECT_EQ(r["result_entries"], 3);
    double const csr_bytes = (3 + 2 + 3) * 8 + 4. * (2 + 2 * static_cast<double>(rows + 1));
    EXPECT_DOUBLE_EQ(r["csr_gbytes_per_second"], 1e-9 * csr_bytes / r["seconds"].get<double>());
}

TEST_F(hyper_sparse_test, what_needs_row_offsets_says_so) {
    for (auto const* command : {"convert left.mtx --format csr", "convert left.mtx --format auto",
                                "convert left.mtx --format hisparse --memory", "add left.mtx right.mtx --format csr",
                                "spmv left.mtx", "spmv left.mtx --format auto --mode plan"})
        expect_error(run_in_little(command),
                     "not enough memory for sorting the entries of 'left.mtx', which takes 34.4 GB or more");
}

TEST_F(hyper_sparse_test, few_entries_and_many_add_up) {
    // B alone has more rows than entries.
    write("one.mtx", banner + "400 400 1\n7 5 1.5\n");
    auto const r = record("add poisson2d:20 one.mtx --transpose-b -o C.mtx");
    EXPECT_EQ(r["result_entries"], 1921);
    EXPECT_NE(read("C.mtx").find("\n5 7 1.5\n"), std::string::npos);
    EXPECT_EQ(record("info one.mtx")["formats"][2]["bytes"], 1 * 12 + 401 * 8 + 2 * 4);  // CSR5
}

}  // namespace
}  // namespace copse_test
