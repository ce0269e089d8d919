#include <copse/runtime/emulated/grid.hpp>
#include <copse/runtime/emulated/machine.hpp>
#include <copse/runtime/error.hpp>
#include <new>

namespace copse::detail {
namespace {

thread_local emulated_lane* current_lane = nullptr;

/// What `meeting::state` says, unpacked. One word, so that relaxed accesses are enough: the last to arrive starts the
/// next round in the same exchange.
struct meeting_state {
    collective what;
    std::uint32_t bytes;  // 0 .. 64
    std::uint32_t first_lane;
    std::uint32_t count;
    std::uint32_t round;  // modulo 128

    static meeting_state of(std::uint32_t packed) {
        return {static_cast<collective>(packed >> 28), packed >> 21 & 0x7f, packed >> 14 & 0x7f, packed >> 7 & 0x7f,
                packed & 0x7f};
    }
    std::uint32_t packed() const {
        static_assert(static_cast<std::uint32_t>(collective::leave) < 16);  // the last
        return static_cast<std::uint32_t>(what) << 28 | bytes << 21 | first_lane << 14 | count << 7 | (round & 0x7f);
    }
};

/// What `push_gate::state` says, unpacked. count 0: free.
struct gate_state {
    bool open;
    std::uint32_t queue;
    std::uint32_t count;
    std::uint32_t tag;

