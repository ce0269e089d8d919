// The GPU as a machine: atomic operations of device scope on global memory, for queues and termination.
//
// Workers in other blocks and kernels are the partners, so no scope below the device will do.
// Written in PTX and not with cuda::atomic_ref, which goes through generic addresses: sm_90 code for one relaxed 64-bit
// addition was then three branches (global, shared by a compare-and-swap loop, local), 45 instructions where one
// RED.E.ADD.64 does.
#pragma once

#include <cstdint>
#include <type_traits>

namespace copse {

struct gpu_machine {
    template <class T>
    __device__ static T load_relaxed(T const* p) {
        bits<T> value;
        if constexpr (sizeof(T) == 4)
            asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(global(p)) : "memory");
        else
            asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(value) : "l"(global(p)) : "memory");
        return static_cast<T>(value);
    }
    template <class T>
    __device__ static T load_acquire(T const* p) {
        bits<T> value;
        if constexpr (sizeof(T) == 4)
            asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(global(p)) : "memory");
        else
            asm volatile("ld.acquire.gpu.global.b64 %0, [%1];" : "=l"(value) : "l"(global(p)) : "memory");
        return static_cast<T>(value);
    }
    template <class T>
    __device__ static void store_relaxed(T* p, T value) {
        if constexpr (sizeof(T) == 4)
            asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(global(p)), "r"(bits<T>(value)) : "memory");
        else
            asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(global(p)), "l"(bits<T>(value)) : "memory");
    }
    template <class T>
    __device__ static void store_release(T* p, T value) {
        if constexpr (sizeof(T) == 4)
            asm volatile("st.release.gpu.global.b32 [%0], %1;" ::"l"(global(p)), "r"(bits<T>(value)) : "memory");
        else
            asm volatile("st.release.gpu.global.b64 [%0], %1;" ::"l"(global(p)), "l"(bits<T>(value)) : "memory");
    }
    template <class T>
    __device__ static T add_relaxed(T* p, T value) {
        bits<T> before;
        if constexpr (sizeof(T) == 4)
            asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], %2;"
                         : "=r"(before)
                         : "l"(global(p)), "r"(bits<T>(value))
                         : "memory");
        else
            asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                         : "=l"(before)
                         : "l"(global(p)), "l"(bits<T>(value))
                         : "memory");
        return static_cast<T>(before);
    }
    template <class T>
    __device__ static T add_acq_rel(T* p, T value) {
        bits<T> before;
        if constexpr (sizeof(T) == 4)
            asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
                         : "=r"(before)
                         : "l"(global(p)), "r"(bits<T>(value))
                         : "memory");
        else
            asm volatile("atom.acq_rel.gpu.global.add.u64 %0, [%1], %2;"
                         : "=l"(before)
                         : "l"(global(p)), "l"(bits<T>(value))
                         : "memory");
        return static_cast<T>(before);
    }
    /// Returns what was there. Acquire and release.
    template <class T>
    __device__ static T exchange_if(T* p, T expected, T desired) {
        bits<T> before;
        if constexpr (sizeof(T) == 4)
            asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;"
                         : "=r"(before)
                         : "l"(global(p)), "r"(bits<T>(expected)), "r"(bits<T>(desired))
                         : "memory");
        else
            asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;"
                         : "=l"(before)
                         : "l"(global(p)), "l"(bits<T>(expected)), "l"(bits<T>(desired))
                         : "memory");
        return static_cast<T>(before);
    }
    __device__ static void max_relaxed(std::int64_t* p, std::int64_t value) {
        asm volatile("red.relaxed.gpu.global.max.s64 [%0], %1;" ::"l"(global(p)), "l"(value) : "memory");
    }

    /// In a wait for one other thread that is already at work on what is waited for.
    __device__ static void pause() { __nanosleep(32); }
    /// In the waits-th wait in a row for work that somebody may push: thousands of blocks must not hammer the counters.
    __device__ static void pause(int waits) { __nanosleep(waits < 6 ? 64u << waits : 4096u); }

  private:
    template <class T>
    using bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

    template <class T>
    __device__ static std::size_t global(T const* p) {
        static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                      "copse: the GPU's atomic operations are for integers of 4 and 8 bytes");
        return __cvta_generic_to_global(p);
    }
};

}  // namespace copse
