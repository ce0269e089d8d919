// copse spmv: right results, in files and in JSON.
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.hpp"

namespace copse_test {
namespace {

using nlohmann::json;

// 1 2 0
// 0 0 3
char const* const small_matrix =
    "%%MatrixMarket matrix coordinate real general\n"
    "2 3 3\n"
    "1 1 1\n"
    "1 2 2\n"
    "2 3 3\n";

class spmv_test : public command_test {
  protected:
    spmv_test() { write("A.mtx", small_matrix); }

    /// What `copse spmv A.mtx -o y.mtx` and these arguments write.
    std::string result(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"spmv", "A.mtx", "-o", "y.mtx"});
        auto const o = run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        EXPECT_EQ(o.err, "");
        return read("y.mtx");
    }
    /// The object that `copse spmv --json` and these arguments print, alone on one line.
    json record(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"spmv", "--json"});
        auto const o = run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        EXPECT_EQ(o.err, "");
        EXPECT_EQ(o.out.find('\n'), o.out.size() - 1);
        return json::parse(o.out);
    }
};

std::string vector_file(std::string const& lines) {
    auto const size = std::count(lines.begin(), lines.end(), '\n');
    return "%%MatrixMarket matrix array real general\n" + std::to_string(size) + " 1\n" + lines;
}

TEST_F(spmv_test, x_is_ones_and_y_zeros_unless_given) {
    EXPECT_EQ(result({}), vector_file("3\n3\n"));
    EXPECT_EQ(result({"--transpose"}), vector_file("1\n2\n3\n"));
    EXPECT_EQ(result({"--beta", "7"}), vector_file("3\n3\n"));
}

TEST_F(spmv_test, alpha_and_beta_scale) {
    write("x.mtx", vector_file("1\n10\n100\n"));
    write("y.mtx", vector_file("4\n8\n"));
    EXPECT_EQ(result({"--x", "x.mtx", "--y", "y.mtx", "--alpha", "-2", "--beta", "0.5"}), vector_file("-40\n-596\n"));
}

TEST_F(spmv_test, transposed_with_vectors) {
    write("x.mtx", vector_file("10\n100\n"));
    write("z.mtx", vector_file("1\n2\n3\n"));
    EXPECT_EQ(result({"--transpose", "--x", "x.mtx", "--y", "z.mtx", "--beta", "-1"}), vector_file("9\n18\n297\n"));
}

TEST_F(spmv_test, y_is_not_read_when_beta_is_zero) {
    write("y.mtx", vector_file("nan\ninf\n"));
    EXPECT_EQ(result({"--y", "y.mtx"}), vector_file("3\n3\n"));
}

TEST_F(spmv_test, factors_that_are_not_finite_meet_whole_sums) {
    write("A.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 2\n1 1 2\n3 2 -1\n");
    write("y.mtx", vector_file("1\n0\n-1\n"));
    for (auto const* format : {"hisparse", "csr", "csr5", "sellp", "cmrs"})
        for (std::string const mode : {"oneshot", "plan"}) {
            std::vector<std::string> const way{"--format", format, "--mode", mode};
            auto const lines = [&](std::vector<std::string> arguments) {
                arguments.insert(arguments.end(), way.begin(), way.end());
                std::string text = result(arguments);
                for (std::size_t at; (at = text.find("-nan")) != std::string::npos;) text.erase(at, 1);
                return text;
            };
            EXPECT_EQ(lines({"--alpha=inf"}), vector_file("inf\nnan\n-inf\n")) << format << ' ' << mode;
            EXPECT_EQ(lines({"--alpha=nan", "--type=float"}), vector_file("nan\nnan\nnan\n")) << format << ' ' << mode;
            EXPECT_EQ(lines({"--alpha=-inf", "--transpose", "--on=emulated"}), vector_file("-inf\ninf\n"))
                << format << ' ' << mode;
            write("y.mtx", vector_file("1\n0\n-1\n"));
            EXPECT_EQ(lines({"--beta=inf", "--y", "y.mtx"}), vector_file("inf\nnan\n-inf\n")) << format << ' ' << mode;
        }
}

