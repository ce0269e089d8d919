// Arrays from one memory to another.
#pragma once

#include <algorithm>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/memory/fresh_pages.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace copse::detail {

/// The elements of `array`, which is in host memory, in the memory `where`: the same array if it is there already.
template <class T>
buffer<T> in_memory(std::shared_ptr<memory> const& where, buffer<T>&& array) {
    if (array.where() == where) return std::move(array);
    return {where, std::span<T const>(array.data(), static_cast<std::size_t>(array.size()))};
}

/// A copy in the memory `where`. By all threads where that is host memory: the first one to touch a page of new memory
/// pays for it, and has it near.
template <class T>
buffer<T> copy_in(std::shared_ptr<memory> const& where, std::span<T const> array) {
    if (where->space() != memory_space::host) return {where, array};
    buffer<T> copy(where, std::ssize(array));
    for_stretches(copy.size(), 1 << 16, [&](std::int64_t first, std::int64_t last) {
        std::copy_n(array.data() + first, last - first, copy.data() + first);
    });
    return copy;
}

/// The elements, which a vector of host memory need not be filled with zeros for. Waits.
template <class T>
std::vector<T> to_vector(buffer<T> const& array) {
    if (array.size() == 0 || array.where()->space() != memory_space::host) return array.to_host();
    std::vector<T> copy;
    reserve_touched(copy, static_cast<std::size_t>(array.size()));
    copy.assign(array.data(), array.data() + array.size());
    return copy;
}

/// A copy in host memory. Waits.
template <class T>
buffer<T> host_copy(buffer<T> const& array) {
    buffer<T> copy(host_memory(), array.size());
    array.read(0, {copy.data(), static_cast<std::size_t>(copy.size())});
    return copy;
}

}  // namespace copse::detail
