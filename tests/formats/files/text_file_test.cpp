// Whole files: read in several blocks, from a pipe, from the kernel; replaced completely or not at all. How paths that
// cannot be read or written are reported: matrix_market_faults_test.cpp, matrix_market_writer_test.cpp.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <copse/runtime/error.hpp>

#include <copse/formats/files/text_file.hpp>
#include <copse/formats/matrix_market.hpp>
#include <csignal>
#include <cstdint>
#include <list>
#include <random>
#include <string>
#include <thread>

#include "formats/files/scratch_folder.hpp"

namespace {

std::string random_text(std::size_t bytes) {
    std::mt19937 random(11);
    std::string text(bytes, '\0');
    for (char& c : text) c = static_cast<char>(random());
    return text;
}

TEST(text_file, is_read_whole_in_blocks) {
    scratch_folder const folder;
    auto const text = random_text((std::size_t{1} << 24) + 12345);  // two full blocks and a part
    auto const path = folder.file("a", text);
    EXPECT_TRUE(copse::detail::read_text_file(path).view() == text);
}

TEST(text_file, may_be_a_pipe) {
    scratch_folder const folder;
    auto const path = folder.path("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    auto const text = random_text(300000);
    std::jthread const writer([&] { folder.file("pipe", text); });
    EXPECT_TRUE(copse::detail::read_text_file(path).view() == text);
}

// Such files say that they have no bytes.
TEST(text_file, may_be_of_the_kernels_own) {
    auto const text = copse::detail::read_text_file("/proc/self/status");
    EXPECT_TRUE(text.view().starts_with("Name:"));
}

TEST(replacing_file, leaves_the_old_file_until_it_is_complete) {
    scratch_folder const folder;
    auto const path = folder.file("a", "old");
    {
        copse::detail::replacing_file file(path);
        file.append("half of the n");
        EXPECT_EQ(text_of(path), "old");
    }
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(folder.file_count(), 1u);
    copse::detail::replacing_file file(path);
    file.append("the new");
    file.append(" text");
    file.commit();
    EXPECT_EQ(text_of(path), "the new text");
    EXPECT_EQ(folder.file_count(), 1u);
}

/// No file of this process may grow past this size while it lives.
class file_size_limit {
  public:
    explicit file_size_limit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit const limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~file_size_limit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    file_size_limit(file_size_limit const&) = delete;
    file_size_limit& operator=(file_size_limit const&) = delete;

  private:
    void (*handler_)(int);
    rlimit before_{};
};

TEST(replacing_file, leaves_the_old_file_when_there_is_no_room) {
    scratch_folder const folder;
    auto const path = folder.file("a", "old");
    std::string message;
    {
        file_size_limit const limit(1000);
        try {
            copse::detail::replacing_file file(path);
            file.append(std::string(5000, 'x'));
            file.commit();
        } catch (copse::argument_error const& e) {
            message = e.what();
        }
    }
    EXPECT_EQ(message, "cannot write '" + path + "': File too large");
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(folder.file_count(), 1u);
}

// What a handler of a signal does before it ends the process.
TEST(replacing_file, can_be_removed_unfinished) {
    scratch_folder const folder;
    auto const path = folder.file("a", "old");
    {
        copse::detail::replacing_file done(folder.path("done"));
        done.commit();
        copse::detail::replacing_file file(path), other(folder.path("b"));
        file.append("half of the n");
        EXPECT_EQ(folder.file_count(), 4u);
        copse::remove_unfinished_files();
        EXPECT_EQ(folder.file_count(), 2u);
        EXPECT_THROW(file.commit(), copse::argument_error);
    }
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(folder.file_count(), 2u);
}

// More than are noted for a handler, and one after the other.
TEST(replacing_file, may_be_many) {
    scratch_folder const folder;
    for (int round = 0; round < 2; ++round) {
        std::list<copse::detail::replacing_file> files;
        for (int i = 0; i < 40; ++i) files.emplace_back(folder.path(std::to_string(i))).append("new");
        for (auto& file : files) file.commit();
    }
    EXPECT_EQ(folder.file_count(), 40u);
    EXPECT_EQ(text_of(folder.path("39")), "new");
}

}  // namespace
