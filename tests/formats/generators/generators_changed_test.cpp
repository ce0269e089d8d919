// Matrices that are made of another one.
#include <gtest/gtest.h>

#include <copse/formats/csr.hpp>
#include <copse/formats/generators.hpp>
#include <copse/runtime/error.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace {

using copse::coo;
using copse::generate;
using place = std::pair<std::int32_t, std::int32_t>;

/// The entries by their coordinates, each of which occurs once.
std::map<place, double> entries_of(std::string const& specification) {
    auto const a = generate<double>(specification);
    std::map<place, double> entries;
    for (std::int64_t k = 0; k < a.entry_count(); ++k) entries[{a.rows[k], a.columns[k]}] = a.values[k];
    EXPECT_EQ(std::ssize(entries), a.entry_count()) << specification;
    return entries;
}

/// Those of a matrix whose entries may meet.
std::map<place, double> summed_entries_of(std::string const& specification) {
    auto const a = copse::to_coo(copse::to_csr(generate<double>(specification)));
    std::map<place, double> entries;
    for (std::int64_t k = 0; k < a.entry_count(); ++k) entries[{a.rows[k], a.columns[k]}] = a.values[k];
    return entries;
}

TEST(changed_matrices, of_ones_have_the_other_ones_pattern) {
    auto const before = summed_entries_of("rmat:7,8,3"), after = entries_of("ones:rmat:7,8,3");
    ASSERT_EQ(before.size(), after.size());
    for (auto const& [at, value] : after) {
        EXPECT_EQ(value, 1);
        EXPECT_TRUE(before.contains(at));
    }
}

TEST(changed_matrices, with_random_values_are_symmetric_where_the_pattern_is) {
    auto const before = entries_of("poisson2d:9"), after = entries_of("valued:1,poisson2d:9"),
               other = entries_of("valued:2,poisson2d:9");
    ASSERT_EQ(before.size(), after.size());
    std::set<double> values;
    for (auto const& [at, value] : after) {
        EXPECT_TRUE(before.contains(at));
        EXPECT_EQ(value, after.at({at.second, at.first}));
        EXPECT_NE(value, other.at(at));
        EXPECT_TRUE(value >= -1 && value < 1);
        values.insert(value);
    }
    EXPECT_EQ(values.size(), (after.size() - 81) / 2 + 81);
}

TEST(changed_matrices, mirror_the_lower_triangle) {
    auto const before = summed_entries_of("rmat:7,8,3"), symmetric = entries_of("symmetric:rmat:7,8,3"),
               skew = entries_of("skew:rmat:7,8,3");
    std::size_t below = 0, on = 0;
    for (auto const& [at, value] : before) {
        place const image{at.second, at.first};
        if (at.first < at.second) continue;
        ++(at.first == at.second ? on : below);
        EXPECT_EQ(symmetric.at(at), value);
        EXPECT_EQ(symmetric.at(image), value);
        EXPECT_EQ(skew.contains(at), at.first != at.second);
        if (at.first == at.second) continue;
        EXPECT_EQ(skew.at(at), value);
        EXPECT_EQ(skew.at(image), -value);
    }
    EXPECT_GT(on, 0u);
    EXPECT_EQ(symmetric.size(), 2 * below + on);
    EXPECT_EQ(skew.size(), 2 * below);
}

TEST(changed_matrices, of_saddle_points_have_a_block_and_its_transpose) {
    auto const a = entries_of("banded:10,2"), all = entries_of("kkt:banded:10,2");
    EXPECT_EQ(generate<float>("kkt:banded:10,2").row_count, 13);
    EXPECT_EQ(generate<float>("kkt:banded:10,2").column_count, 13);
    std::size_t count = 0;
    for (auto const& [at, value] : a) {
        ++count;
        EXPECT_EQ(all.at(at), value);
        if (at.first % 4 != 0) continue;
        count += 2;
        EXPECT_EQ(all.at({10 + at.first / 4, at.second}), value);
        EXPECT_EQ(all.at({at.second, 10 + at.first / 4}), value);
    }
    EXPECT_EQ(all.size(), count);
}

TEST(changed_matrices, say_what_they_cannot_be_made_of) {
    auto const message_of = [](std::string const& specification) -> std::string {
        try {
            generate<double>(specification);
        } catch (copse::argument_error const& e) {
            return e.what();
        }
        return "no error";
    };
    for (std::string const name : {"symmetric", "skew", "kkt"})
        EXPECT_EQ(message_of(name + ":lp:20,90"),
                  name + ": the matrix of lp:20,90 has 20 rows and 90 columns; it must be square");
    EXPECT_EQ(message_of("ones"),
              "ones: the generator whose matrix it changes is missing: ones:generator, as in ones:rmat:18,16");
    EXPECT_EQ(message_of("symmetric:poisson2d:0"), message_of("poisson2d:0"));
}

}  // namespace
