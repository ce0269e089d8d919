// SELL-P's arrays against a matrix worked by hand, there and back over the battery, and what is refused.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <copse/formats/sellp.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <cstdint>
#include <runtime/message_of.hpp>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

constexpr std::int64_t any_padding = std::int64_t{1} << 40;

// [ 5 . 6 7 ]   the drawing of formats/sellp.hpp, with an explicit zero
// [ 0 . . . ]
// [ . 9 . . ]
csr<double> const drawn{3, 4, {0, 3, 4, 5}, {0, 2, 3, 0, 1}, {5, 6, 7, 0, 9}};

template <class T>
std::vector<T> all_of(buffer<T> const& array) {
    return array.to_host();
}

TEST(sellp_arrays, are_those_of_the_drawing) {
    sellp<double> const a(cpu(1), drawn, {.slice_rows = 2, .row_threads = 2});
    auto const& c = *a.content();
    EXPECT_EQ(all_of(c.slice_offsets), (std::vector<std::int64_t>{0, 8, 12}));
    EXPECT_EQ(all_of(c.column_indices), (std::vector<std::int32_t>{0, 0, 2, -1, 3, -1, -1, -1, 1, -1, -1, -1}));
    EXPECT_EQ(all_of(c.values), (std::vector<double>{5, 0, 6, 0, 7, 0, 0, 0, 9, 0, 0, 0}));
    EXPECT_EQ(c.rows.size(), 0);
    EXPECT_EQ(a.bytes(), 3 * 8 + 12 * 4 + 12 * 8);
    EXPECT_EQ(a.padding_bytes(), 7 * 12);
}

