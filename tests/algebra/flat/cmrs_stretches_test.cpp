// Where CMRS's long strips are cut, and that they are.
#include <gtest/gtest.h>

#include <algebra/battery.hpp>
#include <copse/algebra/flat/cmrs_tasks.hpp>
#include <copse/algebra/flat_spmv.hpp>
#include <copse/runtime/emulated.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace copse::tests {
namespace {

/// The offsets of strips: places[i] is the number of places of strip i.
struct strips_of {
    std::vector<std::int64_t> offsets{0};

    explicit strips_of(std::vector<std::int64_t> const& places) {
        for (std::int64_t const count : places) offsets.push_back(offsets.back() + count);
    }
    cmrs_view<double> view() const {
        cmrs_view<double> a{};
        a.strip_offsets = offsets.data();
        a.strip_count = static_cast<std::int64_t>(offsets.size()) - 1;
        return a;
    }
};

TEST(cmrs_stretches, have_numbers_by_where_they_end) {
    strips_of const strips({250, 40, 210, 150});
    detail::cmrs_stretches const cut{100};
    std::vector<std::int64_t> found;
    for (std::int64_t number = 0; number < cut.numbers(650); ++number) {
        auto const s = cut.at(number, strips.view());
        found.push_back(s.count == 0 ? -1 : s.strip);
    }
    EXPECT_EQ(found, (std::vector<std::int64_t>{0, 0, 2, 2, -1, -1}));
    EXPECT_EQ(cut.at(1, strips.view()).begin, 125 / 32 * 32);
    EXPECT_EQ(cut.at(1, strips.view()).end, 250);
}

TEST(cmrs_stretches, cover_each_strip_that_is_long_and_no_other) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::int64_t const least = std::uniform_int_distribution<std::int64_t>(32, 80)(random);
        std::vector<std::int64_t> places(std::uniform_int_distribution<std::size_t>(1, 12)(random));
        for (auto& count : places) count = std::uniform_int_distribution<std::int64_t>(0, 6 * least)(random);
        strips_of const strips(places);
        detail::cmrs_stretches const cut{least};
        std::vector<std::int64_t> covered(places.size()), stretches(places.size());
        for (std::int64_t number = 0; number < cut.numbers(strips.offsets.back()); ++number) {
            auto const s = cut.at(number, strips.view());
            if (s.count == 0) continue;
            auto const strip = static_cast<std::size_t>(s.strip);
            ASSERT_EQ(number, s.first + stretches[strip]);
            ASSERT_EQ(s.begin, strips.offsets[strip] + covered[strip]);
            ASSERT_LT(s.begin, s.end);
            ASSERT_LE(s.end - s.begin, 2 * least + 31);
            covered[strip] += s.end - s.begin;
            ++stretches[strip];
        }
        for (std::size_t strip = 0; strip < places.size(); ++strip)
            ASSERT_EQ(covered[strip], places[strip] >= 2 * least ? places[strip] : 0);
    }
}

/// Items that ran, by the names of their tasks.
std::map<std::string, std::int64_t> items_of(run_report const& report) {
    std::map<std::string, std::int64_t> items;
    for (auto const& queue : report.queues) items[queue.name] += queue.items;
    return items;
}

TEST(cmrs_stretches, are_items_where_they_are_asked_for) {
    emulated executor({.seed = 1});
    csr<double> const one_row = to_csr(matrix_where(3, 1000, [](auto i, auto) { return i == 1; }));
    std::vector<double> row(1000, 1.0), column(3, 1.0);
    auto const product = [&](cmrs_options const& options, bool turned) {
        cmrs<double> const a(executor, one_row, options);
        return items_of(turned ? spmv(executor, 1.0, transposed(a), column, 0.0, row)
                               : spmv(executor, 1.0, a, row, 0.0, column));
    };
    EXPECT_EQ(product({.stretch = 100}, false)["CMRS stretch, 256 sums"], 10);
    EXPECT_EQ(product({.height = 16, .stretch = 100}, false)["CMRS stretch, 512 sums"], 10);
    EXPECT_EQ(product({.stretch = 100}, true)["CMRS stretch, transposed"], 10);
    EXPECT_EQ(product({}, false).count("CMRS stretch, 256 sums"), 0u);
    EXPECT_EQ(product({}, true).count("CMRS stretch, transposed"), 0u);
}

}  // namespace
}  // namespace copse::tests
