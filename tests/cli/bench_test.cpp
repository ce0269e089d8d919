// copse_bench, the program behind bench/run: its JSON lines, on matrices too small to say anything.
#include <algorithm>
#include <copse/runtime/gpu.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.hpp"

namespace copse_test {
namespace {

using nlohmann::json;

class bench_test : public command_test {
  protected:
    /// The bandwidth with arrays of 1 MB: four times the cache is gigabytes on some machines, and half a minute.
    outcome bench(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--triad", "1"});
        return run_program(COPSE_BENCH_COMMAND, arguments);
    }
    /// All lines, of standard output or of a file.
    static std::vector<json> lines(std::string const& text) {
        std::vector<json> all;
        std::istringstream file(text);
        for (std::string line; std::getline(file, line);) all.push_back(json::parse(line));
        return all;
    }
    static std::vector<json> with_op(std::vector<json> const& all, std::vector<std::string> const& ops) {
        std::vector<json> some;
        std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                     [&](json const& one) { return std::count(ops.begin(), ops.end(), one.at("op")) > 0; });
        return some;
    }
    /// What was measured, of the file of --json.
    std::vector<json> records() const { return with_op(lines(read("records.json")), {"spmv", "add", "sizes", "tune"}); }
};

TEST_F(bench_test, compares_both_products_with_csr) {
    auto const o = bench({"poisson2d:20", "--repeat", "2", "--threads", "2", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.out, read("records.json"));
    auto const all = lines(o.out);
    EXPECT_EQ(all.front()["op"], "run");
    EXPECT_EQ(all.front()["mode"], "spmv");
    EXPECT_EQ(all.front()["triad_array_bytes"], 1'000'000);
    EXPECT_EQ(all.front()["peers"], json::array());
    EXPECT_EQ(all.back()["op"], "done");
    EXPECT_NE(o.err.find("[1/1] poisson2d:20"), std::string::npos) << o.err;

    std::vector<std::pair<std::string, bool>> kinds;
    for (auto const& r : records()) {
        kinds.emplace_back(r["format"].get<std::string>() + " " + r["mode"].get<std::string>(), r["transpose"]);
        EXPECT_EQ(r["repeats"], 2);
        EXPECT_EQ(r["threads"], 2);
        EXPECT_LE(r["max_error"], 1);
        EXPECT_GT(r["triad_gbytes_per_second"], 0);
        EXPECT_DOUBLE_EQ(r["fraction_of_ceiling"],
                         r["gbytes_per_second"].get<double>() / r["triad_gbytes_per_second"].get<double>());
        EXPECT_TRUE(r.at("gpu").is_null());
        EXPECT_TRUE(r.at("gpu_copy_gbytes_per_second").is_null());
        for (auto const* field : {"cpu_model", "date", "commit"}) EXPECT_TRUE(r.at(field).is_string()) << field;
    }
    std::vector<std::string> const both{"hisparse plan",      "hisparse-each plan", "hisparse-shared plan",
                                        "csr-matrix oneshot", "csr5 oneshot",       "sellp oneshot",
                                        "cmrs oneshot",       "csr plan",           "csr5 plan",
                                        "sellp plan",         "cmrs plan"};
    std::vector<std::pair<std::string, bool>> expected{{"csr oneshot", false}, {"hisparse oneshot", false}};
    for (auto const& kind : both) expected.emplace_back(kind, false);
    for (auto const* kind : {"csr oneshot", "csr-of-transpose oneshot", "hisparse oneshot"})
        expected.emplace_back(kind, true);
    for (auto const& kind : both) expected.emplace_back(kind, true);
    EXPECT_EQ(kinds, expected);
}

TEST_F(bench_test, compares_products_with_several_columns) {
    auto const o = bench({"poisson2d:20", "--columns", "5", "--repeat", "2", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    auto const all = lines(o.out);
    EXPECT_EQ(all.front()["mode"], "spmm");
    EXPECT_EQ(all.front()["threads"], 2);
    std::map<std::string, int> ours;
    for (auto const& r : with_op(all, {"spmm"})) {
        EXPECT_EQ(r["vectors"], 5);
        EXPECT_LE(r["max_error"], 1);
        // An addition and a multiplication for each of the entries and columns.
        EXPECT_DOUBLE_EQ(r["gflops"], 1e-9 * 2 * 5 * r["entries"].get<double>() / r["seconds"].get<double>());
        ++ours[r["format"].get<std::string>() + " " + r["mode"].get<std::string>()];
    }
    for (auto const* name : {"hisparse plan", "hisparse by columns plan", "hisparse oneshot"}) EXPECT_EQ(ours[name], 2);
    EXPECT_EQ(bench({"poisson2d:20", "--columns", "257"}).status, 1);
    EXPECT_EQ(bench({"poisson2d:20", "--columns", "5", "--type", "mixed"}).status, 1);
}

TEST_F(bench_test, goes_on_without_a_format_that_refuses_the_matrix) {
    auto const o = bench({"rmat:13,16", "--repeat", "1", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_NE(o.err.find("sellp takes no part in the products of rmat:13,16: sellp: padding"), std::string::npos)
        << o.err;
    EXPECT_NE(o.err.find("sellp takes no part in the one-shot products of rmat:13,16: "), std::string::npos) << o.err;
    // Sorted within 1,024 rows, too, where slices have 8 rows (AVX-512), not where they have 4.
    bool const sorted = o.err.find("sellp-sorted takes no part") == std::string::npos;
    EXPECT_EQ(with_op(lines(o.out), {"note"}).size(), sorted ? 2u : 4u);
    auto const all = records();
    EXPECT_EQ(all.size(), sorted ? 25u : 21u);
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [](json const& r) { return r["format"] == "sellp-trimmed"; }), 2);
    for (auto const& r : all) EXPECT_EQ(r["tuned_format"].is_null(), r["mode"] != "plan");
}

TEST_F(bench_test, measures_both_types) {
    auto const o = bench({"dense:9", "--type", "both", "--repeat", "1", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(records().size(), 46u);
    EXPECT_EQ(with_op(lines(o.out), {"done"}).size(), 2u);
}

// Which other libraries take part depends on the machine; plain CSR is always there, and first.
TEST_F(bench_test, compares_additions_that_are_all_right) {
    auto const o =
        bench({"--add", "poisson2d:20", "rmat:8", "--type", "both", "--repeat", "2", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_GT(lines(o.out).front()["peers"].size(), 0u);
    std::vector<std::pair<bool, bool>> csr;
    for (auto const& r : records()) {
        EXPECT_EQ(r["op"], "add");
        EXPECT_LE(r["max_error"], 1) << r["format"];
        EXPECT_EQ(r["repeats"], 2);
        EXPECT_EQ(r["matrix_b"], "moved:10,1," + r["matrix"].get<std::string>());
        EXPECT_GT(r["result_entries"], r["entries"]);
        EXPECT_GT(r["result_bytes"], 0);
        std::int64_t const both = r["bytes"].get<std::int64_t>() + r["result_bytes"].get<std::int64_t>();
        if (r["mode"] == "plan") {  // values only
            std::int64_t const values = r["entries"].get<std::int64_t>() + r["result_entries"].get<std::int64_t>();
            EXPECT_GT(r["moved_bytes"], values * (r["type"] == "float" ? 4 : 8));
            EXPECT_LT(r["moved_bytes"], both);
            EXPECT_GT(r["plan_seconds"], 0);
        } else {
            EXPECT_EQ(r["moved_bytes"], both);
        }
        EXPECT_DOUBLE_EQ(r["fraction_of_ceiling"],
                         r["gbytes_per_second"].get<double>() / r["triad_gbytes_per_second"].get<double>());
        if (r["format"] != "csr") continue;
        EXPECT_EQ(r["threads"], 2);
        csr.emplace_back(r["transpose"], r["transpose_b"]);
    }
    std::vector<std::pair<bool, bool>> expected;
    for (int run = 0; run < 4; ++run) expected.insert(expected.end(), {{false, false}, {true, true}, {false, true}});
    EXPECT_EQ(csr, expected);
    EXPECT_EQ(records()[0]["format"], "hisparse");
    EXPECT_EQ(records()[0]["mode"], "oneshot");
    EXPECT_EQ(records()[1]["format"], "hisparse");
    EXPECT_EQ(records()[1]["mode"], "plan");
    EXPECT_EQ(records()[2]["format"], "csr");
}

TEST_F(bench_test, a_wide_matrix_is_not_added_to_a_transpose) {
    auto const o = bench({"--add", "lp:20,90", "--threads", "1", "--repeat", "1", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    for (auto const& r : records()) {
        EXPECT_EQ(r["transpose"], r["transpose_b"]);
        EXPECT_EQ(r["threads"], 1);
    }
    EXPECT_EQ(records().size() % 2, 0u);
    EXPECT_GT(records().size(), 0u);
}

// Which other libraries take part depends on the machine.
TEST_F(bench_test, compares_products_with_other_libraries) {
    auto const o = bench({"--peers", "poisson2d:20", "lp:20,90", "--type", "both", "--repeat", "1"});
    EXPECT_EQ(o.status, 0) << o.err;
    auto const all = lines(o.out);
    for (auto const& p : all.front()["peers"]) EXPECT_EQ(p["version"].is_null(), p["absence"].is_string()) << p;
    EXPECT_EQ(all.front()["peers"].size(), 5u);
    auto const found = with_op(all, {"spmv"});
    EXPECT_GE(found.size(), 20u);
    for (auto const& r : found) {
        EXPECT_LE(r["max_error"], 1) << r["format"];
        bool const is_serial =
            r["format"] == "petsc" || r["format"] == "eigen-symmetric" || (r["format"] == "eigen" && r["transpose"]);
        EXPECT_EQ(r["threads"], is_serial ? 1 : 2) << r["format"];
        EXPECT_EQ(r["mode"] == "oneshot", r["plan_seconds"].is_null()) << r["format"];
        EXPECT_GT(r["entries_per_block"], 0);
    }
}

// Values of rmat are no floats: every competitor has to multiply those that a float has.
TEST_F(bench_test, products_of_a_float_matrix_with_double_vectors) {
    auto const o = bench({"rmat:8,4", "--type", "mixed", "--repeat", "1", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    auto const all = records();
    ASSERT_GE(all.size(), 5u);
    std::map<std::string, std::int64_t> bytes;
    for (auto const& r : all) {
        EXPECT_EQ(r["type"], "mixed");
        EXPECT_LE(r["max_error"], 1) << r["format"];
        if (r["on"] == "cpu") bytes[r["format"]] = r["bytes"];
    }
    EXPECT_LT(bytes["hisparse"], bytes["csr"]) << "the tree holds floats, CSR doubles";
}

TEST_F(bench_test, mixed_is_for_products) {
    for (auto const* mode : {"--add", "--sizes", "--papers", "--tune"}) {
        auto const o = bench({mode, "--type", "mixed"});
        EXPECT_NE(o.status, 0);
        EXPECT_NE(o.err.find("--type mixed is for products"), std::string::npos) << o.err;
    }
}

TEST_F(bench_test, goes_on_without_mkl_and_says_why) {
    write("libmkl_rt.so.2", "no library");
    auto const o =
        run_program("env", {"COPSE_MKL=.", COPSE_BENCH_COMMAND, "--peers", "dense:9", "--quick", "--triad", "1"});
    EXPECT_EQ(o.status, 0) << o.err;
    auto const mkl = lines(o.out).front()["peers"].back();
    EXPECT_TRUE(mkl["version"].is_null());
    EXPECT_EQ(mkl["absence"].get<std::string>().rfind("MKL (./libmkl_rt.so.2: ", 0), 0u) << mkl;
    for (auto const& r : with_op(lines(o.out), {"spmv"})) EXPECT_NE(r["format"], "mkl");
}

TEST_F(bench_test, sizes_of_a_dense_leaf) {
    auto const o = bench({"--sizes", "dense:128", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    ASSERT_EQ(records().size(), 2u);
    auto const wide = records()[0], narrow = records()[1];
    EXPECT_EQ(wide["type"], "double");
    EXPECT_EQ(narrow["type"], "float");
    EXPECT_EQ(narrow["op"], "sizes");
    EXPECT_EQ(narrow["entries_per_row"], 128);
    EXPECT_EQ(narrow["csr_bytes_in_memory"], 128 * 128 * 8 + 129 * 8);
    auto const tree = narrow["formats"][3];
    EXPECT_EQ(tree["node_dimension"], 128);
    EXPECT_EQ(tree["bytes_per_entry"], 4);
    EXPECT_EQ(tree["entries_per_block"], 128 * 128);
    EXPECT_EQ(narrow["formats"][2]["entries_per_block"], 64 * 64);
    EXPECT_EQ(wide["formats"][3]["bytes_per_entry"], 8);
    for (auto const& goal : narrow["goals"]) EXPECT_EQ(goal["met"], true) << goal;
    EXPECT_EQ(narrow["goals"].size(), 2u);
}

TEST_F(bench_test, sizes_of_a_folder_and_a_goal_that_is_missed) {
    std::filesystem::create_directory(folder_ / "work" / "m");
    write("m/thin.mtx", "%%MatrixMarket matrix coordinate real general\n3 100 3\n1 1 1\n1 100 2\n3 1 3\n");
    write("m/empty.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n");
    write("m/notes.txt", "no matrix");
    auto const o = bench({"--sizes", "m", "--node-dimension", "64", "--type", "float", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    ASSERT_EQ(records().size(), 2u);
    EXPECT_EQ(records()[0]["matrix"], "m/empty.mtx");
    EXPECT_EQ(records()[0]["goals"], json::array());
    // A wide leaf for two blocks: 16 + 4 (4 + 4) bytes. One leaf of 128 x 128: 4 (4 + 2), rounded up to 32.
    auto const thin = records()[1];
    EXPECT_EQ(thin["formats"][2]["bytes"], 48);
    EXPECT_EQ(thin["formats"][2]["entries_per_block"], 1.5);
    ASSERT_EQ(thin["goals"].size(), 1u);
    EXPECT_EQ(thin["goals"][0]["goal"], "hyper-sparse");
    EXPECT_EQ(thin["goals"][0]["met"], false);
    EXPECT_EQ(thin["goals"][0]["met_with_node_dimensions"], (json{128, 256}));
    ASSERT_EQ(thin["levels"].size(), 1u);
    EXPECT_EQ(thin["levels"][0]["kind"], "wide");
    EXPECT_EQ(thin["levels"][0]["entries"], 3);
}

TEST_F(bench_test, goals_of_a_stencil) {
    auto const o = bench({"--sizes", "poisson2d:128", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    ASSERT_EQ(records().size(), 2u);
    for (auto const& r : records()) {
        ASSERT_FALSE(r["goals"].empty());
        auto const& goal = r["goals"].back();
        EXPECT_EQ(goal["goal"], "stencil");
        EXPECT_EQ(goal["limit_bytes_per_entry"], r["type"] == "float" ? 4.3 : 8.2);
        EXPECT_EQ(goal["met"], r["formats"][3]["bytes_per_entry"] <= goal["limit_bytes_per_entry"]);
    }
}

TEST_F(bench_test, papers_take_a_matrix_from_a_folder_and_stand_ins_for_the_others) {
    std::filesystem::create_directory(folder_ / "work" / "m");
    write("m/cage10.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n1 3 2\n2 2 3\n3 1 4\n");
    auto const o = bench({"--papers", "--quick", "m", "--type", "float", "--repeat", "1", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    auto const all = lines(o.out);
    EXPECT_EQ(with_op(all, {"paper-matrix"}).size(), 6u);
    for (auto const* op : {"scenario", "cmrs-model", "sigma"}) EXPECT_FALSE(with_op(all, {op}).empty()) << op;
    EXPECT_EQ(with_op(all, {"note"}).size(), 3u);  // SELL-P would pad too much
    std::int64_t of_file = 0, of_stand_in = 0;
    for (auto const& r : with_op(all, {"spmv"})) {
        EXPECT_EQ(r["type"], "float");
        EXPECT_LE(r["max_error"], 1) << r["matrix"] << r["format"];
        of_file += r["matrix"] == "m/cage10.mtx" && r["entries"] == 4 ? 1 : 0;
        of_stand_in += r["matrix"] == "dc2 (stand-in)" && r["entries"] == 766'396 ? 1 : 0;
    }
    EXPECT_EQ(of_file, 4);      // csr, csr5, sellp, cmrs
    EXPECT_EQ(of_stand_in, 3);  // SELL-P would pad too much
}

TEST_F(bench_test, a_file_of_the_papers_that_cannot_be_read_is_a_failure) {
    std::filesystem::create_directory(folder_ / "work" / "m");
    write("m/cage10.mtx", "no matrix\n");
    auto const o = bench({"--papers", "--quick", "m", "--repeat", "1"});
    EXPECT_EQ(o.status, 1);
    EXPECT_NE(o.err.find("copse_bench: error: m/cage10.mtx"), std::string::npos) << o.err;
    EXPECT_NE(o.out.find("TREFETHEN_20000"), std::string::npos) << o.out;
}

TEST_F(bench_test, sizes_of_the_flat_formats_are_tried) {
    auto const o = bench({"--tune", "poisson2d:20", "--quick", "--type", "both", "--json", "records.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    std::map<std::string, int> defaults;
    for (auto const& r : records()) {
        EXPECT_GT(r["noise"], 0);
        if (r["default"] != true) continue;
        EXPECT_EQ(r["relative_seconds"], 1);
        EXPECT_EQ(r["rows"], 400);
        EXPECT_EQ(r["entries"], 1920);
        ++defaults[r["format"]];
    }
    EXPECT_EQ(defaults, (std::map<std::string, int>{{"csr5", 2}, {"sellp", 2}, {"cmrs", 2}}));
    EXPECT_EQ(bench({"--tune", "none.mtx", "--quick"}).status, 1);
}

TEST_F(bench_test, sizes_on_the_gpu_alone_need_one) {
    auto const o = bench({"--tune", "--gpu", "poisson2d:20", "--repeat", "1"});
    std::string why;
    if (copse::gpu::usable(&why)) {
        EXPECT_EQ(o.status, 0) << o.err;
        for (auto const& r : with_op(lines(o.out), {"tune"})) EXPECT_EQ(r["on"], "gpu");
    } else {
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.err.rfind("copse_bench: error: --gpu: " + why, 0), 0u) << o.err;
    }
}

TEST_F(bench_test, a_bad_matrix_does_not_keep_others_from_it) {
    auto const o = bench({"none.mtx", "dense:9", "--repeat", "1", "--json", "records.json"});
    EXPECT_EQ(o.status, 1);
    EXPECT_NE(o.err.find("copse_bench: error: cannot read 'none.mtx'"), std::string::npos) << o.err;
    EXPECT_EQ(records().size(), 23u);
}

TEST_F(bench_test, bad_arguments_are_one_line) {
    for (auto const& arguments : std::vector<std::vector<std::string>>{{"--fast"},
                                                                       {"--sizes", "--add"},
                                                                       {"--sizes", "--peers"},
                                                                       {"--papers", "--tune"},
                                                                       {"--papers", "--peers"},
                                                                       {"--papers", "--sizes"},
                                                                       {"--papers", "nowhere"},
                                                                       {"--papers", "a", "b"},
                                                                       {"--papers", "--json", "nowhere/r.json"},
                                                                       {"--tune", "--add"},
                                                                       {"--gpu"},
                                                                       {"--report", "r"},
                                                                       {"--sizes", "."},
                                                                       {"--repeat", "0"},
                                                                       {"--type", "half"},
                                                                       {"--json", "nowhere/r.json"},
                                                                       {"--threads", "x"}}) {
        auto const o = bench(arguments);
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.out, "");
        EXPECT_EQ(o.err.rfind("copse_bench: error: ", 0), 0u) << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
}

}  // namespace
}  // namespace copse_test
