// What a gpu worker needs of the machine beyond atomic operations: loads with a cache policy, additions, barriers, a
// clock. Together with gpu/machine.cuh the only place that holds PTX.
#pragma once

#include <array>
#include <bit>
#include <copse/runtime/gpu/machine.cuh>
#include <copse/runtime/worker.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace copse::detail {

/// How L2 is to treat a line: an operand of loads. One instruction makes it; a worker does once.
using cache_policy = std::uint64_t;

/// For what is read once: the first to make room.
__device__ inline cache_policy used_once() {
    cache_policy policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

/// For what is read again from elsewhere: as other lines.
__device__ inline cache_policy used_again() {
    cache_policy policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

/// A load of what is read once, which must not displace what is read again: no line in L1, the policy's place in L2.
/// Not the read-only path (.nc): earlier phases of the same kernel may have written the data.
template <class T>
__device__ T load_once(T const* p, [[maybe_unused]] cache_policy policy) {
    static_assert(std::is_trivially_copyable_v<T>);
    [[maybe_unused]] std::size_t const address = __cvta_generic_to_global(p);
    T value;
#if __CUDA_ARCH__ < 800
    value = *p;  // policies are younger
#else
    if constexpr (sizeof(T) == 16 && alignof(T) == 16) {
        uint4 raw;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(raw.x), "=r"(raw.y), "=r"(raw.z), "=r"(raw.w)
                     : "l"(address), "l"(policy)
                     : "memory");
        memcpy(&value, &raw, sizeof(T));
    } else if constexpr (sizeof(T) == 8 && alignof(T) == 8) {
        unsigned long long raw;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.b64 %0, [%1], %2;"
                     : "=l"(raw)
                     : "l"(address), "l"(policy)
                     : "memory");
        memcpy(&value, &raw, sizeof(T));
    } else if constexpr (sizeof(T) == 4 && alignof(T) == 4) {
        unsigned raw;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.b32 %0, [%1], %2;"
                     : "=r"(raw)
                     : "l"(address), "l"(policy)
                     : "memory");
        memcpy(&value, &raw, sizeof(T));
    } else if constexpr (sizeof(T) == 2 && alignof(T) == 2) {
        unsigned short raw;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.b16 %0, [%1], %2;"
                     : "=h"(raw)
                     : "l"(address), "l"(policy)
                     : "memory");
        memcpy(&value, &raw, sizeof(T));
    } else if constexpr (sizeof(T) == 1) {
        unsigned raw;
        asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u8 %0, [%1], %2;"
                     : "=r"(raw)
                     : "l"(address), "l"(policy)
                     : "memory");
        auto const byte = static_cast<unsigned char>(raw);
        memcpy(&value, &byte, 1);
    } else {
        value = *p;  // no single instruction loads it
    }
#endif
    return value;
}

/// to[0 .. 16) on chip = from[0 .. 16), which is read once: past L1 and the registers. Done after wait_for_copies().
__device__ inline void copy_once(void* to, void const* from, [[maybe_unused]] cache_policy policy) {
#if __CUDA_ARCH__ < 800
    *static_cast<uint4*>(to) = *static_cast<uint4 const*>(from);
#else
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                     static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from)), "l"(policy)
                 : "memory");
#endif
}
/// For the calling lane's.
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Has L2 fetch p[0 .. bytes), for load_once, and does not wait; both are multiples of 16. Older devices do nothing.
__device__ inline void fetch_once([[maybe_unused]] void const* p, [[maybe_unused]] std::int64_t bytes,
                                  [[maybe_unused]] cache_policy policy) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(__cvta_generic_to_global(p)),
                 "r"(static_cast<std::uint32_t>(bytes)), "l"(policy));
#endif
}

/// N elements that one instruction loads or stores.
template <class T, std::size_t N>
struct alignas(N * sizeof(T)) vector_of {
    static_assert(N * sizeof(T) <= 16, "copse: one instruction moves 16 bytes at most");
    std::array<T, N> values;
};

/// p[0 .. N) by one load of N * sizeof(T) bytes, 16 at most; p is a multiple of so many.
template <int N, class T>
__device__ std::array<T, N> load_vector_once(T const* p, cache_policy policy) {
    return load_once(reinterpret_cast<vector_of<T, N> const*>(p), policy).values;
}
/// The same by the way of all loads. Written as an instruction: nvcc takes a vector apart where another branch loads
/// its first element alone.
template <int N, class T>
__device__ std::array<T, N> load_vector(T const* p) {
    int constexpr bytes = N * sizeof(T);
    static_assert(bytes <= 16, "copse: one instruction moves 16 bytes at most");
    using two = std::conditional_t<bytes == 2, unsigned short, unsigned char>;
    using eight = std::conditional_t<bytes == 8, uint2, std::conditional_t<bytes == 4, unsigned, two>>;
    using raw = std::conditional_t<bytes == 16, uint4, eight>;
    static_assert(sizeof(raw) == bytes);
    asm volatile("" ::: "memory");  // behind what was stored before
    raw const loaded = __ldca(reinterpret_cast<raw const*>(p));
    std::array<T, N> values;
    memcpy(&values, &loaded, bytes);
    return values;
}

