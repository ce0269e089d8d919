// Trees that an executor has made, against the host's: the same bytes.
#pragma once

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <cstring>
#include <string>
#include <vector>

namespace copse::tests {

/// Two trees node by node; only the numbers of their arenas may differ.
class tree_comparison {
  public:
    tree_comparison(hisparse_content const& a, hisparse_content const& b, std::int64_t value_bytes)
        : a_(a, value_bytes), b_(b, value_bytes) {}

    bool same(child_reference a, child_reference b) const {
        if (!a && !b) return true;
        if (!a || !b || a.offset() != b.offset() || a.entries() != b.entries() || a.kind() != b.kind() ||
            a.level() != b.level() || a.transposed() != b.transposed())
            return false;
        std::int64_t const bytes = a_.extent(a).bytes;
        if (bytes != b_.extent(b).bytes) return false;
        std::size_t slots = 0;
        if (!a.is_leaf()) {
            auto const children_a = a_.children(a), children_b = b_.children(b);
            slots = children_a.size();
            for (std::size_t i = 0; i < slots; ++i)
                if (!same(children_a[i], children_b[i])) return false;
        }
        auto const done = slots * sizeof(child_reference);
        return std::memcmp(a_.address(a) + done, b_.address(b) + done, static_cast<std::size_t>(bytes) - done) == 0;
    }

