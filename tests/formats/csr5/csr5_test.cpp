// CSR5's data, worked by hand and by the plainest code; csr5_spmv_test.cpp (algebra) has the products.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <copse/formats/csr5.hpp>
#include <copse/formats/csr5/layout.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <numeric>
#include <runtime/message_of.hpp>
#include <vector>

namespace copse::tests {
namespace {

/// Rows of the given lengths, columns from 0 on, values 1, 2, 3, ...
csr<double> rows_of(std::vector<int> const& lengths, std::int64_t columns) {
    csr<double> a{static_cast<std::int64_t>(lengths.size()), columns, {0}, {}, {}};
    for (int length : lengths) {
        for (int j = 0; j < length; ++j) {
            a.column_indices.push_back(j);
            a.values.push_back(static_cast<double>(a.values.size() + 1));
        }
        a.row_offsets.push_back(a.entry_count());
    }
    return a;
}

/// The matrix of figure 4 of the paper, as the course work of github.com/MaChengxin/IN4049_HPC_Lab has it
/// (csr_matrix.dat of SpMV_CSR5). It is as the text says: 8 x 8, 34 entries, omega = sigma = 4; tile 0 has an empty
/// row, 4 TRUEs, none of them in its third column; tile 1 begins in row 4, has 3 TRUEs in its first column and 4 in its
/// first three.
csr<double> figure_4() {
    return {8,
            8,
            {0, 5, 7, 7, 14, 17, 19, 26, 34},
            {0, 2, 3, 6, 7, 1, 3, 0, 1, 2, 3, 4, 6, 7, 1, 3, 5, 0, 1, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7},
            {1, 2, 3, 4, 5, 1, 2, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 1, 2, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8}};
}

csr5<double> in_tiles(csr<double> const& a, int omega, int sigma) {
    return {host_memory(), a, {.omega = omega, .sigma = sigma}};
}

struct column_facts {
    int y_offset, segment_offset;
    std::uint32_t bit_flag;
    bool operator==(column_facts const&) const = default;
};
void PrintTo(column_facts const& c, std::ostream* out) {
    *out << "{" << c.y_offset << ", " << c.segment_offset << ", " << c.bit_flag << "}";
}

/// Of layouts with one word.
std::vector<column_facts> columns_of(csr5<double> const& a, std::int64_t tile) {
    auto const view = a.content()->view();
    std::vector<column_facts> result;
    for (int i = 0; i < a.omega(); ++i) {
        std::uint32_t const word = view.descriptor(tile)[i];
        auto const column = detail::unpack_column(view.layout, word);
        result.push_back({column.y_offset, column.segment_offset, word >> view.layout.flag_bit()});
    }
    return result;
}

TEST(csr5_figure_4, pointers) {
    auto const a = in_tiles(figure_4(), 4, 4);
    // -0, 4, 7, 8
    EXPECT_EQ(a.content()->tile_pointers.to_host(), (std::vector<std::uint32_t>{0x80000000u, 4, 7, 8}));
}

TEST(csr5_figure_4, descriptors) {
    auto const a = in_tiles(figure_4(), 4, 4);
    ASSERT_EQ(a.content()->view().full_tiles(), 2);
    ASSERT_EQ(a.content()->tile_descriptors.size(), 8);  // a word for each column
    // Rows begin at entries 0, 5, 7, 14, 17, 19, 26; entry 16 is flagged because it is its tile's first.
    EXPECT_EQ(columns_of(a, 0),
              (std::vector<column_facts>{{0, 0, 0b0001}, {1, 1, 0b1010}, {3, 0, 0b0000}, {3, 0, 0b0100}}));
    EXPECT_EQ(columns_of(a, 1),
              (std::vector<column_facts>{{0, 1, 0b1011}, {3, 0, 0b0000}, {3, 1, 0b0100}, {4, 0, 0b0000}}));
}

TEST(csr5_figure_4, offsets_past_the_empty_row) {
    auto const a = in_tiles(figure_4(), 4, 4);
    EXPECT_EQ(a.content()->empty_offsets.to_host(), (std::vector<std::uint32_t>{0, 1, 3, 4}));
    EXPECT_EQ(a.content()->empty_offset_pointers.to_host(), (std::vector<std::int64_t>{0, 4, 4}));
}

TEST(csr5_figure_4, entries_lie_by_columns_of_tiles) {
    auto const a = in_tiles(figure_4(), 4, 4);
    std::vector<double> const values{1, 5, 2, 6, 2, 1, 3, 7, 3, 2, 4, 1, 4, 1, 5, 2,  //
                                     3, 2, 6, 3, 1, 3, 7, 4, 2, 4, 1, 5, 1, 5, 2, 6,  //
                                     7, 8};
    std::vector<std::int32_t> const columns{0, 7, 1, 6, 2, 1, 2, 7, 3, 3, 3, 1, 6, 0, 4, 3,  //
                                            5, 2, 6, 2, 0, 3, 7, 3, 1, 4, 0, 4, 1, 5, 1, 5,  //
                                            6, 7};
    EXPECT_EQ(a.content()->values.to_host(), values);
    EXPECT_EQ(a.content()->column_indices.to_host(), columns);
    EXPECT_EQ(to_csr(a).values, figure_4().values);
    EXPECT_EQ(to_csr(a).column_indices, figure_4().column_indices);
}

/// Every field of every tile from the row offsets, entry by entry.
void check_tiles(csr<double> const& a, int omega, int sigma, std::string const& name) {
    SCOPED_TRACE(name + ", " + std::to_string(omega) + " x " + std::to_string(sigma));
    auto const made = in_tiles(a, omega, sigma);
    auto const view = made.content()->view();
    auto const& layout = view.layout;
    int const size = omega * sigma;
    std::vector<std::int64_t> row_of;
    std::vector<char> begins(static_cast<std::size_t>(a.entry_count()), 0);
    for (std::int64_t i = 0; i < a.row_count; ++i)
        for (std::int64_t k = a.row_offsets[i]; k < a.row_offsets[i + 1]; ++k) {
            row_of.push_back(i);
            begins[k] = k == a.row_offsets[i];
        }
    EXPECT_EQ(view.tile_count(), (a.entry_count() + size - 1) / size);
    for (std::int64_t t = 0; t < view.full_tiles(); ++t) {
        EXPECT_EQ(view.first_row(t), row_of[t * size]);
        std::int64_t const next = (t + 1) * size < a.entry_count() ? row_of[(t + 1) * size] : a.row_count;
        bool has_empty = false;
        for (std::int64_t i = view.first_row(t); i < next; ++i)
            has_empty = has_empty || a.row_offsets[i] == a.row_offsets[i + 1];
        EXPECT_EQ(view.has_empty_rows(t), has_empty);
        auto const segments = view.segments(t);
        int trues = 0;
        std::vector<bool> any(omega, false);
        for (int i = 0; i < omega; ++i) {
            EXPECT_EQ(detail::unpack_column(layout, view.descriptor(t)[i]).y_offset, trues) << "column " << i;
            for (int j = 0; j < sigma; ++j) {
                std::int64_t const entry = t * size + i * sigma + j;
                bool const wanted = begins[entry] || (i == 0 && j == 0);
                int const bit = layout.flag_bit() + j;
                bool const flag = view.descriptor(t)[bit / 32 * omega + i] >> bit % 32 & 1;
                ASSERT_EQ(flag, wanted) << "column " << i << ", row " << j;
                if (wanted) {
                    EXPECT_EQ(segments.row(trues), row_of[entry]);
                    ++trues;
                    any[i] = true;
                }
                EXPECT_EQ(view.values[t * size + j * omega + i], a.values[entry]);
                EXPECT_EQ(view.column_indices[t * size + j * omega + i], a.column_indices[entry]);
            }
        }
        for (int i = 0; i < omega; ++i) {
            int behind = 0;
            while (any[i] && i + behind + 1 < omega && !any[i + behind + 1]) ++behind;
            EXPECT_EQ(detail::unpack_column(layout, view.descriptor(t)[i]).segment_offset, behind) << "column " << i;
        }
    }
    if (std::int64_t const tail = view.full_tiles(); tail < view.tile_count()) {
        EXPECT_EQ(view.first_row(tail), row_of[tail * size]);
        auto const first = a.row_offsets.begin() + row_of[tail * size];
        EXPECT_EQ(view.has_empty_rows(tail), std::adjacent_find(first, a.row_offsets.end()) != a.row_offsets.end());
    }
    EXPECT_EQ(to_csr(made).column_indices, a.column_indices);
    EXPECT_EQ(to_csr(made).values, a.values);
}

TEST(csr5_tiles, say_what_the_rows_say) {
    for (battery_case const& c : small_battery()) {
        if (c.matrix.row_count > 1000) continue;
        csr<double> const a = to_csr(c.matrix);
        check_tiles(a, 4, 1, c.name);
        check_tiles(a, 4, 4, c.name);
        check_tiles(a, 8, 16, c.name);
        check_tiles(a, 32, 7, c.name);
    }
}

TEST(csr5_tiles, have_as_many_words_as_sigma_needs) {
    csr<double> const a = to_csr(scattered(400, 500, 9000, 12));
    for (int sigma : {16, 18, 19, 20, 26, 47, 49, 50, 83, 128}) check_tiles(a, 32, sigma, "scattered");
    auto const words = [&](int sigma) { return in_tiles(a, 32, sigma).content()->layout.words; };
    EXPECT_EQ(words(16), 1);  // 9 + 5 + 16 = 30 bits: the paper's example
    EXPECT_EQ(words(17), 1);  // 10 + 5 + 17 = 32
    EXPECT_EQ(words(18), 2);  // 33
    EXPECT_EQ(words(48), 2);  // 11 + 5 + 48 = 64
    EXPECT_EQ(words(49), 3);
}

TEST(csr5_tiles, know_empty_rows_wherever_they_are) {
    check_tiles(rows_of({0, 0, 8, 8, 0}, 8), 4, 4, "before and behind");
    check_tiles(rows_of({8, 8, 0, 0, 8, 8, 0}, 8), 4, 4, "between tiles");
    check_tiles(rows_of({8, 0, 8, 16, 0, 16, 7}, 16), 4, 4, "in tiles, and a tail");
    check_tiles(rows_of({64, 0, 64}, 64), 4, 4, "after rows of several tiles");
    check_tiles(rows_of({0, 20, 0, 3}, 20), 4, 4, "in the tail");
    check_tiles(rows_of({16, 3, 0}, 16), 4, 4, "behind the tail");
    check_tiles(rows_of({0, 16, 0, 3}, 16), 4, 4, "between the last tile and the tail");
    check_tiles(rows_of({0, 3}, 16), 4, 4, "in front of a tail alone");
}

TEST(csr5_tiles, are_transposed_in_place_and_back) {
    auto const layout = detail::make_csr5_layout(8, 12);
    std::vector<double> values(96 * 3), kept;
    std::iota(values.begin(), values.end(), 0);
    kept = values;
    detail::transpose_tiles(layout, 1, 3, values.data(), values.data());
    EXPECT_EQ(values[95], 95);       // tile 0 stays
    EXPECT_EQ(values[96 + 1], 108);  // row 0, column 1 of tile 1
    EXPECT_EQ(values[96 + 8], 97);
    detail::transpose_tiles_back(layout, 1, 3, values.data(), values.data());
    EXPECT_EQ(values, kept);
}

TEST(csr5_bytes, are_about_two_percent_more_than_those_of_csr) {
    csr<double> const a = to_csr(scattered(20000, 20000, 400000, 3));
    cpu host(2);
    emulated grid;
    for (csr5<double> const& made : {csr5<double>(host, a, {.omega = 8}), csr5<double>(grid, a, {.sigma = 16})}) {
        auto const entries = 12 * a.entry_count(), offsets = 8 * (a.row_count + 1);
        EXPECT_EQ(made.bytes() - made.extra_bytes(), entries + offsets);
        EXPECT_LT(static_cast<double>(made.extra_bytes()), 0.025 * static_cast<double>(entries));
        EXPECT_GT(static_cast<double>(made.extra_bytes()), 0.015 * static_cast<double>(entries));
    }
}

TEST(csr5_shape, is_the_executors_choice) {
    csr<double> const a = to_csr(scattered(1000, 1000, 12000, 3));
    cpu host(1);
    csr5<double> const on_host(host, a);
    EXPECT_TRUE(on_host.omega() == 4 || on_host.omega() == 8);
    EXPECT_EQ(on_host.sigma(), 16);
    csr5<float> const floats(host, to_csr(with_values_of<float>(to_coo(a))));
    EXPECT_EQ(floats.omega(), 2 * on_host.omega());
    EXPECT_EQ(floats.sigma(), 18);
    emulated grid;
    csr5<double> const there(grid, a);
    EXPECT_EQ(there.omega(), 32);
    EXPECT_EQ(there.sigma(), a.entry_count() / 1000);
}

TEST(csr5_shape, follows_the_mean_of_the_rows) {
    csr5_sigma_rule const rule;  // <4, 32, 256, 4>
    EXPECT_EQ(rule.sigma(0, 0), 4);
    EXPECT_EQ(rule.sigma(3 * 100, 100), 4);
    EXPECT_EQ(rule.sigma(5 * 100, 100), 5);
    EXPECT_EQ(rule.sigma(32 * 100, 100), 32);
    EXPECT_EQ(rule.sigma(256 * 100, 100), 32);
    EXPECT_EQ(rule.sigma(257 * 100, 100), 4);
}

TEST(csr5_shape, is_that_of_a_matrix_that_it_is_like) {
    csr<double> const a = to_csr(scattered(1000, 1000, 12000, 3)), b = to_csr(scattered(50, 1000, 12000, 4));
    emulated grid;
    csr5<double> const given(grid, a, {.omega = 16, .sigma = 5}), open(grid, a), from_host(cpu(1), a);
    EXPECT_EQ(like(grid, given, b).omega(), 16);
    EXPECT_EQ(like(grid, given, b).sigma(), 5);
    EXPECT_EQ(like(grid, open, b).sigma(), 32);  // the rule's, for b's rows of 240
    csr_matrix<double> rows(grid, a);
    EXPECT_EQ(like(grid, csr5<double>(grid, std::move(rows), {.sigma = 5}), b).sigma(), 5);
    EXPECT_EQ(like(grid, from_host, b).omega(), from_host.omega());
}

TEST(csr5_shape, refuses_what_it_cannot_pack) {
    auto const a = figure_4();
    EXPECT_EQ(message_of<argument_error>([&] { in_tiles(a, 6, 4); }),
              "csr5: omega is 6; tiles have 4, 8, 16 or 32 columns");
    EXPECT_EQ(message_of<argument_error>([&] { in_tiles(a, 4, 129); }), "csr5: sigma is 129; tiles have 1 to 128 rows");
    emulated lanes;
    EXPECT_EQ(
        message_of<argument_error>([&] { csr5<double>(lanes, a, {.rule = {.r = -4, .s = -4, .t = -4, .u = -4}}); }),
        "csr5: sigma is -4 by the rule; tiles have 1 to 128 rows");
}

void expect_same(csr<double> const& found, csr<double> const& wanted, std::string const& name) {
    EXPECT_EQ(found.row_offsets, wanted.row_offsets) << name;
    EXPECT_EQ(found.column_indices, wanted.column_indices) << name;
    EXPECT_EQ(found.values, wanted.values) << name;
}

TEST(csr5_conversion, in_place_keeps_the_arrays_of_entries) {
    csr5_options const options{.omega = 8, .sigma = 5};
    for (battery_case const& c : small_battery()) {
        csr<double> const a = to_csr(c.matrix);
        csr5<double> const wanted(cpu(1), a, options);
        csr_matrix<double> rows = scaled(transposed(csr_matrix<double>(cpu(1), a)), 2);
        csr<double> const before = to_csr(rows);
        auto const* const values = rows.content()->values.data();
        auto const* const columns = rows.content()->column_indices.data();
        csr5<double> tiles(cpu(1), std::move(rows), options);
        EXPECT_EQ(tiles.content()->values.data(), values) << c.name;
        EXPECT_EQ(tiles.content()->column_indices.data(), columns) << c.name;
        EXPECT_EQ(tiles.content()->values.to_host(), wanted.content()->values.to_host()) << c.name;
        EXPECT_EQ(tiles.content()->column_indices.to_host(), wanted.content()->column_indices.to_host()) << c.name;
        EXPECT_EQ(tiles.content()->tile_pointers.to_host(), wanted.content()->tile_pointers.to_host()) << c.name;
        EXPECT_EQ(tiles.content()->tile_descriptors.to_host(), wanted.content()->tile_descriptors.to_host()) << c.name;
        EXPECT_EQ(tiles.content()->empty_offsets.to_host(), wanted.content()->empty_offsets.to_host()) << c.name;
        expect_same(to_csr(tiles), before, c.name);
        csr_matrix<double> const back = to_csr_matrix(std::move(tiles));
        EXPECT_EQ(back.content()->values.data(), values) << c.name;
        EXPECT_EQ(back.content()->column_indices.data(), columns) << c.name;
        EXPECT_EQ(back.kernel(), csr_matrix<double>(cpu(1), a).kernel()) << c.name;
        expect_same(to_csr(back), before, c.name);
    }
}

TEST(csr5_conversion, copies_what_is_shared) {
    csr<double> const a = figure_4();
    csr_matrix<double> rows(cpu(1), a);
    csr_matrix<double> const shared = rows;
    csr5<double> tiles(cpu(1), std::move(rows), {.omega = 4, .sigma = 4});
    EXPECT_NE(tiles.content()->values.data(), shared.content()->values.data());
    expect_same(to_csr(shared), a, "the one that shared");
    csr5<double> const still = tiles;
    expect_same(to_csr(to_csr_matrix(std::move(tiles))), a, "back");
    expect_same(to_csr(still), a, "the other one that shared");
}

TEST(csr5_conversion, refuses_what_is_no_csr) {
    auto a = figure_4();
    a.row_offsets[3] = 40;
    EXPECT_THROW(in_tiles(a, 4, 4), shape_error);
}

}  // namespace
}  // namespace copse::tests
