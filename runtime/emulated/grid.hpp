// What the emulated executor runs tasks on: a grid of blocks of lanes, each lane a thread of the GPU.
//
//   grid    the blocks of one run      explore: every lane a fiber, all on one thread      emulated/explore.cpp
//                                      stress:  every lane a thread                        emulated/stress.cpp
//   block   lanes that share scratch memory and meet in sync()
//   warp    32 consecutive lanes of a block; those that push at the same time share a reservation
//
// Only sync() orders memory between lanes, as on the GPU: lanes meet in the other collectives, and hand values over,
// with relaxed atomics, so that the thread sanitizer still sees a task function that takes a shuffle for a sync.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <copse/runtime/emulated/access_counter.hpp>
#include <copse/runtime/emulated/races.hpp>
#include <copse/runtime/scheduler/block_drain.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace copse::detail {

/// Thrown through the lanes of a run that has been given up, so that their stacks are unwound.
struct lane_abandoned {};

enum class collective : std::uint32_t {
    sync,
    shuffle,
    reduce,
    inclusive_scan,
    any,
    lanes_where,
    lanes_with,
    push_n,
    wait_bulk,
    leave
};

/// A place where the lanes of a worker, or of a block, wait until the last of them is there.
struct meeting {
    std::atomic<std::uint32_t> state{
        0};                           // what they came for, who came first, how many, which round: see meeting_state
    std::array<race_clock, 2> heard;  // of those who met, for every other round
};

/// A value on its way between lanes. Each word says whose it is, so that relaxed accesses are enough.
class mailbox {
  public:
    static constexpr std::size_t most_bytes = 64;

    template <class T>
    void post(T const& value, std::uint32_t tag) {
        static_assert(
            std::is_trivially_copyable_v<T> && sizeof(T) <= most_bytes,
            "copse: shuffle, reduce, inclusive_scan: the value must be trivially copyable and at most 64 bytes");
        std::array<std::uint32_t, word_count<T>> words{};
        std::memcpy(words.data(), &value, sizeof(T));
        for (std::size_t i = 0; i < words.size(); ++i)
            words_[i].store(std::uint64_t{tag} << 32 | words[i], std::memory_order_relaxed);
    }

    /// After the meeting that follows `post`: the value is there, or about to be. `wait()` is false when it will never
    /// be.
    template <class T, class Wait>
    T take(std::uint32_t tag, Wait wait) const {
        std::array<std::uint32_t, word_count<T>> words;
        for (std::size_t i = 0; i < words.size(); ++i) {
            std::uint64_t word = words_[i].load(std::memory_order_relaxed);
            while (word >> 32 != tag && wait()) word = words_[i].load(std::memory_order_relaxed);
            words[i] = static_cast<std::uint32_t>(word);
        }
        alignas(T) std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), words.data(), sizeof(T));
        return std::bit_cast<T>(bytes);
    }

  private:
    template <class T>
    static constexpr std::size_t word_count = (sizeof(T) + 3) / 4;
    std::array<std::atomic<std::uint64_t>, most_bytes / 4> words_{};
};

/// Where lanes of a warp find one another to push together: the first opens it, others may join until it closes.
struct push_gate {
    std::atomic<std::uint64_t> state{0};   // open, for which queue, how many are in, which group: see gate_state
    std::atomic<std::uint32_t> posted{0};  // the last group whose value is in the mail
    mailbox mail;
};

/// splitmix64 (Steele, Lea, Flood 2014).
class lane_generator {
  public:
    explicit lane_generator(std::uint64_t seed) : state_(seed) {}
    /// Below `bound`.
    std::uint32_t below(std::uint32_t bound) {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<std::uint32_t>(((z >> 32) * bound) >> 32);
    }

  private:
    std::uint64_t state_;
};

struct emulated_block_state {
    emulated_block_state(int block, int thread_count, std::size_t bytes_of_scratch);
    std::byte* scratch() { return scratch_.get(); }
    bool has_scratch_at(void const* p) const {
        auto const* const byte = static_cast<std::byte const*>(p);
        return scratch_.get() <= byte && byte < scratch_.get() + scratch_bytes;
    }

