// Two wide leaves that are united by tasks over ranges of blocks: of 32 blocks of the union each where they have 16
// entries and more of both sides on average, of 256 where they have four and less. d = 64, where not said.
#include <algebra/sums/add_suite.hpp>
#include <algorithm>
#include <controllers.hpp>
#include <copse/algebra/add.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/edits/edit_tools.hpp>
#include <map>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

struct operands {
    coo<double> a;
    coo<double> b;
};

/// Block k (row-major, 64 in a row) of 4096 x 4096 has entries first .. first + count - 1 of all that it can have, in
/// an order that meets all its diagonals.
void put_block(coo<double>& m, int k, int first, int count, value_source& value) {
    for (int i = first; i < first + count; ++i) {
        int const position = (1237 * i + 611 * k) % 4096;
        m.rows.push_back(k / 64 * 64 + position / 64);
        m.columns.push_back(k % 64 * 64 + position % 64);
        m.values.push_back(value());
    }
}

/// The number of entries that A and B have in each of a few blocks, and that both have.
struct block_entries {
    int block;
    int of_a;
    int of_b;
    int common;
};

operands operands_of(std::vector<block_entries> const& blocks) {
    operands both{empty_matrix(4096, 4096), empty_matrix(4096, 4096)};
    value_source of_a(3), of_b(4);
    for (auto const& [block, a, b, common] : blocks) {
        put_block(both.a, block, 0, a, of_a);
        put_block(both.b, block, a - common, b, of_b);
    }
    return both;
}

std::vector<block_entries> few_in_each(int blocks) {
    std::vector<block_entries> all;
    for (int k = 0; k < blocks; ++k) {
        int const a = 7 * k % 5, b = a == 0 ? 1 : 3 * k % 4;
        all.push_back({k, a, b, std::min({a, b, k % 3})});
    }
    return all;
}

/// Five ranges of 32 blocks. In the first: small blocks that do not fit on chip at once; one that just is small, with
/// 128 entries of both, and one that is crowded, with 129. Crowded blocks on both sides of the border of two ranges,
/// and one of B alone.
operands in_five_ranges() {
    std::vector<block_entries> blocks = few_in_each(150);
    blocks[10] = {10, 64, 64, 20};
    blocks[11] = {11, 65, 64, 20};
    for (int k = 20; k < 32; ++k) blocks[static_cast<std::size_t>(k)] = {k, 50, 45, k};
    blocks[63] = {63, 100, 100, 30};
    blocks[64] = {64, 200, 1, 1};
    blocks[149] = {149, 0, 150, 0};
    operands both = operands_of(blocks);
    for (std::size_t k = 0; k < both.a.values.size(); k += 5) both.a.values[k] = 0;  // entries nonetheless
    return both;
}

/// C = alpha A + beta B, where the ranges of each are as many as they should be.
template <class T, class Executor>
void check_ranges(Executor& executor, operands const& both, bool transpose_a, bool transpose_b, int ranges,
                  int node_dimension = 64, std::map<std::string, std::int64_t>* all_items = nullptr) {
    csr<T> const a = to_csr(with_values_of<T>(both.a)), b = to_csr(with_values_of<T>(both.b));
    hisparse<T> const op_a = stored_as(executor.memory(), a, transpose_a, node_dimension);
    hisparse<T> const op_b = stored_as(executor.memory(), b, transpose_b, node_dimension);
    ASSERT_EQ(op_a.root().reference.kind(), node_kind::wide);
    ASSERT_EQ(op_b.root().reference.kind(), node_kind::wide);
    run_report report;
    hisparse<T> const sum = add(executor, T(2), op_a, T(-0.5), op_b, {.report = &report});
    std::map<std::string, std::int64_t> items;
    for (queue_report const& queue : report.queues) items[queue.name] += queue.items;
    std::string const name = std::string(transpose_a ? "A^T" : "A") + " + " + (transpose_b ? "B^T" : "B");
    expect_sum<T>(sum, 2, a, -0.5, b, name);
    EXPECT_EQ(sum.root().reference.kind(), node_kind::wide) << name;
    check_tree(sum);
    EXPECT_EQ(items["two wide leaves"], 1) << name;
    EXPECT_EQ(items["count blocks of two wide leaves"], ranges == 1 ? 0 : ranges) << name;
    EXPECT_EQ(items["write blocks of two wide leaves"], ranges == 1 ? 0 : ranges) << name;
    if (all_items != nullptr) *all_items = items;
}

