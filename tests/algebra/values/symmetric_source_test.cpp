// Symmetric and skew matrices of which one half is read: every operation says the same as of the matrix that stores
// all, and the bytes are those that a search for transposes finds.
#include <fmt/format.h>

#include <algebra/values/share_transposed_suite.hpp>
#include <cmath>
#include <copse/algebra/plans/plan_content.hpp>
#include <copse/formats/matrix_market.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <limits>
#include <some_cases.hpp>

namespace copse::tests {
namespace {

template <class T>
coo_view<T> half_of(coo<T> const& entries, matrix_symmetry kind) {
    coo_view<T> view = entries;
    view.options = {.symmetry = kind, .half = matrix_half::lower};
    return view;
}
template <class T, class Executor>
void check_symmetric_source(Executor& executor, pattern_case const& c, matrix_symmetry kind) {
    SCOPED_TRACE(c.name);
    coo<double> const entries = with_symmetry(c.pattern, kind);
    auto const a = by_half<T>(executor, entries, kind, c.node_dimension);
    coo<double> const others = with_symmetry(scattered(entries.row_count, entries.row_count, 900, 11), kind);
    check_every_operation(executor, a, by_half<T>(executor, others, kind, c.node_dimension), entries,
                          {.share_transposed = true});
    check_walks_of(executor, a);
}
constexpr matrix_symmetry both_kinds[] = {matrix_symmetry::symmetric, matrix_symmetry::skew};

TEST(symmetric_source, says_the_same_on_a_cpu) {
    cpu executor(2);
    for (matrix_symmetry const kind : both_kinds)
        for (pattern_case const& c : some_of(pattern_cases())) check_symmetric_source<double>(executor, c, kind);
}

TEST(symmetric_source, says_the_same_in_lanes) {
    emulated executor({.step_limit = 100'000'000});  // several columns of a leaf
    for (matrix_symmetry const kind : both_kinds)
        for (pattern_case const& c : one_of(pattern_cases()))
            if (!takes_all_cases || c.leaves == node_kind::wide || c.leaves == node_kind::diagonal)
                check_symmetric_source<float>(executor, c, kind);
}

/// By default the half is read; values that repeat are stored once all the same; "nothing" stores all.
TEST(symmetric_source, takes_the_bytes_that_a_search_finds) {
    cpu executor(2);
    for (matrix_symmetry const kind : both_kinds)
        for (pattern_case const& c : pattern_cases()) {
            SCOPED_TRACE(c.name);
            int const d = c.node_dimension;
            coo<double> const entries = with_symmetry(c.pattern, kind);
            hisparse<double> const found(executor, entries, {.node_dimension = d, .share_transposed = true});
            hisparse<double> const read(executor, half_of(entries, kind), {.node_dimension = d});
            expect_same_bits(read, found, "half");
            EXPECT_EQ(reachable_bytes(read), reachable_bytes(found));
            EXPECT_EQ(read.census().visits, found.census().visits);
            EXPECT_EQ(read.census().entries, found.census().entries);
            EXPECT_EQ(leaves_with_values_once(read), leaves_with_values_once(found));
            hisparse<double> const all(executor, half_of(entries, kind),
                                       {.node_dimension = d, .share_transposed = false});
            EXPECT_EQ(reachable_bytes(all),
                      reachable_bytes(hisparse<double>(executor, entries, {.node_dimension = d})));
            hisparse<double> const both(executor, half_of(entries, kind),
                                        {.node_dimension = d, .share_identical = true, .share_transposed = true});
            expect_same_bits(both, found, "identical, too");
            EXPECT_LE(reachable_bytes(both), reachable_bytes(found));
        }
}

/// Four leaves of d = 64 become a wide leaf where they have 16 entries on average, not where three of them do.
TEST(symmetric_source, decides_by_both_halves_what_is_a_wide_leaf) {
    cpu executor(2);
    struct numbers {
        int pairs_on_diagonal;  // in each of the two leaves there
        int below;
        bool is_wide;
    };
    for (numbers const& n : {numbers{12, 6, true}, {1, 40, false}, {2, 12, true}, {12, 30, false}}) {
        SCOPED_TRACE(fmt::format("{} pairs, {} below", n.pairs_on_diagonal, n.below));
        for (matrix_symmetry const kind : both_kinds) {
            coo<double> entries = with_symmetry(
                matrix_where(128, 128,
                             [&](auto i, auto j) {
                                 bool const is_below = i >= 64 && j < 64 && i - 64 < n.below && j == 7 * (i - 64) % 64;
                                 return is_below || (i / 64 == j / 64 && i % 2 == 1 && j == i - 1 &&
                                                     i % 64 / 2 < n.pairs_on_diagonal);
                             }),
                kind);
            auto const a = by_half<double>(executor, entries, kind, 64);
            EXPECT_EQ(a.each.root().reference.is_wide_leaf(), n.is_wide);
            expect_same_bits(a.once, a.each, "half");
            EXPECT_EQ(a.once.census().visits, a.each.census().visits);
        }
    }
}

/// The halves differ by a bit: what is read is the one that is named.
TEST(symmetric_source, reads_one_half_alone) {
    cpu executor(2);
    for (matrix_symmetry const kind : both_kinds) {
        coo<double> entries =
            with_symmetry(matrix_where(200, 200, [](auto i, auto j) { return (i + j) % 5 == 0; }), kind);
        auto const upper = [&](std::size_t k) { return entries.rows[k] < entries.columns[k]; };
        coo<double> const expected = entries;
        for (std::size_t k = 0; k < entries.values.size(); ++k)
            if (upper(k)) entries.values[k] = std::nextafter(entries.values[k], 1e9);
        hisparse<double> const a(executor, half_of(entries, kind));
        expect_same_bits(a, hisparse<double>(executor, expected), "the lower half");
        hisparse<double> const searched(executor, entries, {.share_transposed = true});
        EXPECT_LT(reachable_bytes(a), reachable_bytes(searched));
    }
}

TEST(symmetric_source, is_read_once_by_plans) {
    cpu executor(3);
    for (matrix_symmetry const kind : both_kinds) {
        coo<double> const entries =
            with_symmetry(matrix_where(3001, 3001, [](auto i, auto j) { return j > i && j < i + 90; }), kind);
        hisparse<double> const a(executor, half_of(entries, kind),
                                 {.node_dimension = 64, .values = stored_values::each});
        spmv_plan<double> const plan(executor, a);
        auto const& mirrored = detail::direction_of(plan).mirrored;
        EXPECT_FALSE(mirrored.groups.empty());
        EXPECT_LT(10 * std::ssize(mirrored.items), 8 * detail::direction_of(plan).item_count);
        expected_product<double> const expected(to_csr(entries), {false, 2, -1, 0.5}, special_values::none);
        check_product_of<by_plan>(executor, a, expected, "by a plan");
    }
}

TEST(symmetric_source, comes_from_a_file) {
    for (matrix_symmetry const kind : both_kinds) {
        bool const is_skew = kind == matrix_symmetry::skew;
        std::string text = fmt::format("%%MatrixMarket matrix coordinate real {}\n200 200 400\n",
                                       is_skew ? "skew-symmetric" : "symmetric");
        for (int i = 1; i <= 200; ++i)
            text += fmt::format("{0} {0} {1}\n{2} {3} {0}\n", i, is_skew ? 0.0 : i + 0.5, std::max(i, 201 - i),
                                std::min(i, 201 - i));
        symmetric_coo<double> const read = parse_symmetric_matrix_market<double>(text, "t.mtx");
        EXPECT_EQ(read.entries.entry_count(), 400);
        EXPECT_EQ(read.symmetry, kind);
        coo<double> const all = parse_matrix_market<double>(text, "t.mtx");
        cpu executor(2);
        hisparse<double> const a(executor, read), whole(executor, all);
        expect_same_bits(a, whole, "of a file");
        EXPECT_LT(reachable_bytes(a), reachable_bytes(whole));
        EXPECT_EQ(all_entries(read).columns, all.columns);
    }
}

/// Zeros and NaN change their sign bit in the half that is not read, and where all entries are made.
TEST(symmetric_source, changes_signs_bit_by_bit) {
    cpu executor(2);
    emulated lanes;
    double const nan = std::numeric_limits<double>::quiet_NaN();
    coo<double> entries = skew(matrix_where(200, 200, [](auto i, auto j) { return (i + 3 * j) % 7 == 0; }));
    auto const is_below = [&](std::size_t k) { return entries.rows[k] > entries.columns[k]; };
    double const special[] = {0.0, -0.0, nan, -nan, std::numeric_limits<double>::infinity()};
    for (std::size_t k = 0; k < entries.values.size(); ++k) {
        double const value = special[static_cast<std::size_t>(std::min(entries.rows[k], entries.columns[k])) % 5];
        entries.values[k] = is_below(k) ? value : -value;
    }
    coo_view<double> const half = half_of(entries, matrix_symmetry::skew);
    hisparse<double> const each(executor, entries, {.share_transposed = false});
    hisparse<double> const by_default(executor, half), all(executor, half, {.share_transposed = false}),
        in_lanes(lanes, half, {.share_transposed = true}), all_in_lanes(lanes, half),
        found(executor, entries, {.share_transposed = true});
    EXPECT_EQ(reachable_bytes(by_default), reachable_bytes(found));
    for (hisparse<double> const& a : {by_default, all, in_lanes, all_in_lanes, found})
        expect_same_bits(a, each, "signs");
}

}  // namespace
}  // namespace copse::tests
