// Which instruction sets the SIMD sources are compiled for, before any header of Highway.
#pragma once

// Below AVX2 the baseline is enough; what AVX3_DL adds is used nowhere.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
