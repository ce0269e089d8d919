// copse add: right sums, in files and in JSON, and its errors.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/text.hpp"

namespace copse_test {
namespace {

using nlohmann::json;

// A: 1 2 0    B: 5 . 1
//    . . 3       . . -3
char const* const matrix_a =
    "%%MatrixMarket matrix coordinate real general\n"
    "2 3 3\n"
    "1 1 1\n"
    "1 2 2\n"
    "2 3 3\n";
char const* const matrix_b =
    "%%MatrixMarket matrix coordinate real general\n"
    "2 3 3\n"
    "1 1 5\n"
    "1 3 1\n"
    "2 3 -3\n";
// 3 x 2: 7 .
//        . .
//        . 8
char const* const tall_matrix =
    "%%MatrixMarket matrix coordinate real general\n"
    "3 2 2\n"
    "1 1 7\n"
    "3 2 8\n";

class add_test : public command_test {
  protected:
    add_test() {
        write("A.mtx", matrix_a);
        write("B.mtx", matrix_b);
        write("T.mtx", tall_matrix);
    }

    /// The entries that `copse add -o C.mtx` and these arguments write, behind the banner.
    std::string result(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"add", "-o", "C.mtx"});
        auto const o = run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        EXPECT_EQ(o.err, "");
        auto const text = read("C.mtx");
        std::string const banner = "%%MatrixMarket matrix coordinate real general\n";
        EXPECT_EQ(text.rfind(banner, 0), 0u) << text;
        return text.substr(std::min(banner.size(), text.size()));
    }
    /// The object that `copse add --json` and these arguments print, alone on one line.
    json record(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"add", "--json"});
        auto const o = run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        EXPECT_EQ(o.err, "");
        EXPECT_EQ(o.out.find('\n'), o.out.size() - 1);
        return json::parse(o.out);
    }
    /// Copse add with these arguments fails, says `text`, and leaves the folder as it was.
    void expect(std::vector<std::string> arguments, std::string const& text) const {
        auto const before = files();
        arguments.insert(arguments.begin(), "add");
        expect_error(run(arguments), text);
        EXPECT_EQ(files(), before);
    }
};

TEST_F(add_test, factors_are_one_and_what_cancels_stays) {
    EXPECT_EQ(result({"A.mtx", "B.mtx"}), "2 3 4\n1 1 6\n1 2 2\n1 3 1\n2 3 0\n");
}

TEST_F(add_test, alpha_and_beta_scale) {
    EXPECT_EQ(result({"A.mtx", "B.mtx", "--alpha", "2", "--beta", "-0.5"}),
              "2 3 4\n1 1 -0.5\n1 2 4\n1 3 -0.5\n2 3 7.5\n");
}

TEST_F(add_test, all_four_transpositions) {
    EXPECT_EQ(result({"A.mtx", "B.mtx", "--transpose-a", "--transpose-b"}), "3 2 4\n1 1 6\n2 1 2\n3 1 1\n3 2 0\n");
    EXPECT_EQ(result({"A.mtx", "T.mtx", "--transpose-b"}), "2 3 3\n1 1 8\n1 2 2\n2 3 11\n");
    EXPECT_EQ(result({"A.mtx", "T.mtx", "--transpose-a"}), "3 2 3\n1 1 8\n2 1 2\n3 2 11\n");
    EXPECT_EQ(result({"T.mtx", "A.mtx", "--transpose-a"}), "2 3 3\n1 1 8\n1 2 2\n2 3 11\n");
}

TEST_F(add_test, every_way_gives_the_same) {
    for (auto const* way : {"--format=csr", "--type=float", "--on=cpu", "--on=auto", "--on=emulated", "--threads=1",
                            "--threads=3", "--repeat=0", "--repeat=3"})
        EXPECT_EQ(result({"A.mtx", "B.mtx", way}), "2 3 4\n1 1 6\n1 2 2\n1 3 1\n2 3 0\n") << way;
}

TEST_F(add_test, json_has_the_fields_of_spmv_and_those_of_the_second_operand) {
    auto const r = record({"A.mtx", "T.mtx", "--transpose-b", "--threads", "2", "--repeat", "3"});
    EXPECT_EQ(r["op"], "add");
    EXPECT_EQ(r["transpose"], false);
    EXPECT_EQ(r["matrix"], "A.mtx");
    EXPECT_EQ(r["on"], "cpu");
    EXPECT_EQ(r["type"], "double");
    EXPECT_EQ(r["threads"], 2);
    EXPECT_EQ(r["rows"], 2);
    EXPECT_EQ(r["cols"], 3);
    EXPECT_EQ(r["entries"], 3);
    EXPECT_EQ(r["repeats"], 3);
    EXPECT_LE(r["max_error"], 1);
    EXPECT_EQ(r["matrix_b"], "T.mtx");
    EXPECT_EQ(r["transpose_b"], true);
    EXPECT_EQ(r["rows_b"], 3);
    EXPECT_EQ(r["cols_b"], 2);
    EXPECT_EQ(r["entries_b"], 2);
    EXPECT_EQ(r["result_entries"], 3);
    auto const product = json::parse(run({"spmv", "A.mtx", "--json"}).out);
    for (auto const& [name, value] : product.items()) EXPECT_TRUE(r.contains(name)) << name;
}

