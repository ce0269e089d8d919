// What every file of copse may rely on: the macros that let one source serve host and device.
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

// A function of a few instructions in an inner loop: called nowhere, whatever the compiler's budget says.
// nvcc's own judgement is to do that for nearly everything.
#if defined(__CUDACC__)
#define COPSE_INLINE inline
#else
#define COPSE_INLINE inline __attribute__((always_inline))
#endif

// A long function that the resident kernel of many tasks must not call: what a call needs would lie in local memory.
#if defined(__CUDACC__)
#define COPSE_FORCE_INLINE __forceinline__
#define COPSE_FORCE_INLINE_LAMBDA __attribute__((always_inline))
#else
#define COPSE_FORCE_INLINE inline
#define COPSE_FORCE_INLINE_LAMBDA
#endif

// In front of a loop whose arrays must stay in registers: unrolled by nvcc, left to other compilers' judgement.
// COPSE_NO_UNROLL in front of one that has such loops inside: more of its rounds at once would share the registers.
#if defined(__CUDACC__)
#define COPSE_UNROLL _Pragma("unroll")
#define COPSE_NO_UNROLL _Pragma("unroll 1")
#else
#define COPSE_UNROLL
#define COPSE_NO_UNROLL
#endif
