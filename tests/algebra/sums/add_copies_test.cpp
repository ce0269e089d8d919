// What only one operand of a sum has: inner nodes of every kind, shared or copied, and how long shared ones live.
#include <algebra/sums/add_pairs.hpp>
#include <algorithm>
#include <cmath>
#include <copse/algebra/spmv.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <formats/edits/edit_tools.hpp>
#include <limits>
#include <optional>
#include <vector>

namespace copse::tests {
namespace {

/// alpha A + beta B, where B has nothing of A's first block, a dense inner node: whether that node is C's own, and
/// copied.
template <class Executor>
void check_dense_node(Executor& executor, double alpha, csr<double> const& of_a, hisparse<double> const& a, double beta,
                      csr<double> const& of_b, hisparse<double> const& b, bool copied) {
    hisparse<double> const sum = add(executor, alpha, a, beta, b);
    child_reference const first = sum.tree().child(sum.root(), 0).reference;
    EXPECT_EQ(first.kind(), node_kind::dense);
    EXPECT_EQ(first.level(), sum.root().reference.level() - 1);
    EXPECT_EQ(first.arena() == sum.content()->arenas.front().number, copied);
    check_tree(sum);
    expect_sum<double>(sum, alpha, of_a, beta, of_b, copied ? "copied" : "shared");
}

/// crowd: in its first block, of a quarter of the matrix, a dense inner node.
template <class Executor>
void check_dense_nodes(Executor& executor, coo<double> const& crowd) {
    auto const last = static_cast<std::int32_t>(crowd.row_count - 1);
    csr<double> const of_a = to_csr(crowd);
    csr<double> const of_b = to_csr(coo<double>{crowd.row_count, crowd.column_count, {last}, {last - 1}, {3}});
    for (bool transpose : {false, true}) {
        SCOPED_TRACE(transpose);
        hisparse<double> const a = stored_as(executor.memory(), of_a, transpose, 64);
        hisparse<double> const b = stored_as(executor.memory(), of_b, false, 64);
        ASSERT_EQ(a.tree().child(a.root(), 0).reference.kind(), node_kind::dense);
        check_dense_node(executor, 1, of_a, a, 2, of_b, b, false);
        check_dense_node(executor, 2, of_a, a, 1, of_b, b, true);
        check_dense_node(executor, 1, of_b, b, 2, of_a, a, true);
    }
}

TEST(add_copies, are_of_dense_inner_nodes_too) {
    cpu executor(2);
    check_dense_nodes(executor, blocks_of(58, 64, 17, 3, 2 * 4096));
    check_dense_nodes(executor, blocks_of(58, 4096, 2, 100, 2 * 262144));
}

TEST(add_copies_explored, are_of_dense_inner_nodes_too) {
    emulated lanes({.mode = emulation::explore, .seed = 4});
    check_dense_nodes(lanes, blocks_of(58, 64, 17, 3, 2 * 4096));
}

entry_map<double> sum_of_maps(entry_map<double> a, entry_map<double> const& b) {
    for (auto const& [place, value] : b) a[place] += value;
    return a;
}

/// n x n entries in a block of their own; a leaf of each kind that has places without an entry.
std::vector<coo<double>> with_places_without_an_entry() {
    return {
        matrix_where(64, 64, [](auto i, auto j) { return i % 6 != 5 && j != 7; }),             // dense
        matrix_where(64, 64, [](auto i, auto j) { return i == j && i < 17; }),                 // a list or a run
        matrix_where(64, 64, [](auto i, auto j) { return i == j || (i + 3 * j) % 50 == 0; }),  // runs and a list
        matrix_of_rows(4096, 4096,                                                             // wide
                       [](auto i) { return i % 97 == 0 ? every(5, 103, 4096) : std::vector<std::int64_t>(); }),
    };
}

/// The same, so many columns further, each value times `factor`; in a matrix of twice as many columns.
coo<double> moved_by(coo<double> a, std::int64_t columns, double factor) {
    for (std::int32_t& j : a.columns) j += static_cast<std::int32_t>(columns);
    for (double& v : a.values) v *= factor;
    a.column_count = 2 * a.row_count;
    return a;
}

/// alpha A + B, of which A is copied: what is no entry is what it is after a conversion.
template <class Executor>
void check_places_without_an_entry(Executor& executor) {
    double const infinity = std::numeric_limits<double>::infinity();
    for (coo<double> const& block : with_places_without_an_entry()) {
        std::int64_t const n = block.row_count;
        SCOPED_TRACE(block.entry_count());
        hisparse<double> const a = matrix_of<double>(moved_by(block, 0, 1));
        hisparse<double> const b = matrix_of<double>(moved_by(to_coo(a), n, -1));
        // Equal leaves side by side, stored once where they are equal byte by byte.
        hisparse<double> const twins = compact(add(executor, -1, a, 1, b), {.share_identical = true});
        EXPECT_EQ(
            twins.bytes(),
            hisparse<double>(host_memory(), to_coo(twins), {.node_dimension = 64, .share_identical = true}).bytes());
        // In products too: infinity times 0 is none.
        hisparse<double> const c = add(executor, infinity, a, 1, b);
        csr<double> const rows = to_csr(c);
        for (bool const transpose : {false, true}) {
            std::vector<double> const x(static_cast<std::size_t>(transpose ? n : 2 * n), 1);
            std::vector<double> y(static_cast<std::size_t>(transpose ? 2 * n : n)), expected(y);
            cpu multiplies(1);
            spmv(multiplies, 1.0, transpose ? c.transposed() : c, x, 0.0, y);
            reference::spmv<double>(1, rows, transpose, x, 0, expected);
            for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), std::isnan(expected[i])) << i;
        }
    }
}

