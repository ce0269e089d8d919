// Entries of sums that are equal whatever the values are, by hand, and what sums by plans make of them.
#include <algebra/sums/planned_twins_suite.hpp>
#include <copse/algebra/sums/equal_terms.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <runtime/message_of.hpp>

namespace copse::tests {
namespace {

struct terms_by_hand {
    std::vector<std::uint64_t> places;
    std::vector<std::int64_t> in_sum;
};
/// The numbers of a sum's entries, those of negatives as -1 - number; empty where all differ.
template <class T>
std::vector<std::int64_t> numbers_of(std::int64_t entries, std::vector<terms_by_hand> const& operands) {
    std::vector<detail::stored_terms> terms;
    for (terms_by_hand const& of : operands) terms.push_back({of.places, of.in_sum});
    detail::equal_terms equal(entries, sizeof(T));
    equal.find(terms);
    std::vector<T> values(static_cast<std::size_t>(entries));
    std::vector<std::int64_t> numbers;
    if (!equal.number(values)) return numbers;
    for (auto const bits : bits_of(values)) {
        auto const sign = bits >> (8 * sizeof(T) - 1);
        auto const number = static_cast<std::int64_t>(bits & ~(sign << (8 * sizeof(T) - 1)));
        numbers.push_back(sign != 0 ? -1 - number : number);
    }
    return numbers;
}
template <class T>
std::uint64_t place_of(int arena, std::uint64_t i) {
    return detail::value_place(arena, i * sizeof(T));
}

template <class T>
void check_numbers_by_hand() {
    using list = std::vector<std::int64_t>;
    std::uint64_t const p = place_of<T>(3, 70), q = place_of<T>(3, 1), r = place_of<T>(0, 70), s = place_of<T>(255, 0),
                        negative = detail::negative_place;
    // The picture of equal_terms.hpp.
    EXPECT_EQ(numbers_of<T>(4, {{{p, q, p}, {0, 2, 3}}, {{r, s, r, r}, {0, 1, 2, 3}}}), (list{0, 1, 2, 0}));
    // All four are equal in A, two and two in B, whatever the order of the operands.
    terms_by_hand const all{{p, p, p, p}, {0, 1, 2, 3}}, pairs{{r, s, r, s}, {0, 1, 2, 3}};
    EXPECT_EQ(numbers_of<T>(4, {all, pairs}), (list{0, 1, 0, 1}));
    EXPECT_EQ(numbers_of<T>(4, {pairs, all}), (list{0, 1, 0, 1}));
    // Negatives: of all terms, and of one alone.
    EXPECT_EQ(numbers_of<T>(2, {{{p, p | negative}, {0, 1}}, {{r | negative, r}, {0, 1}}}), (list{0, -1}));
    EXPECT_EQ(numbers_of<T>(2, {{{p, p | negative}, {0, 1}}, {{r, r}, {0, 1}}}), list());
    EXPECT_EQ(numbers_of<T>(3, {{{p | negative, q, p | negative}, {0, 1, 2}}}), (list{0, 1, 0}));
    // One operand has the second entry, and no other one.
    EXPECT_EQ(numbers_of<T>(2, {{{p, p}, {0, 1}}, {{r}, {1}}}), list());
    EXPECT_EQ(numbers_of<T>(2, {{{p, p}, {0, 1}}, {{r}, {0}}}), list());
    EXPECT_EQ(numbers_of<T>(3, {{{p, p}, {0, 2}}, {{r}, {1}}}), (list{0, 1, 0}));
    EXPECT_EQ(numbers_of<T>(0, {{}, {}}), list());
}
TEST(equal_terms, are_numbered) {
    check_numbers_by_hand<double>();
    check_numbers_by_hand<float>();
}

TEST(planned_twins, are_stored_once_on_a_cpu) {
    cpu executor(2);
    check_planned_pairs_of_twins(executor, takes_all_cases);
}
TEST(planned_twins, are_stored_once_in_lanes) {
    emulated executor;
    check_planned_pairs_of_twins(executor, false);
}

template <class Executor>
void check_all_of_twins(Executor& executor) {
    check_bytes_of_planned_twins(executor);
    check_planned_sums_of_other_senses(executor);
    check_planned_sums_of_identical(executor);
    if (takes_all_cases || !lanes_executor<Executor>) check_products_of_planned_twins(executor);
}
TEST(planned_twins, take_half_the_bytes_and_go_on_into_products) {
    cpu executor(2);
    check_all_of_twins(executor);
}
TEST(planned_twins, take_half_the_bytes_and_go_on_into_products_lane_by_lane) {
    if (COPSE_THREAD_SANITIZER) GTEST_SKIP() << "one thread has nobody to race with";
    emulated executor;
    check_all_of_twins(executor);
}

/// Entries that cancel are zeros of opposite signs, in blocks that are each other's negatives.
TEST(planned_twins, have_zeros_of_opposite_signs_in_skew_sums) {
    cpu executor(1);
    auto const a = twins_of(skew(matrix_where(128, 128, [](auto i, auto j) { return j == i + 64; })), 64);
    sum_plan<double> const plan(executor, a.once, a.once);
    coo<double> const none = to_coo(add(executor, plan, 2.0, a.once, -2.0, a.once));
    ASSERT_EQ(none.entry_count(), a.each.entry_count());
    for (std::size_t k = 0; k < none.values.size(); ++k) {
        EXPECT_EQ(none.values[k], 0);
        EXPECT_EQ(std::signbit(none.values[k]), none.rows[k] > none.columns[k]);
    }
}

}  // namespace
}  // namespace copse::tests
