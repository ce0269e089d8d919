// Copies past the caches: every byte in its place and none beside it, whatever the alignment.
#include <copse/runtime/memory/stream_copy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace copse::detail {
namespace {

TEST(stream_copy, copies_what_it_is_told_and_nothing_else) {
    for (std::size_t to_offset : {0, 1, 16, 48, 63, 64})
        for (std::size_t from_offset : {0, 5, 16})
            for (std::size_t bytes : {0, 1, 15, 16, 63, 64, 65, 127, 128, 200, 4096, 33000}) {
                std::vector<std::byte> from(from_offset + bytes + 1), to(to_offset + bytes + 64, std::byte{0xcd});
                for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 7 + i / 256);
                std::vector<std::byte> expected = to;
                std::copy(from.begin() + static_cast<std::ptrdiff_t>(from_offset), from.end() - 1,
                          expected.begin() + static_cast<std::ptrdiff_t>(to_offset));
                stream_copy(to.data() + to_offset, from.data() + from_offset, static_cast<std::int64_t>(bytes));
                EXPECT_TRUE(to == expected) << bytes << " bytes from " << from_offset << " to " << to_offset;
            }
}

}  // namespace
}  // namespace copse::detail
