#include <cxxabi.h>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <copse/runtime/config.hpp>
#include <copse/runtime/emulated/lane_fiber.hpp>
#include <cstddef>
#include <cstring>

#if COPSE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if COPSE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(char const* file, int line);
void AnnotateIgnoreReadsEnd(char const* file, int line);
void AnnotateIgnoreWritesBegin(char const* file, int line);
void AnnotateIgnoreWritesEnd(char const* file, int line);
void AnnotateIgnoreSyncBegin(char const* file, int line);
void AnnotateIgnoreSyncEnd(char const* file, int line);
}
#endif

namespace copse::detail {
namespace {

#if COPSE_ADDRESS_SANITIZER || COPSE_THREAD_SANITIZER
constexpr std::size_t stack_size = 512 * 1024;  // instrumented frames are larger
#else
constexpr std::size_t stack_size = 128 * 1024;
#endif

}  // namespace

unseen_by_tsan::unseen_by_tsan() {
#if COPSE_THREAD_SANITIZER
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
#endif
}

unseen_by_tsan::~unseen_by_tsan() {
#if COPSE_THREAD_SANITIZER
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

lane_fiber::lane_fiber() : stack_(boost::context::protected_fixedsize_stack(stack_size).allocate()) {
    inside_ = boost::context::detail::make_fcontext(stack_.sp, stack_.size, &work);
#if COPSE_THREAD_SANITIZER
    inside_tsan_ = __tsan_create_fiber(0);
#endif
}

lane_fiber::~lane_fiber() {
#if COPSE_THREAD_SANITIZER
    __tsan_destroy_fiber(inside_tsan_);
#endif
#if COPSE_ADDRESS_SANITIZER
    // Frames that never returned have left marks behind, which whoever gets these addresses next would find.
    __asan_unpoison_memory_region(static_cast<std::byte*>(stack_.sp) - stack_.size, stack_.size);
#endif
    boost::context::protected_fixedsize_stack(stack_size).deallocate(stack_);
}

void lane_fiber::work(boost::context::detail::transfer_t outside) {
    auto* const self = static_cast<lane_fiber*>(outside.data);
    self->outside_ = outside.fctx;
#if COPSE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(nullptr, &self->outside_stack_, &self->outside_stack_bytes_);
#endif
    while (true) {
        self->environment_.take_over();
        self->job_();
        {
            unseen_by_tsan const unseen;
            self->job_ = nullptr;
        }
        self->suspend();
    }
}

bool lane_fiber::resume() {
    exception_state outside;
    void* const current = abi::__cxa_get_globals();
    std::memcpy(&outside, current, sizeof outside);
    std::memcpy(current, &exceptions_, sizeof outside);
#if COPSE_ADDRESS_SANITIZER
    void* frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, static_cast<std::byte*>(stack_.sp) - stack_.size, stack_.size);
#endif
#if COPSE_THREAD_SANITIZER
    outside_tsan_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_tsan_, __tsan_switch_to_fiber_no_sync);
#endif
    inside_ = boost::context::detail::jump_fcontext(inside_, this).fctx;
#if COPSE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
    std::memcpy(&exceptions_, current, sizeof outside);
    std::memcpy(current, &outside, sizeof outside);
    return static_cast<bool>(job_);
}

// Called at the end of a job too, after which nothing orders this before the end of the fiber.
__attribute__((no_sanitize("thread"))) void lane_fiber::suspend() {
#if COPSE_ADDRESS_SANITIZER
    void* frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, outside_stack_, outside_stack_bytes_);
#endif
#if COPSE_THREAD_SANITIZER
    __tsan_switch_to_fiber(outside_tsan_, __tsan_switch_to_fiber_no_sync);
#endif
    outside_ = boost::context::detail::jump_fcontext(outside_, nullptr).fctx;
#if COPSE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(frames, &outside_stack_, &outside_stack_bytes_);
#endif
}

lane_fiber* fiber_pool::take() {
    if (free_.empty()) {
        all_.push_back(std::make_unique<lane_fiber>());
        free_.reserve(all_.size());  // so that giving back never throws
        return all_.back().get();
    }
    lane_fiber* const fiber = free_.back();
    free_.pop_back();
    return fiber;
}

}  // namespace copse::detail
