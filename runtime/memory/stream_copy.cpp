#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <copse/runtime/memory/stream_copy.hpp>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace copse::detail::HWY_NAMESPACE {
namespace {

void copy_lines(std::byte* to, std::byte const* from, std::int64_t bytes) {
    namespace hn = hwy::HWY_NAMESPACE;
    hn::FixedTag<std::uint8_t, 16> const tag;
    constexpr std::int64_t line = 64;
    std::int64_t const before = -static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to)) & (line - 1);
    std::int64_t i = before < bytes ? before : bytes;
    std::memcpy(to, from, static_cast<std::size_t>(i));
    for (; i + line <= bytes; i += line)
        for (std::int64_t k = i; k < i + line; k += 16)
            hn::Stream(hn::LoadU(tag, reinterpret_cast<std::uint8_t const*>(from) + k), tag,
                       reinterpret_cast<std::uint8_t*>(to) + k);
    std::memcpy(to + i, from + i, static_cast<std::size_t>(bytes - i));
    hwy::FlushStream();
}

}  // namespace
}  // namespace copse::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

namespace copse::detail {

void stream_copy(std::byte* to, std::byte const* from, std::int64_t bytes) {
    HWY_STATIC_DISPATCH(copy_lines)(to, from, bytes);
}

}  // namespace copse::detail
