#include <copse/runtime/scheduler/queue.hpp>

#include <gtest/gtest.h>

#include <copse/runtime/emulated/machine.hpp>
#include <copse/runtime/scheduler/machine.hpp>
#include <cstdint>
#include <runtime/emulated/in_grid.hpp>
#include <string>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

template <class Machine = cpu_machine>
class range_list {
  public:
    explicit range_list(std::uint32_t capacity)
        : entries_(capacity, range_entry{}), view_{&counters_, entries_.data(), capacity} {}
    range_list_view<Machine> const* operator->() const { return &view_; }

  private:
    range_counters counters_{};
    std::vector<range_entry> entries_;
    range_list_view<Machine> view_;
};

auto const nothing = [] {};

TEST(range_list, hands_out_a_range_in_chunks) {
    range_list<> const list(2);
    EXPECT_EQ(list->try_claim(4).status, claim_status::empty);
    EXPECT_TRUE(list->try_push(100, 10, nothing));
    std::vector<std::int64_t> counts;
    for (std::int64_t next = 100; next < 110;) {
        range_claim const claim = list->try_claim(4);
        ASSERT_EQ(claim.status, claim_status::claimed);
        EXPECT_EQ(claim.first, next);
        next += claim.count;
        counts.push_back(claim.count);
    }
    EXPECT_EQ(counts, (std::vector<std::int64_t>{4, 4, 2}));
    EXPECT_EQ(list->try_claim(4).status, claim_status::contended);  // moves on to the next entry
    EXPECT_EQ(list->try_claim(4).status, claim_status::empty);
}

TEST(range_list, gives_a_share_of_what_is_left_of_a_range) {
    range_list<> const list(1);
    list->try_push(0, 43, nothing);
    auto const claimed = [&](claim_size const& size) { return list->try_claim(size).count; };
    EXPECT_EQ(claimed({1, 16, 2}), 10u);  // 43 for twice two
    EXPECT_EQ(claimed({1, 5, 2}), 5u);    // 8, but no more than 5
    EXPECT_EQ(claimed({9, 16, 2}), 9u);   // 7, but no fewer than 9
    EXPECT_EQ(claimed({30, 30, 1}), 19u);
}

TEST(range_list, goes_on_with_the_next_entry) {
    range_list<> const list(2);
    list->try_push(0, 3, nothing);
    list->try_push(50, 1, nothing);
    std::vector<std::int64_t> got;
    for (auto claim = list->try_claim(2); claim.status != claim_status::empty; claim = list->try_claim(2))
        for (std::uint32_t i = 0; i < claim.count; ++i) got.push_back(claim.first + i);
    EXPECT_EQ(got, (std::vector<std::int64_t>{0, 1, 2, 50}));
}

TEST(range_list, refuses_when_it_is_full_and_stays_so) {
    range_list<> const list(2);
    int announced = 0;
    auto announce = [&] { ++announced; };
    EXPECT_TRUE(list->try_push(0, 1, announce));
    EXPECT_TRUE(list->try_push(1, 1, announce));
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(list->try_push(2, 1, announce));
    EXPECT_EQ(announced, 2);
    EXPECT_EQ(list->try_claim(1).first, 0);
}

TEST(range_list, of_no_capacity_refuses) {
    range_list<> const list(0);
    EXPECT_FALSE(list->try_push(0, 1, nothing));
    EXPECT_EQ(list->try_claim(1).status, claim_status::empty);
    EXPECT_EQ(list->approximate_fill(), 0);
}

/// Controllers launch as many blocks as there are items: ranges behind the first count too.
TEST(range_list, knows_how_many_items_are_left_in_all_entries) {
    range_list<> const list(3);
    EXPECT_EQ(list->approximate_fill(), 0);
    list->try_push(0, 5, nothing);
    list->try_push(10, 7, nothing);
    EXPECT_EQ(list->approximate_fill(), 12);
    list->try_claim(3);
    EXPECT_EQ(list->approximate_fill(), 9);
    list->try_claim(3);  // gets two
    EXPECT_EQ(list->approximate_fill(), 7);
    EXPECT_EQ(list->try_claim(1).status, claim_status::contended);  // moves on
    EXPECT_EQ(list->approximate_fill(), 7);
    list->try_claim(6);
    list->try_push(30, 2, nothing);
    EXPECT_EQ(list->approximate_fill(), 3);
    list->try_claim(6);
    list->try_claim(6);  // moves on
    list->try_claim(6);
    EXPECT_EQ(list->approximate_fill(), 0);
    EXPECT_FALSE(list->try_push(40, 1, nothing) && list->try_push(40, 1, nothing));
    list->try_claim(1);
    list->try_claim(1);
    EXPECT_EQ(list->approximate_fill(), 0);
}

/// The first half of the workers push ranges, the others claim until all has come.
template <class Machine>
class range_traffic {
  public:
    range_traffic(int workers, std::int64_t length)
        : list_(static_cast<std::uint32_t>(3 * (workers / 2))),
          producers_(workers / 2),
          length_(length),
          arrived_(static_cast<std::size_t>(3 * producers_ * length), 0) {}

    void work(int rank) {
        if (rank < producers_) {
            for (int i = 0; i < 3; ++i) EXPECT_TRUE(list_->try_push((3 * rank + i) * length_, length_, nothing));
            return;
        }
        auto const all = static_cast<std::int64_t>(arrived_.size());
        while (Machine::load_relaxed(&claimed_) < all) {
            range_claim const claim = list_->try_claim(static_cast<std::uint32_t>(1 + rank % 4));
            for (std::uint32_t i = 0; i < claim.count; ++i) ++arrived_[static_cast<std::size_t>(claim.first + i)];
            Machine::add_relaxed(&claimed_, std::int64_t{claim.count});
            if (claim.status != claim_status::claimed) Machine::pause();
        }
    }
    void check() const { EXPECT_EQ(arrived_, std::vector<int>(arrived_.size(), 1)); }

  private:
    range_list<Machine> list_;
    int producers_;
    std::int64_t length_;
    std::vector<int> arrived_;
    std::int64_t claimed_ = 0;
};

TEST(range_list, loses_nothing_between_threads) {
    range_traffic<cpu_machine> t(4, 1000);
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < 4; ++rank) threads.emplace_back([&, rank] { t.work(rank); });
    }
    t.check();
}

TEST(range_list, loses_nothing_however_lanes_take_turns) {
    for (std::uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        range_traffic<emulated_machine> t(8, 7);
        explore_lanes(seed, 8, [&](detail::emulated_lane& lane) { t.work(lane.rank); });
        t.check();
    }
}

}  // namespace
}  // namespace copse::tests