TEST_F(spmv_test, infinite_factors_of_sums_that_are_zero_but_for_rounding) {
    // 0.1 + 0.4 - 0.5 is 0 in double, and more than 0 in long double: with alpha = inf NaN and Inf, both of them right.
    write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 4\n1 1 0.1\n1 2 0.4\n1 3 -0.5\n2 2 -1\n");
    for (auto const* format : {"hisparse", "csr", "csr5", "sellp", "cmrs"}) {
        auto const o = run({"spmv", "A.mtx", "--alpha=inf", "--format", format});
        EXPECT_EQ(o.status, 0) << format << ": " << o.err;
    }
}

TEST_F(spmv_test, every_way_gives_the_same) {
    for (auto const* way : {"--format=csr", "--format=csr5", "--format=sellp", "--format=cmrs", "--type=float",
                            "--on=cpu", "--on=emulated", "--threads=1", "--threads=3", "--node-dimension=64",
                            "--node-dimension=256", "--repeat=0", "--mode=oneshot", "--mode=plan"}) {
        EXPECT_EQ(result({way}), vector_file("3\n3\n")) << way;
        EXPECT_EQ(result({way, "--transpose"}), vector_file("1\n2\n3\n")) << way;
    }
}

/// One leaf of 64 entries: each of 32 lanes loads two columns, two values and two rows by one load each, and two
/// elements of x one by one; 64 sums are added in bulk.
TEST_F(spmv_test, emulated_counts_accesses) {
    for (auto const* seed : {"0", "5"}) {
        auto const r = record({"permutation:64", "--on", "emulated", "--profile", "--seed", seed});
        auto const& profile = r["profile"];
        EXPECT_EQ(profile["calibrated"], false);
        ASSERT_EQ(profile["queues"].size(), 1u);
        EXPECT_EQ(profile["queues"][0]["bytes"], 64 * (1 + 8 + 1 + 8) + 64 * 8);
        int loads = 0, requests = 0, bytes = 0, added = 0;
        for (auto const& line : profile["lines"]) {
            EXPECT_EQ(line["task"], profile["queues"][0]["task"]);
            if (line["access"] == "atomic") added += line["bytes"].get<int>();
            if (line["access"] != "load") continue;
            EXPECT_EQ(line["idle_lanes"], 0);
            loads += line["lane_accesses"].get<int>();
            requests += line["requests"].get<int>();
            bytes += line["bytes"].get<int>();
        }
        EXPECT_EQ(loads, 3 * 32 + 64);
        EXPECT_EQ(requests, 3 + 2);
        EXPECT_EQ(bytes, 64 * (1 + 8 + 1 + 8));
        EXPECT_EQ(added, 64 * 8);
    }
    EXPECT_FALSE(record({"permutation:64", "--on", "emulated"}).contains("profile"));
    auto const text = run({"spmv", "permutation:64", "--on", "emulated", "--profile"}).out;
    EXPECT_NE(text.find("uncalibrated"), text.npos) << text;
}

TEST_F(spmv_test, emulated_takes_every_controller_and_a_seed) {
    for (auto const* controller : {"device", "persistent", "host"}) {
        auto const r = record({"poisson2d:5", "--on", "emulated", "--controller", controller, "--seed", "7"});
        EXPECT_EQ(r["on"], "emulated");
        EXPECT_EQ(r["controller"], controller);
        EXPECT_LE(r["max_error"], 1);
    }
}

TEST_F(spmv_test, json_has_every_field_with_its_type) {
    auto const r = record({"A.mtx", "--on", "cpu", "--threads", "2", "--repeat", "3", "--transpose"});
    EXPECT_EQ(r["op"], "spmv");
    EXPECT_EQ(r["transpose"], true);
    EXPECT_EQ(r["matrix"], "A.mtx");
    EXPECT_EQ(r["format"], "hisparse");
    EXPECT_EQ(r["on"], "cpu");
    EXPECT_TRUE(r.at("controller").is_null());
    EXPECT_EQ(r["type"], "double");
    EXPECT_EQ(r["threads"], 2);
    EXPECT_EQ(r["rows"], 2);
    EXPECT_EQ(r["cols"], 3);
    EXPECT_EQ(r["entries"], 3);
    EXPECT_TRUE(r.at("plan_seconds").is_null());
    EXPECT_EQ(r["mode"], "oneshot");
    EXPECT_EQ(r["repeats"], 3);
    for (auto const* field : {"bytes", "moved_bytes"}) EXPECT_TRUE(r.at(field).is_number_integer()) << field;
    for (auto const* field : {"convert_seconds", "seconds", "first_seconds", "gflops", "gbytes_per_second",
                              "csr_gbytes_per_second", "max_error", "min_seconds", "max_seconds", "spread"}) {
        EXPECT_TRUE(r.at(field).is_number_float()) << field;
    }
}

