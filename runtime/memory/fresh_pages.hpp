// Pages behind memory that was just allocated: the system clears each when it is first written. One thread that fills
// an array waits for each of them, 4 KiB at a time; here all threads do, in large pages where the system has them.
#pragma once

#include <cstddef>
#include <vector>

namespace copse::detail {

/// Puts pages behind what lies in whole large pages of the `bytes` bytes at p, whose content stays as it is; the system
/// refusing is no error. Parallel, on the threads of parallel_for.
void touch_pages(void* p, std::size_t bytes);

/// Room for `size` elements, with pages behind it.
template <class T>
void reserve_touched(std::vector<T>& v, std::size_t size) {
    v.reserve(size);
    if (size > v.size()) touch_pages(v.data() + v.size(), (size - v.size()) * sizeof(T));
}

}  // namespace copse::detail