TEST(add_copies, leave_places_without_an_entry_zero) {
    cpu executor(2);
    check_places_without_an_entry(executor);
}
TEST(add_copies_explored, leave_places_without_an_entry_zero) {
    emulated lanes({.mode = emulation::explore, .seed = 5});
    check_places_without_an_entry(lanes);
}

// Where arenas of both have the same number, the larger operand is shared and the other copied, whichever comes first.
TEST(add_copies, are_of_the_smaller_operand_where_numbers_clash) {
    cpu executor(1);
    hisparse<double> const a =
        matrix_of<double>(matrix_where(512, 512, [](auto i, auto j) { return (i + j) % 5 == 0; }));
    auto const small = [] { return matrix_of<double>(coo<double>{512, 512, {3}, {1}, {2}}); };
    hisparse<double> b = small();
    for (int k = 0; k < 300 && b.content()->arenas.front().number != a.content()->arenas.front().number; ++k)
        b = small();
    ASSERT_EQ(b.content()->arenas.front().number, a.content()->arenas.front().number);
    entry_map<double> const expected = sum_of_maps(map_of(a), map_of(b));
    for (bool const turned : {false, true}) {
        hisparse<double> const c = turned ? add(executor, 1, b, 1, a) : add(executor, 1, a, 1, b);
        EXPECT_GT(2 * shared_bytes(a, c), reachable_bytes(a)) << turned;
        EXPECT_EQ(map_of(c), expected);
    }
}

// C = A + B and D = C + B^T have leaves of A and B; whatever goes first, the others read as before.
TEST(add_copies, are_not_needed_for_what_is_shared_to_live) {
    cpu executor(1);
    coo<double> const of_a =
        matrix_where(256, 256, [](auto i, auto j) { return i < 128 && j < 128 && (i + 2 * j) % 17 == 0; });
    coo<double> const of_b = matrix_where(256, 256, [](auto i, auto j) { return i >= 128 && (i + 3 * j) % 29 == 0; });
    std::vector<entry_map<double>> expected{map_of(matrix_of<double>(of_a)), map_of(matrix_of<double>(of_b))};
    expected.push_back(sum_of_maps(expected[0], expected[1]));
    expected.push_back(sum_of_maps(expected[2], map_of(matrix_of<double>(of_b).transposed())));
    std::vector<std::size_t> order{0, 1, 2, 3};
    do {
        std::vector<std::optional<hisparse<double>>> all{matrix_of<double>(of_a), matrix_of<double>(of_b)};
        all.emplace_back(add(executor, 1.0, *all[0], 1.0, *all[1]));
        all.emplace_back(add(executor, 1.0, *all[2], 1.0, all[1]->transposed()));
        ASSERT_EQ(all[2]->content()->arenas.size(), 3u);
        ASSERT_EQ(all[3]->content()->arenas.size(), 4u);
        for (std::size_t gone : order) {
            all[gone].reset();
            for (std::size_t k = 0; k < all.size(); ++k)
                if (all[k]) {
                    EXPECT_EQ(map_of(*all[k]), expected[k]) << k << " without " << gone;
                }
        }
    } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
}  // namespace copse::tests
