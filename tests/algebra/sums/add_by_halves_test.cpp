// Sums in lanes with pairs of large leaves in half a block each: the same bits as others'.
#include <gtest/gtest.h>

#include <algebra/sums/add_pairs.hpp>
#include <copse/algebra/sums/add_run.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <string>
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

template <class T>
void check_halves(emulated& lanes, int d, coo<double> const& of_a, coo<double> const& of_b, bool transposed) {
    hisparse<T> const a = stored_as(host_memory(), to_csr(with_values_of<T>(of_a)), false, d);
    hisparse<T> const b = stored_as(host_memory(), to_csr(with_values_of<T>(of_b)), transposed, d);
    ASSERT_GT(a.census().leaves(node_kind::diagonal), 0);
    run_report report;
    auto const halves = detail::add_on<T, detail::add_by_halves>(lanes, T(2), a, T(-3), b, {.report = &report});
    coo<T> const found = to_coo(halves), expected = to_coo(add(lanes, T(2), a, T(-3), b));
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_EQ(found.values, expected.values);
    check_tree(halves);
    std::int64_t pairs = 0;
    for (queue_report const& q : report.queues)
        if (q.name.find("by half a block") != std::string::npos) pairs += q.items;
    EXPECT_GE(pairs, 4);
}

TEST(add_by_halves, gives_the_bits_of_other_sums) {
    for (controller which : {controller::persistent, controller::host}) {
        emulated lanes({.seed = 31, .controller = which});
        for (int d : {64, 128})
            for (bool transposed : {false, true}) {
                SCOPED_TRACE(std::to_string(d) + (transposed ? ", transposed" : ""));
                check_halves<double>(lanes, d, leaf_streaks(d, 1), leaf_streaks(d, 3), transposed);
                check_halves<float>(lanes, d, leaf_streaks(d, 2), scattered(2 * d, 2 * d, 2 * d * d, 4), transposed);
            }
    }
    emulated lanes({.seed = 32});
    check_halves<double>(lanes, 256, leaf_streaks(256, 1), scattered(512, 512, 1000, 4), false);
}

}  // namespace
}  // namespace copse::tests
