#include <copse/runtime/scheduler/ring.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <copse/runtime/emulated/machine.hpp>
#include <copse/runtime/scheduler/machine.hpp>
#include <cstdint>
#include <numeric>
#include <runtime/emulated/in_grid.hpp>
#include <thread>
#include <vector>

namespace copse::tests {
namespace {

/// A ring that owns its memory.
template <class Item, class Machine = cpu_machine>
class ring {
  public:
    explicit ring(std::uint32_t capacity_log2)
        : tickets_(std::size_t{1} << capacity_log2, 0),
          items_(tickets_.size()),
          view_{&counters_, tickets_.data(), items_.data(), 1u << capacity_log2, capacity_log2} {}
    ring_view<Item, Machine> const* operator->() const { return &view_; }
    ring_view<Item, Machine> const& view() const { return view_; }
    ring_counters const& counters() const { return counters_; }

  private:
    ring_counters counters_{};
    std::vector<std::uint32_t> tickets_;
    std::vector<Item> items_;
    ring_view<Item, Machine> view_;
};

template <class Item, class Machine>
bool try_push(ring_view<Item, Machine> const& ring, Item const& item) {
    ring_positions const room = ring.try_reserve(1);
    if (room.count == 0) return false;
    ring.write(room.first, item);
    return true;
}

/// Up to `wanted` items; `copy` gets each.
template <class Item, class Machine, class F>
claim_status try_pop(ring_view<Item, Machine> const& ring, std::uint32_t wanted, F copy) {
    ring_claim const claim = ring.try_claim(wanted);
    if (claim.status != claim_status::claimed) return claim.status;
    for (std::uint32_t i = 0; i < claim.positions.count; ++i) {
        copy(ring.read(claim.positions.first + i));
        ring.release(claim.positions.first + i);
    }
    ring.give_back(claim.positions.count);
    return claim.status;
}

TEST(ring, takes_as_many_as_it_has_room_for) {
    ring<int> const r(3);
    ring_positions const five = r->try_reserve(5);
    EXPECT_EQ(five.first, 0u);
    EXPECT_EQ(five.count, 5u);
    ring_positions const three = r->try_reserve(7);  // of which it has three
    EXPECT_EQ(three.first, 5u);
    EXPECT_EQ(three.count, 3u);
    EXPECT_EQ(r->try_reserve(1).count, 0u);
    EXPECT_EQ(r.counters().credits, 8);  // nothing is left over of what was refused
    EXPECT_EQ(r.counters().peak, 8);
}

TEST(ring, hands_out_what_was_written_in_order) {
    ring<int> const r(2);
    for (int item : {10, 20, 30}) EXPECT_TRUE(try_push(r.view(), item));
    EXPECT_EQ(r->approximate_fill(), 3);
    std::vector<int> got;
    auto keep = [&](int item) { got.push_back(item); };
    EXPECT_EQ(try_pop(r.view(), 2, keep), claim_status::claimed);
    EXPECT_EQ(got, (std::vector<int>{10, 20}));
    EXPECT_EQ(try_pop(r.view(), 2, keep), claim_status::claimed);  // one is left
    EXPECT_EQ(got, (std::vector<int>{10, 20, 30}));
    EXPECT_EQ(try_pop(r.view(), 2, keep), claim_status::empty);
    EXPECT_EQ(r->approximate_fill(), 0);
}

TEST(ring, gives_a_share_of_what_there_is) {
    ring<int> const r(6);
    for (int item = 0; item < 43; ++item) try_push(r.view(), item);
    auto const claimed = [&](claim_size const& size) { return r->try_claim(size).positions.count; };
    EXPECT_EQ(claimed({1, 16, 2}), 10u);  // 43 for twice two
    EXPECT_EQ(claimed({1, 5, 2}), 5u);    // 8, but no more than 5
    EXPECT_EQ(claimed({9, 16, 2}), 9u);   // 7, but no fewer than 9
    EXPECT_EQ(claimed({30, 30, 1}), 19u);
    EXPECT_EQ(r->try_claim(1).status, claim_status::empty);
    EXPECT_EQ(r.counters().available, 0);  // nothing is left over of what was not there
}

TEST(ring, goes_round_and_round) {
    for (std::uint32_t capacity_log2 : {0u, 1u, 4u}) {
        ring<int> const r(capacity_log2);
        int const capacity = 1 << capacity_log2;
        int next = 0;
        for (int lap = 0; lap < 100; ++lap) {
            for (int i = 0; i < capacity; ++i) EXPECT_TRUE(try_push(r.view(), lap * capacity + i));
            EXPECT_FALSE(try_push(r.view(), -1));
            for (int i = 0; i < capacity; ++i) try_pop(r.view(), 1, [&](int item) { EXPECT_EQ(item, next++); });
        }
        EXPECT_EQ(next, 100 * capacity);
        EXPECT_EQ(r.counters().credits, 0);
    }
}

TEST(ring, keeps_a_slot_until_its_item_is_copied_out) {
    ring<int> const r(0);
    try_push(r.view(), 1);
    ring_claim const claim = r->try_claim(1);
    EXPECT_EQ(r->try_reserve(1).count, 0u);  // claimed, not yet copied
    EXPECT_EQ(r->read(claim.positions.first), 1);
    r->release(claim.positions.first);
    r->give_back(1);
    EXPECT_EQ(r->try_reserve(1).count, 1u);
}

TEST(ring, of_no_capacity_is_full_and_empty) {
    ring_view<int, cpu_machine> const none{nullptr, nullptr, nullptr, 0, 0};
    EXPECT_EQ(none.try_reserve(3).count, 0u);
    EXPECT_EQ(none.try_claim(3).status, claim_status::empty);
    EXPECT_EQ(none.approximate_fill(), 0);
}

/// Two words that belong together: an item that is read half written, or overwritten while it is read, shows.
struct twin {
    std::int64_t value;
    std::int64_t copy;
};

/// Every rank below half is a producer of `each` items, the others are consumers. Checks that each item arrives once.
template <class Machine>
class traffic {
  public:
    traffic(std::uint32_t capacity_log2, int workers, int each)
        : ring_(capacity_log2), producers_(workers / 2), each_(each), arrived_(std::size_t(producers_ * each), 0) {}

