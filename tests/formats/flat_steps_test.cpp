// The steps by which a GPU converts to SELL-P and CMRS, taken by the host: they give what the host's own conversions give.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <algorithm>
#include <copse/formats/cmrs_steps.hpp>
#include <copse/formats/csr_matrix.hpp>
#include <copse/formats/flat_sharing.hpp>
#include <copse/formats/sellp_steps.hpp>
#include <copse/runtime/cpu.hpp>
#include <numeric>
#include <utility>
#include <vector>

namespace copse::tests {
namespace {

struct host_steps {
    template <class F>
    void for_each(std::int64_t count, F const& f) const {
        for (std::int64_t i = count - 1; i >= 0; --i) f(i);  // no step may count on an order
    }
    void sum_before(std::int64_t* p, std::int64_t count) const {
        std::exclusive_scan(p, p + count, p, std::int64_t{0});
    }
    template <class Value>
    void sort_pairs(buffer<std::uint64_t>& keys, buffer<Value>& values, int end_bit) const {
        std::vector<std::pair<std::uint64_t, Value>> pairs;
        for (std::int64_t i = 0; i < keys.size(); ++i) pairs.emplace_back(keys.data()[i], values.data()[i]);
        std::uint64_t const mask = end_bit < 64 ? (std::uint64_t{1} << end_bit) - 1 : ~std::uint64_t{0};
        std::stable_sort(pairs.begin(), pairs.end(),
                         [&](auto const& a, auto const& b) { return (a.first & mask) < (b.first & mask); });
        for (std::int64_t i = 0; i < keys.size(); ++i)
            std::tie(keys.data()[i], values.data()[i]) = pairs[static_cast<std::size_t>(i)];
    }
    void wait() const {}
};

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
            auto const wanted = detail::make_sellp(host_memory(), a, options);
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
                auto const wanted = detail::make_cmrs(host_memory(), a, options);
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

}  // namespace
}  // namespace copse::tests