/// 16 bytes of what is read once, of whose line the rest is for the calling lane's next loads: L1 keeps it, in L2 it
/// has the policy's place.
template <int N, class T>
__device__ std::array<T, N> load_line_vector(T const* p, [[maybe_unused]] cache_policy policy) {
    static_assert(N * sizeof(T) == 16);
#if __CUDA_ARCH__ < 800
    return load_vector<N>(p);  // policies are younger
#else
    uint4 raw;
    asm volatile("ld.global.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(raw.x), "=r"(raw.y), "=r"(raw.z), "=r"(raw.w)
                 : "l"(__cvta_generic_to_global(p)), "l"(policy)
                 : "memory");
    std::array<T, N> values;
    memcpy(&values, &raw, sizeof raw);
    return values;
#endif
}

/// Atomic, relaxed, among the threads of the block; `p` in shared memory.
template <class T>
__device__ void add_in_block(T* p, T value) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
        atomicAdd_block(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
    else if constexpr (std::is_integral_v<T>)
        atomicAdd_block(reinterpret_cast<unsigned*>(p), static_cast<unsigned>(value));
    else
        atomicAdd_block(p, value);
}

/// The atomic operations of task functions that return something or compare, of device scope. Addresses are generic:
/// global or shared memory.
struct gpu_operands {
    template <class T>
    __device__ static T load_relaxed(T const* p) {
        bits<T> value;
        if constexpr (sizeof(T) == 4)
            asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
        else
            asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
        return std::bit_cast<T>(value);
    }
    template <class T>
    __device__ static T exchange_if(T* p, T expected, T desired) {
        bits<T> before;
        if constexpr (sizeof(T) == 4)
            asm volatile("atom.acq_rel.gpu.cas.b32 %0, [%1], %2, %3;"
                         : "=r"(before)
                         : "l"(p), "r"(std::bit_cast<bits<T>>(expected)), "r"(std::bit_cast<bits<T>>(desired))
                         : "memory");
        else
            asm volatile("atom.acq_rel.gpu.cas.b64 %0, [%1], %2, %3;"
                         : "=l"(before)
                         : "l"(p), "l"(std::bit_cast<bits<T>>(expected)), "l"(std::bit_cast<bits<T>>(desired))
                         : "memory");
        return std::bit_cast<T>(before);
    }
    template <class T>
    __device__ static T exchange_if_relaxed(T* p, T expected, T desired) {
        bits<T> before;
        if constexpr (sizeof(T) == 4)
            asm volatile("atom.relaxed.gpu.cas.b32 %0, [%1], %2, %3;"
                         : "=r"(before)
                         : "l"(p), "r"(std::bit_cast<bits<T>>(expected)), "r"(std::bit_cast<bits<T>>(desired))
                         : "memory");
        else
            asm volatile("atom.relaxed.gpu.cas.b64 %0, [%1], %2, %3;"
                         : "=l"(before)
                         : "l"(p), "l"(std::bit_cast<bits<T>>(expected)), "l"(std::bit_cast<bits<T>>(desired))
                         : "memory");
        return std::bit_cast<T>(before);
    }
    template <class T>
    __device__ static void fold_integer(T* p, T value, min_op) {
        if constexpr (sizeof(T) == 4 && std::is_signed_v<T>)
            asm volatile("red.relaxed.gpu.min.s32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
        else if constexpr (sizeof(T) == 4)
            asm volatile("red.relaxed.gpu.min.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
        else if constexpr (std::is_signed_v<T>)
            asm volatile("red.relaxed.gpu.min.s64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
        else
            asm volatile("red.relaxed.gpu.min.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
    }
    template <class T>
    __device__ static void fold_integer(T* p, T value, max_op) {
        if constexpr (sizeof(T) == 4 && std::is_signed_v<T>)
            asm volatile("red.relaxed.gpu.max.s32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
        else if constexpr (sizeof(T) == 4)
            asm volatile("red.relaxed.gpu.max.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
        else if constexpr (std::is_signed_v<T>)
            asm volatile("red.relaxed.gpu.max.s64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
        else
            asm volatile("red.relaxed.gpu.max.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
    }

  private:
    template <class T>
    using bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
};

/// Atomic, relaxed, device scope; `p` in global memory. Without a result, so that it is sent off and not waited for.
template <class T>
__device__ void add_in_memory(T* p, T value) {
    std::size_t const address = __cvta_generic_to_global(p);
    if constexpr (std::is_same_v<T, float>)
        asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(address), "f"(value) : "memory");
    else if constexpr (std::is_same_v<T, double>)
        asm volatile("red.relaxed.gpu.global.add.f64 [%0], %1;" ::"l"(address), "d"(value) : "memory");
    else
        gpu_machine::add_relaxed(p, value);
}

/// The same for 2 or 4 neighbours by one instruction, each for itself; p is a multiple of their size.
template <std::size_t N>
__device__ void add_vector_in_memory(float* p, std::array<float, N> const& values) {
    static_assert(N == 2 || N == 4);
#if __CUDA_ARCH__ >= 900
    std::size_t const address = __cvta_generic_to_global(p);
    if constexpr (N == 2)
        asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(address), "f"(values[0]), "f"(values[1])
                     : "memory");
    else
        asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(address), "f"(values[0]),
                     "f"(values[1]), "f"(values[2]), "f"(values[3])
                     : "memory");
#else
    for (std::size_t i = 0; i < N; ++i) add_in_memory(p + i, values[i]);
#endif
}

/// Operations of the copy engine on whole stretches; older devices have none.
#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
inline constexpr bool has_bulk_operations = true;
#else
inline constexpr bool has_bulk_operations = false;
#endif

/// By each thread, behind its writes to shared memory: bulk operations that a thread starts after a barrier see them.
__device__ inline void show_to_bulk_operations() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// target[i] += from[i] for i < count, each relaxed, device scope; target: global, from: shared memory; both and their
/// sizes are multiples of 16 bytes. Waits until the sums are there: this thread and whoever it synchronises with see
/// them.
template <class T>
__device__ void add_in_bulk([[maybe_unused]] T* target, [[maybe_unused]] T const* from, [[maybe_unused]] int count) {
#if __CUDA_ARCH__ >= 900
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
    auto const to = __cvta_generic_to_global(target);
    auto const source = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
    auto const bytes = static_cast<std::uint32_t>(count * sizeof(T));
    asm volatile("fence.proxy.async.global;" ::: "memory");  // what earlier phases wrote to target comes first
    if constexpr (sizeof(T) == 4)
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to),
                     "r"(source), "r"(bytes)
                     : "memory");
    else
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], %2;" ::"l"(to),
                     "r"(source), "r"(bytes)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

/// A barrier of copies into shared memory, 8 bytes there: in each of its phases one thread begins a copy, and the phase
/// ends when the bytes are there. Its memory is nothing else's until it is taken down.
__device__ inline void set_up_bulk_barrier([[maybe_unused]] std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(barrier)))
        : "memory");
#endif
}
__device__ inline void take_down_bulk_barrier([[maybe_unused]] std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.inval.shared::cta.b64 [%0];" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(barrier)))
        : "memory");
