// copse info: numbers worked by hand.
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace copse_test {
namespace {

using nlohmann::json;

class info_test : public command_test {
  protected:
    info_test() {
        // Rows of 2, 0 and 1 entries; with d = 64 in two leaves of one root.
        write("A.mtx", "%%MatrixMarket matrix coordinate real general\n3 100 3\n1 1 1\n1 100 2\n3 1 3\n");
    }
    json record(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"info", "--json"});
        auto const o = run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        EXPECT_EQ(o.err, "");
        EXPECT_EQ(o.out.find('\n'), o.out.size() - 1);
        return json::parse(o.out);
    }
};

TEST_F(info_test, shape_and_rows) {
    auto const r = record({"A.mtx"});
    EXPECT_EQ(r["op"], "info");
    EXPECT_EQ(r["matrix"], "A.mtx");
    EXPECT_EQ(r["rows"], 3);
    EXPECT_EQ(r["cols"], 100);
    EXPECT_EQ(r["entries"], 3);
    auto const& rows = r["row_entries"];
    EXPECT_EQ(rows["minimum"], 0);
    EXPECT_EQ(rows["maximum"], 2);
    EXPECT_EQ(rows["mean"], 1.0);
    EXPECT_NEAR(rows["standard_deviation"], std::sqrt(2.0 / 3), 1e-12);
    EXPECT_EQ(rows["empty_rows"], 1);
}

