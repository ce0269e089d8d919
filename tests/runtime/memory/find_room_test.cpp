// What is tried where memory is short, in order.
#include <copse/runtime/memory/find_room.hpp>

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace copse::tests
