// Pieces of a GPU's memory to the host by one copy: a kernel puts them side by side first.
//
//   memory   |  a   |        |  b  |     |    c    |
//   staged   |  a   |  b  |    c    |   ->   host
//
// cudaMemcpyBatchAsync() takes such a list too, but is a copy for each piece on the device, of a microsecond or so;
// nodes have some hundred bytes to some thousand.
#pragma once

#include <copse/runtime/gpu/memory.cuh>
#include <cstddef>
#include <span>

namespace copse::detail {

/// `bytes`: of all pieces. Takes as much of the memory in the meantime. Waits. Throws cuda_error.
void gather_by_kernel(gpu_memory const& of, void* to, std::span<memory_extent const> pieces, std::size_t bytes);

}  // namespace copse::detail
