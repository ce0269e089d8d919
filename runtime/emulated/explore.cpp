// Who goes on is drawn anew at a share of the points that differs from seed to seed: some seeds switch at every point,
// others let a lane run on. Now and then a lane is left standing for a while, which is when queues wrap around behind
// its back.
#include <algorithm>
#include <copse/runtime/emulated/grid.hpp>
#include <copse/runtime/emulated/lane_fiber.hpp>
#include <copse/runtime/error.hpp>
#include <deque>
#include <exception>
#include <list>
#include <utility>

namespace copse::detail {
namespace {

struct fiber_block;

struct fiber_lane final : emulated_lane {
    fiber_lane(emulated_grid& g, emulated_block_state& state, int lane_rank, lane_fiber* lane_stack, fiber_block& owner)
        : emulated_lane(g, state, lane_rank), fiber(lane_stack), home(owner) {}
    lane_fiber* const fiber;
    fiber_block& home;
    std::size_t place = 0;  // among the runnable lanes
    std::atomic<std::uint32_t> const* waits_for = nullptr;
    std::uint64_t standing_until = 0;
};

struct fiber_block {
    fiber_block(int index, int threads, std::size_t scratch_bytes, emulated_grid::lane_body b)
        : state(index, threads, scratch_bytes), body(std::move(b)) {}
    emulated_block_state state;
    emulated_grid::lane_body const body;
    std::deque<fiber_lane> lanes;
    int unfinished = 0;
    bool counts = true;  // among the resident blocks
};

class explore_grid final : public emulated_grid {
  public:
    explore_grid(emulated_grid_options const& options, fiber_pool& fibers)
        : options_(options), fibers_(fibers), random_(options.seed), switch_in_(1u << (2 * random_.below(4))) {
        accesses_ = options.accesses;
        if (options.watched && !options.watched->empty())
            races_ = std::make_unique<race_watch>(*this, *options.watched);
    }

    void launch(int blocks, lane_body const& body) override {
        launches_.fetch_add(1, std::memory_order_release);
        unseen_by_tsan const unseen;
        for (int i = 0; i < blocks; ++i) pending_.push_back(body);
    }
    void launch_late(int blocks, lane_body const& body) override {
        launches_.fetch_add(1, std::memory_order_release);
        unseen_by_tsan const unseen;
        for (int i = 0; i < blocks; ++i) late_.push_back(body);
    }
    void launch_controller(lane_body const& body) override {
        launches_.fetch_add(1, std::memory_order_release);
        unseen_by_tsan const unseen;
        start(body, 32, false);
    }
    void drain() override;

    void point(emulated_lane& lane) override {
        unseen_by_tsan const unseen;
        check(lane);
        if (random_.below(switch_in_) == 0) go_on_elsewhere(lane);
    }
    void pause(emulated_lane& lane) override {
        unseen_by_tsan const unseen;
        check(lane);
        go_on_elsewhere(lane);
    }
    bool wait(emulated_lane& lane, std::atomic<std::uint32_t>& word, std::uint32_t value) override;
    void wake(std::atomic<std::uint32_t>& word) override;
    std::uint32_t random(emulated_lane&, std::uint32_t bound) override {
        unseen_by_tsan const unseen;
        return random_.below(bound);
    }
    void progress() override {
        unseen_by_tsan const unseen;
        last_progress_ = trace_.steps;
    }
    std::uint64_t nanoseconds() const override { return trace_.steps * 1000; }
    emulated_trace trace() const override { return trace_; }
    void fail(std::exception_ptr e) override;
    bool given_up() const override { return failure_ != nullptr; }

  private:
    void start(lane_body const& body, int threads, bool counts);
    void start_pending();
    void run_all();
    void check(emulated_lane const& lane);
    void go_on_elsewhere(emulated_lane& lane);
    void run_lane(fiber_lane& lane);
    fiber_lane* choose();
    void make_runnable(fiber_lane& lane);
    void stop_running(fiber_lane& lane);
    void resume(fiber_lane& lane);
    void report_deadlock();

