#include <algebra/battery.hpp>
#include <algorithm>
#include <cmath>
#include <copse/formats/csr.hpp>
#include <copse/runtime/config.hpp>
#include <numeric>
#include <some_cases.hpp>
#include <utility>

namespace copse::tests {

double value_source::operator()() {
    std::uint64_t const bits = engine_();
    if (bits % 16 == 0) return 0;
    double const mantissa = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
    return std::ldexp(bits & 16 ? mantissa : -mantissa, static_cast<int>(bits >> 5 & 31) - 16);
}

coo<double> empty_matrix(std::int64_t rows, std::int64_t columns) {
    return {rows, columns, {}, {}, {}};
}

coo<double> matrix_where(std::int64_t m, std::int64_t n, std::function<bool(std::int64_t, std::int64_t)> const& keep) {
    coo<double> a = empty_matrix(m, n);
    value_source value(static_cast<std::uint64_t>(m * 7919 + n));
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            if (keep(i, j)) {
                a.rows.push_back(static_cast<std::int32_t>(i));
                a.columns.push_back(static_cast<std::int32_t>(j));
                a.values.push_back(value());
            }
    return a;
}

coo<double> matrix_of_rows(std::int64_t m, std::int64_t n,
                           std::function<std::vector<std::int64_t>(std::int64_t)> const& columns) {
    coo<double> a = empty_matrix(m, n);
    value_source value(static_cast<std::uint64_t>(m * 7919 + n));
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j : columns(i)) {
            a.rows.push_back(static_cast<std::int32_t>(i));
            a.columns.push_back(static_cast<std::int32_t>(j));
            a.values.push_back(value());
        }
    return a;
}

std::vector<std::int64_t> every(std::int64_t first, std::int64_t step, std::int64_t n) {
    std::vector<std::int64_t> result;
    for (std::int64_t j = first; j < n; j += step) result.push_back(j);
    return result;
}

coo<double> scattered(std::int64_t m, std::int64_t n, std::int64_t count, std::uint64_t seed) {
    coo<double> a = empty_matrix(m, n);
    std::mt19937_64 engine(seed);
    value_source value(seed + 1);
    for (std::int64_t k = 0; k < count; ++k) {
        a.rows.push_back(static_cast<std::int32_t>(engine() % static_cast<std::uint64_t>(m)));
        a.columns.push_back(static_cast<std::int32_t>(engine() % static_cast<std::uint64_t>(n)));
        a.values.push_back(value());
    }
    return a;
}

coo<double> in_order(coo<double> const& a) {
    std::vector<std::size_t> order(a.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const place = [&](std::size_t k) { return std::pair(a.rows[k], a.columns[k]); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return place(i) < place(j); });
    coo<double> sorted = empty_matrix(a.row_count, a.column_count);
    for (std::size_t k : order) {
        bool const is_new = sorted.values.empty() || std::pair(sorted.rows.back(), sorted.columns.back()) != place(k);
        if (is_new) {
            sorted.rows.push_back(a.rows[k]);
            sorted.columns.push_back(a.columns[k]);
            sorted.values.push_back(a.values[k]);
        } else {
            sorted.values.back() += a.values[k];
        }
    }
    return sorted;
}