TEST_F(info_test, files_that_gzip_compressed) {
    auto const o = run_program("/bin/sh", {"-c", "gzip A.mtx && cp A.mtx.gz B.mtx && " COPSE_COMMAND
                                                 " info B.mtx && cat B.mtx | " COPSE_COMMAND " info /dev/stdin"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.out.rfind("B.mtx\n3 x 100, 3 entries, double\n", 0), 0u) << o.out;
    EXPECT_NE(o.out.find("/dev/stdin\n3 x 100, 3 entries, double\n"), o.out.npos) << o.out;
}

TEST_F(info_test, what_auto_takes) {
    auto const taken = record({"lp:200,5000"})["auto"];  // long rows, short columns
    EXPECT_EQ(taken["plan"], (json{{"A x", "csr5"}, {"A^T x", "sellp-sorted"}}));
    EXPECT_EQ(taken["oneshot"], (json{{"A x", "csr5"}, {"A^T x", "csr"}}));
    EXPECT_EQ(taken["gpu_plan"], (json{{"A x", "csr5"}, {"A^T x", "sellp"}}));
    EXPECT_EQ(taken["gpu_oneshot"], (json{{"A x", "csr5"}, {"A^T x", "csr5"}}));
    auto const text = run({"info", "lp:200,5000"}).out;
    EXPECT_NE(text.find("sellp-sorted for A^T x (rows differ in length; sorted by it they do not)"), std::string::npos);
    EXPECT_NE(run({"info", "poisson2d:20"}).out.find("in length; hisparse if it pads too much)"), std::string::npos);
    EXPECT_NE(text.find("on a GPU, from a plan: csr5 for A x (rows differ in length)"), std::string::npos);
}

TEST_F(info_test, what_a_trial_takes) {
    auto const tuned = record({"rmat:9", "--tune", "1000", "--threads", "2"})["tuned"];
    EXPECT_EQ(tuned["products"], 1000);
    EXPECT_EQ(tuned["threads"], 2);
    EXPECT_GE(tuned["trials"].size(), 2u);
    EXPECT_NE(run({"info", "rmat:9", "--tune", "1000"}).out.find("A trial for 1,000 products from plans takes: "),
              std::string::npos);
    EXPECT_TRUE(record({"rmat:9"})["tuned"].is_null());
}

TEST_F(info_test, bytes_by_format) {
    auto const r = record({"A.mtx", "--type", "float"});
    auto const& formats = r["formats"];
    ASSERT_EQ(formats.size(), 8u);
    EXPECT_EQ(formats[0], (json{{"format", "coo"}, {"bytes", 36}, {"bytes_per_entry", 12.0}}));
    EXPECT_EQ(formats[1]["bytes"], 3 * 8 + 4 * 4);
    // A tail alone: offsets of 8 bytes, and the pointers of one tile.
    EXPECT_EQ(
        formats[2],
        (json{
            {"format", "csr5"}, {"bytes", 3 * 8 + 4 * 8 + 2 * 4}, {"bytes_per_entry", 64.0 / 3}, {"extra_bytes", 8}}));
    // One slice of 4 vectors of rows, of 2 entries each at most, and one strip.
    EXPECT_EQ(formats[3]["format"], "sellp");
    EXPECT_EQ(formats[3]["bytes"].get<int>() - formats[3]["padding_bytes"].get<int>(), 3 * 8 + 2 * 8);
    EXPECT_EQ((formats[3]["padding_bytes"].get<int>() / 8 + 3) % 16, 0);
    EXPECT_EQ(formats[4], (json{{"format", "cmrs"}, {"bytes", 3 * 8 + 2 * 8}, {"bytes_per_entry", 40.0 / 3}}));
    for (std::size_t i = 5; i < 8; ++i) {
        EXPECT_EQ(formats[i]["format"], "hisparse");
        EXPECT_EQ(formats[i]["node_dimension"], 32 << (i - 4));
        EXPECT_GT(formats[i]["bytes"], 3 * 6);
        EXPECT_EQ(formats[i]["entries_per_block"], i == 5 ? 1.5 : 3);
    }
}

TEST_F(info_test, bytes_of_flat_formats_as_options_say) {
    auto const formats =
        record({"A.mtx", "--type", "float", "--slice-rows", "2", "--row-threads", "1", "--height", "2"})["formats"];
    EXPECT_EQ(formats[3]["padding_bytes"], 3 * 8);  // two slices of 2 x 2 and 2 x 1 places
    EXPECT_EQ(formats[4]["bytes"], 3 * 8 + 3 * 8);  // two strips
    auto const tiles = [&](char const* omega) { return record({"rmat:8", "--omega", omega})["formats"][2]; };
    EXPECT_GT(tiles("4")["extra_bytes"], tiles("32")["extra_bytes"]);
}

TEST_F(info_test, nodes_per_level_and_kind) {
    auto const tree = record({"dense:100", "--node-dimension", "64"})["tree"];
    EXPECT_EQ(tree["node_dimension"], 64);
    auto const& levels = tree["levels"];
    ASSERT_GE(levels.size(), 2u);
    EXPECT_EQ(levels[0]["level"], 1);
    EXPECT_EQ(levels[0]["kind"], "sparse");
    EXPECT_EQ(levels[0]["nodes"], 1);
    EXPECT_EQ(levels[0]["children"], 4);
    int nodes = 0, entries = 0;
    for (std::size_t i = 1; i < levels.size(); ++i) {
        EXPECT_EQ(levels[i]["level"], 0);
        nodes += levels[i]["nodes"].get<int>();
        entries += levels[i]["entries"].get<int>();
    }
    EXPECT_EQ(nodes, 4);
    EXPECT_EQ(entries, 100 * 100);
    EXPECT_EQ(record({"A.mtx"})["tree"]["levels"].size(), 1u);  // one leaf of 128 x 128 holds all
}

TEST_F(info_test, a_wide_leaf_holds_entries_above_the_leaves) {
    auto const levels = record({"A.mtx", "--node-dimension", "64"})["tree"]["levels"];
    ASSERT_EQ(levels.size(), 1u);
    EXPECT_EQ(levels[0]["level"], 1);
    EXPECT_EQ(levels[0]["kind"], "wide");
    EXPECT_EQ(levels[0]["entries"], 3);
    EXPECT_NE(run({"info", "A.mtx", "--node-dimension", "64"}).out.find("3 entries       3.0"), std::string::npos);
}

TEST_F(info_test, dense_nodes_are_a_kind_of_their_own) {
    auto const levels = record({"dense:128"})["tree"]["levels"];
    ASSERT_EQ(levels.size(), 1u);
    EXPECT_EQ(levels[0]["kind"], "dense");
    EXPECT_EQ(levels[0]["entries"], 128 * 128);
}

TEST_F(info_test, table) {
    auto const o = run({"info", "A.mtx", "--node-dimension", "64"});
    EXPECT_EQ(o.status, 0);
    for (auto const* part : {"3 x 100, 3 entries, double", "0 to 2, mean 1.00", "empty rows: 1", "hisparse, d = 256",
                             "The tree with d = 64"})
        EXPECT_NE(o.out.find(part), std::string::npos) << "'" << part << "' is not in\n" << o.out;
    auto const full = run({"info", "dense:100", "--node-dimension", "64"});
    for (auto const* part : {"0, leaves", "64 x 64", "4 children"})
        EXPECT_NE(full.out.find(part), std::string::npos) << "'" << part << "' is not in\n" << full.out;
}

TEST_F(info_test, bytes_of_csr_and_beyond_csr_add_up) {
    // 3 entries and 4 offsets of 8 bytes: 68, of which csr5 has 8 beyond; csr counts offsets of 4 bytes, 52.
    auto const text = run({"info", "A.mtx"}).out;
    EXPECT_NE(text.find("copse's own have 8 (68 bytes in all)"), std::string::npos) << text;
    auto const formats = record({"A.mtx"})["formats"];
    EXPECT_EQ(formats[1]["bytes"], 52);
    EXPECT_EQ(formats[2]["bytes"], 68 + formats[2]["extra_bytes"].get<int>());
    auto const r = json::parse(run({"convert", "A.mtx", "--format", "csr", "--json"}).out);
    EXPECT_EQ(r["bytes"], 68);
}

TEST_F(info_test, a_matrix_without_entries_has_an_empty_tree) {
    write("zero.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n");
    auto const r = record({"zero.mtx"});
    EXPECT_EQ(r["tree"]["levels"], json::array());
    EXPECT_TRUE(r["formats"][0]["bytes_per_entry"].is_null());
    EXPECT_NE(run({"info", "zero.mtx"}).out.find("is empty"), std::string::npos);
}

}  // namespace
}  // namespace copse_test