    emulated_grid_options const options_;
    fiber_pool& fibers_;
    std::atomic<int> launches_{0};  // a block sees what was done before launches; the thread sanitizer must know
    std::atomic<int> ends_{0};      // and the end of a run sees all that the lanes did
    lane_generator random_;
    std::uint32_t const switch_in_;
    std::deque<lane_body> pending_;
    std::deque<lane_body> late_;
    std::list<fiber_block> blocks_;
    std::vector<fiber_lane*> runnable_;
    std::vector<fiber_lane*> waiting_;
    fiber_lane* next_ = nullptr;
    int resident_ = 0;
    int started_ = 0;
    std::uint64_t last_progress_ = 0;
    emulated_trace trace_;
    std::exception_ptr failure_;
};

void explore_grid::start(lane_body const& body, int threads, bool counts) {
    blocks_.emplace_back(started_++, threads, options_.scratch_bytes, body);
    fiber_block& block = blocks_.back();
    block.counts = counts;
    for (int rank = 0; rank < threads; ++rank) {
        fiber_lane& lane = block.lanes.emplace_back(*this, block.state, rank, fibers_.take(), block);
        lane.fiber->assign([this, &lane] { run_lane(lane); });
        make_runnable(lane);
    }
    block.unfinished = threads;
    resident_ += counts ? 1 : 0;
}

/// A block starts some time after its launch.
void explore_grid::start_pending() {
    if (pending_.empty() && blocks_.empty() && !late_.empty()) pending_.swap(late_);
    if (pending_.empty() || resident_ >= options_.resident_blocks) return;
    if (!runnable_.empty() && random_.below(16) != 0) return;
    lane_body const body = std::move(pending_.front());
    pending_.pop_front();
    start(body, options_.threads, true);
}

void explore_grid::drain() {
    run_all();
    ends_.load(std::memory_order_acquire);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void explore_grid::run_all() {
    unseen_by_tsan const unseen;
    while (true) {
        start_pending();
        if (blocks_.empty() && pending_.empty() && late_.empty()) break;
        fiber_lane* const lane = next_ ? next_ : choose();
        next_ = nullptr;
        if (lane)
            resume(*lane);
        else
            report_deadlock();
    }
}

void explore_grid::resume(fiber_lane& lane) {
    trace_.interleaving =
        (trace_.interleaving ^ static_cast<std::uint64_t>(lane.block.index * 128 + lane.rank + 1)) * 0x100000001b3u;
    emulated_lane::set_current(&lane);
    bool const unfinished = lane.fiber->resume();
    emulated_lane::set_current(nullptr);
    if (unfinished) return;
    stop_running(lane);
    if (races_) races_->leave(lane.races);
    fibers_.give_back(lane.fiber);
    fiber_block& block = lane.home;
    if (--block.unfinished > 0) return;
    resident_ -= block.counts ? 1 : 0;
    blocks_.remove_if([&](fiber_block const& b) { return &b == &block; });
}

void explore_grid::run_lane(fiber_lane& lane) {
    launches_.load(std::memory_order_acquire);
    try {
        if (!failure_) lane.home.body(lane);
    } catch (lane_abandoned const&) {
    } catch (...) {
        fail(std::current_exception());
    }
    ends_.fetch_add(1, std::memory_order_release);
}

fiber_lane* explore_grid::choose() {
    if (runnable_.empty()) return nullptr;
    fiber_lane* chosen = nullptr;
    for (int tries = 0; tries < 4; ++tries) {
        chosen = runnable_[random_.below(static_cast<std::uint32_t>(runnable_.size()))];
        if (chosen->standing_until <= trace_.steps) break;
    }
    return chosen;
}

void explore_grid::check(emulated_lane const&) {
    ++trace_.steps;
    if (!failure_ && trace_.steps - last_progress_ > options_.step_limit)
        fail(std::make_exception_ptr(error("emulated: no task function has returned for " +
                                           std::to_string(options_.step_limit) +
                                           " steps: a lane waits in vain, or step_limit is too low")));
    // A destructor that runs while the stack is unwound is let through: it must not throw.
    if (failure_ && std::uncaught_exceptions() == 0) throw lane_abandoned();
}

void explore_grid::go_on_elsewhere(emulated_lane& lane) {
    if (failure_) return;
    if (random_.below(64) == 0)
        static_cast<fiber_lane&>(lane).standing_until = trace_.steps + random_.below(1u << (4 + random_.below(8)));
    next_ = choose();
    if (next_ == &lane && pending_.empty()) {
        next_ = nullptr;
        return;
    }
    if (races_) races_->look(lane.races);
    static_cast<fiber_lane&>(lane).fiber->suspend();
    check(lane);
}

bool explore_grid::wait(emulated_lane& lane, std::atomic<std::uint32_t>& word, std::uint32_t value) {
    unseen_by_tsan const unseen;
    check(lane);
    if (failure_) return false;
    if (word.load(std::memory_order_relaxed) != value) return true;
    auto& self = static_cast<fiber_lane&>(lane);
    if (races_) races_->look(lane.races);
    if (failure_) return false;
    stop_running(self);
    self.waits_for = &word;
    waiting_.push_back(&self);
    self.fiber->suspend();
    check(lane);
    return !failure_;
}

void explore_grid::wake(std::atomic<std::uint32_t>& word) {
    unseen_by_tsan const unseen;
    auto const others = std::stable_partition(waiting_.begin(), waiting_.end(),
                                              [&](fiber_lane const* lane) { return lane->waits_for != &word; });
    for (auto i = others; i != waiting_.end(); ++i) make_runnable(**i);
    waiting_.erase(others, waiting_.end());
}

void explore_grid::make_runnable(fiber_lane& lane) {
    lane.waits_for = nullptr;
    lane.place = runnable_.size();
    runnable_.push_back(&lane);
}

void explore_grid::stop_running(fiber_lane& lane) {
    runnable_.back()->place = lane.place;
    runnable_[lane.place] = runnable_.back();
    runnable_.pop_back();
}

void explore_grid::fail(std::exception_ptr e) {
    unseen_by_tsan const unseen;
    if (failure_) return;
    failure_ = std::move(e);
    for (fiber_lane* const lane : waiting_) make_runnable(*lane);
    waiting_.clear();
    pending_.clear();
    late_.clear();
}

void explore_grid::report_deadlock() {
    fail(std::make_exception_ptr(error("emulated: no lane can go on: " + std::to_string(waiting_.size()) +
                                       " lanes wait for others that never come; all lanes must call each collective")));
}

}  // namespace

std::unique_ptr<emulated_grid> make_explore_grid(emulated_grid_options const& options, fiber_pool& fibers) {
    return std::make_unique<explore_grid>(options, fibers);
}

}  // namespace copse::detail
