// Padding, counted beforehand, is what the conversion makes.
#include "bench/sellp_padding.hpp"

#include <gtest/gtest.h>

#include <copse/formats/generators.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>

namespace copse::bench {
namespace {

template <class T, class Executor>
void expect_as_converted(Executor& executor, std::string const& name, bool for_lanes) {
    auto const a = to_csr(generate<T>(name));
    sellp<T> const made(executor, a, {.most_padding_bytes = std::int64_t{1} << 40});
    auto const entry_bytes = static_cast<double>(a.entry_count() * static_cast<std::int64_t>(4 + sizeof(T)));
    EXPECT_DOUBLE_EQ(places_per_entry(a, for_lanes), 1 + static_cast<double>(made.padding_bytes()) / entry_bytes)
        << name;
}

TEST(sellp_padding, is_what_the_conversion_makes) {
    cpu executor(1);
    emulated lanes;
    for (auto const* name : {"rmat:7", "lp:128,900", "poisson2d:16", "permutation:128"}) {  // whole slices
        expect_as_converted<double>(executor, name, false);
        expect_as_converted<float>(executor, name, false);
        expect_as_converted<double>(lanes, name, true);
    }
}

TEST(sellp_padding, of_rows_that_the_last_slice_lacks_is_left_out) {
    csr<double> a{33, 9, {0, 3}, {}, {}};  // rows of 3, 31 times 1, and 5 entries in slices of 32
    for (int row = 1; row < 32; ++row) a.row_offsets.push_back(a.row_offsets.back() + 1);
    a.row_offsets.push_back(a.row_offsets.back() + 5);
    a.column_indices.resize(39);
    a.values.resize(39);
    EXPECT_DOUBLE_EQ(places_per_entry(a, true), (3 * 32 + 5) / 39.0);
}

TEST(sellp_padding, of_nothing_is_none) {
    EXPECT_EQ(places_per_entry(csr<double>{3, 3, {0, 0, 0, 0}, {}, {}}, true), 1);
    EXPECT_EQ(places_per_entry(csr<float>{0, 0, {0}, {}, {}}, false), 1);
}

}  // namespace
}  // namespace copse::bench
