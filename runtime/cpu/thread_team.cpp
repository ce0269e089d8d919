#include <copse/runtime/cpu/thread_team.hpp>
#include <copse/runtime/error.hpp>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

namespace copse::detail {

thread_team::thread_team(int size) {
    start_helpers(size - 1);
    size_ = static_cast<int>(helpers_.size()) + 1;
}

thread_team::~thread_team() {
    if (process_.is_of_ancestor()) forget_helpers();
    leaving_ = true;
    ++generation_;
    generation_.notify_all();
    for (auto& helper : helpers_) helper.join();
}

void thread_team::start_helpers(int wanted) {
    process_.set();
    try {
        if (wanted > 0) helpers_.reserve(static_cast<std::size_t>(wanted));
        for (int thread = 1; thread <= wanted; ++thread) helpers_.emplace_back([this, thread] { help(thread); });
    } catch (std::exception const&) {  // no more threads, or no memory for one: goes on with those that there are
    }
}

/// Without a word to the system: what a handle names in the parent is another thread here, or memory of something else.
void thread_team::forget_helpers() noexcept {
    for (auto& helper : helpers_) std::construct_at(&helper);
    helpers_.clear();
    process_.clear();
    generation_ = 0;
}

void thread_team::run(std::function<void(int)> const& work) {
    if (working_for_ == this)
        throw argument_error("cpu: a task function started a run on the executor that runs it; push a task instead");
    std::scoped_lock const lock(one_run_at_a_time_);
    if (process_.is_of_ancestor()) {
        forget_helpers();
        start_helpers(size_ - 1);
    }
    work_ = &work;
    environment_ = float_environment();
    threads_ = static_cast<int>(helpers_.size()) + 1;
    busy_ = threads_ - 1;
    ++generation_;
    generation_.notify_all();
    work_as(0);
    for (int busy = busy_; busy != 0; busy = busy_) busy_.wait(busy);
}

void thread_team::work_as(int thread) {
    thread_team const* const before = std::exchange(working_for_, this);
    for (int rank = thread; rank < size_; rank += threads_) (*work_)(rank);
    working_for_ = before;
}

void thread_team::help(int thread) {
    std::uint64_t seen = 0;
    while (true) {
        generation_.wait(seen);
        ++seen;  // every generation is waited for by the one before it, so none is missed
        if (leaving_) return;
        environment_.take_over();
        work_as(thread);
        if (--busy_ == 0) busy_.notify_one();
    }
}

}  // namespace copse::detail
