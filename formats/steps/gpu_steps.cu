// The steps that CUB takes: compiled once, because its headers take longer than a conversion.
#include <thrust/iterator/counting_iterator.h>
#include <copse/formats/steps/gpu_steps.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

namespace copse::detail {
namespace {

/// CUB's way: the first call says how much room it wants.
template <class Call>
void in_room(std::shared_ptr<memory> const& temporary, Call const& call) {
    std::size_t bytes = 0;
    COPSE_CUDA_TRY(call(nullptr, bytes));
    buffer<std::byte> const room(temporary, static_cast<std::int64_t>(bytes));
    COPSE_CUDA_TRY(call(room.data(), bytes));
}

}  // namespace

void gpu_steps::sum_before(std::int64_t* p, std::int64_t count) const {
    in_room(temporary(), [&](void* room, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(room, bytes, p, p, count, stream());
    });
}

template <class Word>
gpu_steps::sorted gpu_steps::sort_words(std::uint64_t* const (&keys)[2], Word* const (&values)[2], std::int64_t count,
                                        int begin_bit, int end_bit) const {
    cub::DoubleBuffer<std::uint64_t> k(keys[0], keys[1]);
    cub::DoubleBuffer<Word> v(values[0], values[1]);
    in_room(temporary(), [&](void* room, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, k, v, count, begin_bit, end_bit, stream());
    });
    return {k.selector != 0, v.selector != 0};
}
template gpu_steps::sorted gpu_steps::sort_words(std::uint64_t* const (&)[2], std::uint32_t* const (&)[2], std::int64_t,
                                                 int, int) const;
template gpu_steps::sorted gpu_steps::sort_words(std::uint64_t* const (&)[2], std::uint64_t* const (&)[2], std::int64_t,
                                                 int, int) const;

void gpu_steps::select(std::int64_t count, begins_anew const& which, std::uint32_t* to, std::int64_t* found) const {
    in_room(temporary(), [&](void* room, std::size_t& bytes) {
        return cub::DeviceSelect::If(room, bytes, thrust::counting_iterator<std::uint32_t>(0), to, found, count, which,
                                     stream());
    });
}

}  // namespace copse::detail
