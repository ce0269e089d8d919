// Finds writes to memory that two lanes make in no order (emulated executor, explore mode).
//
//   a lane runs ... it is left for another lane: what has changed in watched memory since, it has written
//
//   shadow    a copy of the watched memory, to compare with
//   history   of each element: its last plain write and its atomic writes since then: whose, and when
//   clock     what a lane knows of others: for each lane, a stretch of time whose writes come before its next step
//
// Two writes are ordered if one item's lane made both, if the items are of different phases, or if the later lane's
// clock has the earlier write. Clocks follow the contract in worker.hpp and not what the queues happen to order: an
// item begins with the clock of the lane that pushed it, at the push. sync() joins the clocks of the lanes that meet,
// count_down() and exchange_if() those of the lanes that call them for one address.
//
// A clock keeps one stretch for each lane, where several items ran one after another. If it knows of two of them, it
// counts what lies between as known: a race may be missed, but what is named is one. Time is counted for all lanes
// together, so that a lane's slot can be given to another when it has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace copse::detail {

class emulated_grid;

struct watched_memory {
    std::string name;
    std::byte const* data;
    std::size_t element_bytes;
    std::int64_t count;
};

class race_clock {
  public:
    bool knows(std::size_t slot, std::uint64_t time) const {
        return slot < stretches_.size() && stretches_[slot].first <= time && time <= stretches_[slot].last;
    }
    void include(std::size_t slot, std::uint64_t first, std::uint64_t last);
    void join(race_clock const& other);
    void clear() { stretches_.clear(); }

  private:
    struct stretch {
        std::uint64_t first = UINT64_MAX;
        std::uint64_t last = 0;
    };
    std::vector<stretch> stretches_;  // by slot
};

/// Who writes: a lane that works on an item.
struct race_writer {
    std::string (*task)();
    int phase;
    bool has_number;  // the item is a number
    std::int64_t number;
    int lane;
    int width;
    int block;
};

/// What is kept for a lane.
struct race_lane {
    bool working = false;  // in a task function
    race_writer self{};
    std::uint32_t writer = 0;  // among race_watch::writers_; 0: has not written yet
    std::int64_t slot = -1;
    race_clock known;
    std::uint64_t since = 0;  // when the item began
    std::uint64_t time = 0;   // of what the lane writes now
    bool has_told = false;    // somebody knows of this time: what is written next is later
    std::shared_ptr<race_clock const> told;
};

class race_watch {
  public:
    race_watch(emulated_grid& grid, std::vector<watched_memory> const& memory);

    /// Of an item of a range: which entry it comes from is not known, so it sees what all of the queue have brought.
    static constexpr std::uint64_t any_position = UINT64_MAX;

    /// The lane begins to work on the item that was pushed to `queue` at `position`; all lanes of its worker do.
    void begin_item(race_lane& lane, race_writer const& self, void const* queue, std::uint64_t position);
    void end_item(race_lane& lane);
    /// The lane has ended.
    void leave(race_lane& lane);

    /// What has changed in watched memory, `lane` has written since the last look. Called before another lane goes on,
    /// and before others are told or heard. Fails the grid if it finds a race.
    void look(race_lane& lane);
    /// Before and after an atomic operation on *p.
    void before_change(race_lane& lane, void const* p) { compare(lane, p, write_kind::plain); }
    void after_change(race_lane& lane, void const* p) { compare(lane, p, write_kind::atomic); }

    /// An item is pushed.
    void publish(race_lane& lane, void const* queue, std::uint64_t position);
    /// A release and an acquire of one address.
    void order(race_lane& lane, void const* address);
    void tell(race_lane& lane, race_clock& clock);
    void hear(race_lane& lane, race_clock const& clock);

  private:
    enum class write_kind { plain, atomic };
    struct write {
        std::uint32_t writer = 0;
        std::size_t slot = 0;
        std::uint64_t time = 0;
    };
    struct history {
        write plain;
        std::vector<write> atomic;  // since the plain one; of those in an order, the last
    };
    struct buffer {
        watched_memory memory;
        std::vector<std::byte> shadow;
        std::vector<history> elements;
    };
    struct pushed {
        race_clock clock;
        int takers = 0;
    };

    void compare(race_lane& lane, void const* p, write_kind kind);
    void compare_elements(race_lane& lane, buffer& in, std::int64_t first, std::int64_t last, write_kind kind);
    void note(race_lane& lane, buffer& in, std::int64_t element, write_kind kind);
    bool comes_before(write const& earlier, race_lane const& lane) const;
    void report(race_lane const& lane, buffer const& in, std::int64_t element, write const& earlier,
                write_kind earlier_kind, write_kind kind);
    race_clock const& clock_of(race_lane& lane);

    emulated_grid& grid_;
    std::vector<buffer> buffers_;
    std::vector<race_writer> writers_;
    std::map<std::pair<void const*, std::uint64_t>, pushed> pushed_;
    std::map<void const*, race_clock> addresses_;
    std::vector<std::int64_t> free_slots_;
    std::int64_t slots_ = 0;
    std::uint64_t now_ = 0;
};

}  // namespace copse::detail
