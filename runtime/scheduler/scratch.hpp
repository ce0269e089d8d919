// Scratch memory of a worker, as an array: the emulated executor checks every access, the others none.
#pragma once

#include <copse/runtime/config.hpp>
#include <copse/runtime/task.hpp>
#include <cstddef>
#include <cstdint>

namespace copse {

template <class T>
class scratch_array {
  public:
    COPSE_HOST_DEVICE scratch_array(T* data, int size) : data_(data), size_(size) {}
    COPSE_HOST_DEVICE T& operator[](std::int64_t i) const { return data_[i]; }
    COPSE_HOST_DEVICE T* data() const { return data_; }
    COPSE_HOST_DEVICE int size() const { return size_; }
    /// Elements first .. first + count - 1.
    COPSE_HOST_DEVICE scratch_array part(int first, int count) const { return {data_ + first, count}; }

  private:
    T* data_;
    int size_;
};

namespace detail {

template <class T, class Task>
COPSE_HOST_DEVICE scratch_array<T> scratch_of(void* memory, int count) {
    static_assert(task_scratch_bytes<Task>() > 0,
                  "copse: scratch: the task has none; give it `static constexpr std::size_t scratch_bytes`");
    return {static_cast<T*>(memory), count};
}

}  // namespace detail
}  // namespace copse