TEST(sellp_arrays, sorted_rows_are_longest_first_within_each_window) {
    // Lengths 1 2 2 | 0 3: windows of three rows.
    csr<double> const a{5, 3, {0, 1, 3, 5, 5, 8}, {0, 0, 1, 1, 2, 0, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
    sellp<double> const s(cpu(1), a, {.slice_rows = 2, .row_threads = 1, .sorting_window = 3});
    auto const& c = *s.content();
    EXPECT_EQ(all_of(c.rows), (std::vector<std::int32_t>{1, 2, 0, 4, 3}));
    EXPECT_EQ(all_of(c.slice_offsets), (std::vector<std::int64_t>{0, 4, 10, 10}));
    EXPECT_EQ(all_of(c.column_indices), (std::vector<std::int32_t>{0, 1, 1, 2, 0, 0, -1, 1, -1, 2}));
    EXPECT_EQ(to_csr(s).values, a.values);
}

TEST(sellp_round_trip, over_the_battery) {
    for (battery_case const& c : small_battery())
        for (sellp_options const& options :
             {sellp_options{.slice_rows = 1, .row_threads = 1}, sellp_options{.slice_rows = 8, .row_threads = 4},
              sellp_options{.slice_rows = 32, .row_threads = 1, .sorting_window = 50}}) {
            csr<double> const a = to_csr(c.matrix);
            sellp_options unlimited = options;
            unlimited.most_padding_bytes = any_padding;
            csr<double> const back = to_csr(sellp<double>(cpu(1), a, unlimited));
            EXPECT_EQ(back.row_count, a.row_count) << c.name;
            EXPECT_EQ(back.column_count, a.column_count) << c.name;
            EXPECT_EQ(back.row_offsets, a.row_offsets) << c.name;
            EXPECT_EQ(back.column_indices, a.column_indices) << c.name;
            EXPECT_EQ(back.values, a.values) << c.name;
        }
}

TEST(sellp_round_trip, applies_the_state) {
    sellp<double> const a(cpu(1), drawn, {.slice_rows = 2});
    csr<double> turned = transpose(drawn);
    for (double& value : turned.values) value *= -3;
    csr<double> const back = to_csr(scaled(transposed(a), -3));
    EXPECT_EQ(back.row_offsets, turned.row_offsets);
    EXPECT_EQ(back.column_indices, turned.column_indices);
    EXPECT_EQ(back.values, turned.values);
}

/// Bytes of padding in double, the plainest way.
std::int64_t padding_bytes(csr<double> const& a, int b, int t) {
    std::int64_t places = 0;
    for (std::int64_t first = 0; first < a.row_count; first += b) {
        std::int64_t longest = 0;
        for (std::int64_t row = first; row < std::min(a.row_count, first + b); ++row)
            longest = std::max(longest, a.row_offsets[row + 1] - a.row_offsets[row]);
        while (longest % t != 0) ++longest;
        places += longest * b;
    }
    return (places - a.entry_count()) * 12;
}

TEST(sellp_limit, refuses_what_pads_more_over_the_battery) {
    std::vector<std::string> refused;
    for (battery_case const& c : large_battery()) {
        csr<double> const a = to_csr(c.matrix);
        std::int64_t const wanted = padding_bytes(a, 16, 2);
        bool const too_much = wanted > std::max<std::int64_t>(1 << 20, a.entry_count() * 12);
        if (too_much) refused.push_back(c.name);
        sellp_options options{.slice_rows = 16, .row_threads = 2};
        if (too_much) {
            EXPECT_THROW(sellp<double>(cpu(1), a, options), too_much_padding) << c.name;
        } else {
            EXPECT_EQ(sellp<double>(cpu(1), a, options).bytes(),
                      ((a.row_count + 15) / 16 + 1) * 8 + wanted + a.entry_count() * 12)
                << c.name;
        }
        options.most_padding_bytes = wanted;
        EXPECT_NO_THROW(sellp<double>(cpu(1), a, options)) << c.name;
        if (wanted == 0) continue;
        options.most_padding_bytes = wanted - 1;
        EXPECT_THROW(sellp<double>(cpu(1), a, options), too_much_padding) << c.name;
    }
    EXPECT_EQ(refused, (std::vector<std::string>{"dense inner node for d = 64",
                                                 "dense inner node with holes for d = 64", "one row holds most"}));
}

TEST(sellp_limit, is_no_negative_number) {
    EXPECT_EQ(message_of<argument_error>([] { sellp<double>(cpu(1), drawn, {.most_padding_bytes = -1}); }),
              "sellp: most_padding_bytes is -1; it must be 0 or more");
}

TEST(sellp_limit, the_error_names_the_bytes_and_the_better_format) {
    sellp_options const options{.slice_rows = 2, .row_threads = 2, .most_padding_bytes = 83};
    EXPECT_EQ(
        message_of<too_much_padding>([&] { sellp<double>(cpu(1), drawn, options); }),
        "sellp: padding would take 84 bytes beside 60 of entries; the limit is 83; csr5 stores rows of any length "
        "without padding, sorting rows (sorting_window) takes less, most_padding_bytes sets another limit");
    try {
        sellp<double>(cpu(1), drawn, options);
        FAIL();
    } catch (too_much_padding const& e) {
        EXPECT_EQ(e.padding_bytes(), 84);
        EXPECT_EQ(e.limit_bytes(), 83);
    }
}

TEST(sellp_options, are_checked) {
    auto const message = [](sellp_options const& options) {
        return message_of<argument_error>([&] { sellp<double>(cpu(1), drawn, options); });
    };
    EXPECT_EQ(message({.slice_rows = 3}), "sellp: slice_rows is 3; it must be a power of two from 1 to 128");
    EXPECT_EQ(message({.slice_rows = 256}), "sellp: slice_rows is 256; it must be a power of two from 1 to 128");
    EXPECT_EQ(message({.row_threads = -1}), "sellp: row_threads is -1; it must be a power of two from 1 to 128");
    EXPECT_EQ(message({.sorting_window = 0}), "sellp: sorting_window is 0; it must be at least 1");
    csr<double> broken = drawn;
    broken.column_indices[0] = 4;
    EXPECT_THROW(sellp<double>(cpu(1), broken), shape_error);
}

TEST(sellp_options, follow_the_executor) {
    emulated const many_lanes;
    EXPECT_EQ(sellp<double>(many_lanes, drawn).slice_rows(), 32);
    EXPECT_EQ(sellp<double>(many_lanes, drawn).row_threads(), 1);
    EXPECT_EQ(sellp<double>(many_lanes, drawn, {.row_threads = 4}).slice_rows(), 8);
    EXPECT_EQ(sellp<double>(many_lanes, drawn, {.slice_rows = 2}).row_threads(), 16);
    sellp<double> const d(cpu(1), drawn);
    sellp<float> const f(cpu(1), csr<float>{3, 4, drawn.row_offsets, drawn.column_indices, {5, 6, 7, 0, 9}});
    EXPECT_EQ(f.slice_rows(), 2 * d.slice_rows());
    EXPECT_EQ(d.row_threads(), 1);
    // A plan's transpose has the options of the matrix.
    cpu executor(1);
    sellp<double> const turned = like(executor, sellp<double>(executor, drawn, {.slice_rows = 4}), transpose(drawn));
    EXPECT_EQ(turned.slice_rows(), 4);
}

}  // namespace
}  // namespace copse::tests
