// Counts the accesses of an emulated grid's lanes (runtime/trace.hpp says what is counted, and how).
//
//   lane 0   a   b   a   | sync |  a        a request: all lanes' accesses of one key:
//   lane 1   a       a   | sync |  a        item, collectives since it began, line, n-th time there
//
// A request is counted when all 32 lanes of the warp have come, or when the batch of items is over.
#pragma once

#include <copse/runtime/trace.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace copse::detail {

class emulated_lane;

/// Where a member of a worker was called: the default of a parameter is the caller's line. As std::source_location,
/// which clang 14 does not have.
struct code_line {
    char const* file;
    int line;

    static constexpr code_line here(char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};

/// What is kept for a lane.
struct access_lane {
    struct place {
        code_line at;
        access_kind kind;
        int number;  // among access_counter::lines_
        std::uint32_t times;
    };
    std::uint32_t item = 0;         // of the batch
    std::uint32_t collectives = 0;  // since the item began
    std::vector<place> places;      // since the last collective

    void begin_batch() { item = 0; }
    void begin_item() {
        ++item;
        collectives = 0;
        places.clear();
    }
    void meet() {
        ++collectives;
        places.clear();
    }
};

class access_counter {
  public:
    /// The lane touches p[0 .. bytes).
    void note(emulated_lane& lane, access_kind kind, void const* p, std::size_t bytes, code_line at);
    /// The lane begins a batch: the last one of its warp is over.
    void begin_batch(emulated_lane& lane);
    /// The run is over.
    void finish();

    access_profile profile() const;
    void clear() { lines_.clear(), numbers_.clear(), warps_.clear(); }

  private:
    struct touch {
        int lane;  // of the warp
        std::uintptr_t address;
        std::size_t bytes;
    };
    struct request_key {
        std::uint32_t item, collectives, line, times;
        bool operator==(request_key const&) const = default;
    };
    struct key_hash {
        std::size_t operator()(request_key const& key) const;
    };
    struct request {
        bool on_chip;
        std::vector<touch> touches;
    };
    using requests = std::unordered_map<request_key, request, key_hash>;

    int number_of(std::string (*task)(), access_kind kind, code_line at);
    void count(int line, request& r);
    void count_all(requests& of_warp);

    std::vector<access_line> lines_;
    std::map<std::tuple<std::string (*)(), access_kind, char const*, int>, int> numbers_;
    std::map<std::pair<int, int>, requests> warps_;  // by block and warp
};

}  // namespace copse::detail