namespace {

std::vector<battery_case> all_small_cases() {
    auto all = [](std::int64_t, std::int64_t) { return true; };
    std::vector<battery_case> cases{
        {"0x0", empty_matrix(0, 0)},
        {"0x5", empty_matrix(0, 5)},
        {"5x0", empty_matrix(5, 0)},
        {"without entries", empty_matrix(7, 9)},
        {"1x1", matrix_where(1, 1, all)},
        {"1xn", matrix_where(1, 300, all)},
        {"nx1", matrix_where(300, 1, all)},
        {"empty rows and columns",
         matrix_where(90, 70, [](auto i, auto j) { return i % 3 == 0 && j % 7 < 2 && i > 20; })},
        {"one dense row", matrix_where(40, 700, [](auto i, auto j) { return i == 11 || (i == j); })},
        {"one dense column", matrix_where(700, 40, [](auto i, auto j) { return j == 11 || i == j; })},
        {"duplicates", scattered(50, 60, 3000, 3)},
        {"wide", scattered(10, 100000, 400, 4)},
        {"tall", scattered(100000, 10, 400, 5)},
        {"one dense leaf for d = 64", matrix_where(64, 64, all)},
        {"one dense leaf with holes for d = 64",
         matrix_where(64, 64, [](auto i, auto j) { return (i + 3 * j) % 11 != 0; })},
        {"three levels of nodes", scattered(262145, 300000, 300, 6)},
    };
    // Entries in one leaf, just below, at and just past every bin, group of lanes and group of four: a coordinate list
    // (no streak reaches six entries), and with streaks.
    for (int count : {1, 2, 3, 4, 5, 8, 9, 31, 32, 33, 64, 65, 127, 128, 129, 511, 512, 513, 700}) {
        cases.push_back({"leaf of " + std::to_string(count), matrix_where(36, 30, [count](auto i, auto j) {
                             return i % 6 != 5 && (i - i / 6) * 30 + j < count;
                         })});
        cases.push_back({"runs, leaf of " + std::to_string(count), matrix_where(30, 30, [count](auto i, auto j) {
                             return ((j - i + 30) % 30) * 30 + i < count;
                         })});
    }
    // Runs of all lengths, on diagonals above and below the main one, up to the borders of a node and across them.
    cases.push_back({"runs of all lengths", matrix_where(200, 210, [](auto i, auto j) {
                         auto const diagonal = (j - i + 400) % 5;
                         return diagonal < 2 && i % (3 + (j - i + 400) % 13) != 0;
                     })});
    cases.push_back({"long runs", matrix_where(300, 300, [](auto i, auto j) {
                         return i == j || j == i + 1 || i == j + 127 || j == i + 64 || i == j + 200;
                     })});
    cases.push_back({"two leaves of one wide leaf",
                     matrix_where(130, 290, [](auto i, auto j) { return i % 40 == 3 && j % 70 == 5; })});
    // Children of one inner node: just below and past its bins.
    for (int count : {1, 2, 8, 9, 33})
        cases.push_back({"inner node of " + std::to_string(count), matrix_of_rows(300, 256 * count, [count](auto i) {
                             return i == 3 ? every(100, 256, 256 * count) : every(0, 1, 0);
                         })});
    for (int d : {63, 64, 65, 128, 129, 257})
        cases.push_back({"dimension " + std::to_string(d),
                         matrix_where(d, d, [](auto i, auto j) { return i == j || (i * 31 + j * 17) % 23 == 0; })});
    return cases;
}

}  // namespace

std::vector<battery_case> small_battery() {
    return some_of(all_small_cases());
}

std::vector<battery_case> large_battery() {
    auto const in_every_block = [](std::int64_t i) {
        return i % 64 % 3 == 0 ? every(i / 64 % 64, 64, 4096) : std::vector<std::int64_t>();
    };
    return {
        {"dense, full leaves", matrix_where(512, 256, [](auto, auto) { return true; })},
        {"dense, ragged border", matrix_where(300, 290, [](auto, auto) { return true; })},
        {"dense leaves, some with holes", matrix_where(256, 384, [](auto i, auto j) { return (i + 3 * j) % 97 != 0; })},
        // Odd rows (columns) have no entry where the suite puts NaN and Inf into x: an absent position must not be
        // multiplied. Every sixth row (column) is empty: no runs, which would take less memory than a dense leaf.
        {"dense leaves beside NaN",
         matrix_where(256, 256,
                      [](auto i, auto j) { return i % 6 != 5 && !((j % 41 == 0 || j % 53 == 9) && i % 2 == 1); })},
        {"dense leaves beside NaN in the transpose",
         matrix_where(256, 256,
                      [](auto i, auto j) { return j % 6 != 5 && !((i % 41 == 0 || i % 53 == 9) && j % 2 == 1); })},
        {"dense inner node for d = 64", matrix_of_rows(4096, 4096, in_every_block)},
        {"dense inner node with holes for d = 64", matrix_of_rows(4096, 4096,
                                                                  [&](std::int64_t i) {
                                                                      auto columns = in_every_block(i);
                                                                      std::erase_if(columns, [i](std::int64_t j) {
                                                                          return (i / 64 + j / 64) % 11 == 0;
                                                                      });
                                                                      return columns;
                                                                  })},
        {"wide leaf in parts", scattered(4000, 3900, 9000, 8)},
        {"wide leaf with a crowd",
         matrix_where(2000, 2000,
                      [](auto i, auto j) { return (i < 50 && j > 70 && j < 100) || (i * 7 + j * 13) % 211 == 0; })},
        {"scattered", scattered(17000, 9000, 80000, 7)},
        {"one row holds most",
         matrix_of_rows(3000, 60000,
                        [](auto i) { return i == 1500 ? every(0, 1, 60000) : every(20 * i, 60000, 60000); })},
    };
}

