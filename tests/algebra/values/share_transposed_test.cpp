// Sub-trees that are each other's transpose or its negative, stored once: the bytes, and every operation.
#include <algebra/values/share_transposed_suite.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/edits/edit_tools.hpp>
#include <runtime/message_of.hpp>
#include <some_cases.hpp>

namespace copse::tests {
namespace {

TEST(share_transposed, stores_half_of_a_symmetric_or_skew_matrix) {
    for (double const below : {1.0, -1.0}) {
        for (pattern_case const& c : some_of(pattern_cases())) {
            SCOPED_TRACE(c.name);
            auto const a = twins_of(symmetric(c.pattern, below), c.node_dimension);
            expect_same_bits(a.once, a.each, "symmetric");
            EXPECT_LE(reachable_bytes(a.once), reachable_bytes(a.each));
            EXPECT_EQ(a.once.content()->reachable_bytes, reachable_bytes(a.once));
            EXPECT_EQ(a.once.census().visits, a.each.census().visits);
        }
        auto const a = twins_of(stencil(4000, below), 64);
        EXPECT_LT(100 * reachable_bytes(a.once), 65 * reachable_bytes(a.each));
    }
}

TEST(share_transposed, stores_a_block_of_a_saddle_point_matrix_once) {
    coo<double> const a = stencil(700);
    for (double const sign : {1.0, -1.0}) {
        auto const whole = twins_of(saddle_point(a, whole_numbers(scattered(300, 700, 9000, 7)), sign), 64);
        expect_same_bits(whole.once, whole.each, "a saddle point");
        // Rows of B begin within a block: of B and of B^T blocks are images all the same. Those on the diagonal have
        // entries of B and of A, and are whole.
        EXPECT_LT(100 * reachable_bytes(whole.once), 65 * reachable_bytes(whole.each));
        for (bool const turned : {false, true}) {
            cpu executor(2);
            csr<double> const rows = to_csr(whole.each);
            expected_product<double> const expected(rows, {turned, 2, -1, 0.5}, special_values::none);
            check_product_of<one_shot>(executor, whole.once, expected, "a saddle point");
            check_product_of<by_plan>(executor, whole.once, expected, "a saddle point");
        }
    }
}

TEST(share_transposed, stores_blocks_that_are_their_own_transpose_once) {
    auto const a = twins_of(symmetric(matrix_where(1024, 1024, [](auto i, auto j) { return j == i + 256; })), 64);
    expect_same_bits(a.once, a.each, "diagonals");
    EXPECT_LT(100 * reachable_bytes(a.once), 60 * reachable_bytes(a.each));
}

/// One bit, in a list, a streak, a dense and a wide leaf: these leaves are not shared, the others are.
void check_one_bit(double below) {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    double const other_nan = std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) + 1);
    for (pattern_case const& c : some_of(pattern_cases())) {
        SCOPED_TRACE(c.name);
        coo<double> entries = symmetric(c.pattern, below);
        std::size_t const last = entries.values.size() - 1;
        std::size_t k = 0;  // off the diagonal
        while (k < last && entries.rows[k] / c.node_dimension == entries.columns[k] / c.node_dimension) ++k;
        std::size_t image = 0;
        while (entries.rows[image] != entries.columns[k] || entries.columns[image] != entries.rows[k]) ++image;
        for (auto const& [one, other] : {std::pair{2.0, 3.0}, {0.0, -0.0}, {nan, other_nan}}) {
            entries.values[k] = one;
            entries.values[image] = std::copysign(1.0, below) < 0 ? -one : one;
            auto const as_one = twins_of(entries, c.node_dimension);
            expect_same_bits(as_one.once, as_one.each, "the same bits");
            std::int64_t const shared = reachable_bytes(as_one.once);
            if (k == image) continue;
            entries.values[image] = std::copysign(1.0, below) < 0 ? -other : other;
            auto const a = twins_of(entries, c.node_dimension);
            EXPECT_GE(reachable_bytes(a.once), shared);
            expect_same_bits(a.once, a.each, "one bit");
        }
    }
}
TEST(share_transposed, tells_apart_what_differs_in_a_bit) {
    check_one_bit(1);
    check_one_bit(-1);
    coo<double> list = symmetric(matrix_where(128, 128, [](auto i, auto j) { return j == i + 70 && i % 2 == 0; }));
    auto const bytes = [&] { return reachable_bytes(twins_of(list, 64).once); };
    list.values[3] = 0.0;
    std::int64_t const apart = bytes();
    std::size_t const half = list.values.size() / 2;
    for (std::size_t k = 0; k < half; ++k) list.values[k] = list.values[half + k] = 1;
    EXPECT_LT(bytes(), apart);
    std::int64_t const shared = bytes();
    list.values[half] = std::nextafter(1.0, 2.0);
    EXPECT_GT(bytes(), shared);
    // Negatives: of numbers, of zeros, of NaN; and what is none, because a bit differs.
    double const nan = std::bit_cast<double>(0x7ff8000000000123U), negative_nan = -nan;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(negative_nan), 0xfff8000000000123U);
    for (std::size_t k = 0; k < half; ++k) list.values[half + k] = -(list.values[k] = static_cast<double>(k + 1));
    EXPECT_EQ(bytes(), shared);
    struct two_values {
        double above, below;
        bool are_negatives;
    };
    for (two_values const& v : {two_values{0.0, -0.0, true},
                                {-0.0, 0.0, true},
                                {0.0, 0.0, false},
                                {-0.0, -0.0, false},
                                {nan, negative_nan, true},
                                {nan, nan, false},
                                {1.0, -std::nextafter(1.0, 2.0), false},
                                {5.0, 5.0, false}}) {
        list.values[3] = v.above;
        list.values[half + 3] = v.below;
        if (v.are_negatives)
            EXPECT_EQ(bytes(), shared);
        else
            EXPECT_GT(bytes(), shared);
        auto const a = twins_of(list, 64);
        expect_same_bits(a.once, a.each, "negatives");
        expect_same_bits(transposed(a.once), transposed(a.each), "of the transpose");
        emulated lanes;
        EXPECT_EQ(bits_of(to_csr(to_csr_matrix(lanes, a.once)).values), bits_of(to_csr(a.each).values));
    }
}

