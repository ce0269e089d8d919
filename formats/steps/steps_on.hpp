// The steps of conversions on an executor: steps_on<Executor> steps(executor), or where its memory is at hand alone,
// steps(memory). For gpu they are in gpu_steps.cuh; for the emulated executor the host takes them one by one
// (host_steps).
#pragma once

#include <algorithm>
#include <copse/formats/steps/begins_anew.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/executor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>
#if defined(__CUDACC__)
#include <copse/formats/steps/gpu_steps.cuh>
#endif

namespace copse::detail {

/// A group of one lane.
struct host_group {
    std::byte* own_memory;

    static constexpr int rank() { return 0; }
    static constexpr int size() { return 1; }
    void sync() const {}
    template <class T>
    void add(T* p, T value) const {
        *p += value;
    }
    template <class T>
    T* memory() const {
        return reinterpret_cast<T*>(own_memory);
    }
};

struct host_steps {
    std::shared_ptr<memory> const& temporary() const { return host_memory(); }
    template <class F>
    void for_each(std::int64_t count, F const& f) const {
        for (std::int64_t i = count - 1; i >= 0; --i) f(i);  // no step may count on an order
    }
    template <class F>
    void for_each_by_group(std::int64_t count, std::size_t memory_bytes, F const& f) const {
        std::vector<std::byte> memory(memory_bytes);  // no more: the address sanitizer sees what is not asked for
        for (std::int64_t i = count - 1; i >= 0; --i) f(i, host_group{memory.data()});
    }
    template <class Value>
    void zero(Value* p, std::int64_t count) const {
        std::fill_n(p, count, Value(0));
    }
    template <class Value>
    void copy(Value* to, Value const* from, std::int64_t count) const {
        std::copy_n(from, count, to);
    }
    void sum_before(std::int64_t* p, std::int64_t count) const {
        std::exclusive_scan(p, p + count, p, std::int64_t{0});
    }
    template <class Value>
    void sort_pairs(buffer<std::uint64_t>& keys, buffer<Value>& values, int begin_bit, int end_bit) const {
        std::vector<std::pair<std::uint64_t, Value>> pairs;
        for (std::int64_t i = 0; i < keys.size(); ++i) pairs.emplace_back(keys.data()[i], values.data()[i]);
        std::uint64_t const mask =
            (end_bit < 64 ? (std::uint64_t{1} << end_bit) - 1 : ~std::uint64_t{0}) >> begin_bit << begin_bit;
        std::stable_sort(pairs.begin(), pairs.end(),
                         [&](auto const& a, auto const& b) { return (a.first & mask) < (b.first & mask); });
        for (std::int64_t i = 0; i < keys.size(); ++i)
            std::tie(keys.data()[i], values.data()[i]) = pairs[static_cast<std::size_t>(i)];
    }
    void select(std::int64_t count, begins_anew const& which, std::uint32_t* to, std::int64_t* found) const {
        *found = 0;
        for (std::int64_t i = 0; i < count; ++i)
            if (which(static_cast<std::uint32_t>(i))) to[(*found)++] = static_cast<std::uint32_t>(i);
    }
    std::int64_t select(std::int64_t count, begins_anew const& which, std::uint32_t* to) const {
        std::int64_t found = 0;
        select(count, which, to, &found);
        return found;
    }
    void wait() const {}
};

template <any_executor Executor>
struct steps_on : host_steps {
    explicit steps_on(Executor& executor) : temporary_(temporary_memory(executor)) {}
    explicit steps_on(std::shared_ptr<memory> const& where) : temporary_(where) {}

    std::shared_ptr<memory> const& temporary() const { return temporary_; }

  private:
    std::shared_ptr<memory> temporary_;
};
#if defined(__CUDACC__)
template <>
struct steps_on<gpu> : gpu_steps {
    using gpu_steps::gpu_steps;
};
#endif

}  // namespace copse::detail
