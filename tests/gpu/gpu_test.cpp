// The gpu executor as plain C++ sees it: where there is no GPU it says why, where there is one it is made and has
// memory.
#include <gtest/gtest.h>

#include <copse/runtime/buffer.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/gpu.hpp>
#include <cstddef>
#include <memory>
#include <runtime/cpu/in_child.hpp>
#include <runtime/message_of.hpp>
#include <string>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

std::string message_of_construction(gpu_options const& options) {
    try {
        gpu const executor(options);
    } catch (cuda_error const& e) {
        return e.what();
    }
    return "";
}

TEST(gpu, is_made_exactly_where_it_says_that_it_can_be_used) {
    std::string why = "untouched";
    bool const usable = gpu::usable(&why);
    EXPECT_EQ(usable, why.empty()) << why;
    EXPECT_EQ(usable, gpu::usable());
    EXPECT_EQ(message_of_construction({}).find(why), 0) << why;
    EXPECT_EQ(message_of_construction({}).empty(), usable);
}

TEST(gpu, reason_says_what_to_do) {
    std::string why;
    if (gpu::usable(&why)) GTEST_SKIP() << "there is a GPU";
    EXPECT_EQ(why.find("no GPU can be used: "), 0) << why;
    EXPECT_NE(why.find_first_of(":;", 22), std::string::npos) << why;
    EXPECT_NE(message_of_construction({}).find("copse::cpu"), std::string::npos);
}

TEST(gpu, a_device_that_is_not_there_is_refused) {
    std::string why;
    EXPECT_FALSE(gpu::usable(&why, 1000));
    EXPECT_FALSE(why.empty());
    if (gpu::usable()) {
        EXPECT_NE(why.find("device 1000 was asked for"), std::string::npos) << why;
    }
    EXPECT_EQ(message_of_construction({.device = 1000}).find(why), 0);
    EXPECT_FALSE(gpu::usable(&why, -1));
    EXPECT_FALSE(why.empty());
}

TEST(gpu, memory_outlives_its_executor) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    std::vector<double> values(100000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 3;
    buffer<double> kept;
    {
        gpu const executor;
        EXPECT_GT(executor.properties().multiprocessor_count, 0);
        kept = buffer<double>(executor, values);
        EXPECT_EQ(buffer<double>(executor, std::int64_t{0}).data(), nullptr);
        EXPECT_EQ(executor.memory()->space(), memory_space::device);
    }
    EXPECT_EQ(kept.to_host(), values);
}

TEST(gpu, that_was_moved_from_says_so) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    auto const expect_refused = [](auto const& call) {
        EXPECT_EQ(message_of<argument_error>(call),
                  "gpu: this object was moved from; assign another one to it before its use");
    };
    std::vector<int> const values{7};
    gpu first;
    gpu second(std::move(first));
    EXPECT_EQ(buffer<int>(second, values).to_host(), values);
    expect_refused([&] { buffer<int>(first, values); });
    expect_refused([&] { first.memory(); });
    expect_refused([&] { first.temporary(); });
    expect_refused([&] { first.stream(); });
    expect_refused([&] { state_of(first); });
    expect_refused([&] { first.peak_bytes(); });
    expect_refused([&] { first.restart_peak(); });
    expect_refused([&] { first.release_workspace(); });
    std::swap(first, second);
    gpu& self = first;
    first = std::move(self);
    EXPECT_EQ(buffer<int>(first, values).to_host(), values);
}

TEST(gpu, memory_that_is_not_there_is_refused_with_numbers) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    gpu const executor;
    std::int64_t const wanted = std::int64_t{1} << 46;
    std::string const message = message_of<cuda_error>([&] { buffer<std::byte>(executor, wanted); });
    EXPECT_NE(message.find("of 70368744177664 bytes failed"), std::string::npos) << message;
    EXPECT_NE(message.find("bytes are free"), std::string::npos) << message;
    EXPECT_EQ(buffer<int>(executor, std::vector<int>{7}).to_host(), std::vector<int>{7});  // the executor stays usable
}

TEST(gpu, a_child_of_a_process_that_used_it_says_so_and_leaves_it_alone) {
    std::string why;
    if (!gpu::usable(&why)) GTEST_SKIP() << why;
    auto executor = std::make_unique<gpu>();
    std::vector<int> const values(1000, 7);
    buffer<int> there(*executor, values);
    EXPECT_EQ(in_child([&] {
                  auto const is_said = [](std::string const& text) { return text.find("fork()") != text.npos; };
                  if (gpu::usable(&why) || !is_said(why)) return "usable: " + why;
                  std::string const of_new = message_of_construction({});
                  if (!is_said(of_new)) return "a new one: " + of_new;
                  std::string const of_copy = message_of<cuda_error>([&] { there.to_host(); });
                  if (!is_said(of_copy)) return "a copy: " + of_copy;
                  std::string const of_memory = message_of<cuda_error>([&] { buffer<int>(*executor, values); });
                  if (!is_said(of_memory)) return "memory: " + of_memory;
                  executor.reset();
                  there = {};
                  return std::string("said and left alone");
              }),
              "said and left alone");
    EXPECT_EQ(there.to_host(), values);
    EXPECT_EQ(buffer<int>(*executor, values).to_host(), values);
}

}  // namespace
}  // namespace copse::tests