std::vector<battery_case> few_rows_battery() {
    std::vector<battery_case> cases = all_small_cases();
    std::erase_if(cases, [](battery_case const& c) { return c.matrix.row_count > 1000; });
    return some_of(std::move(cases));
}

std::vector<battery_case> every_case() {
    std::vector<battery_case> cases = all_small_cases();
    for (battery_case& c : large_battery()) cases.push_back(std::move(c));
    return cases;
}

std::vector<battery_case> whole_battery() {
    return some_of(COPSE_THREAD_SANITIZER ? all_small_cases() : every_case());
}

namespace {

/// -2 to 2, one for each place, however often it is named.
coo<double> with_whole_numbers(coo<double> const& a) {
    coo<double> result = to_coo(to_csr(a));
    std::mt19937_64 engine(a.values.size());
    for (double& value : result.values) value = static_cast<double>(engine() % 5) - 2;
    return result;
}

}  // namespace

std::vector<battery_case> small_whole_number_battery() {
    std::vector<battery_case> cases{
        {"a row without entries", {3, 2, {0, 2}, {0, 1}, {2, -1}}},
        {"0x0", empty_matrix(0, 0)},
        {"without entries", empty_matrix(7, 9)},
        {"dense leaves with holes",
         matrix_where(100, 130, [](auto i, auto j) { return i % 6 != 5 && (i + 3 * j) % 11 != 0; })},
        {"runs",
         matrix_where(150, 140, [](auto i, auto j) { return i % 50 != 7 && (i == j || j == i + 1 || i == j + 64); })},
        {"a long row",
         matrix_of_rows(90, 1000,
                        [](auto i) { return i == 40 ? every(0, 1, 1000) : every(2 * i, i % 5 * 99 + 5, 9 * i); })},
        {"levels of nodes", scattered(700, 4500, 1500, 8)},
    };
    for (std::size_t i = 1; i < cases.size(); ++i) cases[i].matrix = with_whole_numbers(cases[i].matrix);
    return cases;
}

std::vector<battery_case> whole_number_battery() {
    std::vector<battery_case> cases = small_whole_number_battery();
    for (battery_case const& c :
         std::vector<battery_case>{{"more levels of nodes", scattered(9000, 5000, 12000, 9)},
                                   {"a long row of many tiles", matrix_of_rows(500, 20000, [](auto i) {
                                        if (i % 9 == 5) return std::vector<std::int64_t>();
                                        return i == 400 ? every(0, 1, 20000) : every(i, 4999, 20000);
                                    })}})
        cases.push_back({c.name, with_whole_numbers(c.matrix)});
    return cases;
}

template <class T>
coo<T> with_values_of(coo<double> const& a) {
    return {a.row_count, a.column_count, a.rows, a.columns, std::vector<T>(a.values.begin(), a.values.end())};
}

template coo<float> with_values_of(coo<double> const&);
template coo<double> with_values_of(coo<double> const&);

}  // namespace copse::tests
