// copse: run() on a gpu: include <copse/runtime/gpu_run.cuh> and compile this file with nvcc
#include "prelude.hpp"

#include <copse/runtime/gpu.hpp>

void use(copse::gpu& executor, copse::EXECUTOR&) {
    auto const report = copse::run(executor, copse::seed<blameless>(0), blameless{});
    static_cast<void>(report.seconds);
}
