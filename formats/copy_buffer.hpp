// Arrays from one memory to another.
#pragma once

#include <copse/runtime/buffer.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace copse::detail {

/// The elements of `array`, which is in host memory, in the memory `where`: the same array if that is host memory too.
template <class T>
buffer<T> in_memory(std::shared_ptr<memory> const& where, buffer<T>&& array) {
    if (where->space() == memory_space::host) return std::move(array);
    return {where, std::span<T const>(array.data(), static_cast<std::size_t>(array.size()))};
}

/// A copy in host memory. Waits.
template <class T>
buffer<T> host_copy(buffer<T> const& array) {
    buffer<T> copy(host_memory(), array.size());
    array.read(0, {copy.data(), static_cast<std::size_t>(copy.size())});
    return copy;
}

}  // namespace copse::detail
