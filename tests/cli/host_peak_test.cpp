// The most memory that some work took: also where it has given it back, and without what was there before.
#include "cli/host_peak.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

namespace copse::measure {
namespace {

constexpr std::int64_t megabyte = std::int64_t{1} << 20;

/// Pages that are written, and go with it.
class pages {
  public:
    explicit pages(std::int64_t bytes) : p_(std::malloc(static_cast<std::size_t>(bytes))) {
        auto volatile* const written = static_cast<char volatile*>(p_);
        for (std::int64_t at = 0; p_ && at < bytes; at += 1024) written[at] = 1;
    }
    ~pages() { std::free(p_); }
    pages(pages const&) = delete;
    pages& operator=(pages const&) = delete;
    bool are_there() const { return p_ != nullptr; }

  private:
    void* p_;
};

TEST(host_peak, is_of_the_work_alone) {
    { pages const earlier(96 * megabyte); }
    pages const before(48 * megabyte);
    ASSERT_TRUE(before.are_there());
    auto const bytes = host_peak_bytes_of([] {
        pages const large(32 * megabyte);
        EXPECT_TRUE(large.are_there());
    });
    if (!bytes) GTEST_SKIP() << "this system does not count memory";
    EXPECT_GE(*bytes, 31 * megabyte);
    EXPECT_LE(*bytes, 36 * megabyte);
}

}  // namespace
}  // namespace copse::measure
