// What each generator must produce, from formulas that share nothing with the generators: distances between grid
// points, trial division, permitted moves, counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace {

using copse::coo;
using copse::generate;

using cell = std::pair<std::int64_t, std::int64_t>;

std::map<cell, double> cells_of(coo<double> const& a) {
    std::map<cell, double> cells;
    for (std::size_t k = 0; k < a.values.size(); ++k) cells[{a.rows[k], a.columns[k]}] = a.values[k];
    EXPECT_EQ(cells.size(), a.values.size()) << "a coordinate occurs twice";
    return cells;
}

// Compares with value(i, j) at every coordinate; zero stands for no entry.
void expect_matrix(coo<double> const& a, std::int64_t rows, std::int64_t columns,
                   std::function<double(std::int64_t, std::int64_t)> const& value) {
    ASSERT_EQ(a.row_count, rows);
    ASSERT_EQ(a.column_count, columns);
    auto const cells = cells_of(a);
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            auto const found = cells.find({i, j});
            double const expected = value(i, j);
            ASSERT_EQ(found != cells.end(), expected != 0) << i << ", " << j;
            if (expected != 0) {
                ASSERT_EQ(found->second, expected) << i << ", " << j;
            }
        }
    }
}

// The distances along x, y and z between points i and j of an n x m x k grid.
std::array<std::int64_t, 3> distances(std::int64_t i, std::int64_t j, std::int64_t n, std::int64_t m) {
    return {std::abs(i % n - j % n), std::abs(i / n % m - j / n % m), std::abs(i / n / m - j / n / m)};
}

TEST(generated_grid, poisson2d) {
    expect_matrix(generate<double>("poisson2d:2"), 4, 4, [](auto i, auto j) {
        static double const by_hand[4][4] = {{4, -1, -1, 0}, {-1, 4, 0, -1}, {-1, 0, 4, -1}, {0, -1, -1, 4}};
        return by_hand[i][j];
    });
    expect_matrix(generate<double>("poisson2d:5,3"), 15, 15, [](auto i, auto j) {
        auto const d = distances(i, j, 5, 3);
        auto const steps = d[0] + d[1];
        return steps == 0 ? 4.0 : steps == 1 ? -1.0 : 0.0;
    });
    EXPECT_EQ(generate<float>("poisson2d:70,50").entry_count(), 5 * 70 * 50 - 2 * 70 - 2 * 50);
    EXPECT_EQ(generate<float>("poisson2d:1").entry_count(), 1);
}

TEST(generated_grid, poisson3d) {
    expect_matrix(generate<double>("poisson3d:5,3,4"), 60, 60, [](auto i, auto j) {
        auto const d = distances(i, j, 5, 3);
        auto const steps = d[0] + d[1] + d[2];
        return steps == 0 ? 6.0 : steps == 1 ? -1.0 : 0.0;
    });
    EXPECT_EQ(generate<float>("poisson3d:30").entry_count(), 7 * 27000 - 6 * 900);
}

TEST(generated_grid, stencil27) {
    expect_matrix(generate<double>("stencil27:5,3,4"), 60, 60, [](auto i, auto j) {
        auto const d = distances(i, j, 5, 3);
        auto const far = std::max({d[0], d[1], d[2]});
        return far == 0 ? 26.0 : far == 1 ? -1.0 : 0.0;
    });
    EXPECT_EQ(generate<float>("stencil27:30").entry_count(), 88 * 88 * 88);  // (3 n - 2)^3
}

