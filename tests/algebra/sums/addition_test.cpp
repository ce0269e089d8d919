// Leaves on their way to the sum's memory.
#include <copse/algebra/sums/addition.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace copse::detail {
namespace {

TEST(leaf_outbox, sends_leaves_and_their_references) {
    auto const outbox = std::make_unique<leaf_outbox>();
    child_reference const leaf(3, 0, 7, node_kind::diagonal, 0), wide(3, 0, 700, node_kind::wide, 1);
    for (std::uint64_t offset : {0, 4096}) {  // it can be used again
        child_reference results[3];
        ASSERT_TRUE(outbox->empty());
        std::fill_n(outbox->add(leaf, 48, &results[2]), 48, std::byte{1});
        std::fill_n(outbox->add(wide, 160, &results[0]), 160, std::byte{2});
        std::fill_n(outbox->add(leaf.transposed_if(true), 16, &results[1]), 16, std::byte{3});
        EXPECT_FALSE(outbox->empty());
        EXPECT_EQ(outbox->used(), 224);
        EXPECT_FALSE(results[0] || results[1] || results[2]) << "before they are sent";

        std::vector<std::byte> memory(4096 + 224 + 64, std::byte{0xab}), expected = memory;
        outbox->send(memory.data(), offset);
        auto const at = expected.begin() + static_cast<std::ptrdiff_t>(offset);
        std::fill(at, at + 48, std::byte{1});
        std::fill(at + 48, at + 208, std::byte{2});
        std::fill(at + 208, at + 224, std::byte{3});
        EXPECT_TRUE(memory == expected);
        EXPECT_EQ(results[2], child_reference(3, offset, 7, node_kind::diagonal, 0));
        EXPECT_EQ(results[0], child_reference(3, offset + 48, 700, node_kind::wide, 1));
        EXPECT_EQ(results[1], child_reference(3, offset + 208, 7, node_kind::diagonal, 0).transposed_if(true));
        EXPECT_TRUE(outbox->empty());
        EXPECT_EQ(outbox->used(), 0);
    }
}

TEST(leaf_outbox, has_room_for_so_many_bytes_and_so_many_leaves) {
    auto const outbox = std::make_unique<leaf_outbox>();
    child_reference result;
    child_reference const leaf(0, 0, 1, node_kind::sparse, 0);
    EXPECT_TRUE(outbox->fits(leaf_outbox::capacity));
    EXPECT_FALSE(outbox->fits(leaf_outbox::capacity + 16));
    outbox->add(leaf, leaf_outbox::capacity - 16, &result);
    EXPECT_TRUE(outbox->fits(16));
    EXPECT_FALSE(outbox->fits(32));

    std::vector<std::byte> memory(leaf_outbox::capacity);
    outbox->send(memory.data(), 0);
    int leaves = 0;
    for (; outbox->fits(16); ++leaves) outbox->add(leaf, 16, &result);
    EXPECT_GE(leaves, 64);
    EXPECT_LT(leaves, leaf_outbox::capacity / 16);  // there is a place for each one's reference
}

}  // namespace
}  // namespace copse::detail
