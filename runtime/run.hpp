// All executors, and run() on each of them; on a `gpu` where nvcc compiles. A program that includes this header runs on
// a GPU when it is compiled as a .cu file, with copse::gpu in the place of copse::cpu.
#pragma once

#include <copse/runtime/cpu.hpp>
#include <copse/runtime/emulated.hpp>
#include <copse/runtime/gpu.hpp>
#if defined(__CUDACC__)
#include <copse/runtime/gpu_run.cuh>
#endif
