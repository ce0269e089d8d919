#include "bench/gpu_comparison/large_cusparse.hpp"

#include <fmt/format.h>

#include <copse/formats/statistics.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>
#include <limits>

#include "bench/harness/text.hpp"

namespace copse::bench {

std::string lack_of_memory(std::int64_t wanted, std::int64_t free) {
    if (wanted <= free / 2) return "";
    auto const text = [](std::int64_t bytes) { return human_bytes(static_cast<double>(bytes)); };
    return fmt::format("it would take {} on the GPU: more than half of the {} that are free", text(wanted), text(free));
}

std::int64_t free_bytes(gpu& executor) {
    executor.release_workspace();
    std::size_t free = 0, all = 0;
    COPSE_CUDA_TRY(cudaMemGetInfo(&free, &all));
    return static_cast<std::int64_t>(free);
}

std::string lack_of_width(std::int64_t entries) {
    if (entries <= std::numeric_limits<std::int32_t>::max()) return "";
    return fmt::format("{} entries are more than the 2^31 - 1 of its offsets here", entries);
}

template <class T>
void large_cusparse<T>::need(std::int64_t bytes) {
    auto const why = lack_of_memory(bytes, free_bytes(executor_));
    if (!why.empty()) throw too_large(why);
}

template <class T>
cusparse_operands<T> large_cusparse<T>::operands(cusparse_variant const& variant) {
    auto const& a = a_;
    auto const rows = a.row_count(), columns = a.column_count(), entries = a.entry_count();
    if (auto const why = lack_of_width(entries); !why.empty()) throw too_large(why);
    auto const& content = *a.content();
    if (offsets_.size() == 0) offsets_ = narrow_offsets(executor_, content.row_offsets);
    if (variant.is_coo() && row_indices_.size() != entries) {
        need(4 * entries);
        row_indices_ = row_indices_on_gpu(executor_, a);
    }
    if (variant.needs_transpose() && rows_of_transpose_.row_offsets.size() == 0) {
        need(csr_bytes(columns, entries, sizeof(T)));
        rows_of_transpose_ = make_device_csr<T>(executor_, columns, rows, entries);
    }
    if (variant.is_sliced() && !slices_) {
        need(csr_bytes(rows, entries, sizeof(T)));  // and padding, up to as much again
        slices_ = slice<T>(executor_, a);
    }
    return {{rows, columns, entries, offsets_.data(), content.column_indices.data(), content.values.data()},
            row_indices_.data(),
            rows_of_transpose_.view(),
            slices_,
            what_.sets.front().x,
            what_.sets.front().y};
}

template class large_cusparse<float>;
template class large_cusparse<double>;

}  // namespace copse::bench
