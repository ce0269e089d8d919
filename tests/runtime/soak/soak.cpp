// Runs task graphs in the emulated executor's explore mode, seed after seed, and on the cpu: what the tests do for
// hundreds of seeds, for as long as one likes. A seed decides everything: graph, size, rings, spill, faults,
// controller, blocks, and the order of the lanes' steps. `tests/run --soak MINUTES` calls it.
//
//   copse_soak --minutes 10 [--first SEED]     on all processors, from a seed that is printed; before that
//                                            10^7 items through a queue of 64 slots under each controller
//   copse_soak --seeds 200 [--first SEED]      so many of them
//   copse_soak --seed SEED                     one, and says what it is
//
// Exit status 1: a seed failed, or has not ended within two minutes. It is printed with the command that repeats it.
// The exploring executor repeats it exactly; a cpu's threads need not.
#include <atomic>
#include <charconv>
#include <chrono>
#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/scheduler/host_run.hpp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <numeric>
#include <random>
#include <runtime/scheduler/scheduler_tasks.hpp>
#include <runtime/soak/case_limits.hpp>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace copse::tests {
namespace {

/// splitmix64 of a number.
std::uint64_t hash(std::uint64_t n) {
    n += 0x9e3779b97f4a7c15u;
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

enum class graph { tree, tree_together, mixed, ranges, phases, countdown, relay, count };
enum class fault { none, small_ring, task_fails, task_throws, launches_busy, count };
char const* const graph_names[] = {
    "tree", "tree pushed together", "tree of three tasks", "ranges", "phases", "countdown", "relay"};
char const* const fault_names[] = {"none", "ring too small", "a task fails", "a task throws", "no room for launches"};

/// What a seed stands for.
struct soak_case {
    std::uint64_t seed;
    graph shape;
    fault wrong;
    std::int64_t size;   // items
    std::int64_t arity;  // of trees
    std::int64_t ring;   // slots that are asked for; as many more as the items need are spill
    bool on_cpu;
    int threads;
    emulated_options options;

    explicit soak_case(std::uint64_t number) : seed(number) {
        std::uint64_t state = hash(number);
        auto const below = [&](std::uint64_t bound) {
            state = hash(state);
            return static_cast<std::int64_t>(state % bound);
        };
        shape = static_cast<graph>(below(static_cast<std::uint64_t>(graph::count)));
        wrong = below(2) == 0 ? fault::none : static_cast<fault>(below(static_cast<std::uint64_t>(fault::count)));
        size = 1 + below(below(4) == 0 ? 600 : 120);
        arity = 1 + below(below(2) == 0 ? 5 : 60);
        ring = std::int64_t{1} << below(5);
        on_cpu = below(8) == 0;
        threads = static_cast<int>(1 + below(4));
        options.seed = static_cast<std::uint64_t>(below(~std::uint64_t{0}));
        options.controller = static_cast<controller>(below(3));
        options.blocks = static_cast<int>(1 + below(4));
        options.step_limit = 5'000'000;
        if (wrong == fault::launches_busy) options.faults.busy_every = 2 + below(3);
    }
    /// 10^7 items, explored: 40 to 60 seconds.
    static soak_case of_64_slots(copse::controller c) {
        soak_case made(0);
        made.shape = graph::relay;
        made.wrong = fault::none;
        made.ring = 64;
        made.size = 10'000'000 / made.ring;
        made.on_cpu = false;
        made.options = {.controller = c};
        return made;
    }
    /// Whether the ring may be too small for what waits.
    bool may_overflow() const { return wrong == fault::small_ring; }
    std::int64_t spill() const { return may_overflow() ? 0 : size; }
    std::string text() const {
        std::string const where = on_cpu ? "cpu of " + std::to_string(threads) + " threads"
                                         : std::string("explored, ") + detail::name_of(options.controller) +
                                               " controller, " + std::to_string(options.blocks) + " blocks";
        return std::string(graph_names[static_cast<int>(shape)]) + ", " + std::to_string(size) + " items, arity " +
               std::to_string(arity) + ", ring of " + std::to_string(ring) + " and " + std::to_string(spill()) +
               ", fault: " + fault_names[static_cast<int>(wrong)] + ", " + where;
    }
};

struct soak_failure {
    std::string what;
};

/// Fails or throws on one item; else as grow.
struct breaks_down {
    using item = std::int64_t;
    static constexpr int width = 4;
    count_t* visits;
    std::int64_t size;
    std::int64_t bad;
    bool throws;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[i], 1);
        if (i == bad && w.rank() == w.size() - 1) {
            if (throws) throw soak_failure{"on purpose"};
            w.fail(i);
        }
        for (std::int64_t k = w.rank(); k < 3; k += w.size())
            if (std::int64_t const child = 3 * i + 1 + k; child < size) w.template push<breaks_down>(child);
    }
};

