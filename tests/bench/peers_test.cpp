// Peers of products that take part, cannot, or fail on the way.
#include "bench/peers/peers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <copse/runtime/error.hpp>
#include <string>
#include <vector>

namespace copse::bench {
namespace {

// A: 1 2   x: 1   A x: 3   A^T x: 4
//    3 .      1        3          2
csr<double> const small{2, 2, {0, 2, 3}, {0, 1, 0}, {1, 2, 3}};
problem<double> const a_x{"A.mtx", small, false, {1, 1}};

/// y <- A x of the matrix above; throws in run `failing_run`, counted from 1.
class fake_product final : public host_product<double> {
  public:
    fake_product(race_record r, problem<double> const& what, int failing_run = 0)
        : host_product(std::move(r), what), failing_run_(failing_run) {}
    void multiply() override {
        if (++runs_ == failing_run_) throw copse::error("out of\ncoffee");
        y_ = {x_[0] + 2 * x_[1], 3 * x_[0]};
    }

  private:
    int failing_run_;
    int runs_ = 0;
};

product_peer<double> fake(std::string const& name, int failing_run = 0) {
    return {name, [=](problem<double> const& what, int threads) {
                return std::make_unique<fake_product>(describe(what, name, 100, threads), what, failing_run);
            }};
}

struct invited {
    products<double> guests;
    std::vector<bool> took_part;
    std::vector<std::string> complaints;
};

invited race_of(std::vector<product_peer<double>> const& peers) {
    invited result;
    auto const complain = [&](std::string const& why) { result.complaints.push_back(why); };
    result.guests = invite(peers, a_x, 2, complain);
    run_race(result.guests, on_cpu(3));
    for (auto const& g : result.guests) result.took_part.push_back(took_part(g->record, complain));
    return result;
}

TEST(product_peers, take_part_with_their_record) {
    auto const r = race_of({fake("one"), fake("two")});
    EXPECT_EQ(r.took_part, (std::vector{true, true}));
    EXPECT_TRUE(r.complaints.empty());
    for (auto const& g : r.guests) {
        EXPECT_TRUE(g->record.m.is_right());
        EXPECT_EQ(g->record.m.repeats, 3);
        EXPECT_EQ(g->record.m.threads, 2);
    }
    EXPECT_EQ(r.guests[1]->record.m.format, "two");
}

TEST(product_peers, one_that_cannot_be_made_keeps_nobody_from_it) {
    product_peer<double> const broken{
        "broken", [](auto const&, int) -> std::unique_ptr<product<double>> { throw error("no licence"); }};
    auto const r = race_of({broken, fake("two")});
    EXPECT_EQ(r.took_part, std::vector{true});
    EXPECT_TRUE(r.guests[0]->record.m.is_right());
    EXPECT_EQ(r.complaints, std::vector<std::string>{"broken takes no part in A x of A.mtx: no licence"});
}

TEST(product_peers, one_that_fails_on_the_way_complains_once_in_one_line_and_did_not_take_part) {
    auto const r = race_of({fake("one", 3), fake("two")});
    EXPECT_EQ(r.took_part, (std::vector{false, true}));
    EXPECT_EQ(r.guests[1]->record.m.repeats, 3);
    EXPECT_EQ(r.complaints, std::vector<std::string>{"one takes no part in A x of A.mtx: out of coffee"});
}

TEST(product_peers, one_of_ours_that_fails_is_an_error) {
    products<double> all;
    all.push_back(std::make_unique<fake_product>(describe(a_x, "csr", 1, 1), a_x, 1));
    run_race(all, on_cpu(1));
    EXPECT_THROW(took_part(all[0]->record, nullptr), error);
}

TEST(product_peers, y_is_nan_before_a_run) {
    fake_product product({}, a_x);
    product.multiply();
    product.set_up(0);
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
    for (bool const transpose : {false, true}) {
        problem<T> const what{"A.mtx", a, transpose};
        auto guests = invite(product_peers<T>(), what, 2, [](std::string const& why) { ADD_FAILURE() << why; });
        run_race(guests, on_cpu(2));
        for (auto const& g : guests)
            EXPECT_TRUE(g->record.has_times())
                << race_name(g->record) << " is off by " << g->record.m.max_error << ' ' << g->record.failure;
    }
}

TEST(product_peers, libraries_agree_with_the_reference) {
    expect_all_right<double>({3, 4, {0, 2, 2, 3}, {0, 3, 1}, {1, 2, 3}});
    expect_all_right<float>({4, 3, {0, 2, 2, 3, 3}, {0, 2, 1}, {1, 2, 3}});
}

}  // namespace
}  // namespace copse::bench
