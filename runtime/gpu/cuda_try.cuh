// CUDA calls that fail throw cuda_error, which names the call, the place and, where there is something to do, what.
#pragma once

#include <cuda_runtime_api.h>

#include <copse/runtime/error.hpp>

namespace copse::detail {

[[noreturn]] void throw_cuda_error(cudaError_t code, char const* call, char const* file, int line);

inline void cuda_try(cudaError_t code, char const* call, char const* file, int line) {
    if (code != cudaSuccess) throw_cuda_error(code, call, file, line);
}

/// Of a call that may fail.
inline bool succeeded(cudaError_t code) noexcept {
    if (code != cudaSuccess) cudaGetLastError();  // not the next call's
    return code == cudaSuccess;
}

}  // namespace copse::detail

/// Throws copse::cuda_error unless the call gives cudaSuccess.
#define COPSE_CUDA_TRY(call) ::copse::detail::cuda_try((call), #call, __FILE__, __LINE__)