TEST_F(spmv_test, every_format_has_every_executor_and_mode) {
    for (auto const* format : {"hisparse", "csr", "csr5", "sellp", "cmrs"})
        for (auto const* on : {"cpu", "emulated"})
            for (auto const* mode : {"oneshot", "plan"})
                for (auto const* direction : {"--repeat=1", "--transpose"}) {
                    auto const r = record({"rmat:7", "--format", format, "--on", on, "--mode", mode, direction});
                    EXPECT_EQ(r["format"], format);
                    EXPECT_EQ(r["on"], on);
                    EXPECT_EQ(r["mode"], mode);
                    EXPECT_LE(r["max_error"], 1) << format << " " << on << " " << mode << " " << direction;
                    EXPECT_EQ(r["plan_seconds"].is_null(), std::string(mode) == "oneshot");
                }
}

TEST_F(spmv_test, auto_takes_a_format_by_the_rule) {
    auto const taken = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--format", "auto", "--on", "cpu", "--repeat", "0"});
        return record(arguments)["format"].get<std::string>();
    };
    EXPECT_EQ(taken({"poisson2d:20"}), "sellp");
    EXPECT_EQ(taken({"poisson2d:20", "--transpose"}), "sellp");
    EXPECT_EQ(taken({"dense:100", "--transpose"}), "hisparse");
    EXPECT_EQ(taken({"dense:100", "--mode", "plan", "--node-dimension", "64"}), "hisparse");
    EXPECT_EQ(taken({"poisson3d:20", "--mode", "plan", "--node-dimension", "64"}), "hisparse");
    EXPECT_EQ(taken({"banded:500,2", "--mode", "plan"}), "sellp");
    EXPECT_EQ(taken({"circuit:3000"}), "csr5");
    EXPECT_EQ(taken({"rmat:9", "--transpose"}), "cmrs");
    EXPECT_EQ(taken({"lp:200,5000", "--mode", "plan", "--transpose"}), "sellp-sorted");
    EXPECT_EQ(taken({"lp:200,5000", "--mode", "plan", "--transpose", "--type", "float"}), "sellp-sorted");
    EXPECT_NE(
        run({"spmv", "poisson2d:20", "--format", "auto"}).out.find("sellp: neighbouring rows are alike in length"),
        std::string::npos);
    EXPECT_NE(run({"convert", "banded:500,2", "--format", "auto"}).out.find("in sellp on"), std::string::npos);
}

TEST_F(spmv_test, auto_takes_other_formats_with_many_lanes) {
    auto const taken = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--format", "auto", "--on", "emulated", "--repeat", "0"});
        return record(arguments)["format"];
    };
    for (auto const* mode : {"oneshot", "plan"}) {
        EXPECT_EQ(taken({"stencil27:5", "--mode", mode}), "sellp");
        EXPECT_EQ(taken({"lp:20,500", "--mode", mode}), "csr5");
    }
    EXPECT_EQ(taken({"lp:20,500", "--mode", "plan", "--transpose"}), "sellp");
    EXPECT_NE(run({"convert", "lp:20,500", "--format", "auto", "--on", "emulated"}).out.find("in csr5 on"),
              std::string::npos);
}

