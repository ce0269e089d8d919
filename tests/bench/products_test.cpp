// Peers of products that take part, cannot, or fail on the way.
#include "bench/peers/products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <copse/runtime/error.hpp>
#include <string>
#include <vector>

namespace copse::bench {
namespace {

using measure::competitor;
using measure::problem;

// A: 1 2   x: 1   A x: 3   A^T x: 4
//    3 .      1        3          2
struct small_product {
    csr<double> const a{2, 2, {0, 2, 3}, {0, 1, 0}, {1, 2, 3}};
    std::string const name = "A.mtx";
    measure::operands<double> v{1, {1, 1}, 0, {0, 0}};
    problem<double> what(bool transpose = false) const { return {name, a, transpose, v}; }
};

/// y <- A x of the matrix above; throws in run `failing_run`, counted from 1.
class fake_product final : public host_product<double> {
  public:
    fake_product(measure::operands<double> const& v, int failing_run) : host_product(v), failing_run_(failing_run) {}
    void run() override {
        if (++runs_ == failing_run_) throw error("out of\ncoffee");
        y_ = {x_[0] + 2 * x_[1], 3 * x_[0]};
    }

  private:
    int failing_run_;
    int runs_ = 0;
};

product_peer<double> fake(std::string const& name, int failing_run = 0) {
    return {
        name, [=](problem<double> const& what, int threads) -> competitor<double> {
            return {measure::describe(what, name, 100, threads), std::make_unique<fake_product>(what.v, failing_run)};
        }};
}

struct invited {
    std::vector<competitor<double>> guests;
    std::vector<std::string> complaints;
};

invited race(std::vector<product_peer<double>> const& peers, int repeats = 3) {
    small_product const p;
    invited result;
    auto const what = p.what();
    result.guests = invite(peers, what, 2, [&](std::string const& why) { result.complaints.push_back(why); });
    measure::run_in_turn(result.guests, measure::expect(p.a, false, p.v), repeats);
    return result;
}

TEST(product_peers, take_part_with_their_record) {
    auto const r = race({fake("one"), fake("two")});
    ASSERT_EQ(r.guests.size(), 2u);
    EXPECT_TRUE(r.complaints.empty());
    for (auto const& g : r.guests) {
        EXPECT_TRUE(took_part(g));
        EXPECT_TRUE(g.record.is_right());
        EXPECT_EQ(g.record.repeats, 3);
        EXPECT_EQ(g.record.threads, 2);
    }
    EXPECT_EQ(r.guests[1].record.format, "two");
}

TEST(product_peers, one_that_cannot_be_made_keeps_nobody_from_it) {
    product_peer<double> const broken{"broken",
                                      [](auto const&, int) -> competitor<double> { throw error("no licence"); }};
    auto const r = race({broken, fake("two")});
    ASSERT_EQ(r.guests.size(), 1u);
    EXPECT_TRUE(r.guests[0].record.is_right());
    EXPECT_EQ(r.complaints, std::vector<std::string>{"broken takes no part in A x of A.mtx: no licence"});
}

TEST(product_peers, one_that_fails_on_the_way_complains_once_in_one_line_and_did_not_take_part) {
    auto const r = race({fake("one", 3), fake("two")});
    ASSERT_EQ(r.guests.size(), 2u);
    EXPECT_FALSE(took_part(r.guests[0]));
    EXPECT_TRUE(took_part(r.guests[1]));
    EXPECT_EQ(r.guests[1].record.repeats, 3);
    EXPECT_EQ(r.complaints, std::vector<std::string>{"one takes no part in A x of A.mtx: out of coffee"});
}

TEST(product_peers, factors_are_refused) {
    small_product p;
    p.v.beta = 1;
    auto const what = p.what();
    EXPECT_THROW(invite<double>({fake("one")}, what, 2, [](std::string const&) {}), argument_error);
    EXPECT_EQ(invite<double>({}, small_product().what(), 2, nullptr).size(), 0u);
}

TEST(product_peers, what_was_not_invited_took_part) {
    small_product const p;
    competitor<double> const ours{measure::describe(p.what(), "csr", 1, 1), std::make_unique<fake_product>(p.v, 0)};
    EXPECT_TRUE(took_part(ours));
}

TEST(product_peers, y_is_nan_before_a_run) {
    small_product const p;
    fake_product product(p.v, 0);
    product.run();
    product.prepare();
    for (double const y : product.result()) EXPECT_TRUE(std::isnan(y));
}

TEST(product_peers, indices_of_4_bytes_have_an_end) {
    csr<double> a;
    a.row_count = 2'147'483'646;
    EXPECT_NO_THROW(check_32_bit_indices(a));
    a.row_count = 2'147'483'647;
    EXPECT_THROW(check_32_bit_indices(a), error);
}

// Those that this machine has, on rows and columns without entries and on shapes that are not square.
template <class T>
void expect_all_right(csr<T> const& a) {
    std::string const name = "A.mtx";
    for (bool const transpose : {false, true}) {
        measure::operands<T> const v{
            1, std::vector<T>(static_cast<std::size_t>(transpose ? a.row_count : a.column_count), T(0.5)), 0,
            std::vector<T>(static_cast<std::size_t>(transpose ? a.column_count : a.row_count))};
        problem<T> const what{name, a, transpose, v};
        auto guests = invite(product_peers<T>(), what, 2, [](std::string const& why) { ADD_FAILURE() << why; });
        measure::run_in_turn(guests, measure::expect(a, transpose, v), 2);
        for (auto const& g : guests)
            EXPECT_TRUE(g.record.is_right()) << g.record.format << ' ' << g.record.mode
                                             << (transpose ? " A^T x" : " A x") << " is off by " << g.record.max_error;
    }
}

TEST(product_peers, libraries_agree_with_the_reference) {
    expect_all_right<double>({3, 4, {0, 2, 2, 3}, {0, 3, 1}, {1, 2, 3}});
    expect_all_right<float>({4, 3, {0, 2, 2, 3, 3}, {0, 2, 1}, {1, 2, 3}});
}

}  // namespace
}  // namespace copse::bench
