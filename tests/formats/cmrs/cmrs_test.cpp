// CMRS's arrays against the paper's example, there and back over the battery, in place too.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <array>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/cmrs/strips.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <runtime/message_of.hpp>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

constexpr std::int64_t no_limit = std::int64_t{1} << 40;

// (2.1) of the paper.
csr<double> const example{5, 5, {0, 2, 4, 6, 9, 10}, {0, 3, 1, 4, 2, 4, 2, 3, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};

/// ColInd and RowInStrip of the paper.
struct unpacked {
    std::vector<int> columns, rows;
    explicit unpacked(cmrs_content<double> const& c) {
        auto const view = c.view();
        for (std::int64_t k = 0; k < c.stored_count; ++k) {
            columns.push_back(static_cast<int>(view.column_of(view.words[k])));
            rows.push_back(view.row_of(view.words[k]));
        }
    }
};

template <class T>
void expect_same(csr<T> const& found, csr<T> const& wanted, std::string const& name) {
    EXPECT_EQ(found.row_count, wanted.row_count) << name;
    EXPECT_EQ(found.column_count, wanted.column_count) << name;
    EXPECT_EQ(found.row_offsets, wanted.row_offsets) << name;
    EXPECT_EQ(found.column_indices, wanted.column_indices) << name;
    EXPECT_EQ(found.values, wanted.values) << name;
}

TEST(cmrs_example, without_reordering) {
    cmrs<double> const a(cpu(1), example, {.height = 2, .sorted = false});
    auto const& c = *a.content();
    EXPECT_EQ(c.values.to_host(), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(unpacked(c).columns, (std::vector{0, 3, 1, 4, 2, 4, 2, 3, 4, 4}));
    EXPECT_EQ(unpacked(c).rows, (std::vector{0, 0, 1, 1, 0, 0, 1, 1, 1, 0}));
    EXPECT_EQ(c.strip_offsets.to_host(), (std::vector<std::int64_t>{0, 4, 9, 10}));
    EXPECT_EQ(c.row_bits, 4);
    EXPECT_EQ(c.words.to_host()[1], 3 << 4);
    EXPECT_EQ(a.bytes(), 10 * 12 + 4 * 8);
}

TEST(cmrs_example, with_reordering) {
    cmrs<double> const a(cpu(1), example, {.height = 2, .sorted = true});
    auto const& c = *a.content();
    EXPECT_EQ(c.values.to_host(), (std::vector<double>{1, 3, 2, 4, 5, 7, 8, 6, 9, 10}));
    EXPECT_EQ(unpacked(c).columns, (std::vector{0, 1, 3, 4, 2, 2, 3, 4, 4, 4}));
    EXPECT_EQ(unpacked(c).rows, (std::vector{0, 1, 0, 1, 0, 1, 1, 0, 1, 0}));
    EXPECT_EQ(c.strip_offsets.to_host(), (std::vector<std::int64_t>{0, 4, 9, 10}));
    expect_same(to_csr(a), example, "back");
}

TEST(cmrs_round_trip, over_the_battery) {
    for (battery_case const& c : small_battery())
        for (cmrs_options options :
             {cmrs_options{.height = 1}, cmrs_options{.height = 7, .sorted = false},
              cmrs_options{.height = 16, .sorted = true}, cmrs_options{.height = 16, .per_row = 8},
              cmrs_options{.height = 3, .per_row = 2}}) {
            options.most_padding_bytes = no_limit;
            csr<double> const a = to_csr(c.matrix);
            expect_same(to_csr(cmrs<double>(cpu(1), a, options)), a, c.name);
        }
}

TEST(cmrs_round_trip, in_place_keeps_the_arrays_of_entries) {
    for (bool sorted : {false, true})
        for (battery_case const& c : small_battery()) {
            csr<double> const a = to_csr(c.matrix);
            csr_matrix<double> rows = scaled(transposed(csr_matrix<double>(cpu(1), a)), 2);
            csr<double> const before = to_csr(rows);
            auto const* const values = rows.content()->values.data();
            auto const* const columns = rows.content()->column_indices.data();
            cmrs<double> strips(cpu(1), std::move(rows), {.height = 5, .sorted = sorted});
            EXPECT_EQ(strips.content()->values.data(), values) << c.name;
            EXPECT_EQ(strips.content()->words.data(), columns) << c.name;
            expect_same(to_csr(strips), before, c.name);
            csr_matrix<double> const back = to_csr_matrix(std::move(strips));
            EXPECT_EQ(back.content()->values.data(), values) << c.name;
            EXPECT_EQ(back.content()->column_indices.data(), columns) << c.name;
            EXPECT_EQ(back.kernel(), csr_matrix<double>(cpu(1), a).kernel()) << c.name;
            expect_same(to_csr(back), before, c.name);
        }
}

TEST(cmrs_round_trip, shared_and_padded_matrices_are_copied) {
    csr_matrix<double> rows(cpu(1), example);
    csr_matrix<double> const shared = rows;
    cmrs<double> strips(cpu(1), std::move(rows), {.height = 2});
    EXPECT_NE(strips.content()->values.data(), shared.content()->values.data());
    expect_same(to_csr(shared), example, "the one that shared");
    cmrs<double> const still = strips;
    expect_same(to_csr(to_csr_matrix(std::move(strips))), example, "back");
    expect_same(to_csr(still), example, "the other one that shared");

    csr_matrix<double> alone(cpu(1), example);
    cmrs<double> padded(cpu(1), std::move(alone), {.height = 2, .per_row = 2});
    EXPECT_EQ(padded.content()->stored_count, 4 * 32);  // a row of 3 entries needs two chunks
    expect_same(to_csr(to_csr_matrix(std::move(padded))), example, "padded and back");
}

TEST(cmrs_padded, chunks_keep_the_rules_of_section_6_7) {
    // Rows of 0 to 60 entries, strips with one long row and with equal ones.
    csr<double> const a =
        to_csr(matrix_where(70, 64, [](auto i, auto j) { return j < (i * 37) % 61 && (i + j) % 5 != 0; }));
    for (int per_row : {1, 2, 8, 32}) {
        cmrs<double> const m(cpu(1), a, {.height = 16, .per_row = per_row, .most_padding_bytes = no_limit});
        auto const& c = *m.content();
        auto const view = c.view();
        for (std::int64_t offset : c.strip_offsets.to_host()) EXPECT_EQ(offset % 32, 0);
        for (std::int64_t chunk = 0; chunk < c.stored_count; chunk += 32) {
            std::array<int, 16> count{}, last{};
            for (int place = 0; place < 32; ++place) {
                auto const word = view.words[chunk + place];
                if (word == view.padding) {
                    EXPECT_EQ(view.values[chunk + place], 0);
                    continue;
                }
                int const row = view.row_of(word);
                if (count[row] > 0) {
                    EXPECT_EQ(last[row], place - 1) << "entries of a row side by side";
                }
                last[row] = place;
                EXPECT_LE(++count[row], per_row);
            }
        }
    }
}

TEST(cmrs_padded, long_rows_come_first_so_that_chunks_are_full) {
    // One row of 16 entries and 15 of 3, M = 8: two chunks, 8 of the long row in each; short rows first would leave it
    // 8 for a third.
    csr<double> const a =
        to_csr(matrix_where(16, 40, [](auto i, auto j) { return i == 7 ? j < 16 : j >= i && j < i + 3; }));
    cmrs<double> const m(cpu(1), a, {.height = 16, .per_row = 8});
    EXPECT_EQ(m.content()->entry_count, 61);
    EXPECT_EQ(m.content()->stored_count, 64);
}

TEST(cmrs_padded, is_refused_beyond_the_limit) {
    csr<double> const a = to_csr(matrix_where(1, 64, [](auto, auto) { return true; }));
    // 64 entries of one row, 2 in each chunk of 32.
    cmrs_options const options{.height = 16, .per_row = 2, .most_padding_bytes = 11519};
    EXPECT_EQ(
        message_of<too_much_padding>([&] { cmrs<double>(cpu(1), a, options); }),
        "cmrs: padding would take 11520 bytes beside 768 of entries; the limit is 11519; cmrs without per_row has no "
        "padding, csr5 suits rows of any length, most_padding_bytes sets another limit");
    EXPECT_NO_THROW(cmrs<double>(cpu(1), a, {.height = 16, .per_row = 2, .most_padding_bytes = 11520}));
    EXPECT_NO_THROW(cmrs<double>(cpu(1), a, {.height = 16, .per_row = 0, .most_padding_bytes = 0}));
}

TEST(cmrs_words, leave_the_bits_that_columns_need) {
    EXPECT_EQ(detail::cmrs_row_bits(0, false), 4);
    std::int64_t const two_to_28 = std::int64_t{1} << 28, two_to_31 = std::int64_t{1} << 31;
    EXPECT_EQ(detail::cmrs_row_bits(two_to_28, false), 4);
    EXPECT_EQ(detail::cmrs_row_bits(two_to_28 - 1, true), 4);
    EXPECT_EQ(detail::cmrs_row_bits(two_to_28, true), 3);
    EXPECT_EQ(detail::cmrs_row_bits(two_to_28 + 1, false), 3);
    EXPECT_EQ(detail::cmrs_row_bits(two_to_31, false), 1);
    EXPECT_EQ(detail::cmrs_row_bits(two_to_31 - 1, true), 1);
    EXPECT_EQ(detail::cmrs_row_bits(two_to_31, true), 0);
}

TEST(cmrs_words, hold_columns_of_31_bits) {
    auto const last = static_cast<std::int32_t>((std::int64_t{1} << 31) - 1);
    csr<double> const a{5, std::int64_t{1} << 31, {0, 2, 3, 3, 4, 5}, {0, last, last, 7, last}, {1, 2, 3, 4, 5}};
    for (int per_row : {0, 4})
        for (bool sorted : {false, true}) {
            cmrs<double> const m(cpu(1), a, {.height = 16, .sorted = sorted, .per_row = per_row});
            EXPECT_EQ(m.height(), per_row == 0 ? 2 : 1);
            expect_same(to_csr(m), a, "31 bits");
        }
}

TEST(cmrs_options, are_checked) {
    auto const message = [](cmrs_options const& options) {
        return message_of<argument_error>([&] { cmrs<double>(cpu(1), example, options); });
    };
    EXPECT_EQ(message({.height = 17}), "cmrs: height is 17; it must be 1 to 16");
    EXPECT_EQ(message({.height = -1}), "cmrs: height is -1; it must be 1 to 16");
    EXPECT_EQ(message({.per_row = 6}), "cmrs: per_row is 6; it must be 0 or a power of two up to 32");
    EXPECT_EQ(message({.per_row = 64}), "cmrs: per_row is 64; it must be 0 or a power of two up to 32");
    EXPECT_EQ(message({.stretch = 31}), "cmrs: stretch is 31; it must be 0 or at least 32");
    EXPECT_EQ(message({.stretch = -1}), "cmrs: stretch is -1; it must be 0 or at least 32");
    csr<double> broken = example;
    broken.column_indices[0] = 5;
    EXPECT_THROW(cmrs<double>(cpu(1), broken), shape_error);
}

TEST(cmrs_options, follow_the_executor) {
    emulated const many_lanes;
    EXPECT_EQ(cmrs<double>(many_lanes, example).height(), 8);
    EXPECT_EQ(cmrs<double>(many_lanes, example, {.per_row = 8}).height(), 16);
    EXPECT_TRUE(cmrs<double>(many_lanes, example).content()->options.sorted.value());
    EXPECT_EQ(cmrs<double>(cpu(1), example).height(), 16);
    EXPECT_FALSE(cmrs<double>(cpu(1), example).content()->options.sorted.value());
}

}  // namespace
}  // namespace copse::tests
