// Which entries of a sum are equal, or each other's negative, whatever the operands' values are: where each operand has
// one stored value for both, or has neither.
//
//   entry of the sum     0   1   2   3
//   where A has it       p   .   q   p
//   where B has it       r   s   r   r
//   numbers              0   1   2   0         0 and 3 are equal; 2 has another term of A
//
// A tree with these numbers for values has the same nodes twice, or transposed, as every sum has.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <copse/formats/hisparse.hpp>
#include <copse/formats/leaves/value_places.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace copse::detail {

/// Of each entry of an operand: where its value is (value_places.hpp), and which entry of the sum it is a term of.
struct stored_terms {
    std::span<std::uint64_t const> places;
    std::span<std::int64_t const> in_sum;
};

/// Numbers for an operand's places, whatever their signs: below count().
class place_numbers {
  public:
    place_numbers(std::span<std::uint64_t const> places, std::size_t value_bytes) : value_bytes_(value_bytes) {
        std::array<std::uint64_t, most_arenas> least, most{};
        least.fill(std::numeric_limits<std::uint64_t>::max());
        for (std::uint64_t const place : places) {
            std::uint64_t const offset = offset_of_place(place) / value_bytes_;
            auto const arena = static_cast<std::size_t>(arena_of_place(place));
            least[arena] = std::min(least[arena], offset);
            most[arena] = std::max(most[arena], offset);
        }
        for (std::size_t arena = 0; arena < most_arenas; ++arena) {
            if (least[arena] > most[arena]) continue;
            first_[arena] = count_ - least[arena];
            count_ += most[arena] - least[arena] + 1;
        }
    }

    std::size_t count() const { return count_; }
    std::size_t of(std::uint64_t place) const {
        return first_[static_cast<std::size_t>(arena_of_place(place))] + offset_of_place(place) / value_bytes_;
    }

  private:
    std::size_t value_bytes_;
    std::array<std::size_t, most_arenas> first_{};  // of offset 0; wraps around
    std::size_t count_ = 0;
};

class equal_terms {
  public:
    equal_terms(std::int64_t entries, std::size_t value_bytes)
        : value_bytes_(value_bytes),
          firsts_(static_cast<std::size_t>(entries)),
          senses_(static_cast<std::size_t>(entries), sense::unknown) {}

    /// Parallel.
    void find(std::span<stored_terms const> operands) {
        for (stored_terms const& terms : operands) name_firsts(terms);
        for (stored_terms const& terms : operands) compare(terms);
    }
    /// Values with the same bits for entries that are equal, and with another sign bit for each other's negative. False
    /// if there are no such entries, or more entries than a T has bits for.
    template <class T>
    bool number(std::vector<T>& values) const {
        using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        word constexpr sign = word{1} << (8 * sizeof(T) - 1);
        if (firsts_.size() > sign) return false;
        std::atomic<bool> found{false};
        for_each(firsts_.size(), [&](std::size_t e) {
            auto const first = static_cast<std::size_t>(firsts_[e]);
            bool const is_first = first == e || senses_[e] == sense::neither;
            if (!is_first) found.store(true, std::memory_order_relaxed);
            auto const number = static_cast<word>(is_first ? e : first);
            values[e] = std::bit_cast<T>(!is_first && senses_[e] == sense::opposite ? number | sign : number);
        });
        return found;
    }

  private:
    enum class sense : std::uint8_t { unknown, equal, opposite, neither };

    /// For each entry one that may be its first equal. Each of an operand's places has a first entry, which is not
    /// behind that of all who have all places in common: the last of these.
    void name_firsts(stored_terms const& terms) {
        place_numbers const numbers(terms.places, value_bytes_);
        std::vector<std::int64_t> first(numbers.count(), std::ssize(firsts_));
        for_each(terms.places.size(), [&](std::size_t e) {
            std::atomic_ref<std::int64_t> const least(first[numbers.of(terms.places[e])]);
            std::int64_t seen = least.load(std::memory_order_relaxed);
            while (terms.in_sum[e] < seen &&
                   !least.compare_exchange_weak(seen, terms.in_sum[e], std::memory_order_relaxed)) {
            }
        });
        for_each(terms.places.size(), [&](std::size_t e) {
            std::int64_t& named = firsts_[static_cast<std::size_t>(terms.in_sum[e])];
            named = std::max(named, first[numbers.of(terms.places[e])]);
        });
    }
    /// Whether each entry has the operand's term in common with the named one, or what has neither.
    void compare(stored_terms const& terms) {
        std::uint64_t constexpr none = std::numeric_limits<std::uint64_t>::max();
        std::vector<std::uint64_t> places(firsts_.size(), none);
        for_each(terms.places.size(),
                 [&](std::size_t e) { places[static_cast<std::size_t>(terms.in_sum[e])] = terms.places[e]; });
        for_each(firsts_.size(), [&](std::size_t e) {
            std::uint64_t const here = places[e], there = places[static_cast<std::size_t>(firsts_[e])];
            if (here == none && there == none) return;
            sense const found = here == there                      ? sense::equal
                                : (here ^ there) == negative_place ? sense::opposite
                                                                   : sense::neither;
            senses_[e] = senses_[e] == sense::unknown || senses_[e] == found ? found : sense::neither;
        });
    }
    template <class F>
    static void for_each(std::size_t count, F f) {
        parallel_for(static_cast<std::int64_t>(count), 4096, [&](std::int64_t i) { f(static_cast<std::size_t>(i)); });
    }

    std::size_t value_bytes_;
    std::vector<std::int64_t> firsts_;
    std::vector<sense> senses_;
};

}  // namespace copse::detail
