// What conversions by steps (csr5/steps.hpp, sellp/steps.hpp, cmrs/steps.hpp, conversion_run.hpp) ask of a GPU, in the
// executor's stream.
#pragma once

#include <algorithm>
#include <copse/formats/steps/begins_anew.hpp>
#include <copse/runtime/buffer.hpp>
#include <copse/runtime/gpu.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <copse/runtime/gpu/memory.cuh>
#include <copse/runtime/gpu/state.cuh>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace copse::detail {

inline constexpr int step_threads = 256;

template <class F>
__global__ void __launch_bounds__(step_threads) step_kernel(std::int64_t count, __grid_constant__ F const f) {
    std::int64_t const i = std::int64_t{blockIdx.x} * step_threads + threadIdx.x;
    if (i < count) f(i);
}

/// The threads of a block and the memory that they share, dynamic as its size is.
class step_group {
  public:
    __device__ static int rank() { return static_cast<int>(threadIdx.x); }
    static constexpr int size() { return step_threads; }
    __device__ static void sync() { __syncthreads(); }
    __device__ static void add(std::uint32_t* p, std::uint32_t value) { atomicAdd(p, value); }
    __device__ static void add(std::int64_t* p, std::int64_t value) {
        atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
    }
    template <class T>
    __device__ static T* memory() {
        extern __shared__ uint4 of_block[];
        return reinterpret_cast<T*>(of_block);
    }
};

template <class F>
__global__ void __launch_bounds__(step_threads) group_kernel(std::int64_t count, __grid_constant__ F const f) {
    for (std::int64_t i = blockIdx.x; i < count; i += gridDim.x) {
        f(i, step_group());
        step_group::sync();  // the memory is the next one's
    }
}

class gpu_steps {
  public:
    explicit gpu_steps(gpu& executor)
        : stream_(state_of(executor).stream()),
          temporary_(executor.temporary()),
          device_(state_of(executor).device()) {}
    /// On the stream of an executor's memory, which may have outlived the executor. Throws cuda_error where the stream
    /// is capturing.
    explicit gpu_steps(std::shared_ptr<memory> const& where)
        : gpu_steps(std::dynamic_pointer_cast<gpu_memory>(where)) {}

    /// Where a conversion keeps what it needs in between: may be given back while steps that use it are on their way.
    std::shared_ptr<memory> const& temporary() const { return temporary_; }

    /// f(i) for i < count, side by side.
    template <class F>
    void for_each(std::int64_t count, F const& f) const {
        if (count == 0) return;
        auto const blocks = static_cast<unsigned>((count + step_threads - 1) / step_threads);
        step_kernel<<<blocks, step_threads, 0, stream()>>>(count, f);
        COPSE_CUDA_TRY(cudaGetLastError());
    }
    /// f(i, group) for i < count, each by a group of lanes that share memory_bytes, 48 KiB at most.
    template <class F>
    void for_each_by_group(std::int64_t count, std::size_t memory_bytes, F const& f) const {
        if (count == 0) return;
        auto const blocks = static_cast<unsigned>(std::min(count, std::int64_t{1} << 30));
        group_kernel<<<blocks, step_threads, memory_bytes, stream()>>>(count, f);
        COPSE_CUDA_TRY(cudaGetLastError());
    }
    template <class Value>
    void zero(Value* p, std::int64_t count) const {
        if (count == 0) return;
        COPSE_CUDA_TRY(cudaMemsetAsync(p, 0, static_cast<std::size_t>(count) * sizeof(Value), stream()));
    }
    template <class Value>
    void copy(Value* to, Value const* from, std::int64_t count) const {
        if (count == 0) return;
        COPSE_CUDA_TRY(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(Value),
                                       cudaMemcpyDeviceToDevice, stream()));
    }
    /// p[i] <- p[0] + ... + p[i - 1]
    void sum_before(std::int64_t* p, std::int64_t count) const;
    /// Stable, by bits begin_bit .. end_bit - 1 of the keys.
    template <class Value>
    void sort_pairs(buffer<std::uint64_t>& keys, buffer<Value>& values, int begin_bit, int end_bit) const {
        static_assert(sizeof(Value) == 4 || sizeof(Value) == 8);
        using word = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
        buffer<std::uint64_t> other_keys(temporary(), keys.size());
        buffer<Value> other_values(temporary(), values.size());
        word* const words[] = {reinterpret_cast<word*>(values.data()), reinterpret_cast<word*>(other_values.data())};
        sorted const in_other = sort_words({keys.data(), other_keys.data()}, words, keys.size(), begin_bit, end_bit);
        if (in_other.keys) take(keys, other_keys);
        if (in_other.values) take(values, other_values);
    }
    /// to[0 .. *found - 1]: the i < count, ascending, for which which(i).
    void select(std::int64_t count, begins_anew const& which, std::uint32_t* to, std::int64_t* found) const;
    /// The same. Returns how many; waits.
    std::int64_t select(std::int64_t count, begins_anew const& which, std::uint32_t* to) const {
        buffer<std::int64_t> const found(temporary(), 1);
        select(count, which, to, found.data());
        return found.to_host().front();
    }
    void wait() const { COPSE_CUDA_TRY(cudaStreamSynchronize(stream())); }

  private:
    explicit gpu_steps(std::shared_ptr<gpu_memory> const& where)
        : stream_(where->stream()), temporary_(std::make_shared<stream_memory>(where)), device_(where->device()) {
        refuse_capture(stream_, "a conversion");
    }
    /// The content of `other`, which is temporary. Copied where `to` is not: a matrix keeps nothing in temporary
    /// memory.
    template <class Value>
    void take(buffer<Value>& to, buffer<Value>& other) const {
        if (to.where() == temporary())
            std::swap(to, other);
        else
            copy(to.data(), other.data(), other.size());
    }
    /// Which of two arrays have what was sorted: true is the second.
    struct sorted {
        bool keys;
        bool values;
    };
    template <class Word>
    sorted sort_words(std::uint64_t* const (&keys)[2], Word* const (&values)[2], std::int64_t count, int begin_bit,
                      int end_bit) const;
    cudaStream_t stream() const { return stream_; }

    cudaStream_t stream_;
    std::shared_ptr<memory> temporary_;
    current_device device_;
};

}  // namespace copse::detail