  private:
    detail::host_tree a_;
    detail::host_tree b_;
};

inline void expect_same_content(hisparse_content const& found, hisparse_content const& expected,
                                std::int64_t value_bytes) {
    EXPECT_EQ(found.row_count, expected.row_count);
    EXPECT_EQ(found.column_count, expected.column_count);
    EXPECT_EQ(found.dimension_log2, expected.dimension_log2);
    ASSERT_EQ(found.entry_count, expected.entry_count);
    EXPECT_EQ(found.census.visits, expected.census.visits);
    EXPECT_EQ(found.census.entries, expected.census.entries);
    EXPECT_EQ(found.reachable_bytes, expected.reachable_bytes);
    ASSERT_EQ(found.arenas.size(), expected.arenas.size());
    for (std::size_t i = 0; i < found.arenas.size(); ++i)
        ASSERT_EQ(found.arenas[i].memory->size(), expected.arenas[i].memory->size());
    EXPECT_TRUE(tree_comparison(found, expected, value_bytes).same(found.root, expected.root));
}

/// A matrix with entries in an order that no sort has seen.
inline coo<double> shuffled(coo<double> a) {
    std::mt19937_64 engine(a.values.size());
    for (std::size_t i = a.values.size(); i > 1; --i) {
        std::size_t const j = engine() % i;
        std::swap(a.rows[i - 1], a.rows[j]);
        std::swap(a.columns[i - 1], a.columns[j]);
        std::swap(a.values[i - 1], a.values[j]);
    }
    return a;
}

/// convert(matrix, options) of a coo and of a csr gives the content of a matrix that is on the executor.
template <class T, class Matrix, class Convert>
void check_conversion(std::string const& name, Matrix const& a, int node_dimension, Convert convert) {
    hisparse_options const options{.node_dimension = node_dimension, .values = stored_values::each};
    SCOPED_TRACE(name + ", d " + std::to_string(node_dimension) + (sizeof(T) == 4 ? ", float" : ", double"));
    auto const found = convert(a, options);
    ASSERT_TRUE(found);
    expect_same_content(*found, *hisparse<T>(host_memory(), a, options).content(), sizeof(T));
}

/// Which of the two kinds of matrices check_conversions() takes: both, or one by turns, in the first case this.
enum class conversions_of { both, coo_first, csr_first };

/// Each case as a coo of double in disorder, and as a csr of float where that has not far more rows than entries.
template <class Convert>
void check_conversions(std::vector<battery_case> const& cases, int node_dimension, Convert convert,
                       conversions_of which = conversions_of::both) {
    bool next_is_csr = which == conversions_of::csr_first;
    for (battery_case const& c : cases) {
        if (c.matrix.values.empty()) continue;
        bool const has_csr = c.matrix.row_count <= 1 << 20, both = which == conversions_of::both;
        bool const as_csr = has_csr && (both || next_is_csr);
        next_is_csr = !next_is_csr;
        if (both || !as_csr) check_conversion<double>(c.name + ", coo", shuffled(c.matrix), node_dimension, convert);
        if (!as_csr) continue;
        check_conversion<float>(c.name + ", csr", to_csr(with_values_of<float>(c.matrix)), node_dimension, convert);
    }
}

inline coo<double> joined(coo<double> a, coo<double> const& b) {
    a.rows.insert(a.rows.end(), b.rows.begin(), b.rows.end());
    a.columns.insert(a.columns.end(), b.columns.begin(), b.columns.end());
    a.values.insert(a.values.end(), b.values.begin(), b.values.end());
    return a;
}

/// Block rows with leaves, with sections in wide leaves, and with both; sections and blocks with few and many entries.
inline std::vector<battery_case> matrices_in_sections() {
    std::int64_t const n = 17000;  // a block of level 1 has 4096 rows, 16384 or 65536
    coo<double> const sparse = scattered(n, n, 40000, 31);
    auto const crowd = [&](auto keep) {
        coo<double> a = matrix_where(700, 600, keep);
        a.row_count = a.column_count = n;
        return a;
    };
    // Blocks of 64 x 64 of 1 to 70 entries, up to four in a row, among blocks of two: at most 16 on average.
    coo<double> steps = scattered(n, n, 60000, 39);
    for (std::int32_t k = 1; k <= 70; ++k)
        for (std::int32_t i = 0; i < k; ++i) {
            steps.rows.push_back(64 * 3 * k + i / 4 * 11 % 64);
            steps.columns.push_back(64 * (k % 7) + (i % 4 * 17 + i / 4) % 64);
            steps.values.push_back(i - 0.5 * k);
        }
    // Rows 0 to 63 have blocks of 300 entries, but wide leaves around them, where d is 64.
    coo<double> const row_of_crowds =
        joined(crowd([](auto i, auto j) { return i < 64 && j % 64 < 5; }), scattered(n, n, 30000, 32));
    return {{"wide leaves side by side", sparse},
            {"wide leaves of few entries", scattered(n, n, 2000, 33)},
            {"wide leaves of long sections", scattered(5000, 9000, 100000, 34)},
            {"wide leaves beside leaves", joined(sparse, crowd([](auto i, auto j) { return (i + j) % 3 != 0; }))},
            {"crowded block rows in wide leaves", row_of_crowds},
            {"crowded blocks in wide leaves",
             joined(sparse, crowd([](auto i, auto j) { return i % 64 == 5 && j % 64 < 40; }))},
            {"leaves of few entries beside wide leaves",
             joined(sparse, crowd([](auto i, auto j) { return i % 3 == 0 && j % 2 == 0; }))},
            {"blocks of 1 to 70 entries in wide leaves", steps},
            {"low and wide", scattered(70, 300000, 9000, 35)},
            {"high and narrow", scattered(300000, 70, 9000, 36)},
            {"low, with leaves",
             joined(scattered(200, 300000, 9000, 37), matrix_where(200, 300, [](auto i, auto j) { return i != j; }))}};
}

/// As far as a tree of this node dimension goes: entries at the ends and in between.
inline std::vector<battery_case> largest_matrices() {
    std::int64_t const n = std::int64_t{1} << 31;
    std::int32_t const last = 2147483647;
    coo<double> few = scattered(n, n, 200, 21);
    for (std::int32_t corner : {0, last}) {
        few.rows.push_back(corner);
        few.columns.push_back(last - corner);
        few.values.push_back(3);
    }
    return {{"one entry in the largest matrix", {n, n, {last}, {last - 5}, {2.5}}},
            {"few entries in the largest matrix", few},
            {"tallest column", {n, 1, {0, last, 77}, {0, 0, 0}, {1, 2, 3}}},
            {"widest row", {1, n, {0, 0, 0}, {last, 1 << 20, 0}, {1, 2, 3}}}};
}

/// Leaves of all kinds, small and large, in inner nodes and in wide leaves, with duplicates.
inline std::vector<battery_case> all_in_few_lanes() {
    coo<double> twice = scattered(70, 200, 300, 4);
    for (std::size_t i = 0; i < 100; ++i) {
        twice.rows.push_back(twice.rows[i]);
        twice.columns.push_back(twice.columns[i]);
        twice.values.push_back(3);
    }
    return {{"runs and lists",
             matrix_where(140, 140,
                          [](auto i, auto j) { return i == j || j == i + 70 || i == 7 || (i + 3 * j) % 31 == 0; })},
            {"wide, in three parts", scattered(4000, 3900, 2500, 5)},
            {"wide", matrix_where(200, 300, [](auto i, auto j) { return (i * 13 + j * 7) % 97 == 0; })},
            {"duplicates", twice},
            {"dense", matrix_where(64, 64, [](auto i, auto j) { return (i + 3 * j) % 11 != 0; })},
            {"the shortest run", matrix_where(64, 64, [](auto i, auto j) { return i == j && i < 6; })},
            {"levels", scattered(1 << 30, 1 << 28, 20, 6)}};
}

}  // namespace copse::tests
