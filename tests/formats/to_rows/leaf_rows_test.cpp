// Leaves side by side, each as it is stored or transposed, row by row: against their entries sorted.
#include <copse/formats/to_rows/leaf_rows.hpp>

#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/leaves/serial_worker.hpp>
#include <copse/formats/visit_entries.hpp>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace copse::tests {
namespace {

struct block_case {
    std::string name;
    node_kind kind;
    std::function<bool(std::int64_t, std::int64_t)> keep;
};

/// Blocks of d x d with rows of all sorts. Every sixth of the dense ones is empty: they have no runs.
std::vector<block_case> blocks(std::int64_t d) {
    auto const random = [d](int of_ten) {
        return [=](std::int64_t i, std::int64_t j) {
            std::minstd_rand engine(static_cast<unsigned>(i * d + j + 1));
            engine.discard(3);
            return i < d - 1 && j < d - 1 && static_cast<int>(engine() % 10) < of_ten;
        };
    };
    auto const stripes = [d](std::int64_t i, std::int64_t j) { return i < d - 1 && j < d - 1 && (j - i + d) % 7 == 0; };
    return {
        {"list", node_kind::sparse, random(1)},
        {"runs", node_kind::diagonal, stripes},
        {"runs and others on both sides of them and on their diagonals", node_kind::diagonal,
         [=](auto i, auto j) { return (stripes(i, j) && i % 20 != 9) || random(1)(i, j); }},
        {"dense with gaps", node_kind::dense,
         [](auto i, auto j) { return i % 6 != 5 && (i % 3 == 0 || (i * 7 + j) % 60 != 0); }},
        {"dense with full words", node_kind::dense, [=](auto i, auto j) { return i % 6 != 5 && (i != 0 || j > 40); }},
        {"full", node_kind::dense, [](auto, auto) { return true; }}};
}

template <class T>
using entry = std::tuple<int, std::int32_t, T>;

/// By row and column, leaf i from column i * d on.
template <class T>
std::vector<entry<T>> sorted_entries(detail::node_reader const& tree, std::vector<child_reference> const& leaves,
                                     T scale) {
    int const width = static_cast<int>(leaves.size()) * tree.dimension();
    auto const places = static_cast<std::size_t>(tree.dimension() * width);
    std::vector<T> values(places);
    std::vector<int> visits(places, 0);
    detail::serial_worker w;
    for (std::size_t k = 0; k < leaves.size(); ++k)
        detail::visit_entries<T>(w, tree, {leaves[k], 0, 0}, [&](int, int row, int column, T value) {
            auto const place = static_cast<std::size_t>(row * width + static_cast<int>(k) * tree.dimension() + column);
            values.at(place) = scale * value;
            ++visits[place];
        });
    std::vector<entry<T>> entries;
    for (std::size_t place = 0; place < places; ++place)
        for (int visit = 0; visit < visits[place]; ++visit)
            entries.emplace_back(static_cast<int>(place) / width, static_cast<int>(place) % width, values[place]);
    return entries;
}

template <class T>
std::vector<entry<T>> placed_entries(detail::node_reader const& tree, std::vector<child_reference> const& leaves,
                                     T scale, std::size_t count) {
    std::size_t const first = 5;  // of the block row
    std::vector<std::int32_t> columns(first + count, -1);
    std::vector<T> values(first + count, T(-1));
    detail::leaf_rows<T> rows(tree);
    for (int round : {0, 1}) {  // a workplace serves many block rows
        rows.clear();
        for (child_reference leaf : leaves) rows.count(leaf);
        rows.begin_rows(first);
        for (std::size_t k = 0; k < leaves.size(); ++k)
            rows.place(leaves[k], static_cast<std::int32_t>(k) * tree.dimension(), scale + T(1 - round), columns.data(),
                       values.data());
    }
    EXPECT_EQ(std::count(columns.begin(), columns.begin() + first, -1), first);
    std::vector<entry<T>> entries;
    std::size_t i = first;
    for (int row = 0; row < tree.dimension(); ++row)
        for (; i < static_cast<std::size_t>(rows.end(static_cast<std::size_t>(row))); ++i)
            entries.emplace_back(row, columns.at(i), values[i]);
    return entries;
}

/// all: each kind stands beside each; otherwise beside itself and the next, which takes less time. A leaf is seen as
/// stored and transposed, beside one that is seen likewise, or the other way.
template <class T>
void check_pairs_of_leaves(int d, bool all) {
    std::vector<block_case> const cases = blocks(d);
    for (std::size_t first = 0; first < cases.size(); ++first)
        for (std::size_t further = 0; further < (all ? cases.size() : 2); ++further) {
            block_case const &left = cases[first], &right = cases[(first + further) % cases.size()];
            coo<double> const both =
                matrix_where(d, 2 * d, [&](auto i, auto j) { return j < d ? left.keep(i, j) : right.keep(i, j - d); });
            hisparse<T> const a(host_memory(), with_values_of<T>(both), {.node_dimension = d});
            for (bool flip_left : {false, true}) {
                bool const flip_right = flip_left != ((first + further) % 2 == 1);
                SCOPED_TRACE(left.name + (flip_left ? " transposed" : "") + ", " + right.name +
                             (flip_right ? " transposed, " : ", ") + std::to_string(d));
                std::vector<child_reference> const leaves{
                    a.tree().child(a.root(), 0).reference.transposed_if(flip_left),
                    a.tree().child(a.root(), 1).reference.transposed_if(flip_right)};
                ASSERT_EQ(leaves[0].kind(), left.kind);
                ASSERT_EQ(leaves[1].kind(), right.kind);
                ASSERT_EQ(placed_entries<T>(reader_of(a.tree()), leaves, T(-3), both.values.size()),
                          sorted_entries<T>(reader_of(a.tree()), leaves, T(-3)));
            }
        }
}

TEST(leaf_rows, places_leaves_of_all_kinds_as_stored_and_transposed) {
    for (int d : {64, 128}) check_pairs_of_leaves<double>(d, d < 128);
    check_pairs_of_leaves<float>(128, false);
}
TEST(leaf_rows, places_leaves_of_256_rows_and_columns) {
    check_pairs_of_leaves<double>(256, false);
}

}  // namespace
}  // namespace copse::tests