template <class T, class Executor>
void check_ranges_in_all_ways(Executor& executor, operands const& both, int ranges, int node_dimension = 64) {
    for (int way = 0; way < 4; ++way) {
        check_ranges<T>(executor, both, way % 2 == 1, way / 2 == 1, ranges, node_dimension);
        if (testing::Test::HasFailure()) return;
    }
}

class add_wide_explored : public testing::TestWithParam<controller> {};

TEST_P(add_wide_explored, unites_ranges_of_blocks) {
    emulated lanes({.mode = emulation::explore, .seed = 21, .controller = GetParam(), .blocks = 4});
    operands const both = in_five_ranges();
    check_ranges_in_all_ways<double>(lanes, both, 5);
    check_ranges<float>(lanes, both, false, true, 5);
    check_ranges<float>(lanes, both, false, false, 5);
}

TEST_P(add_wide_explored, keeps_one_range_in_one_task) {
    emulated lanes({.mode = emulation::explore, .seed = 22, .controller = GetParam()});
    std::vector<block_entries> blocks = few_in_each(64);
    blocks[9] = {9, 140, 3, 2};
    check_ranges_in_all_ways<float>(lanes, operands_of(blocks), 1);
    check_ranges<double>(lanes, operands_of(blocks), true, false, 1);
    check_ranges<double>(lanes, operands_of(few_in_each(256)), false, false, 1);
    check_ranges<double>(lanes, operands_of(few_in_each(257)), false, false, 2);
}

TEST_P(add_wide_explored, unites_in_any_order) {
    operands const both = operands_of(few_in_each(600));
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        emulated lanes({.mode = emulation::explore, .seed = seed, .controller = GetParam(), .blocks = 5});
        check_ranges<double>(lanes, both, seed % 2 == 0, seed % 3 == 0, 3);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

/// Some blocks of A alone, some of B alone, some crowded: the first of these is in two stretches of 4096 entries.
operands with_many_entries() {
    std::vector<block_entries> blocks;
    for (int k = 0; k < 4096; ++k) {
        int const a = k % 7 == 0 ? 0 : 6, b = a != 0 && k % 5 == 0 ? 0 : 5;
        blocks.push_back({k, a, b, std::min({a, b, k % 4})});
    }
    for (int k = 796; k < 4096; k += 817) blocks[static_cast<std::size_t>(k)] = {k, 190, 20, 10};
    return operands_of(blocks);
}

TEST_P(add_wide_explored, unites_leaves_with_many_entries) {
    emulated lanes({.mode = emulation::explore, .seed = 24, .controller = GetParam(), .blocks = 4});
    operands const both = with_many_entries();
    ASSERT_GT(both.a.values.size() + both.b.values.size(), 32768u);
    std::map<std::string, std::int64_t> items;
    check_ranges<float>(lanes, both, GetParam() == controller::host, GetParam() == controller::device, 64, 64, &items);
    EXPECT_EQ(items["mark blocks of two wide leaves"], 11);
    EXPECT_EQ(items["table of the blocks of two wide leaves"], 11);
}

// Positions of 16 bits, in blocks of which there are 2^16: the last entry of the last among them.
TEST(add_wide_ranges, have_blocks_of_256_rows) {
    emulated lanes({.mode = emulation::explore, .seed = 23});
    operands both{scattered(65536, 65536, 190, 7), scattered(65536, 65536, 160, 8)};
    for (coo<double>* m : {&both.a, &both.b})
        for (int i : {0, 255, 256, 65279, 65280, 65534, 65535}) {
            m->rows.push_back(65535);
            m->columns.push_back(i);
            m->values.push_back(i + 1);
        }
    check_ranges_in_all_ways<double>(lanes, both, 2, 256);
}

class add_wide_stressed : public testing::TestWithParam<controller> {};

TEST_P(add_wide_stressed, unites_ranges_of_blocks) {
    emulated lanes({.mode = emulation::stress, .controller = GetParam()});
    check_ranges<double>(lanes, in_five_ranges(), false, true, 5);
    check_ranges<float>(lanes, operands_of(few_in_each(600)), true, false, 3);
    check_ranges<double>(lanes, with_many_entries(), true, false, 64);
}

INSTANTIATE_TEST_SUITE_P(controllers, add_wide_explored, every_controller(), controller_name);
INSTANTIATE_TEST_SUITE_P(controllers, add_wide_stressed, every_controller(), controller_name);

}  // namespace
}  // namespace copse::tests
