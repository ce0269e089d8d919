// Column indices as gathers want them: of the values' width. For sources that Highway compiles once for each
// instruction set.
#if defined(COPSE_CPU_COLUMN_INDICES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef COPSE_CPU_COLUMN_INDICES_INL_HPP
#undef COPSE_CPU_COLUMN_INDICES_INL_HPP
#else
#define COPSE_CPU_COLUMN_INDICES_INL_HPP
#endif

#include <hwy/highway.h>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Tag>
HWY_INLINE hn::Vec<hn::RebindToSigned<Tag>> to_width(Tag, hn::Vec<hn::Rebind<std::int32_t, Tag>> indices) {
    if constexpr (sizeof(hn::TFromD<Tag>) == 4)
        return indices;
    else
        return hn::PromoteTo(hn::RebindToSigned<Tag>(), indices);
}

template <class Tag>
HWY_INLINE hn::Vec<hn::RebindToSigned<Tag>> load_indices(Tag tag, std::int32_t const* columns) {
    return to_width(tag, hn::LoadU(hn::Rebind<std::int32_t, Tag>(), columns));
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
