// Random operands of sums, and sums that are checked: what the properties of sums have in common.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algebra/battery.hpp>
#include <copse/algebra/add.hpp>
#include <cstdint>
#include <cstring>
#include <formats/edits/edit_tools.hpp>
#include <ostream>
#include <utility>
#include <vector>

namespace copse::tests {

struct shape {
    std::int64_t rows;
    std::int64_t columns;
};

inline std::ostream& operator<<(std::ostream& out, shape const& s) {
    return out << s.rows << " x " << s.columns;
}

inline shape random_shape() {
    return *rc::gen::element(shape{1, 700}, shape{500, 1}, shape{130, 200}, shape{300, 290}, shape{70, 5000},
                             shape{9000, 70000});
}

/// Up to three parts, laid over each other; values count up from 1.
inline coo<double> random_entries(shape s) {
    coo<double> a = empty_matrix(s.rows, s.columns);
    auto const put = [&](std::int64_t row, std::int64_t column) {
        if (row < 0 || column < 0 || row >= s.rows || column >= s.columns) return;
        a.rows.push_back(static_cast<std::int32_t>(row));
        a.columns.push_back(static_cast<std::int32_t>(column));
        a.values.push_back(static_cast<double>(1 + a.values.size() % 97));
    };
    auto const random = [](std::int64_t below) { return *rc::gen::inRange<std::int64_t>(0, below); };
    int const parts = *rc::gen::element(0, 1, 1, 2, 3);
    for (int part = 0; part < parts; ++part) {
        std::int64_t const row = random(s.rows), column = random(s.columns);
        switch (*rc::gen::element(0, 1, 2, 3)) {
            case 0: {  // a leaf of d = 64, full or with holes
                std::int64_t const holes = *rc::gen::element<std::int64_t>(2, 17, 10'000);
                for (std::int64_t k = 0; k < 4096; ++k)
                    if (k % holes != 1) put(row / 64 * 64 + k / 64, column / 64 * 64 + k % 64);
                break;
            }
            case 1:  // a band
                for (std::int64_t k = 0; k < 300; ++k)
                    for (std::int64_t j = 0; j < 3; ++j) put(row + k, column + k + 5 * j);
                break;
            case 2:  // one leaf, scattered
                for (std::int64_t k = 0; k < 60; ++k) put(row + k * 37 % 60, column + k * 29 % 53);
                break;
            default:  // all over the matrix
                for (std::int64_t k = 0; k < 150; ++k) put((row + k * 7919) % s.rows, (column + k * 6007) % s.columns);
        }
    }
    return a;
}

/// In a random state; of d.
template <class T = double>
hisparse<T> random_operand(shape s, int d) {
    bool const transpose = *rc::gen::arbitrary<bool>();
    bool const share = *rc::gen::arbitrary<bool>();
    coo<double> const entries = random_entries(transpose ? shape{s.columns, s.rows} : s);
    hisparse<T> const a(host_memory(), with_small_values<T>(entries), {.node_dimension = d, .share_identical = share});
    return transpose ? a.transposed() : a;
}

inline int random_dimension() {
    return *rc::gen::element(64, 128, 256);
}

template <class T>
bool same(coo<T> const& a, coo<T> const& b) {
    return a.row_count == b.row_count && a.column_count == b.column_count && a.rows == b.rows &&
           a.columns == b.columns && a.values.size() == b.values.size() &&
           (a.values.empty() ||  // memcmp takes no null
            std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(T)) == 0);
}

/// Entries with their positions as numbers, ascending: a list that is quickly merged.
using entry_list = std::vector<std::pair<std::uint64_t, double>>;

template <class T>
entry_list list_of(coo<T> const& a) {
    entry_list list;
    for (std::size_t k = 0; k < a.values.size(); ++k)
        list.emplace_back(static_cast<std::uint64_t>(a.rows[k]) << 32 | static_cast<std::uint32_t>(a.columns[k]),
                          a.values[k]);
    return list;
}
/// Fails where a position occurs twice.
template <class T>
entry_list list_of(hisparse<T> const& a) {
    entry_list list = list_of(to_coo(a));
    for (std::size_t k = 1; k < list.size(); ++k) EXPECT_LT(list[k - 1].first, list[k].first);
    return list;
}
template <class T>
entry_list list_of(entry_map<T> const& a) {
    entry_list list;
    for (auto const& [place, value] : a)
        list.emplace_back(static_cast<std::uint64_t>(place.first) << 32 | static_cast<std::uint64_t>(place.second),
                          value);
    return list;
}

inline entry_list sum_of(double alpha, entry_list const& a, double beta, entry_list const& b) {
    entry_list sum;
    auto i = a.begin();
    auto j = b.begin();
    while (i != a.end() || j != b.end()) {
        bool const from_a = j == b.end() || (i != a.end() && i->first <= j->first);
        bool const from_b = i == a.end() || (j != b.end() && j->first <= i->first);
        sum.emplace_back(from_a ? i->first : j->first, 0);
        if (from_a) sum.back().second += alpha * (i++)->second;
        if (from_b) sum.back().second += beta * (j++)->second;
    }
    return sum;
}

/// The sum with everything it promises: each position once, the right kinds of nodes, the census, the bytes.
template <class T, class Executor>
hisparse<T> checked_sum(Executor& executor, std::type_identity_t<T> alpha, hisparse<T> const& a,
                        std::type_identity_t<T> beta, hisparse<T> const& b) {
    hisparse<T> const sum = add(executor, alpha, a, beta, b);
    check_tree(sum);
    RC_ASSERT(list_of(sum) == sum_of(alpha, list_of(a), beta, list_of(b)));
    RC_ASSERT(!testing::Test::HasFailure());
    return sum;
}

/// Leaves of d x d with few entries, up to 40 in each, or runs; 4096 x 4096 and up to 70 leaves at a level-1 block's
/// begin.
template <class T>
coo<T> random_leaves(int d) {
    coo<double> a = empty_matrix(9000, 5000);
    int const leaves = *rc::gen::element(1, 2, 3, 20, 70), most = *rc::gen::element(1, 4, 17, 32, 40);
    auto const turn = *rc::gen::inRange(0, 1000);
    bool const runs = *rc::gen::arbitrary<bool>();
    for (int k = 0; k < leaves; ++k) {
        int const row = (k * 7 + turn) % 19 * d, column = (k * 11 + turn / 7) % 23 * d;
        int const entries = 1 + (k * 31 + turn) % most;
        for (int i = 0; i < entries; ++i) {
            a.rows.push_back(row + i);
            a.columns.push_back(column + (runs ? i + turn % 20 : (i * 37 + turn) % 61));
            a.values.push_back(1);
        }
    }
    a = to_coo(to_csr(a));
    return with_small_values<T>(a);
}

}  // namespace copse::tests