TEST(share_transposed, says_the_same_on_a_cpu) {
    cpu executor(2);
    bool narrow = false;
    for (double const below : {1.0, -1.0})
        for (pattern_case const& c : some_of(pattern_cases())) {
            if (takes_all_cases || !narrow) check_share_transposed<double>(executor, c, below);
            if (takes_all_cases || narrow) check_share_transposed<float>(executor, c, below);
            narrow = !narrow;
        }
    for (signed_blocks const& c : signed_block_cases()) {
        check_signed_blocks<double>(executor, c);
        check_signed_blocks<float>(executor, c);
    }
}

TEST(share_transposed, says_the_same_in_lanes) {
    emulated executor({.step_limit = 100'000'000});  // several columns of a leaf
    bool narrow = false;
    for (double const below : one_of(std::vector{1.0, -1.0}))
        for (pattern_case const& c : one_of(pattern_cases())) {
            if (narrow)
                check_share_transposed<float>(executor, c, below);
            else
                check_share_transposed<double>(executor, c, below);
            narrow = !narrow;
        }
    for (signed_blocks const& c : one_of(signed_block_cases())) check_signed_blocks<double>(executor, c);
}

TEST(share_transposed, ends_where_an_edit_changes_one_side) {
    for (double const below : {1.0, -1.0}) {
        auto const a = twins_of(stencil(1000, below), 64);
        edits<double> changes;
        changes.set(3, 123, 99).set(700, 1, 5).add(124, 4, 0.5).erase(334, 1);
        for (bool const turned : {false, true}) {
            hisparse<double> const given = turned ? transposed(a.once).scaled(0.5) : a.once;
            hisparse<double> const each = turned ? transposed(a.each).scaled(0.5) : a.each;
            hisparse<double> const edited = edit(given, changes);
            expect_same_bits(edited, edit(each, changes), "edited");
            expect_same_bits(a.once, a.each, "and what it was");
            EXPECT_LT(shared_bytes(a.once, edited), reachable_bytes(edited));
        }
    }
}
/// Edits of leaves of each kind that are seen as their negatives, and not transposed.
TEST(share_transposed, ends_where_an_edit_changes_one_of_several_signed_blocks) {
    for (signed_blocks const& c : signed_block_cases()) {
        SCOPED_TRACE(c.name);
        hisparse_options options = shared_by(c.node_dimension);
        options.share_identical = true;
        cpu executor(2);
        auto const a = stored_both_ways<double>(executor, mosaic_of(c), options);
        std::int64_t const n = c.block.row_count;
        std::int64_t const row = c.block.rows[3], column = c.block.columns[3];
        edits<double> changes;
        changes.add(row, n + column, 4).erase(2 * n + row, 2 * n + column).set(n + column, 2 * n + row, 7);
        changes.set(n + 3, n + 5, 9);
        hisparse<double> const edited = edit(a.once, changes);
        check_tree(edited);
        expect_same_bits(edited, edit(a.each, changes), "edited");
    }
}

}  // namespace
}  // namespace copse::tests