#endif
}
/// Begins to copy bytes, read once, from global to shared memory; all three are multiples of 16.
__device__ inline void copy_in_bulk([[maybe_unused]] void* to, [[maybe_unused]] void const* from,
                                    [[maybe_unused]] int bytes, [[maybe_unused]] std::uint64_t* barrier,
                                    [[maybe_unused]] cache_policy policy) {
#if __CUDA_ARCH__ >= 900
    auto const there = static_cast<std::uint32_t>(__cvta_generic_to_shared(barrier));
    asm volatile("fence.proxy.async;" ::: "memory");  // what lanes and earlier phases wrote comes first
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(there), "r"(bytes) : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::
            "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(there), "l"(policy)
        : "memory");
#endif
}
/// Waits for the phase of this parity, 0 for the first: the calling thread then sees its bytes.
__device__ inline void wait_for_bulk([[maybe_unused]] std::uint64_t* barrier, [[maybe_unused]] std::uint32_t parity) {
#if __CUDA_ARCH__ >= 900
    std::uint32_t over = 0;
    while (over == 0)
        asm volatile(
            "{\n\t.reg .pred over;\n\tmbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, over;\n\t}"
            : "=r"(over)
            : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(barrier))), "r"(parity)
            : "memory");
#endif
}

/// Threads of whole warps wait for one another and see what the others wrote; barrier 0 is the block's.
/// In the aligned form: of a warp whose lanes have gone separate ways nvcc waits for all before it, as for
/// __syncthreads(). The other form (barrier.sync) gathers them in code of its own, in which the resident kernel of sums
/// lost a lane: its block waited for it forever (CUDA 13.0 on an H100).
template <int Barrier, int ThreadCount>
__device__ void named_barrier() {
    asm volatile("bar.sync %0, %1;" ::"n"(Barrier), "n"(ThreadCount) : "memory");
}

/// A bit for every lane of the warp before this one.
__device__ inline unsigned lanes_below() {
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

__device__ inline std::uint64_t nanoseconds() {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

}  // namespace copse::detail