/// A tree whose nodes have tasks of three widths and push their children in three ways, both by a hash.
template <int Kind>
struct mixed {
    using item = std::int64_t;
    static constexpr int width = Kind == 0 ? 1 : Kind == 1 ? 8 : 64;
    count_t* visits;
    std::int64_t size;
    std::int64_t arity;
    std::uint64_t salt;

    int kind_of(std::int64_t node) const { return static_cast<int>(hash(salt + static_cast<std::uint64_t>(node)) % 3); }
    template <class F>
    static void with_kind(int kind, F f) {
        if (kind == 0) f.template operator()<mixed<0>>();
        if (kind == 1) f.template operator()<mixed<1>>();
        if (kind == 2) f.template operator()<mixed<2>>();
    }
    template <class Worker>
    void operator()(item i, Worker& w) const {
        if (w.rank() == 0) w.add(&visits[i], 1);
        std::int64_t const first = arity * i + 1;
        std::int64_t const count = std::min(std::max<std::int64_t>(size - first, 0), arity);
        if (kind_of(-1 - i) == 0) {
            for (std::int64_t k = w.rank(); k < count; k += w.size())
                with_kind(kind_of(first + k), [&]<class To>() { w.template push<To>(first + k); });
        } else if (kind_of(-1 - i) == 1) {
            with_kind(kind_of(i), [&]<class To>() {
                w.template push_n<To>(static_cast<std::uint32_t>(count), [=](std::uint32_t k) { return first + k; });
            });
        } else if (w.rank() == 0) {
            with_kind(kind_of(i), [&]<class To>() { w.template push_range<To>(first, count); });
        }
    }
};

struct pass_on {
    using item = std::int64_t;
    static constexpr int width = 1;
    count_t* visits;

    template <class Worker>
    void operator()(item i, Worker& w) const {
        w.add(&visits[i], 1);
        if (i > 0) w.template push<pass_on>(i - 1);
    }
};

void expect_each(std::vector<count_t> const& visits, count_t expected, bool or_less = false) {
    for (std::size_t i = 0; i < visits.size(); ++i)
        if (visits[i] != expected && !(or_less && visits[i] >= 0 && visits[i] < expected))
            throw soak_failure{"item " + std::to_string(i) + " has run " + std::to_string(visits[i]) + " times, not " +
                               std::to_string(expected)};
}