TEST(generated_grid, elasticity_has_dense_blocks_and_is_symmetric) {
    auto const a = generate<double>("elasticity:4");
    EXPECT_EQ(a.row_count, 3 * 64);
    EXPECT_EQ(a.entry_count(), 9 * 10 * 10 * 10);
    auto const cells = cells_of(a);
    for (std::int64_t i = 0; i < a.row_count; ++i) {
        for (std::int64_t j = 0; j < a.row_count; ++j) {
            auto const d = distances(i / 3, j / 3, 4, 4);
            auto const found = cells.find({i, j});
            ASSERT_EQ(found != cells.end(), std::max({d[0], d[1], d[2]}) <= 1) << i << ", " << j;
            if (found == cells.end()) continue;
            EXPECT_NE(found->second, 0) << i << ", " << j;
            EXPECT_EQ(found->second, cells.at({j, i})) << i << ", " << j;
        }
    }
    // Neighbours along x: r = 1, W = I + e_x e_x^T + 1 1^T / 4.
    double const along_x[3][3] = {{-2.25, -.25, -.25}, {-.25, -1.25, -.25}, {-.25, -.25, -1.25}};
    for (int p = 0; p < 3; ++p) {
        for (int q = 0; q < 3; ++q) EXPECT_EQ(cells.at({p, 3 + q}), along_x[p][q]);
    }
}

TEST(generated_grid, elasticity_maps_translations_to_zero_inside) {
    auto const a = copse::to_csr(generate<double>("elasticity:5"));
    std::int64_t const inside = (2 * 5 + 2) * 5 + 2;
    for (auto row = 3 * inside; row < 3 * inside + 3; ++row) {
        for (int axis = 0; axis < 3; ++axis) {
            double sum = 0;
            for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
                if (a.column_indices[k] % 3 == axis) sum += a.values[k];
            }
            EXPECT_NEAR(sum, 0, 1e-13);
        }
    }
}

TEST(generated_grid, elasticity_is_positive_definite) {
    // Cholesky's factorisation goes through exactly for positive definite matrices.
    auto const a = generate<double>("elasticity:3");
    auto const n = a.row_count;
    std::vector<double> l(n * n, 0);
    for (std::size_t k = 0; k < a.values.size(); ++k) l[a.rows[k] * n + a.columns[k]] = a.values[k];
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t k = 0; k < j; ++k) l[j * n + j] -= l[j * n + k] * l[j * n + k];
        ASSERT_GT(l[j * n + j], 0.1) << "pivot " << j;
        l[j * n + j] = std::sqrt(l[j * n + j]);
        for (std::int64_t i = j + 1; i < n; ++i) {
            for (std::int64_t k = 0; k < j; ++k) l[i * n + j] -= l[i * n + k] * l[j * n + k];
            l[i * n + j] /= l[j * n + j];
        }
    }
}

TEST(generated_structure, trefethen) {
    expect_matrix(generate<double>("trefethen:5"), 5, 5, [](auto i, auto j) {
        static double const by_hand[5][5] = {
            {2, 1, 1, 0, 1}, {1, 3, 1, 1, 0}, {1, 1, 5, 1, 1}, {0, 1, 1, 7, 1}, {1, 0, 1, 1, 11}};
        return by_hand[i][j];
    });
    std::vector<int> primes;
    for (int p = 2; primes.size() < 300; ++p) {
        if (std::all_of(primes.begin(), primes.end(), [p](int q) { return p % q != 0; })) primes.push_back(p);
    }
    for (int n : {1, 2, 3, 4, 6, 300}) {
        expect_matrix(generate<double>("trefethen:" + std::to_string(n)), n, n, [&](auto i, auto j) {
            if (i == j) return static_cast<double>(primes[i]);
            auto distance = std::abs(i - j);
            while (distance % 2 == 0) distance /= 2;
            return distance == 1 ? 1.0 : 0.0;
        });
    }
}

TEST(generated_structure, trefethen_20000_is_the_published_one) {
    auto const a = generate<float>("trefethen:20000");
    EXPECT_EQ(a.row_count, 20000);
    EXPECT_EQ(a.entry_count(), 554466);
    EXPECT_EQ(a.rows.back(), 19999);
    EXPECT_EQ(a.columns.back(), 19999);
    EXPECT_EQ(a.values.back(), 224737);  // the 20000th prime
}