    void work(int rank) {
        if (rank < producers_)
            produce(rank);
        else
            consume(static_cast<std::uint32_t>(1 + rank % 3));
    }
    void check() const {
        EXPECT_EQ(arrived_, std::vector<std::int64_t>(arrived_.size(), 1));
        EXPECT_EQ(ring_.counters().credits, 0);
        EXPECT_LE(ring_.counters().peak, std::int64_t{ring_->capacity});
    }

  private:
    void produce(int rank) {
        int done = 0;
        while (done < each_) {
            ring_positions const room = ring_->try_reserve(static_cast<std::uint32_t>(each_ - done));
            for (std::uint32_t i = 0; i < room.count; ++i, ++done) {
                std::int64_t const value = rank * each_ + done;
                ring_->write(room.first + i, twin{value, value});
            }
            if (room.count == 0) Machine::pause();
        }
    }
    void consume(std::uint32_t wanted) {
        auto const all = static_cast<std::int64_t>(arrived_.size());
        while (Machine::load_relaxed(&consumed_) < all) {
            auto const status = try_pop(ring_.view(), wanted, [&](twin item) {
                EXPECT_EQ(item.value, item.copy);
                ++arrived_[static_cast<std::size_t>(item.value)];  // plain: whose item it is, it alone touches it
                Machine::add_relaxed(&consumed_, std::int64_t{1});
            });
            if (status != claim_status::claimed) Machine::pause();
        }
    }

    ring<twin, Machine> ring_;
    int producers_;
    int each_;
    std::vector<std::int64_t> arrived_;
    std::int64_t consumed_ = 0;
};

class ring_traffic : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ring_traffic, loses_nothing_between_threads) {
    traffic<cpu_machine> t(GetParam(), 4, 3000);
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < 4; ++rank) threads.emplace_back([&, rank] { t.work(rank); });
    }
    t.check();
}

TEST_P(ring_traffic, loses_nothing_however_lanes_take_turns) {
    for (std::uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        traffic<emulated_machine> t(GetParam(), 8, 10);
        explore_lanes(seed, 8, [&](detail::emulated_lane& lane) { t.work(lane.rank); });
        t.check();
    }
}

INSTANTIATE_TEST_SUITE_P(capacity_log2, ring_traffic, testing::Values(0, 1, 2, 5));

TEST(ring, says_contended_only_to_who_came_second) {
    // Whoever finds the ring contended has lost to somebody who got something: of all lanes together, one at least goes
    // on.
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        ring<int, emulated_machine> const r(2);
        for (int item = 0; item < 4; ++item) try_push(r.view(), item);
        std::atomic<int> claimed{0}, contended{0}, empty{0};
        explore_lanes(seed, 32, [&](detail::emulated_lane&) {
            claim_status const status = try_pop(r.view(), 1, [](int) {});
            ++(status == claim_status::claimed ? claimed : status == claim_status::contended ? contended : empty);
        });
        EXPECT_GE(claimed, 1);
        EXPECT_LE(claimed, 4);
        EXPECT_TRUE(claimed == 4 || empty == 0);
        EXPECT_EQ(claimed + contended + empty, 32);
    }
}

}  // namespace
}  // namespace copse::tests
