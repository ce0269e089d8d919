// Arrays in an executor's memory, and views of them.
//
//   copse::buffer<double> x(gpu, n);                  // owns n elements in the executor's memory; moves, does not copy
//   copse::buffer<double> y(gpu, host_values);        // filled from the host
//   copse::buffer<double> z(gpu, n, 0.0);             // n zeros
//   copse::spmv(gpu, 1.0, a, x, 0.0, y);              // buffers, vectors and spans convert to vector_view
//   std::vector<double> result = y.to_host();
#pragma once

#include <algorithm>
#include <copse/runtime/cpu/parallel_for.hpp>
#include <copse/runtime/error.hpp>
#include <copse/runtime/memory.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {

/// `size` elements at `data`, and where they are. Does not own.
template <class T>
class vector_view {
  public:
    vector_view() = default;
    vector_view(T* data, std::int64_t size, memory_space space) : data_(data), size_(size), space_(space) {}
    vector_view(std::span<T> host)
        : vector_view(host.data(), static_cast<std::int64_t>(host.size()), memory_space::host) {}
    template <class U, std::size_t Extent>
    requires std::is_convertible_v<U (*)[], T (*)[]> vector_view(std::span<U, Extent> host)
        : vector_view(host.data(), static_cast<std::int64_t>(host.size()), memory_space::host) {}
    template <class U>
    requires std::is_same_v<U, std::remove_const_t<T>> vector_view(std::vector<U>& host)
        : vector_view(host.data(), static_cast<std::int64_t>(host.size()), memory_space::host) {}
    template <class U>
    requires(std::is_const_v<T>&& std::is_same_v<U, std::remove_const_t<T>>) vector_view(std::vector<U> const& host)
        : vector_view(host.data(), static_cast<std::int64_t>(host.size()), memory_space::host) {}
    template <class U>
    requires(std::is_const_v<T>&& std::is_same_v<U, std::remove_const_t<T>>) vector_view(vector_view<U> other)
        : vector_view(other.data(), other.size(), other.space()) {}

    T* data() const noexcept { return data_; }
    std::int64_t size() const noexcept { return size_; }
    memory_space space() const noexcept { return space_; }

  private:
    T* data_ = nullptr;
    std::int64_t size_ = 0;
    memory_space space_ = memory_space::host;
};

/// `size` elements at `data` in a GPU's memory, as vectors of products and the values of matrices are given.
template <class T>
vector_view<T> device_vector(T* data, std::int64_t size) {
    return {data, size, memory_space::device};
}

/// What a buffer has, for the host to read: where it is if that is host memory, else a copy of its own. Valid while the
/// buffer has its memory; what is written later is not seen in a copy.
template <class T>
class host_view {
  public:
    host_view(T const* data, std::int64_t size, std::vector<T> copy)
        : copy_(std::move(copy)), all_(copy_.empty() ? data : copy_.data(), static_cast<std::size_t>(size)) {}
    host_view(host_view const&) = delete;
    host_view& operator=(host_view const&) = delete;

    auto begin() const noexcept { return all_.begin(); }
    auto end() const noexcept { return all_.end(); }
    T const* data() const noexcept { return all_.data(); }
    std::size_t size() const noexcept { return all_.size(); }
    bool empty() const noexcept { return all_.empty(); }
    T const& operator[](std::size_t i) const noexcept { return all_[i]; }

  private:
    std::vector<T> copy_;
    std::span<T const> all_;
};