    int const index;
    int const threads;
    std::size_t const scratch_bytes;
    block_shared shared{};
    alignas(16) std::byte items[block_item_bytes];
    meeting everybody;
    std::vector<meeting> workers;  // by the worker's first lane, and behind them those of a worker's warps
    std::vector<push_gate> warps;
    // By lane, and again for a worker's warps; two, so that a quick lane's next value leaves the last one alone.
    std::vector<std::array<mailbox, 2>> mail;

  private:
    struct free_aligned {
        void operator()(std::byte* p) const;
    };
    std::unique_ptr<std::byte, free_aligned> scratch_;
};

class emulated_grid;

/// Who meets: the lanes of a worker, or of one that has more than a warp's those in the same warp.
enum class lane_circle : std::uint32_t { worker, warp };

/// A lane's place among lanes of its warp that push together.
struct push_membership {
    push_gate* gate;
    std::uint32_t rank;
    std::uint32_t size;  // known to rank 0
    std::uint32_t tag;   // tells groups apart
};

/// One thread of the emulated GPU. Its functions may throw lane_abandoned.
class emulated_lane {
  public:
    emulated_lane(emulated_grid& g, emulated_block_state& b, int lane_rank);

    /// The calling lane; null outside the grid.
    static emulated_lane* current() noexcept;
    static void set_current(emulated_lane* lane) noexcept;

    void sync_block();

    /// Work on items of a task begins; all lanes of the block call it.
    void begin_batch(std::string (*name_of_task)(), int width_of_workers);
    /// The task function is called for the item that was pushed to `queue` at `position`.
    void begin_item(int phase, std::int64_t const* number, void const* queue, std::uint64_t position);
    /// The name of the task that the lane works for.
    std::string (*task() const)() { return task_name_; }
    int worker_rank() const { return rank % width_; }
    int worker_size() const { return width_; }
    std::byte* worker_scratch(std::size_t bytes) { return block.scratch() + (rank / width_) * bytes; }

    /// Meets the other lanes. `bytes`: the size of the value, which must be the same in all of them.
    void meet_circle(lane_circle who, collective what, std::size_t bytes = 0);
    /// The task function has returned. Does not wait.
    void leave();

    /// Hands the other lanes a value; when all have come, each can read them all.
    template <class T>
    void post(lane_circle who, collective what, T const& value) {
        std::uint32_t const tag = ++tags_[static_cast<std::size_t>(who)];
        mail_of(who, rank)[tag % 2].post(value, tag);
        meet_circle(who, what, sizeof(T));
    }
    /// What lane `i` of them handed over in the last `post`.
    template <class T>
    T posted_by(lane_circle who, int i) {
        std::uint32_t const tag = tags_[static_cast<std::size_t>(who)];
        return mail_of(who, first_lane(who) + i)[tag % 2].template take<T>(tag, [this] { return wait_a_little(); });
    }

    /// Finds lanes of the warp that push to the same queue, perhaps none. Rank 0 posts what the others take.
    push_membership join_push(int queue);
    template <class T>
    void post_to(push_membership const& group, T const& value) {
        group.gate->mail.post(value, group.tag);
        open_mail(group);
    }
    template <class T>
    T take_from(push_membership const& group) {
        await_mail(group);
        T const value = group.gate->mail.template take<T>(group.tag, [this] { return wait_a_little(); });
        leave_group(*group.gate);
        return value;
    }

    /// Ends the run with worker_misuse: `what` is done by this lane.
    [[noreturn]] void misuse(std::string const& what);

    emulated_grid& grid;
    emulated_block_state& block;
    int const rank;
    access_counter* const accesses;  // null if accesses are not counted; in front: each access asks
    race_lane races;

