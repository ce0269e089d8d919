// Compiled once for each instruction set, by including itself; the best that the machine has is chosen at run time.
#include <algorithm>
#include <copse/cpu/flat/index_range.hpp>
#include <copse/runtime/cpu/simd_targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "copse/cpu/flat/index_range.cpp"
#include <hwy/foreach_target.h>
// Order: after foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

index_range find_range(std::uint32_t const* indices, std::int64_t count) {
    hn::ScalableTag<std::uint32_t> const tag;
    auto const lanes = static_cast<std::int64_t>(hn::Lanes(tag));
    auto least = hn::Set(tag, indices[0]), most = least;
    std::int64_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        auto const some = hn::LoadU(tag, indices + k);
        least = hn::Min(least, some);
        most = hn::Max(most, some);
    }
    index_range found{hn::GetLane(hn::MinOfLanes(tag, least)), hn::GetLane(hn::MaxOfLanes(tag, most))};
    for (; k < count; ++k) {
        found.least = std::min(found.least, indices[k]);
        found.most = std::max(found.most, indices[k]);
    }
    return found;
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace copse::detail {
namespace {

HWY_EXPORT(find_range);

}  // namespace

index_range range_of(std::uint32_t const* indices, std::int64_t count) {
    return HWY_DYNAMIC_DISPATCH(find_range)(indices, count);
}

}  // namespace copse::detail
#endif  // HWY_ONCE