TEST(generated_structure, epidemiology_moves_one_person_at_a_time) {
    int const people = 9;
    std::vector<cell> states;
    for (int s = 0; s <= people; ++s) {
        for (int i = 0; s + i <= people; ++i) states.push_back({s, i});
    }
    auto const a = generate<double>("epidemiology:9");
    ASSERT_EQ(a.row_count, static_cast<std::int64_t>(states.size()));
    auto const cells = cells_of(a);
    std::vector<double> row_sums(states.size(), 0);
    for (std::size_t from = 0; from < states.size(); ++from) {
        for (std::size_t to = 0; to < states.size(); ++to) {
            cell const move{states[to].first - states[from].first, states[to].second - states[from].second};
            bool const permitted = std::set<cell>{{0, 0}, {-1, 1}, {0, -1}, {1, 0}}.contains(move);
            auto const found = cells.find({from, to});
            ASSERT_EQ(found != cells.end(), permitted) << from << " to " << to;
            if (!permitted) continue;
            EXPECT_GT(found->second, 0);
            row_sums[from] += found->second;
        }
    }
    for (double const sum : row_sums) EXPECT_NEAR(sum, 1, 1e-15);
}

TEST(generated_structure, epidemiology_has_the_published_size) {
    auto const a = generate<float>("epidemiology");
    EXPECT_EQ(a.row_count, 525825);
    EXPECT_EQ(a.entry_count(), 2100225);
    EXPECT_EQ(generate<float>("epidemiology:0").entry_count(), 1);
}

TEST(generated_structure, qcd_couples_neighbours_on_the_torus) {
    constexpr int l = 4;
    auto const a = copse::to_csr(generate<double>("qcd:4"));
    ASSERT_EQ(a.row_count, 12 * l * l * l * l);
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        ASSERT_EQ(a.row_offsets[row + 1] - a.row_offsets[row], 39);
        // By axis and direction (1 or l - 1 steps): how many entries, over how many spins.
        std::map<std::pair<int, std::int64_t>, int> entries;
        std::map<std::pair<int, std::int64_t>, std::set<std::int64_t>> spins;
        for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) {
            std::int64_t from = row / 12;
            std::int64_t to = a.column_indices[k] / 12;
            std::pair<int, std::int64_t> hop{-1, 0};
            for (int axis = 0; axis < 4; ++axis, from /= l, to /= l) {
                auto const steps = (to % l - from % l + l) % l;
                if (steps == 0) continue;
                ASSERT_EQ(hop.first, -1) << "two steps at once";
                ASSERT_NE(steps, 2);
                hop = {axis, steps};
            }
            ++entries[hop];
            spins[hop].insert(a.column_indices[k] % 12 / 3);
        }
        ASSERT_EQ(entries.size(), 7U);
        auto const own_spin = row % 12 / 3;
        for (auto const& [hop, count] : entries) {
            bool const in_time = hop.first == 3;
            ASSERT_EQ(count, in_time ? 3 : 6);
            ASSERT_EQ(spins[hop].size(), in_time ? 1U : 2U);
            ASSERT_TRUE(spins[hop].contains(own_spin));
            if (in_time) {
                ASSERT_EQ(hop.second, own_spin < 2 ? 1 : l - 1);
            }
        }
    }
}

TEST(generated_structure, qcd_8_has_the_published_size) {
    auto const a = generate<float>("qcd");
    EXPECT_EQ(a.row_count, 49152);
    EXPECT_EQ(a.entry_count(), 1916928);
}

// Values in [-1, 1), their mean near zero and their mean square near 1/3.
void expect_random_values(std::vector<double> const& values) {
    double sum = 0;
    double squares = 0;
    for (double const value : values) {
        ASSERT_GE(value, -1);
        ASSERT_LT(value, 1);
        sum += value;
        squares += value * value;
    }
    double const count = static_cast<double>(values.size());
    // Five standard deviations: 1 / sqrt(3) for a value, 2 / sqrt(45) for its square.
    EXPECT_LT(std::abs(sum / count), 5 / std::sqrt(3 * count));
    EXPECT_LT(std::abs(squares / count - 1.0 / 3), 5 * 2 / std::sqrt(45 * count));
}

