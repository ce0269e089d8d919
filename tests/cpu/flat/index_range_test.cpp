// The least and the largest index on every instruction set that the machine has.
#include <gtest/gtest.h>

#include <algebra/instruction_sets.hpp>
#include <algorithm>
#include <copse/cpu/flat/index_range.hpp>
#include <vector>

namespace copse::tests {
namespace {

TEST(index_range, finds_both_wherever_they_stand) {
    on_every_instruction_set([] {
        for (std::size_t count = 1; count < 70; ++count)
            for (std::size_t at = 0; at < count; ++at) {
                std::vector<std::uint32_t> indices(count, 0x7fffffff);
                indices[at] = 5;
                indices[count - 1 - at] = at % 2 == 0 ? 0xffffffff : 0x80000000;
                auto const found = detail::range_of(indices.data(), static_cast<std::int64_t>(count));
                EXPECT_EQ(found.least, *std::min_element(indices.begin(), indices.end())) << count << ' ' << at;
                EXPECT_EQ(found.most, *std::max_element(indices.begin(), indices.end())) << count << ' ' << at;
            }
    });
}

}  // namespace
}  // namespace copse::tests