/// Owns `size` elements in one memory. The content of a new buffer is undefined. A buffer that was moved from has no
/// memory and no elements, as a default-constructed one, until another buffer is assigned to it.
template <class T>
class buffer {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    buffer() = default;
    /// Throws argument_error if `where` is null, if size < 0, and if that is more than 2^63 - 1 bytes.
    buffer(std::shared_ptr<memory> where, std::int64_t size)
        : memory_(std::move(checked(where))),
          data_(static_cast<T*>(memory_->allocate(checked(size) * sizeof(T)))),
          size_(size) {}
    buffer(std::shared_ptr<memory> where, std::span<T const> values)
        : buffer(std::move(where), static_cast<std::int64_t>(values.size())) {
        memory_->copy_from_host(data_, values.data(), bytes());
    }
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    buffer(Executor const& executor, std::int64_t size) : buffer(executor.memory(), size) {}
    /// Each element is `value`. In host memory all threads fill it: the first one to touch a page waits for it.
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    buffer(Executor const& executor, std::int64_t size, T value) : buffer(executor.memory(), size) {
        if (view().space() == memory_space::host)
            detail::on_threads_of(executor, [&] {
                detail::for_stretches(size, 1 << 16, [&](std::int64_t first, std::int64_t last) {
                    std::fill(data_ + first, data_ + last, value);
                });
            });
        else if (size > 0)
            memory_->copy_from_host(data_, std::vector<T>(static_cast<std::size_t>(size), value).data(), bytes());
    }
    template <class Executor>
    requires requires(Executor const& e) { e.memory(); }
    buffer(Executor const& executor, std::vector<T> const& values)
        : buffer(executor.memory(), std::span<T const>(values)) {}

    buffer(buffer&& other) noexcept { swap(other); }
    buffer& operator=(buffer&& other) noexcept {
        buffer(std::move(other)).swap(*this);
        return *this;
    }
    ~buffer() {
        if (data_) memory_->deallocate(data_);
    }

    T* data() const noexcept { return data_; }
    std::int64_t size() const noexcept { return size_; }
    std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * sizeof(T); }

    vector_view<T> view() const noexcept { return {data_, size_, memory_ ? memory_->space() : memory_space::host}; }
    operator vector_view<T>() const noexcept { return view(); }
    operator vector_view<T const>() const noexcept { return view(); }

    /// Keeps the first `size` elements. Views of the buffer become invalid. On a GPU, streams other than the executor's
    /// must have finished with the buffer. Throws argument_error if the buffer has fewer.
    void shrink(std::int64_t size) {
        if (size < 0 || size > size_)
            throw argument_error("buffer: shrink() to " + std::to_string(size) + " elements; the buffer has " +
                                 std::to_string(size_));
        if (!data_) return;
        data_ = static_cast<T*>(memory_->shrink(data_, bytes(), static_cast<std::size_t>(size) * sizeof(T)));
        size_ = size;
    }

    /// Gives the memory back without waiting: no thread and no stream may be using it any more.
    void release_unused() noexcept {
        if (data_) memory_->deallocate_unused(data_);
        data_ = nullptr;
        size_ = 0;
    }

    /// The memory that the elements are in; null if the buffer was made without one.
    std::shared_ptr<memory> const& where() const noexcept { return memory_; }

    /// Copies elements first .. first + to.size() - 1 into host memory. Waits for the copy. Throws shape_error if the
    /// buffer does not have all of them; cuda_error.
    void read(std::int64_t first, std::span<T> to) const {
        if (first < 0 || first > size_ || std::ssize(to) > size_ - first)
            throw shape_error("buffer: " + std::to_string(to.size()) + " elements from " + std::to_string(first) +
                              " were asked for; the buffer has " + std::to_string(size_));
        if (!to.empty()) memory_->copy_to_host(to.data(), data_ + first, to.size_bytes());
    }
    /// Copies all elements into a vector. Waits for the copy. Throws cuda_error.
    std::vector<T> to_host() const {
        std::vector<T> values(static_cast<std::size_t>(size_));
        if (size_ > 0) memory_->copy_to_host(values.data(), data_, bytes());
        return values;
    }

    /// All elements, without a copy where the host can read them. Waits for a copy. Throws cuda_error.
    host_view<T> on_host() const {
        bool const in_place = view().space() == memory_space::host;
        return {data_, size_, in_place ? std::vector<T>() : to_host()};
    }

  private:
    static std::size_t checked(std::int64_t size) {
        std::int64_t constexpr most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T));
        if (size < 0 || size > most)
            throw argument_error("buffer: " + std::to_string(size) + " elements were asked for; give a size of 0 to " +
                                 std::to_string(most));
        return static_cast<std::size_t>(size);
    }
    static std::shared_ptr<memory>& checked(std::shared_ptr<memory>& where) {
        if (!where)
            throw argument_error(
                "buffer: no memory was given; a buffer that was moved from, or made without one, has none");
        return where;
    }
    void swap(buffer& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    std::shared_ptr<memory> memory_;
    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

}  // namespace copse
