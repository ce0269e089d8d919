// Stand-ins for the papers' matrices: as many rows, columns and entries, and rows as short and as long, as stated.
#include "bench/stand_in.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <copse/formats/statistics.hpp>
#include <numeric>
#include <set>
#include <string>

#include "bench/paper_matrices.hpp"

namespace copse::bench {
namespace {

/// Small ones of each pattern with a table's rows.
std::vector<paper_matrix> small_matrices() {
    auto constexpr p = paper::csr5;
    return {
        {p, "", "dense", "", 40, 50, 2000, {50, 50, 50}, pattern::dense},
        {p, "", "blocks", "", 3000, 3000, 150'000, {4, 50, 145}, pattern::blocks},
        {p, "", "long", "", 5000, 5000, 40'000, {1, 8, 4900}, pattern::long_rows},
        {p, "", "skewed", "", 4000, 4000, 20'000, {0, 5, 700}, pattern::skewed},
        {p, "", "wide", "", 300, 20'000, 100'000, {1, 333, 9000}, pattern::scattered},
        {p, "", "local", "", 3000, 3000, 20'000, {1, 6.7, 44}, pattern::local},
        {paper::sellp, "", "means only", "", 2000, 2000, 150'000, {0, 75, 0}, pattern::blocks},
    };
}

/// What the collection's matrices are in a printed table: cut or rounded to two digits and more.
void expect_about(std::int64_t exact, double printed, std::string const& name) {
    EXPECT_NEAR(static_cast<double>(exact), printed, std::max(1.0, 0.05 * printed)) << name;
}

void expect_rows_as_stated(paper_matrix const& m, std::vector<std::int64_t> const& lengths) {
    ASSERT_EQ(std::ssize(lengths), m.rows) << m.name;
    EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}), m.entries) << m.name;
    auto const [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
    if (m.lengths.is_stated()) {
        EXPECT_EQ(*shortest, m.lengths.minimum) << m.name;
        EXPECT_EQ(*longest, m.lengths.maximum) << m.name;
    }
    EXPECT_LE(*longest, m.columns) << m.name;
}

TEST(stand_in, has_the_rows_columns_and_entries_that_are_stated) {
    for (auto const& m : small_matrices()) {
        auto const a = stand_in<double>(m);
        EXPECT_NO_THROW(check(a)) << m.name;
        EXPECT_EQ(a.row_count, m.rows) << m.name;
        EXPECT_EQ(a.column_count, m.columns) << m.name;
        EXPECT_EQ(a.entry_count(), m.entries) << m.name;
        auto const rows = count_rows(a);
        EXPECT_NEAR(rows.mean, m.mean(), 1e-9) << m.name;
        if (!m.lengths.is_stated()) continue;
        EXPECT_EQ(rows.minimum, m.lengths.minimum) << m.name;
        EXPECT_EQ(rows.maximum, m.lengths.maximum) << m.name;
    }
}

TEST(stand_in, rows_of_every_matrix_of_the_papers) {
    for (auto const& m : paper_matrices()) {
        if (m.kind == pattern::generated) continue;
        if (m.rows <= 500'000) {
            expect_rows_as_stated(m, stand_in_lengths(m));
        } else if (m.lengths.is_stated()) {  // long to make: what is stated can be
            EXPECT_LE(m.lengths.minimum * m.rows, m.entries) << m.name;
            EXPECT_LE(m.entries, m.lengths.maximum * m.rows) << m.name;
            EXPECT_LE(m.lengths.maximum, m.columns) << m.name;
        }
    }
}

TEST(stand_in, rows_of_every_matrix_of_hisparse) {
    for (auto const& m : hisparse_matrices()) {
        expect_rows_as_stated(m, stand_in_lengths(m));
        EXPECT_NEAR(m.mean(), m.lengths.mean, 0.051) << m.name;  // printed with one digit
    }
}

TEST(stand_in, generators_make_the_matrices_that_have_a_formula) {
    for (auto const& m : paper_matrices()) {
        if (m.kind != pattern::generated || m.entries > 3'000'000) continue;
        auto const a = stand_in<float>(m);
        EXPECT_EQ(a.row_count, m.rows) << m.name;
        EXPECT_EQ(a.entry_count(), m.entries) << m.name;
        auto const rows = count_rows(a);
        if (!m.lengths.is_stated()) continue;
        EXPECT_EQ(rows.minimum, m.lengths.minimum) << m.name;
        EXPECT_EQ(rows.maximum, m.lengths.maximum) << m.name;
    }
}

TEST(stand_in, is_the_same_every_time_in_both_types) {
    auto const m = small_matrices()[2];
    auto const a = stand_in<double>(m), b = stand_in<double>(m);
    auto const narrow = stand_in<float>(m);
    EXPECT_EQ(a.row_offsets, b.row_offsets);
    EXPECT_EQ(a.column_indices, b.column_indices);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(a.column_indices, narrow.column_indices);
}

TEST(stand_in, three_rows_of_blocks_share_runs_of_columns) {
    auto const m = small_matrices()[1];
    auto const a = stand_in<double>(m);
    std::int64_t follow = 0;
    for (std::int64_t k = 1; k < a.entry_count(); ++k)
        follow += a.column_indices[k] == a.column_indices[k - 1] + 1 ? 1 : 0;
    EXPECT_GT(follow, a.entry_count() * 6 / 10);
    auto const row = 300;  // of rows 300, 301, 302
    ASSERT_EQ(a.row_offsets[row + 1] - a.row_offsets[row], a.row_offsets[row + 2] - a.row_offsets[row + 1]);
    std::set<std::int32_t> const first(a.column_indices.begin() + a.row_offsets[row],
                                       a.column_indices.begin() + a.row_offsets[row + 1]);
    std::int64_t shared = 0;
    for (auto k = a.row_offsets[row + 1]; k < a.row_offsets[row + 2]; ++k) shared += first.count(a.column_indices[k]);
    EXPECT_GT(shared, std::ssize(first) / 2);
}

TEST(paper_matrices, are_those_of_the_tables) {
    int csr5 = 0, sellp = 0, cmrs = 0;
    for (auto const& m : paper_matrices()) {
        csr5 += m.where == paper::csr5 ? 1 : 0;
        sellp += m.where == paper::sellp ? 1 : 0;
        cmrs += m.where == paper::cmrs ? 1 : 0;
        if (m.lengths.mean == 0) continue;
        EXPECT_NEAR(m.mean(), m.lengths.mean, std::max(1.0, 0.02 * m.lengths.mean)) << m.name;
    }
    EXPECT_EQ(csr5, 24);
    EXPECT_EQ(sellp, 20);
    EXPECT_EQ(cmrs, 3);
}

TEST(paper_matrices, dimensions_round_to_what_table_2_prints) {
    std::vector<std::pair<double, double>> const printed{
        {2e3, 4.0e6},    {36e3, 4.3e6},   {83e3, 6.0e6},  {62e3, 4.0e6},  {218e3, 11.6e6}, {49e3, 1.9e6},
        {526e3, 2.1e6},  {47e3, 2.4e6},   {141e3, 7.8e6}, {207e3, 1.3e6}, {121e3, 2.6e6},  {171e3, 959e3},
        {268e3, 18.5e6}, {186e3, 15.0e6}, {1e6, 3.1e6},   {4e3, 11.3e6},  {5.6e6, 59.5e6}, {863e3, 19.2e6},
        {1.4e6, 16.9e6}, {66e3, 10.4e6},  {683e3, 3.9e6}, {117e3, 766e3}, {2.9e6, 26.6e6}, {309e3, 2.8e6}};
    for (std::size_t i = 0; i < printed.size(); ++i) {
        auto const& m = paper_matrices()[i];
        if (m.name != "LP") expect_about(m.rows, printed[i].first, m.name);  // 4K for 4284
        expect_about(m.entries, printed[i].second, m.name);
    }
}

TEST(paper_matrices, few_are_the_smallest_of_each_paper) {
    std::vector<std::string> names;
    for (auto const& m : few_paper_matrices()) names.push_back(m.name);
    EXPECT_EQ(names,
              (std::vector<std::string>{"Economics", "Circuit", "dc2", "CAGE_10", "SHIPSEC1", "TREFETHEN_20000"}));
}

}  // namespace
}  // namespace copse::bench
