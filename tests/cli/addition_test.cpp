// Sums that are wrong in one way or another are found out, and their records say what was added.
#include "cli/addition.hpp"

#include <gtest/gtest.h>

#include <copse/runtime/error.hpp>
#include <limits>

namespace copse::measure {
namespace {

// A: 1 2 .   B: 5 . 1   A + B: 6 2 1
//    . . 3      . . -3         . . 0
struct two_matrices {
    csr<double> const a{2, 3, {0, 2, 3}, {0, 1, 2}, {1, 2, 3}};
    csr<double> const b{2, 3, {0, 2, 3}, {0, 2, 2}, {5, 1, -3}};
    std::string const name_a = "A.mtx";
    std::string const name_b = "B.mtx";
    sum_problem<double> const what{1, {name_a, a}, 1, {name_b, b}};
};

/// Gives `c`, whatever is asked for.
class scripted_addition final : public addition<double> {
  public:
    scripted_addition(csr<double> c, bool drops) : c_(std::move(c)), drops_zeros_(drops) {}
    void prepare() override {}
    void run() override {}
    csr<double> result() const override { return c_; }
    std::int64_t result_bytes() const override { return 1000; }
    bool drops_zeros() const override { return drops_zeros_; }

  private:
    csr<double> c_;
    bool drops_zeros_;
};

measurement race(csr<double> c, bool drops_zeros = false) {
    two_matrices const m;
    std::vector<adder<double>> all;
    all.push_back(
        {describe(m.what, "scripted", 200, 1), std::make_unique<scripted_addition>(std::move(c), drops_zeros)});
    run_in_turn(all, expect(m.what), 2);
    return all[0].record;
}

csr<double> const right{2, 3, {0, 3, 4}, {0, 1, 2, 2}, {6, 2, 1, 0}};
csr<double> const without_its_zero{2, 3, {0, 3, 3}, {0, 1, 2}, {6, 2, 1}};

TEST(addition, right_sums_complete_the_record) {
    auto const m = race(right);
    EXPECT_TRUE(m.is_right());
    EXPECT_EQ(m.repeats, 2);
    EXPECT_EQ(m.op, "add");
    EXPECT_EQ(m.matrix, "A.mtx");
    EXPECT_EQ(m.entries, 3);
    EXPECT_EQ(m.plus->matrix, "B.mtx");
    EXPECT_EQ(m.plus->entries, 3);
    EXPECT_EQ(m.plus->result_entries, 4);
    EXPECT_EQ(m.plus->result_bytes, 1000);
    EXPECT_EQ(m.moved_bytes, 1200);
    EXPECT_EQ(m.csr_moved_bytes, (3 + 3 + 4) * 12 + 3 * 3 * 4);
    EXPECT_EQ(m.operations(), 3 + 3 + 2);  // two pairs meet
}

TEST(addition, wrong_sums_are_found_out) {
    auto const infinity = std::numeric_limits<double>::infinity();
    EXPECT_GT(race({2, 3, {0, 3, 4}, {0, 1, 2, 2}, {6, 2, 1.001, 0}}).max_error, 1);
    EXPECT_EQ(race({2, 3, {0, 3, 4}, {0, 1, 2, 1}, {6, 2, 1, 0}}).max_error, infinity);
    EXPECT_EQ(race({3, 2, {0, 1, 2, 4}, {0, 0, 0, 1}, {6, 2, 1, 0}}).max_error, infinity);
}

TEST(addition, zeros_may_be_left_out_by_those_who_say_so) {
    EXPECT_FALSE(race(without_its_zero).is_right());
    EXPECT_TRUE(race(without_its_zero, true).is_right());
    EXPECT_FALSE(race(right, true).is_right());
}

TEST(addition, plain_csr) {
    two_matrices const m;
    std::vector<adder<double>> all;
    all.push_back(csr_adder(m.what, 2));
    run_in_turn(all, expect(m.what), 1);
    EXPECT_TRUE(all[0].record.is_right());
    EXPECT_EQ(all[0].record.threads, 2);
    EXPECT_EQ(all[0].record.bytes, bytes_of(m.a) + bytes_of(m.b));
    EXPECT_EQ(all[0].record.plus->result_bytes, bytes_of(right));
    all[0].what->prepare();
    EXPECT_EQ(all[0].what->result().entry_count(), 0);  // a run that does nothing cannot pass for the one before

    sum_problem<double> const unlike{1, {m.name_a, m.a, true}, 1, {m.name_b, m.b}};
    EXPECT_THROW(csr_adder(unlike, 1), shape_error);
    EXPECT_THROW(expect(unlike), shape_error);
}

}  // namespace
}  // namespace copse::measure