TEST(generated_structure, dense_and_banded) {
    auto const a = generate<double>("dense:70,90");
    EXPECT_EQ(a.row_count, 70);
    EXPECT_EQ(a.column_count, 90);
    EXPECT_EQ(cells_of(a).size(), 70U * 90U);
    expect_random_values(a.values);
    auto const b = generate<double>("banded:80,3");
    auto const cells = cells_of(b);
    for (int i = 0; i < 80; ++i) {
        for (int j = 0; j < 80; ++j) EXPECT_EQ(cells.contains({i, j}), std::abs(i - j) <= 3);
    }
    expect_random_values(b.values);
    EXPECT_EQ(generate<double>("banded:80,0").entry_count(), 80);
    EXPECT_EQ(generate<double>("banded:8,2147483647").entry_count(), 64);
}

TEST(generated_random, permutation) {
    auto const a = generate<double>("permutation:1000,4");
    EXPECT_EQ(std::set<int>(a.rows.begin(), a.rows.end()).size(), 1000U);
    EXPECT_EQ(std::set<int>(a.columns.begin(), a.columns.end()).size(), 1000U);
    EXPECT_EQ(a.values, std::vector<double>(1000, 1.0));
    // A random permutation has one fixed point on average; seven and more have a chance below 1e-4.
    int fixed = 0;
    for (std::size_t k = 0; k < 1000; ++k) fixed += a.rows[k] == a.columns[k];
    EXPECT_LT(fixed, 7);
}

TEST(generated_random, rmat_falls_into_quarters_as_graph500_says) {
    auto const a = generate<double>("rmat:12,16,5");
    EXPECT_EQ(a.row_count, 4096);
    EXPECT_EQ(a.column_count, 4096);
    ASSERT_EQ(a.entry_count(), 65536);
    expect_random_values(a.values);
    double const expected[4] = {.57, .19, .19, .05};
    for (int level = 0; level < 12; ++level) {
        std::array<int, 4> counts{};
        for (std::size_t k = 0; k < a.values.size(); ++k) {
            ++counts[(a.rows[k] >> level & 1) * 2 + (a.columns[k] >> level & 1)];
        }
        for (int quarter = 0; quarter < 4; ++quarter) {
            double const p = expected[quarter];
            EXPECT_NEAR(counts[quarter] / 65536.0, p, 5 * std::sqrt(p * (1 - p) / 65536)) << level << " " << quarter;
        }
    }
    // Levels are independent: the two that share a draw, and the next one.
    int both = 0;
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        both += !(a.rows[k] >> 11 & 1) && !(a.rows[k] >> 10 & 1) && !(a.rows[k] >> 9 & 1);
    }
    double const p = .76 * .76 * .76;
    EXPECT_NEAR(both / 65536.0, p, 5 * std::sqrt(p * (1 - p) / 65536));
}

TEST(generated_random, circuit_has_few_entries_in_a_row_and_four_nets) {
    int const n = 20000;
    auto const a = generate<double>("circuit:20000");
    expect_random_values(a.values);
    auto const cells = cells_of(a);
    std::vector<int> row_counts(n, 0);
    for (auto const& [where, value] : cells) {
        EXPECT_TRUE(cells.contains({where.second, where.first}));
        ++row_counts[where.first];
    }
    for (int i = 0; i < n; ++i) EXPECT_TRUE(cells.contains({i, i}));
    std::set<std::int64_t> nets;
    int ordinary = 0;
    for (int i = 0; i < n; ++i) {
        if (row_counts[i] > 100) {
            nets.insert(i);
        } else {
            ordinary = std::max(ordinary, row_counts[i]);
        }
    }
    EXPECT_EQ(nets.size(), 4U);
    EXPECT_LE(ordinary, 7);
    double in_nets = 0;
    for (auto const& [where, value] : cells) in_nets += nets.contains(where.first) || nets.contains(where.second);
    EXPECT_NEAR(in_nets / static_cast<double>(cells.size()), 0.2, 0.01);
    EXPECT_NEAR(static_cast<double>(cells.size()) / n, 5, 0.1);
}