/// Runs the graph; `options` has its queues' sizes. Returns how often each item must have run.
template <class Executor>
count_t run_graph(Executor& executor, soak_case const& c, bool small, std::vector<count_t>& visits) {
    std::int64_t const size = c.size, more = small ? 0 : std::max<std::int64_t>(size, 16);  // phases: 12 at most
    auto const options = [&]<class... Tasks>() {
        run_options sizes;
        (sizes.capacity<Tasks>(c.ring, more, small ? c.ring : size + 1), ...);
        return sizes;
    };
    visits.assign(static_cast<std::size_t>(size), 0);
    count_t* const v = visits.data();
    switch (c.shape) {
        case graph::tree:
            run(executor, options.template operator()<grow<8>>(), seed<grow<8>>(0), grow<8>{v, size, c.arity});
            return 1;
        case graph::tree_together:
            run(executor, options.template operator()<grow_together<32>>(), seed<grow_together<32>>(0),
                grow_together<32>{v, size, c.arity});
            return 1;
        case graph::mixed:
            run(executor, options.template operator()<mixed<0>, mixed<1>, mixed<2>>(), seed<mixed<1>>(0),
                mixed<0>{v, size, c.arity, c.seed}, mixed<1>{v, size, c.arity, c.seed},
                mixed<2>{v, size, c.arity, c.seed});
            return 1;
        case graph::ranges:
            run(executor, options.template operator()<visit<4>>(),
                seed_range<visit<4>>(0, size / 2) + seed_range<visit<4>>(size / 2, size - size / 2), visit<4>{v});
            return 1;
        case graph::phases: {
            std::vector<std::int64_t> written(static_cast<std::size_t>(4 * 12), -1);
            visits.assign(1, 0);
            run(executor, options.template operator()<in_phase<0>, in_phase<1>, in_phase<2>, in_phase<3>>(),
                seed_range<in_phase<0>>(0, 6), in_phase<3>{written.data(), visits.data(), 12},
                in_phase<1>{written.data(), visits.data(), 12}, in_phase<0>{written.data(), visits.data(), 12},
                in_phase<2>{written.data(), visits.data(), 12});
            return 0;
        }
        case graph::countdown: {
            std::vector<std::int64_t> sums(static_cast<std::size_t>(2 * size), 0);
            std::vector<std::int32_t> waiting(static_cast<std::size_t>(size), 2);
            run(executor, options.template operator()<sum_up>(), seed_range<sum_up>(size, size),
                sum_up{sums.data(), waiting.data(), size});
            visits.assign(1, sums[1]);
            return (size + 2 * size - 1) * size / 2;
        }
        default: {
            // As many chains as the ring has slots, each from the largest number down.
            std::vector<std::int64_t> const seeds(static_cast<std::size_t>(c.ring), size - 1);
            run(executor, run_options().capacity<pass_on>(c.ring), seed<pass_on>(seeds), pass_on{v});
            return c.ring;
        }
    }
}

template <class Executor>
void break_down(Executor& executor, soak_case const& c) {
    std::vector<count_t> visits(static_cast<std::size_t>(c.size), 0);
    std::int64_t const bad = c.size / 2;
    bool const throws = c.wrong == fault::task_throws;
    std::string end = "the run went well";
    try {
        run(executor, run_options().capacity<breaks_down>(c.ring, c.size), seed<breaks_down>(0),
            breaks_down{visits.data(), c.size, bad, throws});
    } catch (task_error const& e) {
        end = e.code() == bad && !throws ? "" : e.what();
    } catch (soak_failure const&) {
        end = throws ? "" : "something was thrown";
    }
    if (!end.empty()) throw soak_failure{"item " + std::to_string(bad) + " breaks down: " + end};
    expect_each(visits, 1, true);
}

template <class Executor>
void check(Executor& executor, soak_case const& c) {
    std::vector<count_t> visits;
    if (c.wrong == fault::task_fails || c.wrong == fault::task_throws) break_down(executor, c);
    if (c.may_overflow()) {
        try {
            count_t const expected = run_graph(executor, c, true, visits);
            expect_each(visits, expected);
        } catch (queue_full const&) {
            if (c.shape == graph::relay) throw;  // each item gave its slot back
        }
    }
    count_t const expected = run_graph(executor, c, false, visits);
    expect_each(visits, expected);
}

