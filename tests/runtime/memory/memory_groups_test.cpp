// Limits of control groups, in folders that look like the system's.
#include <gtest/gtest.h>

#include <copse/runtime/memory/memory_groups.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "formats/files/scratch_folder.hpp"

namespace {

class memory_groups : public testing::Test {
  protected:
    /// A file of the group, in its folder.
    void write(std::string const& name, std::string const& text) const {
        std::filesystem::create_directories(std::filesystem::path(folder_.path(name)).parent_path());
        folder_.file(name, text);
    }
    std::size_t left(std::string const& groups) const {
        auto const of_process = folder_.file("groups", groups);
        return copse::detail::left_of_memory_groups(of_process.c_str(), folder_.path("mounted").c_str());
    }

    scratch_folder const folder_;
};

TEST_F(memory_groups, of_version_2) {
    EXPECT_EQ(left("0::/job/step\n"), SIZE_MAX);
    write("mounted/job/step/memory.max", "max\n");
    write("mounted/job/step/memory.current", "300\n");
    EXPECT_EQ(left("0::/job/step\n"), SIZE_MAX);
    write("mounted/job/memory.max", "1000\n");
    write("mounted/job/memory.current", "700\n");
    EXPECT_EQ(left("0::/job/step\n"), 300u);
    write("mounted/job/memory.stat",
          "anon 500\nfile 200\nworkingset_active_file 9\ninactive_file 150\nactive_file 50\n");
    EXPECT_EQ(left("0::/job/step\n"), 500u);
    write("mounted/job/step/memory.max", "400\n");
    EXPECT_EQ(left("0::/job/step\n"), 100u);
    write("mounted/job/step/memory.current", "401\n");
    EXPECT_EQ(left("0::/job/step\n"), 0u);
    EXPECT_EQ(left("0::/job\n"), 500u);
    EXPECT_EQ(left("0::/\n"), SIZE_MAX);
}

TEST_F(memory_groups, of_version_1) {
    auto const groups = "9:name=systemd:/\n4:cpu,memory:/job\n1:cpu:/other\n0::/\n";
    EXPECT_EQ(left(groups), SIZE_MAX);
    write("mounted/memory/job/memory.limit_in_bytes", "1000\n");
    write("mounted/memory/job/memory.usage_in_bytes", "700\n");
    write("mounted/memory/job/memory.stat",
          "inactive_file 1\nactive_file 1\ntotal_inactive_file 100\ntotal_active_file 20\n");
    EXPECT_EQ(left(groups), 420u);
}

// The path is that of the host, where the container sees its own group at the top.
TEST_F(memory_groups, of_a_container) {
    write("mounted/memory.max", "1000\n");
    write("mounted/memory.current", "600\n");
    EXPECT_EQ(left("0::/docker/0123456789\n"), 400u);
    EXPECT_EQ(left("0::/\n"), 400u);
}

TEST_F(memory_groups, where_there_are_none) {
    EXPECT_EQ(left(""), SIZE_MAX);
    EXPECT_EQ(left("nonsense\n::\n"), SIZE_MAX);
    EXPECT_EQ(copse::detail::left_of_memory_groups("/nowhere/groups", "/nowhere"), SIZE_MAX);
}

}  // namespace
