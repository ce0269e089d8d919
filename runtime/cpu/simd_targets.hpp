// Which instruction sets the SIMD sources are compiled for, before any header of Highway: on x86-64 the baseline
// (SSSE3 to Highway), AVX2 and AVX-512; on AArch64 NEON. Sanitizers take half as long to compile: addresses are looked
// at where vectors are shortest and where they are longest, threads share them alike in all.
#pragma once

#include <copse/runtime/config.hpp>

#if defined(__aarch64__)
// Vectors of unknown length cannot be elements of arrays, which SELL-P's sums are.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#elif COPSE_ADDRESS_SANITIZER
#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX2 | HWY_AVX3_DL)
#elif COPSE_THREAD_SANITIZER
#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL)
#else
// SSE4 is hardly more than the baseline; what AVX3_DL adds is used nowhere.
#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3_DL)
#endif