TEST_F(add_test, json_speeds_follow_from_bytes_and_seconds) {
    auto const r = record({"poisson2d:30", "permutation:900", "--format", "csr", "--type", "float"});
    double const seconds = r["seconds"];
    std::int64_t const a = 5 * 900 - 4 * 30;
    std::int64_t const c = r["result_entries"];
    std::int64_t const result_bytes = c * 8 + 901 * 8;
    std::int64_t const bytes = (a + 900) * 8 + 2 * 901 * 8;
    EXPECT_GT(c, a);
    EXPECT_LE(c, a + 900);
    EXPECT_EQ(r["bytes"], bytes);
    EXPECT_EQ(r["result_bytes"], result_bytes);
    EXPECT_EQ(r["moved_bytes"], bytes + result_bytes);
    EXPECT_DOUBLE_EQ(r["gbytes_per_second"], 1e-9 * static_cast<double>(bytes + result_bytes) / seconds);
    EXPECT_DOUBLE_EQ(r["csr_gbytes_per_second"], 1e-9 * static_cast<double>((a + 900 + c) * 8 + 3 * 901 * 4) / seconds);
    EXPECT_DOUBLE_EQ(r["gflops"], 1e-9 * static_cast<double>(2 * (a + 900) - c) / seconds);
    EXPECT_DOUBLE_EQ(r["entries_per_second"], static_cast<double>(a + 900) / seconds);
}

/// A leaf of 512 entries below a root of 256 x 256, in block (block, block).
std::string one_block(int block) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n256 256 512\n";
    for (int i = 0; i < 512; ++i)
        text += std::to_string(128 * block + 1 + i / 4) + ' ' + std::to_string(128 * block + 1 + 5 * i % 128) + " 1\n";
    return text;
}

TEST_F(add_test, bytes_that_are_shared_are_the_sums_and_are_not_moved) {
    write("first.mtx", one_block(0));
    write("second.mtx", one_block(1));
    auto const add = [&](std::string const& a, std::string const& b) {
        return record({a, b, "--on", "cpu", "-o", "C.mtx", "--repeat", "1"});
    };
    auto const r = add("first.mtx", "second.mtx");
    std::int64_t root_bytes = 0, sum_bytes = 0;
    for (auto const* matrix : {"first.mtx", "second.mtx", "C.mtx"}) {
        auto const info = json::parse(run({"info", matrix, "--json"}).out);
        auto const& levels = info["tree"]["levels"];
        ASSERT_EQ(levels.size(), 2u) << matrix;
        root_bytes += levels[0]["bytes"].get<std::int64_t>();
        sum_bytes = levels[0]["bytes"].get<std::int64_t>() + levels[1]["bytes"].get<std::int64_t>();
    }
    EXPECT_EQ(r["result_bytes"], sum_bytes);
    EXPECT_EQ(r["moved_bytes"], root_bytes);
    EXPECT_DOUBLE_EQ(r["gbytes_per_second"], 1e-9 * static_cast<double>(root_bytes) / r["seconds"].get<double>());

    // Blocks that meet are read and written whole.
    auto const whole = add("first.mtx", "first.mtx");
    EXPECT_EQ(whole["bytes"], 2 * whole["result_bytes"].get<std::int64_t>());
    EXPECT_EQ(whole["moved_bytes"], 3 * whole["result_bytes"].get<std::int64_t>());
}

TEST_F(add_test, a_sum_with_nothing_moves_nothing) {
    write("nothing.mtx", "%%MatrixMarket matrix coordinate real general\n256 256 0\n");
    write("first.mtx", one_block(0));
    for (auto const& [a, b] : {std::pair("first.mtx", "nothing.mtx"), std::pair("nothing.mtx", "first.mtx")}) {
        auto const r = record({a, b, "--on", "cpu", "--beta", "2"});
        EXPECT_EQ(r["result_entries"], 512);
        EXPECT_EQ(r["result_bytes"], r["bytes"]);
        EXPECT_EQ(r["moved_bytes"], 0);
        EXPECT_EQ(r["gbytes_per_second"], 0.0);
    }
    write("one.mtx", "%%MatrixMarket matrix coordinate real general\n64000 64000 1\n1 1 1\n");
    auto const table = run({"add", "poisson3d:40", "one.mtx", "--on", "cpu", "--values", "each"}).out;
    auto const r = record({"poisson3d:40", "one.mtx", "--on", "cpu", "--values", "each"});
    auto const bytes = r["result_bytes"].get<std::int64_t>();
    EXPECT_GT(bytes, 3'000'000);
    auto const text = "438,400 entries, " + copse::cli::human_bytes(static_cast<double>(bytes));
    EXPECT_NE(table.find(text), std::string::npos) << table;
}

