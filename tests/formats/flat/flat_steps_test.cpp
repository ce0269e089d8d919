// The steps by which a GPU converts to SELL-P and CMRS, taken by the host: they give what the host's own conversions
// give.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/formats/cmrs.hpp>
#include <copse/formats/cmrs/steps.hpp>
#include <copse/formats/csr5/steps.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/sellp.hpp>
#include <copse/formats/sellp/steps.hpp>
#include <copse/runtime/cpu.hpp>
#include <formats/steps/steps_on.hpp>
#include <tuple>

namespace copse::tests {
namespace {

TEST(sellp_steps, give_what_the_hosts_conversion_gives) {
    for (battery_case const& c : small_battery()) {
        SCOPED_TRACE(c.name);
        csr<double> const a = to_csr(c.matrix);
        csr_matrix<double> const rows(cpu(1), a);
        for (auto [b, t, window] : {std::tuple{32, 1, 1}, std::tuple{8, 4, 100}, std::tuple{1, 2, 7}}) {
            sellp_options const options{.slice_rows = b,
                                        .row_threads = t,
                                        .sorting_window = window,
                                        .most_padding_bytes = std::int64_t{1} << 40};
            auto const wanted = sellp_content<double>::make(host_memory(), a, options, true);
            sellp_content<double> found;
            static_cast<flat_content&>(found) = *wanted;
            found.options = options;
            host_steps steps;
            detail::make_sellp_by_steps(*rows.content(), found, steps);
            EXPECT_EQ(found.stored_count, wanted->stored_count);
            EXPECT_EQ(found.rows.to_host(), wanted->rows.to_host());
            EXPECT_EQ(found.slice_offsets.to_host(), wanted->slice_offsets.to_host());
            EXPECT_EQ(found.column_indices.to_host(), wanted->column_indices.to_host());
            EXPECT_EQ(found.values.to_host(), wanted->values.to_host());
        }
    }
}

TEST(sellp_steps, refuse_too_much_padding) {
    csr<double> const a = to_csr(matrix_where(32, 64, [](auto i, auto) { return i == 3; }));
    csr_matrix<double> const rows(cpu(1), a);
    sellp_content<double> found;
    static_cast<flat_content&>(found) = *rows.content();
    found.options = {.slice_rows = 32, .row_threads = 1, .most_padding_bytes = 31 * 64 * 12 - 1};
    host_steps steps;
    EXPECT_THROW(detail::make_sellp_by_steps(*rows.content(), found, steps), too_much_padding);
    EXPECT_EQ(found.values.size(), 0);
}

TEST(cmrs_steps, give_what_the_hosts_conversion_gives) {
    for (battery_case const& c : small_battery()) {
        SCOPED_TRACE(c.name);
        csr<double> const a = to_csr(c.matrix);
        for (int height : {1, 6, 16})
            for (bool sorted : {false, true}) {
                cmrs_options const options{.height = height, .sorted = sorted};
                auto const wanted = cmrs_content<double>::make(host_memory(), a, options, true);
                csr_matrix<double> const rows(cpu(1), a);
                auto const* const values = rows.content()->values.data();
                host_steps steps;
                auto const found = detail::make_cmrs_by_steps(detail::taken(rows.content()), options, steps);
                EXPECT_EQ(found->values.data(), values);
                EXPECT_EQ(found->strip_offsets.to_host(), wanted->strip_offsets.to_host());
                EXPECT_EQ(found->words.to_host(), wanted->words.to_host());
                EXPECT_EQ(found->values.to_host(), wanted->values.to_host());
            }
    }
}

TEST(cmrs_steps, pad_as_the_hosts_conversion_does) {
    for (battery_case const& c : small_battery()) {
        SCOPED_TRACE(c.name);
        csr<double> const a = to_csr(c.matrix);
        csr_matrix<double> const rows(cpu(1), a);
        for (int height : {1, 6, 16})
            for (int per_row : {1, 8, 32}) {
                cmrs_options const options{height, false, per_row, std::int64_t{1} << 40};
                auto const wanted = cmrs_content<double>::make(host_memory(), a, options, true);
                host_steps steps;
                auto const found = detail::make_padded_cmrs_by_steps(host_memory(), *rows.content(), options, steps);
                EXPECT_EQ(found->stored_count, wanted->stored_count);
                EXPECT_EQ(found->strip_offsets.to_host(), wanted->strip_offsets.to_host());
                EXPECT_EQ(found->words.to_host(), wanted->words.to_host());
                EXPECT_EQ(found->values.to_host(), wanted->values.to_host());
            }
    }
}

TEST(cmrs_steps, refuse_too_much_padding) {
    csr<double> const a = to_csr(matrix_where(16, 64, [](auto i, auto) { return i == 3; }));
    csr_matrix<double> const rows(cpu(1), a);
    cmrs_options const limit{.height = 16, .sorted = false, .per_row = 1, .most_padding_bytes = 31 * 64 * 12 - 1};
    host_steps steps;
    EXPECT_THROW(detail::make_padded_cmrs_by_steps(host_memory(), *rows.content(), limit, steps), too_much_padding);
}

/// As to_csr() gives them.
void expect_rows(csr_content<double> const& found, csr<double> const& wanted) {
    EXPECT_EQ(found.row_offsets.to_host(), wanted.row_offsets);
    EXPECT_EQ(found.column_indices.to_host(), wanted.column_indices);
    EXPECT_EQ(found.values.to_host(), wanted.values);
    EXPECT_EQ(found.kernel, csr_matrix<double>(cpu(1), wanted).kernel());
}

TEST(rows_steps, copy_rows_that_somebody_shares) {
    for (battery_case const& c : small_battery()) {
        SCOPED_TRACE(c.name);
        csr<double> const a = to_csr(c.matrix);
        csr_matrix<double> const rows(cpu(1), a);
        host_steps steps;
        csr_content<double> const copy = detail::copied(*rows.content(), steps);
        expect_rows(copy, a);
        EXPECT_EQ(copy.row_count, a.row_count);
        EXPECT_EQ(copy.column_count, a.column_count);
        EXPECT_EQ(copy.entry_count, std::ssize(a.values));
        if (!a.values.empty()) {
            EXPECT_NE(copy.values.data(), rows.content()->values.data());
        }
    }
}

template <class Matrix>
void check_way_back(csr<double> const& a, Matrix const& matrix) {
    host_steps steps;
    expect_rows(*detail::rows_by_steps(*matrix.content(), steps), a);
}

TEST(rows_steps, give_back_what_was_converted) {
    auto cases = small_battery();
    cases.push_back(
        {"long row", matrix_where(200, 5000, [](auto i, auto j) { return i == 7 || (i * 31 + j) % 97 == 0; })});
    std::int64_t const unlimited = std::int64_t{1} << 40;
    for (battery_case const& c : cases) {
        SCOPED_TRACE(c.name);
        csr<double> const a = to_csr(c.matrix);
        cpu const here(1);
        for (auto [omega, sigma] : {std::tuple{4, 1}, std::tuple{8, 16}, std::tuple{32, 7}})
            check_way_back(a, csr5<double>(here, a, {.omega = omega, .sigma = sigma}));
        for (auto [b, t, window] : {std::tuple{32, 1, 1}, std::tuple{8, 4, 100}, std::tuple{1, 2, 7}})
            check_way_back(a, sellp<double>(here, a, {b, t, window, unlimited}));
        for (int height : {1, 6, 16})
            for (bool sorted : {false, true}) check_way_back(a, cmrs<double>(here, a, {height, sorted, 0, unlimited}));
        for (int per_row : {1, 8})
            for (bool sorted : {false, true}) check_way_back(a, cmrs<double>(here, a, {5, sorted, per_row, unlimited}));
    }
}

/// Where a strip's words use all of their bits, the last of them is an entry like any other.
TEST(rows_steps, take_no_entry_for_padding) {
    std::int64_t const columns = std::int64_t{1} << 28;
    auto const last = static_cast<std::int32_t>(columns - 1);
    csr<double> const a =
        to_csr(coo<double>{32, columns, {0, 3, 15, 16, 31}, {5, last, last, 0, last}, {1, 2, 3, 4, 5}});
    for (bool sorted : {false, true}) check_way_back(a, cmrs<double>(cpu(1), a, {.height = 16, .sorted = sorted}));
}

TEST(rows_steps, take_strips_apart_in_place) {
    for (battery_case const& c : small_battery()) {
        SCOPED_TRACE(c.name);
        csr<double> const a = to_csr(c.matrix);
        for (int height : {1, 5, 16}) {
            cmrs<double> const strips(cpu(1), a, {.height = height, .sorted = false});
            auto const* const values = strips.content()->values.data();
            auto const* const words = strips.content()->words.data();
            host_steps steps;
            auto const rows = detail::rows_in_place_by_steps(detail::taken(strips.content()), steps);
            expect_rows(*rows, a);
            EXPECT_EQ(rows->values.data(), values);
            EXPECT_EQ(rows->column_indices.data(), words);
        }
    }
}

}  // namespace
}  // namespace copse::tests
