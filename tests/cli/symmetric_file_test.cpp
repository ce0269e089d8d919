// Files whose headers say symmetric or skew-symmetric: half of the bytes, the same results.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace copse_test {
namespace {

using nlohmann::json;

class symmetric_file_test : public command_test {
  protected:
    symmetric_file_test() {
        write("S.mtx", text("symmetric"));
        write("K.mtx", text("skew-symmetric"));
        write("wide.mtx", "%%MatrixMarket matrix coordinate real symmetric\n9000 9000 2\n9000 1 3\n4 4 5\n");
    }
    /// 700 x 700 below the diagonal, whole numbers: any order of additions gives the same sums.
    static std::string text(std::string const& kind) {
        std::string entries;
        int count = 0;
        for (int j = 1; j <= 700; ++j)
            for (int i = j + 1; i <= 700; i += 1 + (7 * i + j) % 9) {
                entries += std::to_string(i) + ' ' + std::to_string(j) + ' ' + std::to_string((i * j) % 31 - 15) + '\n';
                ++count;
            }
        return "%%MatrixMarket matrix coordinate real " + kind + "\n700 700 " + std::to_string(count) + '\n' + entries;
    }
    json record(std::vector<std::string> arguments) const {
        arguments.emplace_back("--json");
        auto const o = run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        return json::parse(o.out);
    }
    json record(std::vector<std::string> arguments, std::vector<std::string> const& more) const {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return record(arguments);
    }
};

TEST_F(symmetric_file_test, is_stored_by_half_on_the_cpu_unless_told_otherwise) {
    std::vector<std::vector<std::string>> const commands{
        {"convert", "S.mtx", "--format", "hisparse", "--check", "--on", "cpu"},
        {"convert", "wide.mtx", "--format", "hisparse", "--check", "--on", "cpu", "--node-dimension", "64"},
        {"convert", "K.mtx", "--format", "hisparse", "--check", "--on", "cpu"},
        {"spmv", "S.mtx", "--on", "cpu"},
        {"spmv", "K.mtx", "--on", "cpu"},
        {"spmv", "K.mtx", "--on", "cpu", "--mode", "plan", "--transpose"},
        {"spmv", "S.mtx", "--on", "cpu", "--mode", "plan", "--transpose"}};
    for (auto const& command : commands) {
        SCOPED_TRACE(command[0] + ' ' + command[1]);
        auto const by_default = record(command), nothing = record(command, {"--share", "nothing"});
        EXPECT_LT(by_default["bytes"], nothing["bytes"]);
        EXPECT_LE(by_default["bytes"], record(command, {"--share", "transposed"})["bytes"]);
        EXPECT_EQ(by_default["entries"], nothing["entries"]);
    }
    // The tree is the one that a search finds, on other executors, too.
    std::vector<std::string> const emulated{"convert", "S.mtx", "--format", "hisparse", "--check", "--on", "emulated"};
    auto const half = record(commands[0], {"--values", "each"})["bytes"];
    EXPECT_EQ(half, record(commands[0], {"--values", "each", "--share", "transposed"})["bytes"]);
    EXPECT_EQ(half, record(emulated, {"--share", "transposed"})["bytes"]);
    EXPECT_EQ(record(emulated)["bytes"], record(commands[0], {"--values", "each", "--share", "nothing"})["bytes"]);
}

TEST_F(symmetric_file_test, gives_the_same_products) {
    for (char const* matrix : {"S.mtx", "K.mtx"}) {
        std::string products[3];
        int i = 0;
        for (std::vector<std::string> const& more :
             {std::vector<std::string>{}, {"--share", "nothing"}, {"--format", "csr"}}) {
            record({"spmv", matrix, "--on", "cpu", "--mode", "plan", "-o", "y.mtx"}, more);
            products[i++] = read("y.mtx");
        }
        EXPECT_EQ(products[0], products[1]) << matrix;
        EXPECT_EQ(products[0], products[2]) << matrix;
    }
    std::vector<std::string> const skew{"convert", "K.mtx", "--format", "hisparse", "--check", "--on", "cpu"};
    EXPECT_LT(record(skew)["bytes"], record(skew, {"--share", "nothing"})["bytes"]);
}

TEST_F(symmetric_file_test, info_says_what_is_stored_once) {
    auto const leaves = [&](std::vector<std::string> const& more) {
        std::int64_t mirrored = 0, shared = 0;
        json const info = record({"info", "S.mtx", "--node-dimension", "64"}, more);
        for (json const& level : info["tree"]["levels"]) {
            EXPECT_LE(level["mirrored_nodes"], level["nodes"]);
            mirrored += level["mirrored_nodes"].get<std::int64_t>();
            shared += level["shared_nodes"].get<std::int64_t>();
        }
        return std::pair(mirrored, shared);
    };
    EXPECT_EQ(leaves({}), std::pair(std::int64_t{55}, std::int64_t{55}));  // of 11 x 11 blocks those above the diagonal
    EXPECT_EQ(leaves({"--share", "nothing"}), std::pair(std::int64_t{0}, std::int64_t{0}));
    EXPECT_NE(run({"info", "S.mtx"}).out.find("mirrored"), std::string::npos);
    EXPECT_EQ(run({"info", "S.mtx", "--share", "nothing"}).out.find("mirrored"), std::string::npos);
    EXPECT_NE(run({"info", "stencil27:12"}).out.find("values once"), std::string::npos);
    // Of the skew-symmetric file those above the diagonal are the negatives.
    auto const negated = [&](std::string const& file) {
        std::int64_t sum = 0;
        json const info = record({"info", file, "--node-dimension", "64"});
        for (json const& level : info["tree"]["levels"]) sum += level["negated_nodes"].get<std::int64_t>();
        return sum;
    };
    EXPECT_EQ(negated("S.mtx"), 0);
    EXPECT_EQ(negated("K.mtx"), 55);
    EXPECT_NE(run({"info", "K.mtx"}).out.find("negated"), std::string::npos);
    EXPECT_EQ(run({"info", "S.mtx"}).out.find("negated"), std::string::npos);
}

}  // namespace
}  // namespace copse_test