  private:
    int first_lane(lane_circle who) const { return rank - rank % (who == lane_circle::warp ? 32 : width_); }
    std::array<mailbox, 2>& mail_of(lane_circle who, int lane) {
        return block.mail[static_cast<std::size_t>(who == lane_circle::warp ? block.threads + lane : lane)];
    }
    bool wait_a_little();
    void open_mail(push_membership const& group);
    void await_mail(push_membership const& group);
    static void leave_group(push_gate& gate);
    void meet(meeting& where, collective what, std::size_t bytes, int expected, bool wait);
    [[noreturn]] void mismatch(collective mine, std::uint32_t met);

    std::string (*task_name_)() = nullptr;
    int width_ = 1;
    std::uint32_t batch_ = 0;
    std::array<std::uint32_t, 2> tags_{};

  public:
    access_lane accessed;  // behind what every lane uses
};

/// How a run went: the same seed gives the same figures in explore mode. Zero in stress mode.
struct emulated_trace {
    std::uint64_t steps = 0;         // points where another lane could have gone on
    std::uint64_t interleaving = 0;  // a hash of who went on when
    bool operator==(emulated_trace const&) const = default;
};

struct emulated_grid_options {
    std::uint64_t seed;
    int resident_blocks;                                   // at once
    int threads;                                           // in a block
    std::size_t scratch_bytes;                             // of a block
    std::uint64_t step_limit;                              // explore: points without progress
    std::vector<watched_memory> const* watched = nullptr;  // explore: for races
    access_counter* accesses = nullptr;                    // explore
};

/// The blocks of one run.
class emulated_grid {
  public:
    using lane_body = std::function<void(emulated_lane&)>;
    virtual ~emulated_grid() = default;

    /// Adds blocks whose lanes each call `body`. At most so many run at once as the grid has room for; the others wait.
    /// Called from lanes too.
    virtual void launch(int blocks, lane_body const& body) = 0;
    /// The same for blocks that do not start before everything else has ended.
    virtual void launch_late(int blocks, lane_body const& body) = 0;
    /// Adds a block of 32 lanes beside the others.
    virtual void launch_controller(lane_body const& body) = 0;
    /// Waits until all blocks have ended. Rethrows the first exception of a lane.
    virtual void drain() = 0;

    /// Another lane may go on here. Throws lane_abandoned when the run has been given up, unless the lane's stack is
    /// being unwound.
    virtual void point(emulated_lane& lane) = 0;
    /// The lane waits for others: somebody else should go on.
    virtual void pause(emulated_lane& lane) = 0;
    /// Waits while `word` has this value. False: the run has been given up, and the lane cannot be stopped by an
    /// exception because its stack is being unwound.
    [[nodiscard]] virtual bool wait(emulated_lane& lane, std::atomic<std::uint32_t>& word, std::uint32_t value) = 0;
    virtual void wake(std::atomic<std::uint32_t>& word) = 0;
    /// A number below `bound`.
    virtual std::uint32_t random(emulated_lane& lane, std::uint32_t bound) = 0;
    /// Work goes on: the run is not stuck.
    virtual void progress() {}
    virtual std::uint64_t nanoseconds() const = 0;
    virtual emulated_trace trace() const { return {}; }

    /// Keeps the first exception; all lanes are abandoned.
    virtual void fail(std::exception_ptr e) = 0;
    virtual bool given_up() const = 0;

    /// Null if no memory is watched.
    race_watch* races() const { return races_.get(); }
    /// Null if accesses are not counted.
    access_counter* accesses() const { return accesses_; }

  protected:
    std::unique_ptr<race_watch> races_;
    access_counter* accesses_ = nullptr;
};

class fiber_pool;

/// Every lane is a fiber, all on one thread. At each point a seeded generator decides who goes on.
std::unique_ptr<emulated_grid> make_explore_grid(emulated_grid_options const& options, fiber_pool& fibers);
/// Every lane is a thread, so that the thread sanitizer sees the lanes' accesses as they are.
std::unique_ptr<emulated_grid> make_stress_grid(emulated_grid_options const& options);

}  // namespace copse::detail
