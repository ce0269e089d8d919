// Macros for every file of copse: they let one source serve host and device, and say which sanitizer is in use.
#pragma once

#if defined(__CUDACC__)
#define COPSE_HOST_DEVICE __host__ __device__
#else
#define COPSE_HOST_DEVICE
#endif

#if defined(__CUDACC__)
#define COPSE_RESTRICT __restrict__
#else
#define COPSE_RESTRICT __restrict
#endif

// For functions of a few instructions in inner loops: always inlined, whatever the compiler's budget says. nvcc inlines
// nearly every function without being told.
#if defined(__CUDACC__)
#define COPSE_INLINE inline
#else
#define COPSE_INLINE inline __attribute__((always_inline))
#endif

// For long functions in the resident kernel of many tasks: nvcc must inline them, because a call would move the
// caller's variables from registers into local memory.
#if defined(__CUDACC__)
#define COPSE_FORCE_INLINE __forceinline__
#define COPSE_FORCE_INLINE_LAMBDA __attribute__((always_inline))
#else
#define COPSE_FORCE_INLINE inline
#define COPSE_FORCE_INLINE_LAMBDA
#endif

// COPSE_UNROLL stands in front of a loop whose arrays must stay in registers: nvcc unrolls it, other compilers decide.
// COPSE_NO_UNROLL stands in front of a loop that contains such loops: if nvcc unrolled it, several rounds would compete
// for the registers.
#if defined(__CUDACC__)
#define COPSE_UNROLL _Pragma("unroll")
#define COPSE_NO_UNROLL _Pragma("unroll 1")
#else
#define COPSE_UNROLL
#define COPSE_NO_UNROLL
#endif

// COPSE_CHECKED=1, to be defined for a whole program: the gpu, too, ends a run with the error that cpu and emulated
// always throw, if a task function asks for more scratch memory than its task has (worker_misuse), or a node for what
// it is not (argument_error, scheduler/refusal.hpp).
#if !defined(COPSE_CHECKED)
#define COPSE_CHECKED 0
#endif

// Which sanitizer this file is compiled for: g++ defines macros, clang answers __has_feature.
#if defined(__has_feature)
#define COPSE_HAS_FEATURE(feature) __has_feature(feature)
#else
#define COPSE_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || COPSE_HAS_FEATURE(address_sanitizer)
#define COPSE_ADDRESS_SANITIZER 1
#else
#define COPSE_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || COPSE_HAS_FEATURE(thread_sanitizer)
#define COPSE_THREAD_SANITIZER 1
#else
#define COPSE_THREAD_SANITIZER 0
#endif
