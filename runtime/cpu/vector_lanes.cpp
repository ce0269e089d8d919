// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <copse/runtime/cpu/simd_targets.hpp>
#include <copse/runtime/cpu/vector_lanes.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/runtime/cpu/vector_lanes.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

int bytes_of_vectors() {
    return static_cast<int>(hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<unsigned char>()));
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(bytes_of_vectors);

}  // namespace

int vector_bytes() {
    return HWY_DYNAMIC_DISPATCH(bytes_of_vectors)();
}

}  // namespace copse::detail
#endif  // HWY_ONCE
