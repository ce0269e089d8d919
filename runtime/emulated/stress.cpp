// Teams of threads, one for each block that may run at once, and one for the controller's warp. A team waits for a
// block, its threads are the block's lanes, and whoever of them ends last fetches the next block. Teams are started for
// each run: a new thread has a copy of the floating-point environment of the thread that starts it, the run's caller.
//
// Lanes wait by futex and not by std::atomic::wait, whose bookkeeping orders the memory of threads that have nothing to
// do with one another: races between them would not be seen.
#include <chrono>
#include <climits>
#include <condition_variable>
#include <copse/runtime/emulated/grid.hpp>
#include <copse/runtime/error.hpp>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace copse::detail {
namespace {

#if defined(__linux__)
void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake_waiters(std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}
#else
void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    word.wait(value, std::memory_order_relaxed);
}
void wake_waiters(std::atomic<std::uint32_t>& word) {
    word.notify_all();
}
#endif

struct thread_lane final : emulated_lane {
    thread_lane(emulated_grid& g, emulated_block_state& state, int lane_rank, std::uint64_t seed)
        : emulated_lane(g, state, lane_rank), random(seed) {}
    lane_generator random;
};

struct lane_team {
    lane_team(int size, bool among_resident) : threads(size), resident(among_resident) {}
    int const threads;
    bool const resident;
    std::optional<emulated_block_state> block;
    emulated_grid::lane_body body;
    std::atomic<std::uint32_t> start{0};  // a new value: there is a block, or the team is to leave
    std::atomic<int> unfinished{0};
    bool leaving = false;
    std::vector<std::jthread> lanes;
};

class stress_grid final : public emulated_grid {
  public:
    explicit stress_grid(emulated_grid_options const& options) : options_(options) {
        for (int i = 0; i < options.resident_blocks; ++i) free_.push_back(&add_team(options.threads, true));
    }
    ~stress_grid() override { dismiss_teams(); }

    void launch(int blocks, lane_body const& body) override {
        std::scoped_lock const lock(mutex_);
        for (int i = 0; i < blocks; ++i) pending_.push_back(body);
        start_pending();
    }
    void launch_late(int blocks, lane_body const& body) override {
        std::scoped_lock const lock(mutex_);
        for (int i = 0; i < blocks; ++i) late_.push_back(body);
    }
    void launch_controller(lane_body const& body) override {
        std::scoped_lock const lock(mutex_);
        start(add_team(32, false), body);
    }
    void drain() override;

