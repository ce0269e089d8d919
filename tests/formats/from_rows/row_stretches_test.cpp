// Pieces of rows: where they begin, and which leaf each belongs to.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/csr.hpp>
#include <copse/formats/from_rows/row_stretches.hpp>
#include <cstddef>
#include <cstdint>
#include <formats/steps/steps_on.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

struct named_csr {
    std::string name;
    csr<double> matrix;
};

std::vector<named_csr> matrices() {
    return {{"rows of any length, also of none", to_csr(scattered(700, 900, 3001, 41))},
            {"rows across blocks", to_csr(matrix_where(20, 600, [](auto i, auto j) { return (j + i) % 97 < 60; }))},
            {"each row in one block", to_csr(matrix_where(300, 63, [](auto i, auto j) { return i % 3 == j % 3; }))},
            {"one row", to_csr(matrix_where(1, 1000, [](auto, auto j) { return j % 7 != 0; }))},
            {"one column", to_csr(matrix_where(1000, 1, [](auto i, auto) { return i % 5 != 0; }))},
            {"one entry", to_csr(coo<double>{5, 5, {4}, {4}, {1}})}};
}

detail::ordered_entries entries_of(csr<double> const& a, std::int64_t count) {
    return {a.row_count, a.column_count, count, a.row_offsets.data(), a.column_indices.data(), nullptr, {0}};
}

/// By definition: the first entry of a row, and whichever lies in another block column than the one before it.
std::vector<std::uint8_t> marks_by_definition(csr<double> const& a, int dimension) {
    std::vector<std::uint8_t> marks(a.column_indices.size());
    for (std::int64_t row = 0; row < a.row_count; ++row) {
        auto const r = static_cast<std::size_t>(row);
        auto const first = static_cast<std::size_t>(a.row_offsets[r]),
                   last = static_cast<std::size_t>(a.row_offsets[r + 1]);
        for (std::size_t k = first; k < last; ++k)
            marks[k] = k == first || a.column_indices[k] / dimension != a.column_indices[k - 1] / dimension;
    }
    return marks;
}

std::vector<std::uint8_t> marks_of(csr<double> const& a, int log2, std::uint32_t& broken) {
    auto const n = static_cast<std::int64_t>(a.column_indices.size());
    std::vector<std::uint32_t> quads(a.column_indices.size() / 4 + 1, 0xabababab);
    detail::mark_pieces const mark{entries_of(a, n), log2, quads.data(), &broken};
    host_steps().for_each(mark.quads().indices(), mark);
    std::vector<std::uint8_t> marks;
    for (std::size_t k = 0; k < a.column_indices.size(); ++k)
        marks.push_back(static_cast<std::uint8_t>(quads[k / 4] >> (8 * (k % 4)) & 0xff));
    return marks;
}

TEST(row_stretches, begin_with_a_row_and_with_a_block) {
    for (auto const& [name, a] : matrices())
        for (int log2 : {6, 7, 8}) {
            std::uint32_t broken = 0;
            EXPECT_EQ(marks_of(a, log2, broken), marks_by_definition(a, 1 << log2)) << name << ", d " << (1 << log2);
            EXPECT_EQ(broken, 0u) << name;
        }
}

/// Whatever stands next to it among the four that are looked at together.
TEST(row_stretches, refuse_a_column_that_is_not_what_it_must_be_wherever_it_stands) {
    csr<double> const good = to_csr(matrix_where(3, 30, [](auto i, auto j) { return (i + j) % 3 == 0; }));
    for (std::size_t k = 0; k < good.column_indices.size(); ++k)
        for (std::int32_t column : {-1, 30}) {
            csr<double> bad = good;
            bad.column_indices[k] = column;
            std::uint32_t broken = 0;
            marks_of(bad, 6, broken);
            EXPECT_EQ(broken, 1u) << "entry " << k << ", column " << column;
        }
    for (std::size_t k = 1; k < 10; ++k) {
        csr<double> bad = good;
        bad.column_indices[k] = bad.column_indices[k - 1];
        std::uint32_t broken = 0;
        marks_of(bad, 6, broken);
        EXPECT_EQ(broken, 1u) << "entry " << k << " equal to the one before it";
    }
}

TEST(row_stretches, have_the_number_of_their_leaf_the_row_in_it_and_their_entries) {
    for (auto const& [name, a] : matrices()) {
        int const log2 = 6;
        auto const marks = marks_by_definition(a, 1 << log2);
        std::vector<std::uint32_t> found;
        for (std::size_t k = 0; k < marks.size(); ++k)
            if (marks[k] != 0) found.push_back(static_cast<std::uint32_t>(k));
        std::size_t const count = found.size();
        std::vector<std::uint64_t> keys(count);
        std::vector<std::uint32_t> begins(count);
        detail::tree_key const key(a.row_count, a.column_count, log2);
        detail::key_pieces const make{entries_of(a, static_cast<std::int64_t>(marks.size())),
                                      key,
                                      static_cast<std::int64_t>(count),
                                      found.data(),
                                      keys.data(),
                                      begins.data()};
        host_steps().for_each(make.pieces().indices(), make);
        EXPECT_EQ(begins, found) << name;
        found.push_back(static_cast<std::uint32_t>(marks.size()));
        detail::piece_key const piece{log2};
        std::int32_t row = 0;
        for (std::size_t p = 0; p < count; ++p) {
            while (a.row_offsets[static_cast<std::size_t>(row) + 1] <= found[p]) ++row;
            EXPECT_EQ(keys[p] >> key.level_bits(), key.of(row, a.column_indices[found[p]]) >> key.level_bits());
            EXPECT_EQ(piece.row(keys[p]), row % 64) << name << ", piece " << p;
            EXPECT_EQ(static_cast<std::uint32_t>(piece.entries(keys[p])), found[p + 1] - found[p]) << name;
        }
    }
}

}  // namespace
}  // namespace copse::tests
