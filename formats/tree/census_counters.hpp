// A census as tasks count it: counters in memory, which the lanes of all workers add to.
//
//   | visits by level, kind and size class | entries by level and kind |
#pragma once

#include <copse/formats/node.hpp>
#include <copse/formats/node_census.hpp>
#include <copse/runtime/config.hpp>
#include <cstddef>
#include <cstdint>

namespace copse::detail {

struct census_counters {
    static constexpr int entries = level_count * node_kind_count;
    static constexpr int visits = entries * size_class_count;
    static constexpr int count = visits + entries;

    /// Which of the counters of entries, and of visits, a node adds to.
    COPSE_HOST_DEVICE static int entries_of(child_reference r) {
        return r.level() * node_kind_count + static_cast<int>(r.kind());
    }
    COPSE_HOST_DEVICE static int visits_of(child_reference r) {
        return entries_of(r) * size_class_count + size_class(r.entries());
    }
    static void add_to(node_census& census, std::int64_t const* counted) {
        for (std::size_t place = 0; place < static_cast<std::size_t>(entries); ++place) {
            std::size_t const level = place / node_kind_count, kind = place % node_kind_count;
            for (std::size_t c = 0; c < size_class_count; ++c)
                census.visits[level][kind][c] += counted[place * size_class_count + c];
            census.entries[level][kind] += counted[static_cast<std::size_t>(visits) + place];
        }
    }
};

/// What a lane adds to one counter after the other. Neighbours count alike, and lanes that add to one counter at once
/// wait for each other.
template <class T>
class running_count {
  public:
    template <class Worker>
    COPSE_HOST_DEVICE void add(Worker& w, T* counters, int place, T value) {
        if (place != place_) {
            hand_on(w, counters);
            place_ = place;
        }
        sum_ += value;
    }
    template <class Worker>
    COPSE_HOST_DEVICE void hand_on(Worker& w, T* counters) {
        if (sum_ != 0) w.add(&counters[place_], sum_);
        sum_ = 0;
    }

  private:
    int place_ = 0;
    T sum_ = 0;
};

/// The nodes that a lane meets one after the other. Counters are given at each call, so that no pointers to them are
/// kept in registers.
template <class Visits>
class running_census {
  public:
    template <class Worker>
    COPSE_HOST_DEVICE void add(Worker& w, Visits* visits, std::int64_t* entries, child_reference r,
                               std::int64_t node_entries) {
        visits_.add(w, visits, census_counters::visits_of(r), 1);
        entries_.add(w, entries, census_counters::entries_of(r), node_entries);
    }
    /// After the last node.
    template <class Worker>
    COPSE_HOST_DEVICE void hand_on(Worker& w, Visits* visits, std::int64_t* entries) {
        visits_.hand_on(w, visits);
        entries_.hand_on(w, entries);
    }

  private:
    running_count<Visits> visits_;
    running_count<std::int64_t> entries_;
};

/// A census that the lanes of a worker count in their scratch memory: fewer than 2^32 nodes, children counted once.
class census_on_chip {
  public:
    static constexpr std::size_t bytes =
        census_counters::entries * sizeof(std::int64_t) + census_counters::visits * sizeof(std::uint32_t);

    COPSE_HOST_DEVICE explicit census_on_chip(std::byte* memory)
        : entries_(reinterpret_cast<std::int64_t*>(memory)),
          visits_(reinterpret_cast<std::uint32_t*>(entries_ + census_counters::entries)) {}

    COPSE_HOST_DEVICE std::int64_t* entries() const { return entries_; }
    COPSE_HOST_DEVICE std::uint32_t* visits() const { return visits_; }

    /// First of all; then each lane counts. Collective.
    template <class Worker>
    COPSE_HOST_DEVICE void clear(Worker& w) const {
        for (int i = w.rank(); i < census_counters::entries; i += w.size()) entries_[i] = 0;
        for (int i = w.rank(); i < census_counters::visits; i += w.size()) visits_[i] = 0;
        w.sync();
    }
    /// Adds what all lanes have counted to census_counters. Collective; the memory is free after it.
    template <class Worker>
    COPSE_HOST_DEVICE void add_to(Worker& w, std::int64_t* counters) const {
        w.sync();
        COPSE_NO_UNROLL
        for (int i = w.rank(); i < census_counters::visits; i += w.size())
            if (visits_[i] != 0) w.add(&counters[i], static_cast<std::int64_t>(visits_[i]));
        COPSE_NO_UNROLL
        for (int i = w.rank(); i < census_counters::entries; i += w.size())
            if (entries_[i] != 0) w.add(&counters[census_counters::visits + i], entries_[i]);
        w.sync();
    }

  private:
    std::int64_t* entries_;
    std::uint32_t* visits_;
};

}  // namespace copse::detail