/// Empty if all went well.
std::string failure_of(soak_case const& c) {
    try {
        if (c.on_cpu) {
            cpu executor(c.threads);
            check(executor, c);
        } else {
            emulated executor(c.options);
            check(executor, c);
        }
    } catch (soak_failure const& e) {
        return e.what;
    } catch (std::exception const& e) {
        return e.what();
    }
    return "";
}

struct arguments {
    double minutes = 0;
    std::uint64_t seeds = 0;
    std::uint64_t first = std::random_device()();
    bool one = false;
};

int soak(arguments const& given, char const* program) {
    using clock = std::chrono::steady_clock;
    std::atomic<std::uint64_t> next{given.first}, done{0};
    std::atomic<int> next_long{given.minutes > 0 ? 0 : 3};
    std::atomic<bool> failed{false};
    std::mutex output;
    case_limits limits;
    auto const work = [&] {
        for (int i = next_long++; i < 3 && !failed; i = next_long++) {
            soak_case const c = soak_case::of_64_slots(static_cast<controller>(i));
            case_limits::entry const limit(limits, c.text(), std::chrono::minutes(20));
            std::string const why = failure_of(c);
            if (why.empty()) continue;
            failed = true;
            std::scoped_lock const lock(output);
            std::printf("10^7 items through 64 slots, controller %d: %s\n", i, why.c_str());
        }
        auto const end = clock::now() + std::chrono::duration<double>(60 * given.minutes);
        while (!failed) {
            std::uint64_t const number = next++;
            if (given.seeds > 0 ? number - given.first >= given.seeds : clock::now() >= end) return;
            soak_case const c(number);
            if (given.one) std::printf("seed %llu: %s\n", static_cast<unsigned long long>(number), c.text().c_str());
            std::string const again = c.text() + "\n  again: " + program + " --seed " + std::to_string(number);
            case_limits::entry const limit(limits, "seed " + std::to_string(number) + ": " + again,
                                           std::chrono::minutes(2));
            std::string const why = failure_of(c);
            ++done;
            if (why.empty()) continue;
            failed = true;
            std::scoped_lock const lock(output);
            std::printf("seed %llu failed: %s\n  %s\n", static_cast<unsigned long long>(number), why.c_str(),
                        again.c_str());
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < usable_processors(); ++i) threads.emplace_back(work);
    }
    std::printf("%llu seeds from %llu on: %s\n", static_cast<unsigned long long>(done.load()),
                static_cast<unsigned long long>(given.first), failed ? "one or more failed" : "all went well");
    return failed ? 1 : 0;
}

int main_of(int count, char** values) {
    arguments given;
    bool is_right = true;
    for (int i = 1; i + 1 < count; i += 2) {
        std::string const name = values[i];
        auto const number = [&]<class Number>(std::type_identity<Number>) {
            Number n{};
            char const* const end = values[i + 1] + std::strlen(values[i + 1]);
            auto const [parsed, failure] = std::from_chars(values[i + 1], end, n);
            is_right = is_right && failure == std::errc() && parsed == end;
            return n;
        };
        if (name == "--minutes")
            given.minutes = number(std::type_identity<double>());
        else if (name == "--seeds")
            given.seeds = number(std::type_identity<std::uint64_t>());
        else if (name == "--first" || name == "--seed")
            given.first = number(std::type_identity<std::uint64_t>());
        else
            is_right = false;
        if (name == "--seed") given.seeds = 1, given.one = true;
    }
    if (!is_right || count % 2 == 0 || (given.minutes <= 0 && given.seeds == 0)) {
        std::fprintf(stderr, "usage: copse_soak --minutes M | --seeds N [--first SEED] | --seed SEED\n");
        return 2;
    }
    return soak(given, values[0]);
}

}  // namespace
}  // namespace copse::tests

int main(int count, char** values) {
    try {
        return copse::tests::main_of(count, values);
    } catch (std::exception const& e) {
        std::fprintf(stderr, "copse_soak: %s\n", e.what());
        return 2;
    }
}
