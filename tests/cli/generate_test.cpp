// copse generate: what it writes is what the same name means elsewhere.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace copse_test {
namespace {

using nlohmann::json;
using generate_test = command_test;

TEST_F(generate_test, writes_a_file_that_reads_back) {
    auto const o = run({"generate", "poisson2d:2", "-o", "A.mtx"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.out, "A.mtx: 4 x 4, 12 entries\n");
    EXPECT_EQ(read("A.mtx"),
              "%%MatrixMarket matrix coordinate real general\n4 4 12\n"
              "1 1 4\n1 2 -1\n1 3 -1\n2 1 -1\n2 2 4\n2 4 -1\n3 1 -1\n3 3 4\n3 4 -1\n4 2 -1\n4 3 -1\n4 4 4\n");
}

TEST_F(generate_test, the_file_and_the_name_give_the_same_product) {
    ASSERT_EQ(run({"generate", "rmat:6,4,3", "-o", "A.mtx"}).status, 0);
    ASSERT_EQ(run({"spmv", "A.mtx", "--format", "csr", "-o", "y1.mtx"}).status, 0);
    ASSERT_EQ(run({"spmv", "rmat:6,4,3", "--format", "csr", "-o", "y2.mtx"}).status, 0);
    EXPECT_EQ(read("y1.mtx"), read("y2.mtx"));
    EXPECT_NE(read("y1.mtx"), "");
}

TEST_F(generate_test, entries_come_once_and_sorted) {
    ASSERT_EQ(run({"generate", "rmat:5", "-o", "A.mtx"}).status, 0);
    std::istringstream file(read("A.mtx"));
    std::string banner;
    std::getline(file, banner);
    std::int64_t rows = 0, columns = 0, entries = 0, count = 0;
    file >> rows >> columns >> entries;
    std::pair<std::int64_t, std::int64_t> before{0, 0}, here;
    for (double value = 0; file >> here.first >> here.second >> value; before = here, ++count) EXPECT_LT(before, here);
    EXPECT_EQ(count, entries);
    EXPECT_LT(entries, 32 * 16);  // some of the edges are drawn twice
}

TEST_F(generate_test, a_file_with_a_generators_name_is_reached_by_its_path) {
    write("qcd", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
    EXPECT_EQ(json::parse(run({"info", "--json", "./qcd"}).out)["rows"], 1);
    EXPECT_EQ(json::parse(run({"info", "--json", "qcd:3"}).out)["rows"], 972);
}

TEST_F(generate_test, replaces_a_file) {
    write("A.mtx", "old");
    EXPECT_EQ(run({"generate", "permutation:3", "-o", "A.mtx"}).status, 0);
    EXPECT_EQ(read("A.mtx").rfind("%%MatrixMarket", 0), 0u);
    EXPECT_EQ(files(), std::vector<std::string>{"A.mtx"});
}

}  // namespace
}  // namespace copse_test
