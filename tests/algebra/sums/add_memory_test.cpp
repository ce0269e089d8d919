// What a sum reserves for its nodes and its tables: as much as they take, and not much more.
#include <gtest/gtest.h>

#include <algebra/sums/add_pairs.hpp>
#include <algebra/sums/sum_memory.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace copse::tests {
namespace {

/// What is shrunk moves, as a GPU's memory does, and from then on there is no more.
class moving_memory final : public observed_memory {
  public:
    void* allocate(std::size_t bytes) override {
        if (is_full_) throw out_of_memory(bytes, 0);
        return observed_memory::allocate(bytes);
    }
    void* shrink(void* p, std::size_t bytes, std::size_t kept) override {
        void* const smaller = observed_memory::allocate(kept);
        is_full_ = true;
        std::memcpy(smaller, p, kept);
        std::memset(p, 0xff, bytes);
        deallocate(p);
        return smaller;
    }

  private:
    bool is_full_ = false;
};

std::int64_t reserved_for_nodes(hisparse<double> const& a, hisparse<double> const& b) {
    return detail::node_bytes_bound<double>(a.census(), b.census());
}

/// Entries in blocks of their own, `first`, first + 2, ...
template <class T>
hisparse<T> wide_leaf(int count, int first) {
    csr<double> const a =
        to_csr(matrix_where(1, 64 * 64, [=](auto, auto j) { return j % 128 == 64 * first && j < 128 * count; }));
    return hisparse<T>(host_memory(), to_csr(with_values_of<T>(to_coo(a))), {.node_dimension = 64});
}

/// Two wide leaves, which take most for each entry: all their blocks are different.
template <class T>
void check_wide_leaves() {
    cpu core(1);
    emulated lanes;
    for (int count_a : {2, 3, 4, 17})
        for (int count_b : {2, 3, 4, 30}) {
            SCOPED_TRACE(std::to_string(count_a) + " + " + std::to_string(count_b));
            hisparse<T> const a = wide_leaf<T>(count_a, 0), b = wide_leaf<T>(count_b, 1);
            ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
            ASSERT_EQ(b.root().reference.kind(), node_kind::wide);
            EXPECT_TRUE(left_by_sum<T>(core, 1, a, b).none_missing());
            bytes_left const left = left_by_sum<T>(lanes, 1, a, b);
            EXPECT_TRUE(left.none_missing());
            EXPECT_LE(left.of_tables, 128);
        }
}

TEST(add_memory, suffices_for_wide_leaves) {
    check_wide_leaves<double>();
    check_wide_leaves<float>();
}

// Each entry in a block of its own, in ranges of 256: what is said of the ranges is more than what the header of a
// table leaves. With 2^16 entries they are looked through by many tasks.
TEST(add_memory, suffices_for_ranges_of_blocks_of_wide_leaves) {
    emulated lanes;
    for (int d : {128, 256}) {
        auto const leaf = [d](int turn) {
            coo<double> const entries = matrix_of_rows(d * d, d * d, [=](auto i) {
                return i % d == 0 ? every((i / d + turn) % 2 * d, 2 * d, d * d) : std::vector<std::int64_t>();
            });
            return hisparse<float>(host_memory(), to_csr(with_values_of<float>(entries)), {.node_dimension = d});
        };
        hisparse<float> const a = leaf(0), b = leaf(1);
        ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
        ASSERT_EQ(a.entry_count() + b.entry_count(), d * d);
        bytes_left const left = left_by_sum<float>(lanes, 1, a, b);
        EXPECT_TRUE(left.none_missing()) << d;
        EXPECT_LE(left.of_tables, 128) << d;
    }
}

/// Entries first .. end - 1 of 17 in each of `blocks` blocks.
template <class T>
hisparse<T> part_of_seventeen(int d, int blocks, int first, int end) {
    coo<double> m = empty_matrix(d * d, d * d);
    for (int k = 0; k < blocks; ++k)
        for (int i = first; i < end; ++i) {
            m.rows.push_back(k / d * d + i);
            m.columns.push_back(k % d * d + (5 * i + k) % d);
            m.values.push_back(1);
        }
    return hisparse<T>(host_memory(), to_csr(with_values_of<T>(m)), {.node_dimension = d});
}

/// Two wide leaves of which the sum is leaves: there are two tables of their blocks, or one beside a merged list.
template <class T, class Executor>
void check_split_wide_leaves(Executor& executor, std::vector<int> const& all_blocks) {
    for (int d : {64, 128, 256})
        for (int blocks : all_blocks)
            for (int of_a : {1, 8, 16}) {
                SCOPED_TRACE(std::to_string(d) + ", " + std::to_string(blocks) + ", " + std::to_string(of_a));
                hisparse<T> const a = part_of_seventeen<T>(d, blocks, 0, of_a);
                hisparse<T> const b = part_of_seventeen<T>(d, blocks, of_a, 17);
                ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
                ASSERT_EQ(b.root().reference.kind(), node_kind::wide);
                for (bool transposed : {false, true})
                    EXPECT_TRUE(left_by_sum<T>(executor, 1, a, transposed ? b.transposed() : b).none_missing());
                EXPECT_EQ(add(executor, T(1), a, T(1), b).census().wide_leaves(), 0);
            }
}

TEST(add_memory, suffices_for_wide_leaves_that_become_leaves) {
    cpu core(1);
    check_split_wide_leaves<double>(core, {2, 3, 500});
    check_split_wide_leaves<float>(core, {2, 3, 500});
    emulated lanes;
    check_split_wide_leaves<double>(lanes, {2, 3, 40});
    check_split_wide_leaves<float>(lanes, {2, 90});
}

TEST(add_memory, suffices_for_nodes_of_all_kinds) {
    cpu core(1);
    emulated lanes;
    csr<double> const thin = to_csr(scattered(300, 300, 150, 4)), far = to_csr(scattered(300, 300, 90, 9));
    csr<double> const thick = to_csr(matrix_where(300, 300, [](auto i, auto j) { return (i + j) % 7 == 0; }));
    for (auto const* other : {&far, &thick})
        for (bool transpose : {false, true}) {
            hisparse<double> const a = stored_as(host_memory(), thin, transpose, 64);
            hisparse<double> const b = stored_as(host_memory(), *other, false, 64);
            for (double alpha : {1.0, 3.0}) {  // with A's nodes shared, and copied
                EXPECT_TRUE(left_by_sum<double>(core, alpha, a, b).none_missing());
                EXPECT_TRUE(left_by_sum<double>(lanes, alpha, a, b).none_missing());
            }
        }
    hisparse<double> const tall(core, to_csr(scattered(5000, 300000, 3000, 6)), {.node_dimension = 64});
    EXPECT_TRUE(left_by_sum<double>(core, 1, tall, tall).none_missing());
}

hisparse<double> matrix(coo<double> const& entries) {
    return hisparse<double>(host_memory(), entries, {.node_dimension = 64});
}

// Lists without a common entry.
TEST(add_memory, hardly_exceeds_what_two_leaves_take) {
    cpu core(1);
    auto const stripes = [](std::int64_t turn) {
        return matrix(matrix_where(64, 64, [=](auto i, auto j) { return j % 4 == turn && i % 6 != 5; }));
    };
    bytes_left const left = left_by_sum<double>(core, 3, stripes(0), stripes(2));
    EXPECT_GE(left.of_nodes, 0);
    EXPECT_LE(left.of_nodes, 2 * 64);
}

// No block is in both, and both have factors: each leaf and each place in a parent is new.
TEST(add_memory, hardly_exceeds_what_copies_take) {
    cpu core(1);
    auto const blocks = [](std::int64_t turn) {
        return matrix(matrix_where(1280, 1280, [=](auto i, auto j) {
            return i % 64 < 20 && j % 64 == 3 * (i % 64) && (i / 64 + j / 64) % 2 == turn;
        }));
    };
    hisparse<double> const a = blocks(0), b = blocks(1);
    bytes_left const left = left_by_sum<double>(core, 3, a, b);
    EXPECT_GE(left.of_nodes, 0);
    EXPECT_LE(left.of_nodes, reserved_for_nodes(a, b) / 4);
}

// In lanes a wide leaf that meets an inner node falls apart: for each entry a leaf of 16 bytes and 10 in the parent, of
// 26.
TEST(add_memory, suffices_for_blocks_of_wide_leaves) {
    emulated lanes;
    hisparse<double> const a = matrix(blocks_of(56, 64, 1, 1, 4096)), b = matrix(blocks_of(1, 64, 20, 3, 4096));
    ASSERT_EQ(a.root().reference.kind(), node_kind::wide);
    ASSERT_EQ(b.root().reference.kind(), node_kind::sparse);
    bytes_left const left = left_by_sum<double>(lanes, 3, a, b);
    EXPECT_TRUE(left.none_missing());
    EXPECT_LE(left.of_nodes, reserved_for_nodes(a, b) / 20);
}

// What is written of an arena is all of it: copies read it as a whole.
TEST(add_memory, holds_nothing_but_nodes) {
    auto const memory = std::make_shared<moving_memory>();
    emulated lanes({.memory = memory, .temporary = memory});
    hisparse<double> const a = matrix(scattered(300, 300, 900, 2)), b = matrix(scattered(300, 300, 900, 3));
    hisparse<double> const c = add(lanes, 3.0, a, 2.0, b);
    ASSERT_EQ(c.content()->arenas.size(), 1u);
    EXPECT_EQ(c.content()->arenas.front().memory->size(), reachable_bytes(c));
}

TEST(add_memory, may_move_when_it_shrinks) {
    cpu executor(2);
    auto const sum = [&](auto keep_a, auto keep_b, std::size_t arenas) {
        csr<double> const a = to_csr(matrix_where(512, 512, keep_a)), b = to_csr(matrix_where(512, 512, keep_b));
        cpu on(2, std::make_shared<moving_memory>());
        hisparse<double> const c = add(on, 1.0, hisparse<double>(executor, a), 1.0, hisparse<double>(executor, b));
        EXPECT_EQ(c.content()->arenas.size(), arenas);
        expect_sum<double>(c, 1, a, 1, b, std::to_string(arenas) + " arenas");
        expect_sum<double>(add(executor, 1.0, c, 1.0, c), 1, to_csr(to_coo(c)), 1, to_csr(to_coo(c)), "twice");
        std::byte const* own = nullptr;
        c.content()->arena_table.read(c.content()->arenas.front().number, std::span(&own, 1));
        EXPECT_EQ(own, c.content()->arenas.front().memory->data());
    };
    auto const often = [](auto i, auto j) { return (i + j) % 5 == 0; };
    sum([&](auto i, auto j) { return i < 256 && often(i, j); }, [&](auto i, auto j) { return i >= 256 && often(i, j); },
        3);
    auto const common = [&](auto i, auto j) { return i < 128 && j < 128 && often(i, j); };
    sum([&](auto i, auto j) { return common(i, j) || (i == 200 && j < 9); },
        [&](auto i, auto j) { return common(i, j) || (i == 300 && j < 9); }, 1);
}

}  // namespace
}  // namespace copse::tests
