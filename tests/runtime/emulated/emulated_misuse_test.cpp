// Task functions that break the worker's rules: the emulated executor says which, and by which lane.
#include <gtest/gtest.h>

#include <cmath>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace copse::tests {
namespace {

/// Objects on the stacks of lanes: all must be gone when run() has thrown.
std::atomic<int> alive{0};
struct on_the_stack {
    std::unique_ptr<int> memory = std::make_unique<int>(7);  // the address sanitizer would see it leak
    on_the_stack() { ++alive; }
    ~on_the_stack() { --alive; }
    on_the_stack(on_the_stack const&) = delete;
    on_the_stack& operator=(on_the_stack const&) = delete;
};

struct plus {
    template <class T>
    T operator()(T a, T b) const {
        return a + b;
    }
};

/// A task of 8 lanes whose function is Rule's.
template <class Rule>
struct breaks {
    using item = std::int64_t;
    static constexpr int width = 8;
    static constexpr std::size_t scratch_bytes = 8 * sizeof(double);
    static constexpr int bulk_copies = 2;
    static constexpr char const* name = "careless";

    template <class Worker>
    void operator()(item, Worker& w) const {
        on_the_stack const object;
        w.sync();
        Rule::act(w);
        w.sync();
    }
};

struct misses_a_sync {
    static constexpr char const* says = "sync()";
    template <class Worker>
    static void act(Worker& w) {
        if (w.rank() != 3) w.sync();
    }
};
struct leaves_others_in_a_reduction {
    static constexpr char const* says = "reduce()";
    template <class Worker>
    static void act(Worker& w) {
        if (w.rank() < 5) w.reduce(1, plus());
    }
};
struct meets_in_two_places {
    static constexpr char const* says = "waits in";
    template <class Worker>
    static void act(Worker& w) {
        if (w.rank() % 2 == 0)
            w.inclusive_scan(1, plus());
        else
            w.shuffle(1, 0);
    }
};
struct reduces_different_types {
    static constexpr char const* says = "reduce() with a value of another size than lane";
    template <class Worker>
    static void act(Worker& w) {
        if (w.rank() == 6)
            w.reduce(std::int64_t(1), plus());
        else
            w.reduce(std::int32_t(1), plus());
    }
};
struct writes_behind_scratch {
    static constexpr char const* says = "lane 5 of 8: scratch[8] is out of bounds: it has 8 elements";
    template <class Worker>
    static void act(Worker& w) {
        auto const cells = w.template scratch<double>(8);
        cells[w.rank() == 5 ? 8 : 0];
    }
};
struct writes_before_scratch {
    static constexpr char const* says = "lane 0 of 8: scratch[-1] is out of bounds: it has 4 elements";
    template <class Worker>
    static void act(Worker& w) {
        w.template scratch<double>(4)[w.rank() - 1 < 3 ? w.rank() - 1 : 0];
    }
};
struct wants_more_scratch {
    static constexpr char const* says = "72 bytes of scratch are asked for, but the task's scratch_bytes is 64";
    template <class Worker>
    static void act(Worker& w) {
        w.template scratch<double>(9);
    }
};
struct wants_a_large_tile {
    static constexpr char const* says = "260 bytes of scratch are asked for, but the task's scratch_bytes is 64";
    template <class Worker>
    static void act(Worker& w) {
        static float target[65];
        w.tile(target, 65).close();
    }
};
struct opens_a_tile_too_many {
    static constexpr char const* says =
        "12 bytes of scratch are asked for, but the task's scratch_bytes is 64, of which open tiles have 64; give the "
        "task scratch_bytes = 76 or more";
    template <class Worker>
    static void act(Worker& w) {
        static float target[15];
        auto first = w.tile(target, 2);
        auto second = w.tile(target, 9);  // its 36 bytes take 48
        auto third = w.tile(target, 3);
    }
};
struct writes_into_a_tile {
    static constexpr char const* says =
        "scratch[1] lies in a tile that was opened after scratch(); call scratch() when";
    template <class Worker>
    static void act(Worker& w) {
        static float target[2];
        auto const cells = w.template scratch<double>(8);
        auto tile = w.tile(target, 2);
        cells[2];  // behind the tile
        cells[1];
    }
};
struct loads_misaligned {
    static constexpr char const* says = "lane 2 of 8: load_vector() at an address that is not a multiple of 16";
    template <class Worker>
    static void act(Worker& w) {
        alignas(16) static float const numbers[8] = {};
        w.template load_vector<4>(numbers + (w.rank() == 2 ? 1 : 4));
    }
};
struct loads_a_misaligned_vector {
    static constexpr char const* says = "lane 3 of 8: load_stream_vector() at an address that is not a multiple of 8";
    template <class Worker>
    static void act(Worker& w) {
        alignas(16) static float const numbers[8] = {};
        w.template load_stream_vector<2>(numbers + (w.rank() == 3 ? 1 : 4));
    }
};
struct copies_no_whole_units {
    static constexpr char const* says = "copy_stream() of 24 bytes, no multiple of 16";
    template <class Worker>
    static void act(Worker& w) {
        alignas(16) static std::array<std::byte, 32> from, to;
        w.copy_stream(to.data(), from.data(), 24);
    }
};
struct copies_from_a_misaligned_address {
    static constexpr char const* says = "copy_stream() at an address that is not a multiple of 16";
    template <class Worker>
    static void act(Worker& w) {
        alignas(16) static std::array<std::byte, 32> from, to;
        w.copy_stream(to.data(), from.data() + 8, 16);
    }
};
struct stores_a_misaligned_vector {
    static constexpr char const* says = "lane 1 of 8: store_vector() at an address that is not a multiple of 8";
    template <class Worker>
    static void act(Worker& w) {
        alignas(16) static std::array<float, 8> numbers;
        if (w.rank() == 1) w.store_vector(&numbers[3], std::array{1.0f, 2.0f});
    }
};
struct adds_a_misaligned_vector {
    static constexpr char const* says = "lane 0 of 8: add_vector() at an address that is not a multiple of 16";
    template <class Worker>
    static void act(Worker& w) {
        alignas(16) static float numbers[8] = {};
        if (w.rank() == 0) w.add_vector(numbers + 2, std::array<float, 4>{});
    }
};
struct adds_in_bulk_to_no_whole_units {
    static constexpr char const* says = "add_in_bulk() of 7 elements of 4 bytes, together no multiple of 16";
    template <class Worker>
    static void act(Worker& w) {
        alignas(16) static float numbers[8] = {};
        w.add_in_bulk(numbers, w.template scratch<float>(7).data(), 7);
    }
};
/// Copies into the first half of scratch.
template <class Worker>
void copy_two_doubles(Worker& w, int number, int first = 0, int bytes = 16) {
    alignas(16) static std::array<double, 8> const numbers = {1, 2, 3, 4, 5, 6, 7, 8};
    w.copy_bulk(number, reinterpret_cast<std::byte*>(w.template scratch<double>(8).data()),
                reinterpret_cast<std::byte const*>(numbers.data() + first), bytes);
}
struct copies_no_whole_units_in_bulk {
    static constexpr char const* says = "copy_bulk() of 24 bytes, no positive multiple of 16";
    template <class Worker>
    static void act(Worker& w) {
        copy_two_doubles(w, 0, 0, 24);
    }
};
struct copies_from_a_misaligned_address_in_bulk {
    static constexpr char const* says = "copy_bulk() at an address that is not a multiple of 16";
    template <class Worker>
    static void act(Worker& w) {
        copy_two_doubles(w, 0, 1);
    }
};
struct copies_by_a_number_too_high {
    static constexpr char const* says = "copy_bulk() with number 2, but the task's bulk_copies is 2";
    template <class Worker>
    static void act(Worker& w) {
        copy_two_doubles(w, 2);
    }
};
struct copies_while_a_copy_is_on_its_way {
    static constexpr char const* says = "copy_bulk(1) before its last copy was waited for";
    template <class Worker>
    static void act(Worker& w) {
        copy_two_doubles(w, 1);
        copy_two_doubles(w, 1);
    }
};
struct waits_for_no_copy {
    static constexpr char const* says = "wait_bulk(1) without a copy_bulk() before it";
    template <class Worker>
    static void act(Worker& w) {
        copy_two_doubles(w, 0);
        w.wait_bulk(0);
        w.wait_bulk(1);
    }
};
struct waits_for_different_copies {
    static constexpr char const* says = "wait_bulk(0) for another copy than lane 0's";
    template <class Worker>
    static void act(Worker& w) {
        copy_two_doubles(w, 0, w.rank() == 5 ? 2 : 0);
        w.wait_bulk(0);
    }
};
struct waits_in_all_lanes_but_one {
    static constexpr char const* says = "wait_bulk()";
    template <class Worker>
    static void act(Worker& w) {
        copy_two_doubles(w, 0);
        if (w.rank() != 3) w.wait_bulk(0);
    }
};
struct never_waits {
    static constexpr char const* says = "returned from the function without wait_bulk(1)";
    template <class Worker>
    static void act(Worker& w) {
        copy_two_doubles(w, 1);
    }
};
struct pushes_different_counts {
    static constexpr char const* says = "push_n()";
    template <class Worker>
    static void act(Worker& w) {
        w.template push_n<breaks<pushes_different_counts>>(w.rank() == 4 ? 2 : 3,
                                                           [](std::uint32_t k) { return std::int64_t{k}; });
    }
};
struct shuffles_from_nowhere {
    static constexpr char const* says = "lane 7 of 8: shuffle() from lane 8";
    template <class Worker>
    static void act(Worker& w) {
        w.shuffle(1, w.rank() + 1);
    }
};
/// Not even a function that catches everything gets away with it.
struct catches_everything {
    static constexpr char const* says = "sync()";
    template <class Worker>
    static void act(Worker& w) {
        try {
            if (w.rank() != 3) w.sync();
        } catch (...) {
        }
    }
};

/// That the executor goes on afterwards.
struct innocent {
    using item = std::int64_t;
    static constexpr int width = 8;
    std::int64_t* sum;
    template <class Worker>
    void operator()(item i, Worker& w) const {
        std::int64_t const all = w.reduce(i, plus());
        if (w.rank() == 0) w.add(sum, all);
    }
};

template <class Rule>
class misuse : public testing::Test {
  protected:
    void check(emulated_options const& options) {
        emulated executor(options);
        std::vector<std::int64_t> const items{1, 2, 3, 4, 5, 6};
        try {
            run(executor, seed<breaks<Rule>>(items), breaks<Rule>());
            ADD_FAILURE() << "worker_misuse was not thrown";
        } catch (worker_misuse const& e) {
            std::string const what = e.what();
            EXPECT_EQ(what.find("task 'careless', lane "), 0u) << what;
            EXPECT_NE(what.find(Rule::says), std::string::npos) << what;
        }
        EXPECT_EQ(alive, 0);
        std::int64_t sum = 0;
        run(executor, seed<innocent>(items), innocent{&sum});
        EXPECT_EQ(sum, 8 * 21);
    }
};

using rules = testing::Types<
    misses_a_sync, leaves_others_in_a_reduction, meets_in_two_places, reduces_different_types, writes_behind_scratch,
    writes_before_scratch, wants_more_scratch, wants_a_large_tile, opens_a_tile_too_many, writes_into_a_tile,
    loads_misaligned, loads_a_misaligned_vector, copies_no_whole_units, copies_from_a_misaligned_address,
    stores_a_misaligned_vector, adds_a_misaligned_vector, adds_in_bulk_to_no_whole_units, copies_no_whole_units_in_bulk,
    copies_from_a_misaligned_address_in_bulk, copies_by_a_number_too_high, copies_while_a_copy_is_on_its_way,
    waits_for_no_copy, waits_for_different_copies, waits_in_all_lanes_but_one, never_waits, pushes_different_counts,
    shuffles_from_nowhere, catches_everything>;
TYPED_TEST_SUITE(misuse, rules);

TYPED_TEST(misuse, is_reported_whatever_the_interleaving) {
    for (std::uint64_t seed = 0; seed < 20 && !this->HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        this->check({.seed = seed, .controller = static_cast<controller>(seed % 3)});
    }
}

TYPED_TEST(misuse, is_reported_by_threads) {
    for (controller c : {controller::persistent, controller::device, controller::host})
        this->check({.mode = emulation::stress, .controller = c, .blocks = 2});
}

/// Reads a copy before it is waited for, and behind that.
struct reads_too_early {
    using item = std::int64_t;
    static constexpr int width = 8;
    static constexpr std::size_t scratch_bytes = 64;
    static constexpr int bulk_copies = 1;
    double* early;
    double* late;