TEST_F(spmv_test, auto_takes_hisparse_where_sellp_refuses) {
    // Short rows, but one in each slice is six times as long as the others.
    std::string entries;
    int const rows = 60000, period = 16, length = 12;
    int count = 0;
    for (int row = 1; row <= rows; ++row)
        for (int k = 1; k <= (row % period == 0 ? length : 2); ++k, ++count)
            entries += std::to_string(row) + ' ' + std::to_string(k) + " 1\n";
    write("uneven.mtx",
          "%%MatrixMarket matrix coordinate real general\n60000 20 " + std::to_string(count) + '\n' + entries);
    std::vector<std::string> const turned{"uneven.mtx", "--format", "auto", "--transpose",
                                          "--repeat",   "0",        "--on", "cpu"};
    EXPECT_EQ(record(turned)["format"], "hisparse");
    auto const text = run({"spmv", "uneven.mtx", "--format", "auto", "--transpose", "--repeat", "0"}).out;
    EXPECT_NE(text.find("too much padding in SELL-P"), std::string::npos) << text;
    EXPECT_NE(run({"convert", "uneven.mtx", "--format", "auto"}).out.find("in csr5 on"), std::string::npos);
    EXPECT_NE(run({"convert", "uneven.mtx", "--format", "auto", "--on", "emulated"}).out.find("in csr5 on"),
              std::string::npos);
}

TEST_F(spmv_test, a_trial_finds_a_format) {
    for (auto const* direction : {"--alpha=1", "--transpose"}) {
        auto const r = record({"rmat:9", "--tune", "1000", direction, "--repeat", "2", "--on", "cpu"});
        EXPECT_EQ(r["mode"], "plan");
        EXPECT_LE(r["max_error"], 1);
        EXPECT_GT(r["tune_seconds"], 0);
        // What it found can be given back.
        auto const again = record({"rmat:9", "--mode", "plan", "--format", r["format"].get<std::string>(), direction,
                                   "--repeat", "0", "--on", "cpu"});
        EXPECT_EQ(again["format"], r["format"]);
    }
    EXPECT_EQ(record({"rmat:7", "--mode", "plan", "--format", "sellp-trimmed", "--on", "emulated"})["format"],
              "sellp-trimmed");
    EXPECT_NE(run({"spmv", "rmat:9", "--tune", "100"}).out.find("by a trial for 100 products"), std::string::npos);
    auto const refused = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"spmv", "rmat:5"});
        return run(arguments).err;
    };
    EXPECT_NE(refused({"--tune", "9", "--format", "csr"}).find("--tune finds a format, --format names one"),
              std::string::npos);
    EXPECT_NE(refused({"--tune", "9", "--mode", "oneshot"}).find("leave out --mode"), std::string::npos);
    EXPECT_NE(refused({"--format", "sellp-sorted"}).find("add --mode plan"), std::string::npos);
    EXPECT_NE(refused({"--tune", "9", "--values", "once"}).find("--values belongs to --format hisparse"),
              std::string::npos);
    EXPECT_NE(refused({"--tune", "0"}).find("--tune"), std::string::npos);
}

TEST_F(spmv_test, a_plan_says_what_it_cost) {
    auto const r = record({"poisson2d:30", "--on", "cpu", "--mode", "plan"});
    EXPECT_EQ(r["mode"], "plan");
    EXPECT_GT(r["plan_seconds"], 0);
    EXPECT_GT(r["bytes"], record({"poisson2d:30", "--on", "cpu"})["bytes"]);
    EXPECT_EQ(record({"poisson2d:5", "--on", "emulated", "--mode", "plan", "--transpose"})["on"], "emulated");
    EXPECT_NE(run({"spmv", "poisson2d:30", "--mode", "plan"}).out.find("planned in"), std::string::npos);
    // Made with its matrix: one time for both.
    auto const tuned = run({"spmv", "poisson2d:30", "--mode", "plan", "--format", "sellp-sorted"}).out;
    EXPECT_NE(tuned.find("; converted and planned in"), std::string::npos) << tuned;
}

TEST_F(spmv_test, what_is_stored_once_takes_fewer_bytes) {
    for (std::string const mode : {"oneshot", "plan"}) {
        auto const bytes = [&](std::string const& option, std::string const& value) {
            auto const o = run({"spmv", "poisson2d:200", "--on", "cpu", "--mode", mode, option, value, "--json"});
            EXPECT_EQ(o.status, 0) << o.err;
            return json::parse(o.out)["bytes"].get<std::int64_t>();
        };
        EXPECT_LT(2 * bytes("--values", "once"), bytes("--values", "each")) << mode;
        EXPECT_LT(10 * bytes("--share", "transposed"), 9 * bytes("--share", "nothing")) << mode;
        EXPECT_LT(bytes("--share", "both"), bytes("--share", "transposed")) << mode;
        EXPECT_LT(bytes("--share", "identical"), bytes("--share", "nothing")) << mode;
    }
}

