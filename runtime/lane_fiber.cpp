#include <cxxabi.h>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <copse/runtime/lane_fiber.hpp>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace copse::detail {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t stack_size = 512 * 1024;  // instrumented frames are larger
#else
constexpr std::size_t stack_size = 128 * 1024;
#endif

}  // namespace

lane_fiber::lane_fiber() {
    boost::context::protected_fixedsize_stack allocator(stack_size);
    auto const stack = allocator.allocate();
    stack_ = static_cast<std::byte*>(stack.sp) - stack.size;
    stack_bytes_ = stack.size;
    inside_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
                                    allocator, [this](boost::context::fiber&& outside) {
                                        outside_ = std::move(outside);
                                        work();
                                        return std::move(outside_);
                                    });
#if defined(__SANITIZE_THREAD__)
    inside_tsan_ = __tsan_create_fiber(0);
#endif
}

lane_fiber::~lane_fiber() {
    closing_ = true;
    enter();
#if defined(__SANITIZE_THREAD__)
    __tsan_destroy_fiber(inside_tsan_);
#endif
}

void lane_fiber::work() {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(nullptr, &outside_stack_, &outside_stack_bytes_);
#endif
    while (!closing_) {
        job_();
        job_ = nullptr;
        leave();
    }
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(nullptr, outside_stack_, outside_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(outside_tsan_, 0);
#endif
}

bool lane_fiber::resume() {
    exception_state outside;
    void* const current = abi::__cxa_get_globals();
    std::memcpy(&outside, current, sizeof outside);
    std::memcpy(current, &exceptions_, sizeof outside);
    enter();
    std::memcpy(&exceptions_, current, sizeof outside);
    std::memcpy(current, &outside, sizeof outside);
    return static_cast<bool>(job_);
}

void lane_fiber::suspend() {
    leave();
}

void lane_fiber::enter() {
#if defined(__SANITIZE_ADDRESS__)
    void* frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, stack_, stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    outside_tsan_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_tsan_, 0);
#endif
    inside_ = std::move(inside_).resume();
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
}

void lane_fiber::leave() {
#if defined(__SANITIZE_ADDRESS__)
    void* frames = nullptr;
    __sanitizer_start_switch_fiber(&frames, outside_stack_, outside_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(outside_tsan_, 0);
#endif
    outside_ = std::move(outside_).resume();
#if defined(__SANITIZE_ADDRESS__)
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
