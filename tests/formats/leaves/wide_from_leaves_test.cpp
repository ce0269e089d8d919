// The places that entries of leaves have in a wide leaf: of leaves of each kind, as they are stored, transposed, and
// negative.
#include <gtest/gtest.h>

#include <copse/formats/leaves/leaf_entries.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/leaves/wide_from_leaves.hpp>
#include <map>
#include <random>
#include <vector>

namespace copse::detail {
namespace {

using leaf_map = std::map<int, double>;  // by position

/// `entries` places in no order, and `streaks` streaks of `length`.
leaf_map entries_of(leaf_order order, int entries, int streaks, int length, unsigned seed) {
    std::mt19937 random(seed);
    auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    int const d = 1 << order.dimension_log2;
    leaf_map result;
    for (int k = 0; k < streaks; ++k) {
        int const row = below(d - length), column = below(d - length);
        for (int i = 0; i < length; ++i) result[order.position(row + i, column + i)] = 1 + below(1000);
    }
    while (std::ssize(result) < entries + streaks * length) result[below(d * d)] = 1 + below(1000);
    return result;
}

struct made_leaf {
    std::vector<std::byte> memory;
    child_reference reference;
};
made_leaf leaf_of(leaf_order order, leaf_map const& entries) {
    std::vector<std::uint16_t> positions;
    std::vector<double> values;
    for (auto const& [position, value] : entries) {
        positions.push_back(static_cast<std::uint16_t>(position));
        values.push_back(value);
    }
    made_leaf made;
    leaf_workspace workspace;
    assemble_leaf<double>(workspace, order, {positions, values}, [&](leaf_shape const& shape) {
        made.memory.resize(static_cast<std::size_t>(leaf_bytes(shape, 1 << order.dimension_log2, sizeof(double))));
        made.reference = leaf_reference(0, 0, shape);
        return made.memory.data();
    });
    return made;
}

/// As it is seen by this reference.
leaf_map seen(leaf_order order, leaf_map const& stored, child_reference leaf) {
    leaf_map result;
    for (auto const& [position, value] : stored) {
        int const row = order.row(position), column = order.column(position);
        result[leaf.transposed() ? order.position(column, row) : position] = leaf.negative() ? -value : value;
    }
    return result;
}

struct leaf_case {
    node_kind kind;
    int entries, streaks, length;
};

TEST(wide_from_leaves, finds_the_place_of_each_entry) {
    leaf_order const order{6};
    for (leaf_case const& c : {leaf_case{node_kind::sparse, 1, 0, 0}, leaf_case{node_kind::sparse, 30, 0, 0},
                               leaf_case{node_kind::sparse, 200, 0, 0}, leaf_case{node_kind::diagonal, 0, 2, 20},
                               leaf_case{node_kind::diagonal, 40, 3, 50}, leaf_case{node_kind::diagonal, 100, 9, 30},
                               leaf_case{node_kind::dense, 3392, 0, 0}, leaf_case{node_kind::dense, 4096, 0, 0}}) {
        leaf_map entries = entries_of(order, c.kind == node_kind::dense ? 4096 : c.entries, c.streaks, c.length, 7);
        if (c.entries == 3392)  // no streaks are left
            std::erase_if(entries, [&](auto const& entry) { return order.row(entry.first) % 6 == 0; });
        made_leaf const made = leaf_of(order, entries);
        ASSERT_EQ(made.reference.kind(), c.kind) << c.entries << ' ' << c.streaks;
        for (bool transposed : {false, true})
            for (bool negative : {false, true}) {
                child_reference const leaf = made.reference.transposed_if(transposed).negative_if(negative);
                std::vector<std::pair<int, double>> found(entries.size());
                for_each_with_place<double>(
                    made.memory.data(), leaf, order, [&](int i, int row, int column, double value) {
                        found.at(static_cast<std::size_t>(i)) = {order.position(row, column), value};
                    });
                leaf_map const expected = seen(order, entries, leaf);
                EXPECT_TRUE(
                    std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                               [](auto const& a, auto const& b) { return a.first == b.first && a.second == b.second; }))
                    << c.entries << " entries, " << c.streaks << " streaks, "
                    << (transposed ? "transposed" : "as stored");
            }
    }
}

TEST(wide_from_leaves, puts_leaves_side_by_side) {
    leaf_order const order{6};
    std::vector<leaf_map> const contents = {entries_of(order, 9, 0, 0, 1), entries_of(order, 3, 2, 20, 2),
                                            entries_of(order, 30, 0, 0, 3)};
    std::vector<made_leaf> leaves;
    std::int64_t entries = 0;
    for (leaf_map const& content : contents) {
        leaves.push_back(leaf_of(order, content));
        entries += std::ssize(content);
    }
    leaves[2].reference = leaves[2].reference.transposed_if(true);
    std::vector<std::byte> memory(static_cast<std::size_t>(wide_leaf::bytes(entries, sizeof(double))));
    serial_worker w;
    write_wide_of_leaves<double>(
        w, memory.data(), entries, order, 4,
        [&](int slot) {  // the second has none
            if (slot == 1) return node{};
            auto const which = static_cast<std::size_t>(slot == 0 ? 0 : slot - 1);
            return node{leaves[which].reference.moved(16 * which), 64 * static_cast<std::uint32_t>(which), 128};
        },
        [&](child_reference leaf) -> std::byte const* { return leaves[leaf.offset() / 16].memory.data(); });
    auto const wide = wide_leaf::view<double>(memory.data(), leaf_reference(0, 0, wide_leaf::shape(entries)), 6);
    ASSERT_EQ(wide.count, entries);
    int i = 0;
    for (std::size_t k = 0; k < leaves.size(); ++k)
        for (auto const& [position, value] : seen(order, contents[k], leaves[k].reference)) {
            EXPECT_EQ(wide.rows[i], 64 * static_cast<int>(k) + order.row(position));
            EXPECT_EQ(wide.columns[i], 128 + order.column(position));
            EXPECT_EQ(wide.values[i++], value);
        }
}

}  // namespace
}  // namespace copse::detail