TEST_F(spmv_test, memory_at_most_is_that_of_a_product) {
    for (auto const* format : {"hisparse", "csr", "csr5"})
        for (auto const* on : {"cpu", "emulated"}) {
            auto const r = record({"poisson2d:60", "--format", format, "--on", on, "--memory", "--transpose"});
            if (r.at("peak_bytes").is_null()) GTEST_SKIP() << "this system does not count memory";
            EXPECT_GE(r.at("peak_bytes"), 0) << format << " " << on;
            EXPECT_LE(r.at("peak_bytes"), 64 << 20) << format << " " << on;
        }
    EXPECT_FALSE(record({"A.mtx"}).contains("peak_bytes"));
    EXPECT_NE(run({"spmv", "A.mtx", "--memory"}).out.find("memory at most  "), std::string::npos);
    EXPECT_EQ(run({"spmv", "A.mtx"}).out.find("memory"), std::string::npos);
}

TEST_F(spmv_test, json_speeds_follow_from_bytes_and_seconds) {
    auto const r = record({"poisson2d:30", "--format", "csr", "--type", "float", "--beta", "2"});
    double const seconds = r["seconds"];
    std::int64_t const entries = 5 * 900 - 4 * 30;
    std::int64_t const vectors = 3 * 900 * 4;  // x, and y read and written
    EXPECT_EQ(r["entries"], entries);
    EXPECT_EQ(r["bytes"], entries * 8 + 901 * 8);
    EXPECT_EQ(r["moved_bytes"], entries * 8 + 901 * 8 + vectors);
    EXPECT_DOUBLE_EQ(r["gflops"], 2e-9 * static_cast<double>(entries) / seconds);
    EXPECT_DOUBLE_EQ(r["gbytes_per_second"], 1e-9 * static_cast<double>(entries * 8 + 901 * 8 + vectors) / seconds);
    EXPECT_DOUBLE_EQ(r["csr_gbytes_per_second"], 1e-9 * static_cast<double>(entries * 8 + 901 * 4 + vectors) / seconds);
    EXPECT_TRUE(r["node_dimension"].is_null());
}

TEST_F(spmv_test, auto_takes_the_cpu_where_no_gpu_is_and_says_so) {
    EXPECT_EQ(record({"A.mtx"})["on"], "cpu");
    EXPECT_EQ(record({"A.mtx", "--on", "auto", "--controller", "host"})["on"], "cpu");
    auto const o = run({"spmv", "A.mtx"});
    EXPECT_NE(o.out.find("taken by auto: no GPU can be used"), std::string::npos) << o.out;
    EXPECT_EQ(o.out.find("copse::cpu"), std::string::npos) << o.out;
    EXPECT_NE(run({"spmv", "A.mtx", "--on", "gpu"}).err.find("--on cpu"), std::string::npos);
    EXPECT_EQ(run({"spmv", "A.mtx", "--on", "cpu"}).out.find("auto"), std::string::npos);
}

TEST_F(spmv_test, table_shows_the_result_is_right) {
    auto const o = run({"spmv", "A.mtx", "--repeat", "2"});
    for (auto const* part : {"2 x 3, 3 entries, double", "hisparse with d = 128", "first run", "median of 2", "right"})
        EXPECT_NE(o.out.find(part), std::string::npos) << o.out;
}

TEST_F(spmv_test, takes_the_name_of_a_generator) {
    auto const r = record({"stencil27:5"});
    EXPECT_EQ(r["matrix"], "stencil27:5");
    EXPECT_EQ(r["rows"], 125);
}

TEST_F(spmv_test, empty_matrices) {
    write("none.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
    write("zero.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n");
    for (auto const* on : {"cpu", "emulated"}) {
        auto const r = record({"none.mtx", "--on", on});
        EXPECT_EQ(r["entries"], 0);
        EXPECT_EQ(r["max_error"], 0);
        EXPECT_EQ(run({"spmv", "zero.mtx", "--on", on, "-o", "y.mtx"}).status, 0);
        EXPECT_EQ(read("y.mtx"), vector_file("0\n0\n"));
    }
}

}  // namespace
}  // namespace copse_test
