#include <algorithm>
#include <copse/runtime/emulated/grid.hpp>
#include <copse/runtime/emulated/lane_fiber.hpp>
#include <copse/runtime/emulated/races.hpp>
#include <copse/runtime/error.hpp>
#include <cstring>
#include <exception>

namespace copse::detail {

void race_clock::include(std::size_t slot, std::uint64_t first, std::uint64_t last) {
    if (stretches_.size() <= slot) stretches_.resize(slot + 1);
    stretch& mine = stretches_[slot];
    mine.first = std::min(mine.first, first);
    mine.last = std::max(mine.last, last);
}

void race_clock::join(race_clock const& other) {
    for (std::size_t slot = 0; slot < other.stretches_.size(); ++slot)
        if (other.stretches_[slot].last > 0) include(slot, other.stretches_[slot].first, other.stretches_[slot].last);
}

race_watch::race_watch(emulated_grid& grid, std::vector<watched_memory> const& memory) : grid_(grid), writers_(1) {
    for (watched_memory const& each : memory)
        buffers_.push_back(
            {each,
             std::vector<std::byte>(each.data, each.data + each.element_bytes * static_cast<std::size_t>(each.count)),
             std::vector<history>(static_cast<std::size_t>(each.count))});
}

void race_watch::begin_item(race_lane& lane, race_writer const& self, void const* queue, std::uint64_t position) {
    unseen_by_tsan const unseen;
    if (lane.slot < 0) {
        if (free_slots_.empty()) free_slots_.push_back(slots_++);
        lane.slot = free_slots_.back();
        free_slots_.pop_back();
    }
    lane.working = true;
    lane.self = self;
    lane.writer = 0;
    lane.since = lane.time = ++now_;
    lane.has_told = false;
    lane.told.reset();
    lane.known.clear();
    auto const found = pushed_.find({queue, position});
    if (found == pushed_.end()) return;  // a seed
    lane.known = found->second.clock;
    if (position != any_position && ++found->second.takers == self.width) pushed_.erase(found);
}

void race_watch::end_item(race_lane& lane) {
    look(lane);
    lane.working = false;
}

void race_watch::leave(race_lane& lane) {
    if (lane.slot >= 0) free_slots_.push_back(lane.slot);
    lane.slot = -1;
}

void race_watch::look(race_lane& lane) {
    unseen_by_tsan const unseen;
    if (!lane.working || grid_.given_up()) return;
    std::int64_t constexpr at_once = 64;
    for (buffer& each : buffers_) {
        for (std::int64_t first = 0; first < each.memory.count; first += at_once) {
            std::int64_t const last = std::min(first + at_once, each.memory.count);
            std::size_t const begin = static_cast<std::size_t>(first) * each.memory.element_bytes;
            std::size_t const bytes = static_cast<std::size_t>(last - first) * each.memory.element_bytes;
            if (std::memcmp(each.memory.data + begin, each.shadow.data() + begin, bytes) != 0)
                compare_elements(lane, each, first, last, write_kind::plain);
        }
    }
}

void race_watch::compare(race_lane& lane, void const* p, write_kind kind) {
    unseen_by_tsan const unseen;
    if (!lane.working || grid_.given_up()) return;
    auto const address = reinterpret_cast<std::uintptr_t>(p);
    for (buffer& each : buffers_) {
        auto const begin = reinterpret_cast<std::uintptr_t>(each.memory.data);
        if (address < begin || address >= begin + each.shadow.size()) continue;
        auto const element = static_cast<std::int64_t>((address - begin) / each.memory.element_bytes);
        compare_elements(lane, each, element, element + 1, kind);
    }
}

void race_watch::compare_elements(race_lane& lane, buffer& in, std::int64_t first, std::int64_t last, write_kind kind) {
    std::size_t const bytes = in.memory.element_bytes;
    for (std::int64_t i = first; i < last; ++i) {
        std::size_t const at = static_cast<std::size_t>(i) * bytes;
        if (std::memcmp(in.memory.data + at, in.shadow.data() + at, bytes) == 0) continue;
        std::memcpy(in.shadow.data() + at, in.memory.data + at, bytes);
        note(lane, in, i, kind);
    }
}

void race_watch::note(race_lane& lane, buffer& in, std::int64_t element, write_kind kind) {
    if (lane.has_told) {
        lane.time = ++now_;
        lane.has_told = false;
        lane.told.reset();
    }
    if (lane.writer == 0) {
        lane.writer = static_cast<std::uint32_t>(writers_.size());
        writers_.push_back(lane.self);
    }
    history& past = in.elements[static_cast<std::size_t>(element)];
    if (!comes_before(past.plain, lane)) return report(lane, in, element, past.plain, write_kind::plain, kind);
    std::erase_if(past.atomic, [&](write const& earlier) { return comes_before(earlier, lane); });
    write const now{lane.writer, static_cast<std::size_t>(lane.slot), lane.time};
    if (kind == write_kind::atomic)
        past.atomic.push_back(now);
    else if (past.atomic.empty())
        past.plain = now;
    else
        report(lane, in, element, past.atomic.front(), write_kind::atomic, kind);
}

bool race_watch::comes_before(write const& earlier, race_lane const& lane) const {
    return earlier.writer == 0 || earlier.writer == lane.writer || writers_[earlier.writer].phase < lane.self.phase ||
           lane.known.knows(earlier.slot, earlier.time);
}

void race_watch::report(race_lane const& lane, buffer const& in, std::int64_t element, write const& earlier,
                        write_kind earlier_kind, write_kind kind) {
    auto const text = [](race_writer const& who, write_kind how) {
        return "task '" + who.task() + "', " +
               (who.has_number ? "item " + std::to_string(who.number) + ", " : std::string()) + "lane " +
               std::to_string(who.lane) + " of " + std::to_string(who.width) + " in block " +
               std::to_string(who.block) + (how == write_kind::atomic ? ", atomically" : "");
    };
    grid_.fail(std::make_exception_ptr(worker_misuse(
        "race: element " + std::to_string(element) + " of '" + in.memory.name +
        "' was written by two lanes that nothing orders: by " + text(writers_[earlier.writer], earlier_kind) +
        ", then by " + text(lane.self, kind) +
        "; let both use w.add() or a tile (or w.min, w.max, w.exchange_if), or order them by a push, sync(), "
        "count_down() or phases")));
}

race_clock const& race_watch::clock_of(race_lane& lane) {
    look(lane);
    if (!lane.told) {
        auto clock = std::make_shared<race_clock>(lane.known);
        clock->include(static_cast<std::size_t>(lane.slot), lane.since, lane.time);
        lane.told = std::move(clock);
    }
    lane.has_told = true;
    return *lane.told;
}

void race_watch::publish(race_lane& lane, void const* queue, std::uint64_t position) {
    unseen_by_tsan const unseen;
    if (lane.working) pushed_[{queue, position}].clock.join(clock_of(lane));
}

void race_watch::order(race_lane& lane, void const* address) {
    unseen_by_tsan const unseen;
    if (!lane.working) return;
    race_clock& clock = addresses_[address];
    tell(lane, clock);
    hear(lane, clock);
}

void race_watch::tell(race_lane& lane, race_clock& clock) {
    unseen_by_tsan const unseen;
    if (lane.working) clock.join(clock_of(lane));
}

void race_watch::hear(race_lane& lane, race_clock const& clock) {
    unseen_by_tsan const unseen;
    if (!lane.working) return;
    lane.known.join(clock);
    lane.told.reset();
}

}  // namespace copse::detail
