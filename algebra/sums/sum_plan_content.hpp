// What a plan of sums records. The sum's arena is cut into windows; for each window the stretches of each operand's
// values say where they go.
//
//   windows     | window 0       | window 1       | ...                       sum_window_positions values of the arena,
//                                                                             those of heads and coordinates unused
//   bounds      | none, operand 0, operand 1, ..., end | none, ...            of each window: its stretches' numbers
//   stretches   of no operand: values that operand 0 does not give, set to -0, to which any term can be added
//               of operand 0: set; of others: added
//   positions   of stretches whose values do not lie beside each other in the sum, within their window
#pragma once

#include <algorithm>
#include <copse/algebra/add.hpp>
#include <copse/formats/hisparse.hpp>
#include <copse/runtime/buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {

/// A worker's share: its values stay in the first cache while all operands are added.
inline constexpr std::int64_t sum_window_positions = 4096;

/// Values of one operand that lie beside each other in it, and all go to one window.
struct sum_stretch {
    std::uint64_t from;   // place of the first, with negative_place of all (value_places.hpp)
    std::uint32_t to;     // listed: index of the first in the window's positions; else its position, the others behind
    std::uint16_t count;  // of values of the sum
    std::uint8_t is_one;  // one value, stored once, goes to all of them
    std::uint8_t is_listed;
};

struct sum_window {
    std::int64_t number;  // sum_window_positions values before it for each
    std::int64_t first_position;
};

struct sum_lists {
    std::vector<sum_window> windows;
    std::vector<std::int64_t> bounds;
    std::vector<sum_stretch> stretches;
    std::vector<std::uint16_t> positions;
};

/// The contents of sums, for later ones once nobody else has them.
class kept_sums {
  public:
    static constexpr std::size_t most = 2;

    explicit kept_sums(std::shared_ptr<hisparse_content> first) { contents_.push_back(std::move(first)); }

    /// For a sum from take() to keep(): nobody copies a content that another one writes.
    std::unique_lock<std::mutex> turn() { return std::unique_lock(turns_); }
    /// The structure, of which only what no sum changes may be read.
    hisparse_content const& structure() const { return *contents_.front(); }
    /// Null where others have all of them.
    std::shared_ptr<hisparse_content> take() {
        std::scoped_lock const lock(mutex_);
        if (structure().entry_count == 0) return contents_.front();  // nothing is ever written there
        auto const unused = std::find_if(contents_.begin(), contents_.end(), [](auto const& content) {
            return content.use_count() == 1 && content->arenas.front().memory.use_count() == 1;
        });
        if (unused == contents_.end()) return nullptr;
        // Readers dropped their pointers after they had read. To drop one here, too, waits for what they did before.
        { std::shared_ptr<void const> const content = *unused, arena = (*unused)->arenas.front().memory; }
        return *unused;
    }
    void keep(std::shared_ptr<hisparse_content> const& content) {
        std::scoped_lock const lock(mutex_);
        if (contents_.size() < most) contents_.push_back(content);
    }
    std::int64_t bytes() {
        std::scoped_lock const lock(mutex_);
        std::int64_t bytes = 0;
        for (auto const& content : contents_)
            for (arena const& a : content->arenas) bytes += a.memory->size();
        return bytes;
    }

  private:
    std::mutex turns_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<hisparse_content>> contents_;
};

/// What an operand must have in common with the one that was recorded.
struct recorded_structure {
    std::shared_ptr<structure_notes const> notes;
    bool is_transposed;
};

template <class T>
struct sum_plan_content {
    std::vector<recorded_structure> operands;
    buffer<sum_window> windows;
    buffer<std::int64_t> bounds;
    buffer<sum_stretch> stretches;
    buffer<std::uint16_t> positions;
    std::shared_ptr<kept_sums> sums;

    std::int64_t bytes() const {
        return static_cast<std::int64_t>(windows.bytes() + bounds.bytes() + stretches.bytes() + positions.bytes()) +
               sums->bytes();
    }
};

/// A structure, whose values are zeros, and how operands' values get there.
template <class T>
struct recorded_sum {
    std::shared_ptr<hisparse_content const> content;
    sum_lists lists;
};

/// operands: of one shape and node dimension. where: for the content; the lists are on the host. Parallel.
template <class T>
recorded_sum<T> record_sum_lists(std::shared_ptr<memory> const& where, std::span<hisparse<T> const> operands);

}  // namespace copse::detail
