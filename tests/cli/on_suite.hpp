// copse spmv, add and convert --on each executor: right, and JSON says where. Skipped for a GPU that is not there.
#pragma once

#include <copse/runtime/gpu.hpp>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"

namespace copse_test {

using nlohmann::json;

class on_test : public command_test, public testing::WithParamInterface<std::string> {
  protected:
    void SetUp() override {
        std::string why;
        if (GetParam() == "gpu" && !copse::gpu::usable(&why)) GTEST_SKIP() << why;
    }

    std::vector<std::string> controllers() const {
        return GetParam() == "cpu" ? std::vector<std::string>{}
                                   : std::vector<std::string>{"persistent", "host", "device"};
    }

    /// The object that `copse` prints with these arguments, --json and --on. It says where that was.
    json record(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--json", "--on", GetParam()});
        auto const o = run_with_gpus(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        EXPECT_EQ(o.err, "");
        auto const r = json::parse(o.out, nullptr, false);
        EXPECT_TRUE(r.is_object()) << o.out;
        EXPECT_EQ(r.value("on", ""), GetParam());
        return r;
    }
    static void expect_measured(json const& r) {
        EXPECT_LE(r.at("max_error"), 1);
        EXPECT_EQ(r.at("repeats"), 2);
        for (auto const* field : {"convert_seconds", "seconds", "first_seconds", "min_seconds", "max_seconds", "gflops",
                                  "gbytes_per_second", "csr_gbytes_per_second"})
            EXPECT_GT(r.at(field), 0) << field;
    }
};

TEST_P(on_test, spmv) {
    auto const shape = [](json const& r) {
        EXPECT_EQ(r.at("op"), "spmv");
        EXPECT_EQ(r.at("rows"), 144);
        EXPECT_EQ(r.at("cols"), 144);
        EXPECT_EQ(r.at("entries"), 5 * 144 - 4 * 12);
        expect_measured(r);
    };
    for (auto const& controller : controllers()) {
        auto const r = record({"spmv", "poisson2d:12", "--transpose", "--repeat", "2", "--controller", controller});
        shape(r);
        EXPECT_EQ(r.at("controller"), controller);
        EXPECT_EQ(r.at("mode"), "oneshot");
    }
    for (auto const* format : {"hisparse", "csr5"}) {
        auto const r = record({"spmv", "poisson2d:12", "--repeat", "2", "--mode", "plan", "--format", format});
        shape(r);
        EXPECT_EQ(r.at("format"), format);
        EXPECT_GT(r.at("plan_seconds"), 0);
        EXPECT_EQ(r.at("controller").is_null(), controllers().empty());
    }
}

TEST_P(on_test, add) {
    auto const r = record({"add", "poisson2d:12", "uniform:144,3", "--transpose-b", "--repeat", "2"});
    EXPECT_EQ(r.at("op"), "add");
    EXPECT_EQ(r.at("matrix_b"), "uniform:144,3");
    EXPECT_EQ(r.at("transpose_b"), true);
    EXPECT_EQ(r.at("entries_b"), 3 * 144);
    EXPECT_GT(r.at("result_entries"), r.at("entries"));
    EXPECT_GT(r.at("result_bytes"), 0);
    EXPECT_GT(r.at("entries_per_second"), 0);
    expect_measured(r);
}

TEST_P(on_test, convert) {
    for (auto const* format : {"hisparse", "sellp"}) {
        auto const r = record({"convert", "poisson2d:12", "--format", format, "--check"});
        EXPECT_EQ(r.at("op"), "convert");
        EXPECT_EQ(r.at("format"), format);
        EXPECT_EQ(r.at("entries"), 5 * 144 - 4 * 12);
        bool const values_each = std::string_view(format) == "sellp";  // hisparse on a cpu stores the grid's two once
        EXPECT_GE(r.at("bytes"), (values_each ? 8 : 0) * r.at("entries").get<int>() + 1);
        EXPECT_EQ(r.at("checked"), true);
        for (auto const* field : {"convert_seconds", "back_seconds"}) EXPECT_GT(r.at(field), 0) << field;
    }
}

}  // namespace copse_test