    static gate_state of(std::uint64_t packed) {
        return {packed >> 63 != 0, static_cast<std::uint32_t>(packed >> 48 & 0x7fff),
                static_cast<std::uint32_t>(packed >> 32 & 0xffff), static_cast<std::uint32_t>(packed)};
    }
    std::uint64_t packed() const {
        return std::uint64_t{open} << 63 | std::uint64_t{queue} << 48 | std::uint64_t{count} << 32 | tag;
    }
};

char const* name_of(collective what) {
    switch (what) {
        case collective::sync:
            return "sync()";
        case collective::shuffle:
            return "shuffle()";
        case collective::reduce:
            return "reduce()";
        case collective::inclusive_scan:
            return "inclusive_scan()";
        case collective::any:
            return "any()";
        case collective::lanes_where:
            return "lanes_where()";
        case collective::lanes_with:
            return "lanes_with()";
        case collective::push_n:
            return "push_n()";
        case collective::wait_bulk:
            return "wait_bulk()";
        case collective::leave:
            break;
    }
    return "the function's end";
}

}  // namespace

emulated_block_state::emulated_block_state(int block, int thread_count, std::size_t bytes_of_scratch)
    : index(block),
      threads(thread_count),
      scratch_bytes(bytes_of_scratch),
      workers(static_cast<std::size_t>(thread_count + (thread_count + 31) / 32)),
      warps(static_cast<std::size_t>((thread_count + 31) / 32)),
      mail(static_cast<std::size_t>(2 * thread_count)),
      scratch_(bytes_of_scratch == 0
                   ? nullptr
                   : static_cast<std::byte*>(::operator new(bytes_of_scratch, std::align_val_t(128)))) {}

void emulated_block_state::free_aligned::operator()(std::byte* p) const {
    ::operator delete(p, std::align_val_t(128));
}

emulated_lane::emulated_lane(emulated_grid& g, emulated_block_state& b, int lane_rank)
    : grid(g), block(b), rank(lane_rank), accesses(g.accesses()) {}

emulated_lane* emulated_lane::current() noexcept {
    return current_lane;
}

void emulated_lane::set_current(emulated_lane* lane) noexcept {
    current_lane = lane;
}

void emulated_lane::sync_block() {
    meet(block.everybody, collective::sync, 0, block.threads, true);
}

void emulated_lane::begin_batch(std::string (*name_of_task)(), int width_of_workers) {
    task_name_ = name_of_task;
    width_ = width_of_workers;
    // The same in all lanes of the block, however many collectives each went through.
    tags_[0] = tags_[1] = ++batch_ << 16;
    if (accesses) accesses->begin_batch(*this);
    grid.progress();
}

void emulated_lane::meet_circle(lane_circle who, collective what, std::size_t bytes) {
    if (accesses) accessed.meet();
    bool const of_warp = who == lane_circle::warp;
    int const place = of_warp ? block.threads + rank / 32 : first_lane(who);
    meet(block.workers[static_cast<std::size_t>(place)], what, bytes, of_warp ? 32 : width_, true);
}

void emulated_lane::begin_item(int phase, std::int64_t const* number, void const* queue, std::uint64_t position) {
    race_writer const self{task_name_,    phase,  number != nullptr, number ? *number : 0,
                           worker_rank(), width_, block.index};
    grid.races()->begin_item(races, self, queue, position);
}

void emulated_lane::leave() {
    if (grid.races()) grid.races()->end_item(races);
    meet(block.workers[static_cast<std::size_t>(rank - worker_rank())], collective::leave, 0, width_, false);
    grid.progress();
}

void emulated_lane::meet(meeting& where, collective what, std::size_t bytes, int expected, bool wait) {
    grid.point(*this);
    if (grid.given_up()) return grid.point(*this);
    bool const orders_memory = what == collective::sync;
    auto const arriving = orders_memory ? std::memory_order_acq_rel : std::memory_order_relaxed;
    std::uint32_t seen = where.state.load(std::memory_order_relaxed);
    std::uint32_t next = 0;
    bool const counts_items = what == collective::push_n;  // as open_mail()
    if (counts_items) std::atomic_thread_fence(std::memory_order_release);
    do {
        meeting_state state = meeting_state::of(seen);
        if (state.count == 0)
            state = {what, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(rank), 0, state.round};
        if (state.what != what || state.bytes != bytes) mismatch(what, seen);
        ++state.count;
        next = state.count < static_cast<std::uint32_t>(expected)
                   ? state.packed()
                   : meeting_state{{}, 0, 0, 0, state.round + 1}.packed();
    } while (!where.state.compare_exchange_weak(seen, next, arriving, std::memory_order_relaxed));

    race_clock& heard = where.heard[meeting_state::of(seen).round % 2];
    race_watch* const watch = orders_memory ? grid.races() : nullptr;
    if (watch) {
        if (meeting_state::of(seen).count == 0) heard.clear();
        watch->tell(races, heard);
    }
    if (meeting_state::of(next).count == 0) {
        if (expected > 1) grid.wake(where.state);
    } else if (wait) {
        // The acquire pairs with the arrivals at a sync, and with the end of a run that is given up.
        auto const is_over = [&](std::uint32_t now) {
            return meeting_state::of(now).round != meeting_state::of(next).round;
        };
        for (std::uint32_t now = next; !is_over(now); now = where.state.load(std::memory_order_acquire))
            if (!grid.wait(*this, where.state, now)) return;
        grid.point(*this);
    }
    if (watch) watch->hear(races, heard);
    if (counts_items) std::atomic_thread_fence(std::memory_order_acquire);
}

void emulated_lane::mismatch(collective mine, std::uint32_t met) {
    meeting_state const others = meeting_state::of(met);
    std::string const other = "lane " + std::to_string(others.first_lane % static_cast<std::uint32_t>(width_));
    if (mine == others.what)
        misuse(std::string("called ") + name_of(mine) + " with a value of another size than " + other);
    if (mine == collective::leave)
        misuse("returned from the function while " + other + " waits in " + name_of(others.what));
    if (others.what == collective::leave)
        misuse(std::string("called ") + name_of(mine) + " after " + other + " had returned from the function");
    misuse(std::string("called ") + name_of(mine) + " while " + other + " waits in " + name_of(others.what));
}

void emulated_lane::misuse(std::string const& what) {
    grid.fail(
        std::make_exception_ptr(worker_misuse("task '" + task_name_() + "', lane " + std::to_string(worker_rank()) +
                                              " of " + std::to_string(width_) + ": " + what)));
    throw lane_abandoned();
}

push_membership emulated_lane::join_push(int queue) {
    grid.point(*this);
    push_gate& gate = block.warps[static_cast<std::size_t>(rank / 32)];
    std::uint64_t seen = gate.state.load(std::memory_order_relaxed);
    while (true) {
        gate_state state = gate_state::of(seen);
        bool const opens = state.count == 0;
        bool const joins = state.open && state.queue == static_cast<std::uint32_t>(queue);
        if ((!opens && !joins) || grid.random(*this, 16) == 0) return {nullptr, 0, 1, 0};
        if (opens) state = {true, static_cast<std::uint32_t>(queue), 0, state.tag + 1};
        push_membership group{&gate, state.count++, 0, state.tag};
        if (!gate.state.compare_exchange_weak(seen, state.packed(), std::memory_order_relaxed)) continue;
        if (group.rank > 0) return group;
        std::uint32_t const patience = grid.random(*this, 1u << grid.random(*this, 8));
        for (std::uint32_t i = 0; i < patience; ++i) grid.pause(*this);
        std::uint64_t const open_bit = std::uint64_t{1} << 63;
        group.size = gate_state::of(gate.state.fetch_and(~open_bit, std::memory_order_relaxed)).count;
        return group;
    }
}

bool emulated_lane::wait_a_little() {
    if (!grid.given_up()) {
        grid.pause(*this);
        return true;
    }
    grid.point(*this);
    return false;
}

// What rank 0 did before it posted, such as counting the items of all, comes before what the others do when they have
// taken the value. By fences, which the thread sanitizer does not follow: it still sees a task function that takes a
// push for a sync.
void emulated_lane::open_mail(push_membership const& group) {
    std::atomic_thread_fence(std::memory_order_release);
    group.gate->posted.store(group.tag, std::memory_order_relaxed);
    grid.wake(group.gate->posted);
    leave_group(*group.gate);
}

void emulated_lane::await_mail(push_membership const& group) {
    while (true) {
        std::uint32_t const posted = group.gate->posted.load(std::memory_order_relaxed);
        if (posted == group.tag || !grid.wait(*this, group.gate->posted, posted)) break;
    }
    std::atomic_thread_fence(std::memory_order_acquire);
}

void emulated_lane::leave_group(push_gate& gate) {
    gate.state.fetch_sub(std::uint64_t{1} << 32, std::memory_order_relaxed);  // whoever is last frees the gate
}

void lane_point() {
    if (emulated_lane* const lane = current_lane) lane->grid.point(*lane);
}

void lane_pause() {
    if (emulated_lane* const lane = current_lane) lane->grid.pause(*lane);
}

watched_change::watched_change(void const* p, bool orders)
    : p_(current_lane && current_lane->grid.races() ? p : nullptr) {
    if (!p_) return;
    if (orders) current_lane->grid.races()->order(current_lane->races, p);
    current_lane->grid.races()->before_change(current_lane->races, p);
}
watched_change::~watched_change() {
    if (p_) current_lane->grid.races()->after_change(current_lane->races, p_);
}

void lane_publishes(void const* queue, std::uint64_t position) {
    if (current_lane && current_lane->grid.races())
        current_lane->grid.races()->publish(current_lane->races, queue, position);
}
void lane_publishes_range(void const* queue) {
    lane_publishes(queue, race_watch::any_position);
}

}  // namespace copse::detail
