#include <copse/runtime/cpu/thread_team.hpp>
#include <copse/runtime/error.hpp>
#include <utility>

namespace copse::detail {

thread_team::thread_team(int size) {
    try {
        for (int rank = 1; rank < size; ++rank) helpers_.emplace_back([this, rank] { help(rank); });
    } catch (...) {
        leaving_ = true;
        ++generation_;
        generation_.notify_all();
        throw;
    }
}

thread_team::~thread_team() {
    leaving_ = true;
    ++generation_;
    generation_.notify_all();
}

void thread_team::run(std::function<void(int)> const& work) {
    if (working_for_ == this)
        throw argument_error("cpu: a task function started a run on the executor that runs it; push a task instead");
    std::scoped_lock const lock(one_run_at_a_time_);
    work_ = &work;
    busy_ = static_cast<int>(helpers_.size());
    ++generation_;
    generation_.notify_all();
    work_as(0);
    for (int busy = busy_; busy != 0; busy = busy_) busy_.wait(busy);
}

void thread_team::work_as(int rank) {
    thread_team const* const before = std::exchange(working_for_, this);
    (*work_)(rank);
    working_for_ = before;
}

void thread_team::help(int rank) {
    std::uint64_t seen = 0;
    while (true) {
        generation_.wait(seen);
        ++seen;  // every generation is waited for by the one before it, so none is missed
        if (leaving_) return;
        work_as(rank);
        if (--busy_ == 0) busy_.notify_one();
    }
}

}  // namespace copse::detail
