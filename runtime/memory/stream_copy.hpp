// Copying what will not be read soon: past the caches, so that the lines written are not read from memory first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::detail {

/// The same as memcpy. Another thread sees it once this one has done an atomic operation that writes with release.
void stream_copy(std::byte* to, std::byte const* from, std::int64_t bytes);

}  // namespace copse::detail
