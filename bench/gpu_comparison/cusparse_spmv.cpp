// cuSPARSE's products in the comparison on a GPU.
#include <fmt/format.h>

#include <copse/formats/statistics.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

template <class T>
race_record describe_variant(gpu_problem<T> const& what, cusparse_variant const& variant) {
    std::int64_t constexpr of_slices = 0;  // not known before they are made
    auto const bytes = bytes_read(variant, what.rows, what.columns, what.entries, sizeof(T), of_slices);
    auto r = describe(what, "cusparse", variant.name, variant.format(), bytes);
    r.keeps_transpose = variant.how == transposition::stored;
    return r;
}

}  // namespace

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

template <class T>
void cusparse_inputs<T>::need(std::int64_t bytes) {
    auto const why = lack_of_memory(bytes, free_bytes(executor_));
    if (!why.empty()) throw refusal(why);
}

template <class T>
cusparse_operands<T> cusparse_inputs<T>::operands(cusparse_variant const& variant, vector_set<T> const& v) {
    auto const& a = a_;
    auto const rows = a.row_count(), columns = a.column_count(), entries = a.entry_count();
    if (auto const why = lack_of_width(entries); !why.empty()) throw refusal(why);
    if (offsets_.size() == 0) offsets_ = narrow_offsets(executor_, a.content()->row_offsets);
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
    return {borrow(a, offsets_), row_indices_.data(), rows_of_transpose_.view(), slices_, v.x, v.y};
}

template <class T>
gpu_entrants cusparse_products(cusparse_library const& library, gpu_clock& clock, gpu_problem<T> const& what,
                               std::vector<csr_matrix<T>> const& copies) {
    auto const handle = std::make_shared<cusparse_handle>(library, clock.executor());
    auto const wait = [handle] {
        COPSE_CUDA_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(handle->executor.stream())));
    };
    auto const inputs = std::make_shared<std::vector<cusparse_inputs<T>>>();
    for (auto const& a : copies) inputs->emplace_back(clock.executor(), a);
    gpu_entrants all;
    for (auto const& variant : cusparse_variants(what.transpose)) {
        auto const of_set = std::make_shared<std::vector<cusparse_product<T>>>();
        auto const prepare = [=, &what](race_record& r) {
            std::vector<cusparse_operands<T>> operands;
            for (std::size_t set = 0; set < what.sets.size(); ++set)
                operands.push_back((*inputs)[set].operands(variant, what.sets[set]));
            if (variant.is_sliced()) set_bytes(r, what, operands.front().slices->bytes());
            handle->executor.release_workspace();  // what preparing takes from it is to be counted
            auto const peak_bytes = peak_bytes_of([&] {
                for (auto const& one : operands) of_set->emplace_back(*handle, variant, one);
                if (!of_set->front().has_to_prepare()) return;
                wait();
                r.prepare_seconds = seconds_of([&] {
                                        for (auto& one : *of_set) one.prepare();
                                        wait();
                                    }) /
                                    what.set_count();
            });
            r.kept_bytes = of_set->front().kept_bytes();
            if (what.set_count() == 1) r.prepare_peak_bytes = peak_bytes;
        };
        all.push_back(std::make_unique<gpu_product<T>>(
            clock, describe_variant(what, variant), what,
            [of_set, inputs](vector_set<T> const&, int set) -> std::optional<run_report> {
                (*of_set)[static_cast<std::size_t>(set)].run();
                return std::nullopt;
            },
            prepare));
    }
    return all;
}

template class cusparse_inputs<float>;
template class cusparse_inputs<double>;
template gpu_entrants cusparse_products(cusparse_library const&, gpu_clock&, gpu_problem<float> const&,
                                        std::vector<csr_matrix<float>> const&);
template gpu_entrants cusparse_products(cusparse_library const&, gpu_clock&, gpu_problem<double> const&,
                                        std::vector<csr_matrix<double>> const&);

}  // namespace copse::bench
