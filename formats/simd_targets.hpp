// Which instruction sets the SIMD sources are compiled for, before any header of Highway: on x86-64 the baseline
// (SSSE3 to Highway), AVX2 and AVX-512.
#pragma once

// SSE4 is hardly more than the baseline; what AVX3_DL adds is used nowhere.
#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3_DL)
