// What work took of two memories at most, with an executor that pretends to have a GPU's.
#include "cli/memory_peak.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/measurement.hpp"

namespace copse::measure {
namespace {

/// Counts as a gpu executor's pool does.
struct counting_executor {
    std::vector<std::string> calls;
    std::int64_t used = 0, most = 0, workspace = 0;

    void take(std::int64_t bytes) {
        used += bytes;
        most = std::max(most, used);
    }
    void release_workspace() {
        calls.emplace_back("release");
        used -= workspace;
        workspace = 0;
    }
    std::int64_t restart_peak() {
        calls.emplace_back("restart");
        most = 0;
        return used;
    }
    std::int64_t peak_bytes() { return std::max(most, used); }
};

TEST(memory_peak, of_a_device_is_of_the_work_alone) {
    counting_executor executor;
    executor.take(1000);
    executor.take(-900);
    executor.take(executor.workspace = 50);
    auto const most = memory_peak_of(executor, [&] {
        executor.take(executor.workspace = 70);
        executor.take(30);
        executor.take(-20);
    });
    EXPECT_EQ(executor.calls, (std::vector<std::string>{"release", "restart"}));
    EXPECT_EQ(most.device_bytes, 100);
    EXPECT_EQ(memory_peak_of(executor, [&] { executor.take(-10); }).device_bytes, 0);
}

TEST(memory_peak, of_an_executor_in_host_memory_has_no_device) {
    struct executor_of_the_host {
    } executor;
    int runs = 0;
    auto const most = memory_peak_of(executor, [&] { ++runs; });
    EXPECT_EQ(runs, 1);
    EXPECT_FALSE(most.device_bytes);
}

TEST(memory_peak, is_said_in_words) {
    EXPECT_EQ(peak_text({1000, std::nullopt}), "1.00 kB");
    EXPECT_EQ(peak_text({std::nullopt, std::nullopt}), "this system does not count it");
    EXPECT_EQ(peak_text({1000, 2'000'000}), "1.00 kB, of the GPU's 2.00 MB");
}

TEST(memory_peak, is_in_a_record_where_it_was_asked_for) {
    measurement m;
    EXPECT_FALSE(to_json(m).contains("peak_bytes"));
    m.memory = {1000, std::nullopt};
    EXPECT_EQ(to_json(m).at("peak_bytes"), 1000);
    EXPECT_FALSE(to_json(m).contains("device_peak_bytes"));
    m.memory = {std::nullopt, 2000};
    EXPECT_TRUE(to_json(m).at("peak_bytes").is_null());
    EXPECT_EQ(to_json(m).at("device_peak_bytes"), 2000);
}

}  // namespace
}  // namespace copse::measure
