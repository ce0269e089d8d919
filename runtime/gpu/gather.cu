// Pieces of a GPU's memory to the host by one copy: a kernel puts them side by side first.
//
//   memory   |  a   |        |  b  |     |    c    |
//   staged   |  a   |  b  |    c    |   ->   host
//
// cudaMemcpyBatchAsync() takes such a list too, but is a copy for each piece on the device, of a microsecond or so;
// nodes have some hundred bytes to some thousand.
#include <copse/runtime/gpu/memory.cuh>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace copse::detail {
namespace {

constexpr std::size_t unit_bytes = sizeof(uint4);
constexpr int gather_threads = 256;

struct staged_piece {
    uint4 const* data;
    std::int64_t first;  // unit where it is to be
};

/// A lane copies one unit, and finds the piece that it is of by halving: pieces may be of any length.
__global__ void __launch_bounds__(gather_threads)
    gather_kernel(staged_piece const* pieces, std::int64_t count, std::int64_t units, uint4* to) {
    std::int64_t const i = std::int64_t{blockIdx.x} * gather_threads + threadIdx.x;
    if (i >= units) return;
    std::int64_t piece = 0;
    for (std::int64_t last = count; last - piece > 1;) {
        std::int64_t const middle = (piece + last) / 2;
        (pieces[middle].first <= i ? piece : last) = middle;
    }
    to[i] = pieces[piece].data[i - pieces[piece].first];
}

std::vector<staged_piece> side_by_side(std::span<memory_extent const> pieces) {
    std::vector<staged_piece> result;
    result.reserve(pieces.size());
    std::int64_t first = 0;
    for (memory_extent const& piece : pieces) {
        result.push_back({static_cast<uint4 const*>(piece.data), first});
        first += static_cast<std::int64_t>(piece.bytes / unit_bytes);
    }
    return result;
}

}  // namespace

void gather_by_kernel(gpu_memory const& of, void* to, std::span<memory_extent const> pieces, std::size_t bytes) {
    if (bytes == 0) return;
    current_device const current(of.device());
    cudaStream_t const stream = of.stream();
    refuse_capture(stream, "a copy");
    std::vector<staged_piece> const list = side_by_side(pieces);
    std::size_t const list_bytes = list.size() * sizeof(staged_piece);
    stream_chunk const block(of, stream, bytes + list_bytes);
    auto* const staged = static_cast<uint4*>(block.data());
    auto const units = static_cast<std::int64_t>(bytes / unit_bytes);
    auto* const list_there = reinterpret_cast<staged_piece*>(staged + units);
    COPSE_CUDA_TRY(cudaMemcpyAsync(list_there, list.data(), list_bytes, cudaMemcpyHostToDevice, stream));
    auto const blocks = static_cast<unsigned>((units + gather_threads - 1) / gather_threads);
    gather_kernel<<<blocks, gather_threads, 0, stream>>>(list_there, std::ssize(list), units, staged);
    COPSE_CUDA_TRY(cudaGetLastError());
    COPSE_CUDA_TRY(cudaMemcpyAsync(to, staged, bytes, cudaMemcpyDeviceToHost, stream));
    COPSE_CUDA_TRY(cudaStreamSynchronize(stream));
}

}  // namespace copse::detail