    void point(emulated_lane& lane) override {
        check();
        if (static_cast<thread_lane&>(lane).random.below(64) == 0) std::this_thread::yield();
    }
    void pause(emulated_lane& lane) override {
        check();
        if (static_cast<thread_lane&>(lane).random.below(64) != 0)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    bool wait(emulated_lane&, std::atomic<std::uint32_t>& word, std::uint32_t value) override {
        if (!given_up()) wait_for_change(word, value);
        if (!given_up()) return true;
        check();
        return false;
    }
    void wake(std::atomic<std::uint32_t>& word) override { wake_waiters(word); }
    std::uint32_t random(emulated_lane& lane, std::uint32_t bound) override {
        return static_cast<thread_lane&>(lane).random.below(bound);
    }
    std::uint64_t nanoseconds() const override {
        return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
    void fail(std::exception_ptr e) override;
    bool given_up() const override { return given_up_.load(std::memory_order_relaxed); }

  private:
    lane_team& add_team(int threads, bool resident);
    std::size_t threads_started() const;
    void dismiss_teams();
    void disturb_waiting_lanes();
    void start(lane_team& team, lane_body const& body);
    void start_pending();
    void run_lanes(lane_team& team, int rank);
    void run_lane(lane_team& team, int rank);
    void finish_block(lane_team& team);
    void check() const {
        // A destructor that runs while the stack is unwound is let through: it must not throw.
        if (given_up() && std::uncaught_exceptions() == 0) throw lane_abandoned();
    }

    emulated_grid_options const options_;
    std::mutex mutex_;  // guards what follows, up to given_up_
    std::condition_variable idle_;
    std::deque<lane_body> pending_;
    std::deque<lane_body> late_;
    std::vector<lane_team*> free_;
    int running_ = 0;
    int started_ = 0;
    std::exception_ptr failure_;
    std::atomic<bool> given_up_{false};
    std::deque<lane_team> teams_;  // last: their threads end first
};

lane_team& stress_grid::add_team(int threads, bool resident) {
    lane_team& team = teams_.emplace_back(threads, resident);
    try {
        for (int rank = 0; rank < threads; ++rank)
            team.lanes.emplace_back([this, &team, rank] { run_lanes(team, rank); });
    } catch (std::system_error const& e) {
        dismiss_teams();  // no threads left to be had; the others must not wait for ever
        throw error("emulated: stress mode needs a thread for each lane, but the system starts only " +
                    std::to_string(threads_started()) + " (" + e.what() + "); use fewer blocks, or explore mode");
    } catch (...) {
        dismiss_teams();
        throw;
    }
    return team;
}

std::size_t stress_grid::threads_started() const {
    std::size_t sum = 0;
    for (lane_team const& team : teams_) sum += team.lanes.size();
    return sum;
}

void stress_grid::dismiss_teams() {
    for (lane_team& team : teams_) {
        team.leaving = true;
        team.start.fetch_add(1, std::memory_order_release);
        wake_waiters(team.start);
    }
}

void stress_grid::start(lane_team& team, lane_body const& body) {
    team.block.emplace(started_++, team.threads, options_.scratch_bytes);
    team.body = body;
    team.unfinished = team.threads;
    ++running_;
    team.start.fetch_add(1, std::memory_order_release);
    wake_waiters(team.start);
}

void stress_grid::start_pending() {
    while (!pending_.empty() && !free_.empty()) {
        start(*free_.back(), pending_.front());
        free_.pop_back();
        pending_.pop_front();
    }
}

void stress_grid::run_lanes(lane_team& team, int rank) {
    for (std::uint32_t seen = 0;; ++seen) {
        while (team.start.load(std::memory_order_acquire) == seen) wait_for_change(team.start, seen);
        if (team.leaving) return;
        run_lane(team, rank);
        if (team.unfinished.fetch_sub(1) == 1) finish_block(team);
    }
}

void stress_grid::run_lane(lane_team& team, int rank) {
    thread_lane lane(*this, *team.block, rank,
                     options_.seed * 0x10001 + static_cast<std::uint64_t>(team.block->index * 128 + rank));
    emulated_lane::set_current(&lane);
    try {
        if (!given_up()) team.body(lane);
    } catch (lane_abandoned const&) {
    } catch (...) {
        fail(std::current_exception());
    }
    emulated_lane::set_current(nullptr);
}

void stress_grid::finish_block(lane_team& team) {
    std::scoped_lock const lock(mutex_);
    team.block.reset();
    if (team.resident) free_.push_back(&team);
    --running_;
    start_pending();
    if (running_ == 0) idle_.notify_all();
}

void stress_grid::drain() {
    std::unique_lock lock(mutex_);
    while (true) {
        while (running_ > 0) {
            if (!given_up()) {
                idle_.wait(lock);
            } else {
                disturb_waiting_lanes();
                idle_.wait_for(lock, std::chrono::milliseconds(1));
            }
        }
        if (late_.empty()) break;
        pending_.swap(late_);
        start_pending();
    }
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void stress_grid::fail(std::exception_ptr e) {
    std::scoped_lock const lock(mutex_);
    if (failure_) return;
    failure_ = std::move(e);
    given_up_.store(true, std::memory_order_relaxed);
    pending_.clear();
    late_.clear();
    idle_.notify_all();
}

/// Any new value ends a wait.
void stress_grid::disturb_waiting_lanes() {
    auto disturb = [](std::atomic<std::uint32_t>& word) {
        word.fetch_add(1, std::memory_order_release);
        wake_waiters(word);
    };
    for (lane_team& team : teams_) {
        if (!team.block) continue;
        disturb(team.block->everybody.state);
        for (meeting& worker : team.block->workers) disturb(worker.state);
        for (push_gate& warp : team.block->warps) disturb(warp.posted);
    }
}

}  // namespace

std::unique_ptr<emulated_grid> make_stress_grid(emulated_grid_options const& options) {
    return std::make_unique<stress_grid>(options);
}

}  // namespace copse::detail
