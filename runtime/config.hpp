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

// In front of a loop whose arrays must stay in registers: unrolled by nvcc, left to other compilers' judgement.
#if defined(__CUDACC__)
#define COPSE_UNROLL _Pragma("unroll")
#else
#define COPSE_UNROLL
#endif
