// What is refused in words, and the failure that a GPU's run keeps of it (runtime/scheduler/refusal.hpp).
#include <gtest/gtest.h>

#include <copse/runtime/cpu/worker.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/refusal.hpp>
#include <copse/runtime/scheduler/run_storage.hpp>
#include <cstdint>
#include <limits>
#include <runtime/message_of.hpp>
#include <string>

namespace copse::tests {
namespace {

struct refusing {
    using item = std::int64_t;
    static constexpr int width = 1;
    static constexpr char const* name = "refusing";
};

TEST(refusal, has_words_and_numbers) {
    char place[detail::refusal_bytes];
    detail::refusal_words words(place);
    EXPECT_STREQ(place, "");
    words << "row " << std::int64_t{0} << ", " << 1000 << ", " << -70 << ", "
          << std::numeric_limits<std::int64_t>::max() << ", " << std::numeric_limits<std::int64_t>::min();
    EXPECT_STREQ(place, "row 0, 1000, -70, 9223372036854775807, -9223372036854775808");
}

TEST(refusal, leaves_out_what_finds_no_room) {
    struct {
        char words[detail::refusal_bytes];
        char behind = 'b';
    } place;
    detail::refusal_words words(place.words);
    for (int i = 0; i < 100; ++i) words << "0123456789";
    EXPECT_EQ(std::string(place.words).size(), detail::refusal_bytes - 1u);
    EXPECT_EQ(place.behind, 'b');
}

TEST(refusal, is_what_a_failed_run_throws) {
    run_control<cpu_machine> control{};
    auto const thrown = [&] { detail::throw_failure(control.failure, control.refusal, detail::facts_of<refusing>()); };
    EXPECT_NO_THROW(thrown());
    control.refuse(0, "tree_view: child() wants a node");
    control.refuse(0, "a later one");
    control.fail(failure_kind::task_failed, 0, 1, 0, 0);
    EXPECT_TRUE(control.failed());
    EXPECT_EQ(message_of<argument_error>(thrown), "tree_view: child() wants a node");
    run_control<cpu_machine> other{};
    other.fail(failure_kind::task_failed, 0, 7, 0, 0);
    other.refuse(0, "a later one");
    EXPECT_STREQ(other.refusal, "");
}

}  // namespace
}  // namespace copse::tests