TEST(generated_random, lp_links_its_columns_in_the_first_rows) {
    auto const a = generate<double>("lp:500,30000");
    EXPECT_EQ(a.row_count, 500);
    EXPECT_EQ(a.column_count, 30000);
    expect_random_values(a.values);
    std::vector<int> linking(30000, 0);
    std::vector<int> others(30000, 0);
    std::set<int> rows;
    for (auto const& [where, value] : cells_of(a)) {
        rows.insert(static_cast<int>(where.first));
        ++(where.first < 5 ? linking : others)[where.second];
    }
    EXPECT_EQ(rows.size(), 500U);
    EXPECT_EQ(linking, std::vector<int>(30000, 1));
    for (int count = 1; count <= 4; ++count) {
        auto const share = static_cast<double>(std::count(others.begin(), others.end(), count)) / 30000;
        EXPECT_NEAR(share, 0.25, 5 * std::sqrt(0.25 * 0.75 / 30000));
    }
    EXPECT_EQ(generate<double>("lp:1,10").entry_count(), 10);
    cells_of(generate<double>("lp:3,100"));
}

TEST(generated_random, uniform_draws_one_column_in_each_stretch) {
    auto const a = generate<double>("uniform:1003,4,9");
    auto const rows = copse::to_csr(a);
    expect_random_values(a.values);
    std::vector<int> column_counts(1003, 0);
    for (int i = 0; i < 1003; ++i) {
        ASSERT_EQ(rows.row_offsets[i + 1] - rows.row_offsets[i], 4);
        for (int k = 0; k < 4; ++k) {
            auto const column = rows.column_indices[rows.row_offsets[i] + k];
            ++column_counts[column];
            // Stretches of 251, 251, 251 and 250 columns.
            EXPECT_GE(column, 251 * k);
            EXPECT_LT(column, 251 * (k + 1));
        }
    }
    // About four entries in a column, as from a Poisson distribution: 20 has a chance of 1e-8, and none one of 1/55.
    EXPECT_LT(*std::max_element(column_counts.begin(), column_counts.end()), 20);
    EXPECT_NEAR(static_cast<double>(std::count(column_counts.begin(), column_counts.end(), 0)) / 1003, std::exp(-4),
                5 * std::sqrt(std::exp(-4) / 1003));
    EXPECT_EQ(generate<double>("uniform:5,80").entry_count(), 25);
}

TEST(generated_random, dense_row_is_uniform_but_for_one_row) {
    auto const a = generate<double>("dense_row:1003,4,9");
    auto const rows = copse::to_csr(a);
    expect_random_values(a.values);
    EXPECT_EQ(rows.column_count, 1003);
    ASSERT_EQ(rows.entry_count(), 1002 * 4 + 1003);
    for (int i = 0; i < 1003; ++i) {
        bool const is_dense = i == 501;
        ASSERT_EQ(rows.row_offsets[i + 1] - rows.row_offsets[i], is_dense ? 1003 : 4) << i;
        for (int k = 0; k < 4 && !is_dense; ++k)
            EXPECT_EQ(rows.column_indices[rows.row_offsets[i] + k] / 251, k);  // stretches of 251, 251, 251 and 250
    }
    EXPECT_EQ(generate<double>("dense_row:1").entry_count(), 1);
    EXPECT_EQ(generate<double>("dense_row:5,80").entry_count(), 25);
}

}  // namespace