TEST_F(add_test, memory_at_most_is_more_than_the_sum) {
    for (auto const* format : {"hisparse", "csr"}) {
        auto const r = record({"poisson3d:40", "moved:10,1,poisson3d:40", "--transpose-b", "--format", format, "--on",
                               "cpu", "--memory"});
        if (r.at("peak_bytes").is_null()) GTEST_SKIP() << "this system does not count memory";
        std::int64_t const slack = 1 << 20;  // pages that were there already, and how threads count theirs
        EXPECT_GE(r.at("peak_bytes"), r.at("result_bytes").get<std::int64_t>() - slack) << format;
        EXPECT_LE(r.at("peak_bytes"), 40 * r.at("bytes").get<std::int64_t>()) << format;
    }
    EXPECT_FALSE(record({"A.mtx", "B.mtx"}).contains("peak_bytes"));
    EXPECT_NE(run({"add", "A.mtx", "B.mtx", "--memory"}).out.find("memory at most  "), std::string::npos);
}

TEST_F(add_test, table_shows_both_operands_and_that_the_sum_is_right) {
    auto const o = run({"add", "A.mtx", "T.mtx", "--transpose-b", "--repeat", "2"});
    for (auto const* part : {"C = alpha A + beta B^T", "A.mtx: 2 x 3, 3 entries, double", "T.mtx: 3 x 2, 2 entries",
                             "3 entries, ", "median of 2", "right"})
        EXPECT_NE(o.out.find(part), std::string::npos) << o.out;
}

TEST_F(add_test, empty_matrices) {
    write("none.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    write("zero.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n");
    EXPECT_EQ(result({"none.mtx", "none.mtx", "--transpose-a"}), "0 0 0\n");
    EXPECT_EQ(result({"zero.mtx", "zero.mtx"}), "2 3 0\n");
    EXPECT_EQ(result({"zero.mtx", "A.mtx"}), "2 3 3\n1 1 1\n1 2 2\n2 3 3\n");
}

TEST_F(add_test, shapes_that_do_not_fit_name_files_and_shapes) {
    expect({"A.mtx", "T.mtx", "-o", "C.mtx"},
           "only matrices of one shape can be added: 'A.mtx' is 2 x 3, 'T.mtx' is 3 x 2; give --transpose-b");
    expect({"A.mtx", "B.mtx", "--transpose-b"},
           "'A.mtx' is 2 x 3, the transpose of 'B.mtx' is 3 x 2; leave out --transpose-b");
    expect({"A.mtx", "poisson2d:2"}, "'A.mtx' is 2 x 3, 'poisson2d:2' is 4 x 4\n");
    expect({"A.mtx", "T.mtx", "--transpose-a", "--transpose-b"},
           "the transpose of 'A.mtx' is 3 x 2, the transpose of 'T.mtx' is 2 x 3");
}

TEST_F(add_test, an_output_that_cannot_be_written_fails_before_anything_is_read) {
    expect({"none.mtx", "none.mtx", "-o", "nowhere/C.mtx"}, "there is no directory 'nowhere'");
    expect({"none.mtx", "none.mtx", "-o", ""}, "a file name is needed");
}

TEST_F(add_test, mistakes_in_the_arguments) {
    expect({"A.mtx"}, "B is required");
    expect({"A.mtx", "none.mtx"}, "cannot read 'none.mtx'");
    expect({"none.mtx", "A.mtx"}, "cannot read 'none.mtx'");
    expect({"A.mtx", "B.mtx", "T.mtx"}, "T.mtx");
    expect({"none.mtx", "none.mtx", "--alpha", "x"}, "--alpha: 'x' is not a number");
    expect({"none.mtx", "none.mtx", "--beta", "1e39", "--type", "float"}, "--beta");
    expect({"A.mtx", "B.mtx", "--format", "ellpack"}, "ellpack");
    expect({"A.mtx", "B.mtx", "--format", "csr", "--on", "gpu"}, "--format csr has no addition on gpu");
    expect({"A.mtx", "B.mtx", "--format", "csr", "--on", "emulated"}, "--format csr has no addition on emulated");
    expect({"A.mtx", "B.mtx", "--on", "cpu", "--seed", "1"}, "--seed belongs to --on emulated");
    expect({"A.mtx", "B.mtx", "--on", "cpu", "--controller", "host"}, "--controller");
}

}  // namespace
}  // namespace copse_test
