// What is tried where memory is short, in order; blocks whose users cannot always be waited for.
#include <gtest/gtest.h>

#include <copse/runtime/memory/device_blocks.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

/// What happens where attempt number `found` is the first to find memory.
std::string steps(int found, bool may_wait = true) {
    std::string done;
    int attempts = 0;
    bool const there = detail::find_room(
        [&] {
            done += 'a';
            return ++attempts >= found;
        },
        [&] { return may_wait; }, [&] { done += 't'; }, [&] { done += 'w'; });
    EXPECT_EQ(there, attempts >= found);
    return done;
}

TEST(find_room, waits_last) {
    EXPECT_EQ(steps(1), "a");
    EXPECT_EQ(steps(2), "ata");
    EXPECT_EQ(steps(3), "atawta");
    EXPECT_EQ(steps(4), "atawta");
}

TEST(find_room, tries_once_where_it_may_not_wait) {
    EXPECT_EQ(steps(1, false), "a");
    EXPECT_EQ(steps(2, false), "a");
}

TEST(unwanted_bytes, stay_while_all_together_are_few) {
    detail::unwanted_bytes bytes;
    int block[3] = {};
    EXPECT_TRUE(bytes.keep(block, 60, 100));
    EXPECT_FALSE(bytes.keep(block + 1, 41, 100));
    EXPECT_TRUE(bytes.keep(block + 1, 40, 100));
    EXPECT_FALSE(bytes.keep(block + 2, 1, 100));
    EXPECT_FALSE(bytes.keep(block + 2, 1, 10)) << "somebody allows fewer than there are";
    bytes.forget(block + 2);
    bytes.forget(block);
    bytes.forget(block);
    EXPECT_FALSE(bytes.keep(block + 2, 61, 100));
    EXPECT_TRUE(bytes.keep(block + 2, 30, 100));
    EXPECT_TRUE(bytes.keep(block + 2, 30, 100)) << "a block that shrinks twice";
    bytes.forget(block + 2);
    bytes.forget(block + 1);
    EXPECT_TRUE(bytes.keep(block, 100, 100));
    EXPECT_FALSE(bytes.keep(block, SIZE_MAX, 100));
}

class freed_blocks : public testing::Test {
  protected:
    void make(int count) {
        for (int i = 0; i < count; ++i) blocks_.expect_one();
    }
    void free(int& block, bool waits) {
        blocks_.free(
            &block, [&] { return count_wait(waits); }, [this](void* p) { return give_back(p); });
    }
    void free_waiting(bool waits) {
        blocks_.free_waiting([&] { return count_wait(waits); }, [this](void* p) { return give_back(p); });
    }

    bool give_back(void* p) {
        if (p == refused_) return false;
        given_back_.push_back(p);
        return true;
    }

    detail::blocks_to_free blocks_;
    int block_[3] = {};
    int waits_ = 0;
    void* refused_ = nullptr;
    std::vector<void*> given_back_;

  private:
    bool count_wait(bool waits) {
        ++waits_;
        return waits;
    }
};

TEST_F(freed_blocks, go_back_after_a_wait) {
    make(1);
    free(block_[0], true);
    EXPECT_EQ(waits_, 1);
    EXPECT_EQ(given_back_, (std::vector<void*>{block_}));
}

TEST_F(freed_blocks, stay_while_nobody_can_wait_for_them) {
    make(2);
    free(block_[0], false);
    free_waiting(false);
    free(block_[1], false);
    EXPECT_TRUE(given_back_.empty());
    free_waiting(true);
    EXPECT_EQ(given_back_, (std::vector<void*>{block_, block_ + 1}));
    EXPECT_EQ(waits_, 4);
}

TEST_F(freed_blocks, that_nobody_uses_go_back_without_a_wait) {
    make(3);
    free(block_[0], false);
    blocks_.free_unused(&block_[1], [this](void* p) { return give_back(p); });
    EXPECT_EQ(given_back_, (std::vector<void*>{block_ + 1}));
    EXPECT_EQ(waits_, 1);
    refused_ = block_ + 2;
    blocks_.free_unused(&block_[2], [this](void* p) { return give_back(p); });
    refused_ = nullptr;
    free_waiting(true);
    EXPECT_EQ(given_back_, (std::vector<void*>{block_ + 1, block_ + 2, block_}));
    EXPECT_EQ(waits_, 2);
}

TEST_F(freed_blocks, go_back_with_the_next) {
    make(2);
    free(block_[0], false);
    free(block_[1], true);
    EXPECT_EQ(given_back_, (std::vector<void*>{block_, block_ + 1}));
}

TEST_F(freed_blocks, stay_where_they_are_not_taken) {
    make(2);
    refused_ = block_;
    free(block_[0], true);
    free(block_[1], true);
    EXPECT_EQ(given_back_, (std::vector<void*>{block_ + 1}));
    refused_ = nullptr;
    free_waiting(true);
    EXPECT_EQ(given_back_, (std::vector<void*>{block_ + 1, block_}));
}

TEST_F(freed_blocks, need_no_wait_where_there_are_none) {
    free_waiting(true);
    make(2);
    blocks_.expect_one_less();
    free_waiting(true);
    EXPECT_EQ(waits_, 0);
    free(block_[0], true);
    free_waiting(true);
    EXPECT_EQ(waits_, 1);
}

// A wait says nothing of what is freed while it lasts.
TEST_F(freed_blocks, that_come_during_a_wait_have_one_of_their_own) {
    make(2);
    std::vector<void*> given_back;
    auto const give_back = [&](void* p) {
        given_back.push_back(p);
        return true;
    };
    blocks_.free(
        &block_[0],
        [&] {
            blocks_.free(
                &block_[1], [] { return false; }, give_back);
            return true;
        },
        give_back);
    EXPECT_EQ(given_back, (std::vector<void*>{block_}));
}

TEST(freed_blocks_of_threads, go_back_once) {
    detail::blocks_to_free blocks;
    constexpr int count = 1000;
    std::vector<std::vector<int>> times(2, std::vector<int>(count));
    auto const give_back = [](void* p) {
        ++*static_cast<int*>(p);
        return true;
    };
    auto const work = [&](std::vector<int>& own) {
        for (int i = 0; i < count; ++i) {
            blocks.expect_one();
            blocks.free(
                &own[static_cast<std::size_t>(i)], [&] { return i % 3 > 0; }, give_back);
        }
    };
    std::thread other(work, std::ref(times[1]));
    work(times[0]);
    other.join();
    blocks.free_waiting([] { return true; }, give_back);
    for (auto const& own : times) EXPECT_EQ(own, std::vector<int>(count, 1));
}

}  // namespace
}  // namespace copse::tests
