// Sums in lanes with other tasks for pairs of large leaves than add() has: the same nodes, byte by byte.
#include <gtest/gtest.h>

#include <algebra/sums/add_pairs.hpp>
#include <copse/algebra/sums/add_run.hpp>
#include <copse/formats/tree/node_access.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <cstring>
#include <limits>
#include <some_cases.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace copse::tests {
namespace {

/// Streaks that begin and end anywhere, on all diagonals, in leaves of d x d, and entries beside them.
coo<double> leaf_streaks(int d, int turn) {
    return matrix_where(2 * d, 2 * d, [=](auto i, auto j) {
        auto const diagonal = (j - i + 4 * d) % d;
        return (diagonal % 5 == turn % 5 && (i + turn) % (d / 2 + 3) > 2) || (7 * i + 13 * j) % 53 == turn;
    });
}

/// Streaks on four diagonals of each leaf, two of them the same at each turn, and few entries beside them.
coo<double> few_streaks(int d, int turn) {
    return matrix_where(2 * d, 2 * d, [=](auto i, auto j) {
        auto const diagonal = (j - i + 4 * d) % d;
        bool const in_streak = diagonal == 0 || diagonal == 9 || diagonal == d - 1 - turn || diagonal == 20 + turn;
        return (in_streak && (i + 5 * turn) % (d / 2 + 3) > turn) || (7 * i + 13 * j) % (d * d / 8 + 1) == turn;
    });
}

/// -0 and, where `and_nan`, NaN among the values.
coo<double> with_special_values(coo<double> a, bool and_nan) {
    for (std::size_t k = 0; k < a.values.size(); ++k) {
        if (k % 5 == 1) a.values[k] = -0.0;
        if (and_nan && k % 7 == 3) a.values[k] = std::numeric_limits<double>::quiet_NaN();
    }
    return a;
}

/// Two trees in host memory node by node; a node may lie elsewhere in the other.
class same_nodes {
  public:
    same_nodes(hisparse_content const& a, hisparse_content const& b, std::int64_t value_bytes)
        : a_(a, value_bytes), b_(b, value_bytes) {}

    bool operator()(child_reference a, child_reference b) const {
        if (!a || !b) return !a && !b;
        if (a.entries() != b.entries() || a.kind() != b.kind() || a.level() != b.level() ||
            a.transposed() != b.transposed() || a.negative() != b.negative())
            return false;
        auto const bytes = a_.extent(a).bytes;
        if (a.is_leaf())
            return bytes == b_.extent(b).bytes &&
                   std::memcmp(a_.address(a), b_.address(b), static_cast<std::size_t>(bytes)) == 0;
        auto const of_a = a_.children(a), of_b = b_.children(b);
        bool same = of_a.size() == of_b.size();
        for (std::size_t i = 0; same && i < of_a.size(); ++i) same = (*this)(of_a[i], of_b[i]);
        return same;
    }