    template <class Worker>
    void operator()(item, Worker& w) const {
        auto const on_chip = w.template scratch<double>(8);
        on_chip[w.rank()] = 9;
        w.sync();
        copy_two_doubles(w, 0, 2, 32);
        w.sync();
        early[w.rank()] = on_chip[w.rank()];
        w.wait_bulk(0);
        late[w.rank()] = on_chip[w.rank()];
    }
};

TEST(bulk_copies, are_not_there_before_they_are_waited_for) {
    if (COPSE_THREAD_SANITIZER) GTEST_SKIP() << "what is read too early is a race";
    for (std::uint64_t seed_of_order = 0; seed_of_order < 20; ++seed_of_order) {
        emulated executor({.seed = seed_of_order});
        std::vector<double> early(8), late(8);
        run(executor, seed<reads_too_early>(0), reads_too_early{early.data(), late.data()});
        for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(early[i])) << early[i];
        EXPECT_EQ(std::vector(early.begin() + 4, early.end()), std::vector<double>(4, 9));
        EXPECT_EQ(late, (std::vector<double>{3, 4, 5, 6, 9, 9, 9, 9}));
    }
}

TEST(misuse_report, names_both_lanes) {
    emulated executor;
    try {
        run(executor, seed<breaks<misses_a_sync>>(1), breaks<misses_a_sync>());
        FAIL() << "worker_misuse was not thrown";
    } catch (worker_misuse const& e) {
        // Lane 3's last sync meets the others' middle one; at the end they stand there without it.
        std::string const what = e.what();
        EXPECT_NE(what.find("lane 3"), std::string::npos) << what;
        EXPECT_NE(what.find("sync()"), std::string::npos) << what;
        EXPECT_NE(what.find("returned from the function"), std::string::npos) << what;
    }
}

}  // namespace
}  // namespace copse::tests