  private:
    detail::host_tree a_, b_;
};

struct operands_stored {
    int dimension;
    bool transposed_a = false, transposed_b = false;
    stored_values values = stored_values::each;
    int pairs = 4;                         // at least, of leaves with streaks
    node_kind kind = node_kind::diagonal;  // of leaves of C
};
/// `Tasks` have a queue for two leaves with streaks, whose name ends so.
template <class T, class Tasks>
void check_choice(emulated& lanes, char const* name, coo<double> const& of_a, coo<double> const& of_b,
                  operands_stored how) {
    auto const stored = [&](coo<double> const& m, bool transposed) {
        hisparse_options const options{.node_dimension = how.dimension, .values = how.values};
        csr<T> const rows = to_csr(with_values_of<T>(m));
        return transposed ? copse::transposed(hisparse<T>(host_memory(), transpose(rows), options))
                          : hisparse<T>(host_memory(), rows, options);
    };
    hisparse<T> const a = stored(of_a, how.transposed_a), b = scaled(stored(of_b, how.transposed_b), T(-0.5));
    ASSERT_TRUE(how.pairs == 0 || a.census().leaves(node_kind::diagonal) > 0);
    run_report report;
    auto const found = detail::add_on<T, Tasks>(lanes, T(2), a, T(6), b, {.report = &report});
    auto const expected = add(lanes, T(2), a, T(6), b);
    EXPECT_EQ(found.is_transposed(), expected.is_transposed());
    EXPECT_EQ(found.content()->census.visits, expected.content()->census.visits);
    EXPECT_TRUE(
        same_nodes(*found.content(), *expected.content(), sizeof(T))(found.content()->root, expected.content()->root));
    check_tree(found);
    std::int64_t pairs = 0;
    for (queue_report const& q : report.queues)
        if (q.name.ends_with(name)) pairs += q.items;
    EXPECT_GE(pairs, how.pairs);
    EXPECT_GE(found.census().leaves(how.kind), how.pairs);
}
/// In float not with a sanitizer: a choice has all of a sum compiled for each type.
template <class T>
void check_halves(emulated& lanes, coo<double> const& a, coo<double> const& b, operands_stored how) {
    if constexpr (takes_all_cases || std::is_same_v<T, double>)
        check_choice<T, detail::add_by_halves>(lanes, "by half a block", a, b, how);
}
template <class T>
void check_intervals(emulated& lanes, coo<double> const& a, coo<double> const& b, operands_stored how) {
    if constexpr (takes_all_cases || std::is_same_v<T, double>)
        check_choice<T, detail::add_by_intervals>(lanes, "by intervals", a, b, how);
}

TEST(add_by_halves, gives_the_bits_of_other_sums) {
    for (controller which : {controller::persistent, controller::host}) {
        emulated lanes({.seed = 31, .controller = which});
        for (int d : {64, 128})
            for (bool transposed : {false, true}) {
                SCOPED_TRACE(std::to_string(d) + (transposed ? ", transposed" : ""));
                check_halves<double>(lanes, leaf_streaks(d, 1), leaf_streaks(d, 3), {d, false, transposed});
                check_halves<float>(lanes, leaf_streaks(d, 2), scattered(2 * d, 2 * d, 2 * d * d, 4),
                                    {d, false, transposed});
            }
    }
    emulated lanes({.seed = 32});
    check_halves<double>(lanes, leaf_streaks(256, 1), scattered(512, 512, 1000, 4), {256});
}

TEST(add_by_intervals, gives_the_bits_of_other_sums) {
    for (controller which : {controller::persistent, controller::host}) {
        emulated lanes({.seed = 33, .controller = which});
        for (int d : {64, 128, 256})
            for (int way = 0; way < 4; ++way) {
                if (d == 256 && (way == 3 || which == controller::host)) continue;
                SCOPED_TRACE(std::to_string(d) + ", way " + std::to_string(way));
                operands_stored const how{d, way % 2 == 1, way >= 2};
                coo<double> const a = with_special_values(few_streaks(d, 1), true),
                                  b = with_special_values(few_streaks(d, 2), false);
                check_intervals<double>(lanes, a, b, how);
                check_intervals<float>(lanes, b, few_streaks(d, 4), how);
            }
    }
}

TEST(add_by_intervals, reads_values_that_are_stored_once) {
    emulated lanes({.seed = 34});
    auto const ones = [](coo<double> a, double value) {
        a.values.assign(a.values.size(), value);
        return a;
    };
    coo<double> const a = ones(few_streaks(64, 1), 3), b = ones(few_streaks(64, 2), -0.5);
    for (bool transposed : {false, true}) {
        operands_stored const how{64, false, transposed, stored_values::once};
        check_intervals<double>(lanes, a, b, how);
        check_intervals<float>(lanes, a, with_special_values(b, false), how);
    }
}

/// Leaves with more streaks and entries than lanes; and a sum that is a list, of a leaf with a streak and a list.
TEST(add_by_intervals, leaves_other_pairs_to_sets_of_bits) {
    emulated lanes({.seed = 35});
    for (int d : {64, 128}) {
        check_intervals<double>(lanes, leaf_streaks(d, 1), leaf_streaks(d, 3), {d, d == 64});
        check_intervals<float>(lanes, leaf_streaks(d, 2), scattered(2 * d, 2 * d, 2 * d * d, 4), {d});
        check_intervals<double>(lanes, few_streaks(d, 1), leaf_streaks(d, 3), {d});
    }
    coo<double> const streak = matrix_where(
        64, 64, [](auto i, auto j) { return (i < 6 && j == i) || (i >= 20 && i < 36 && i % 2 == 0 && j == 1); });
    coo<double> const list = matrix_where(64, 64, [](auto i, auto j) { return j == 30 && i < 53; });
    check_intervals<double>(lanes, streak, list, {.dimension = 64, .pairs = 1, .kind = node_kind::sparse});
}

TEST(add_by_intervals, takes_blocks_of_wide_leaves_as_ever) {
    emulated lanes({.seed = 37});
    for (pair_case const& p : pairs_above_leaves()) {
        if (p.name.find("dense node") != std::string::npos) continue;  // thousands of leaves
        SCOPED_TRACE(p.name);
        check_intervals<double>(lanes, p.a, p.b, {.dimension = 64, .transposed_b = true, .pairs = 0});
    }
}

/// What is told of set bits tells which way a pair went.
TEST(add_by_intervals, counts_no_bits_where_streaks_are_few) {
    auto const bits_set = [](coo<double> const& of_a, coo<double> const& of_b) {
        emulated lanes({.seed = 36, .profile = true});
        hisparse<double> const a = stored_as(host_memory(), to_csr(of_a), false, 64),
                               b = stored_as(host_memory(), to_csr(of_b), true, 64);
        detail::add_on<double, detail::add_by_intervals>(lanes, 1.0, a, 1.0, b, {});
        std::int64_t accesses = 0;
        for (access_line const& line : lanes.profile().lines)
            if (line.task.ends_with("by intervals") && line.kind == access_kind::atomic &&
                line.file.ends_with("position_set.hpp"))
                accesses += line.lane_accesses;
        return accesses;
    };
    EXPECT_EQ(bits_set(few_streaks(64, 1), few_streaks(64, 2)), 0);
    EXPECT_GT(bits_set(few_streaks(64, 1), leaf_streaks(64, 2)), 0);
}

}  // namespace
}  // namespace copse::tests
