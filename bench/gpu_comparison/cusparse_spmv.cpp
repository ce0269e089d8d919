// cuSPARSE's products in the comparison on a GPU.
#include <algorithm>
#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/gpu_comparison/cusparse_product.hpp"

namespace copse::bench {
namespace {

/// Bytes of sliced ELL: each slice is as wide as its longest row.
template <class T>
std::int64_t sliced_bytes(csr<T> const& a) {
    std::int64_t places = 0, slices = 0;
    for (std::int64_t first = 0; first < a.row_count; first += slice_rows, ++slices) {
        std::int64_t width = 0;
        for (auto row = first; row < std::min(first + slice_rows, a.row_count); ++row)
            width = std::max(width, a.row_offsets[row + 1] - a.row_offsets[row]);
        places += width * slice_rows;
    }
    return places * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(T)) + 4 * (slices + 1);
}

}  // namespace

template <class T>
race_record describe_variant(gpu_problem<T> const& what, cusparse_variant const& variant, std::int64_t slices_bytes) {
    auto const bytes = bytes_read(variant, what.rows, what.columns, what.entries, sizeof(T), slices_bytes);
    auto r = describe(what, "cusparse", variant.name, variant.format(), bytes);
    r.keeps_transpose = variant.how == transposition::stored;
    return r;
}

template <class T>
gpu_entrants cusparse_products(cusparse_library const& library, gpu_clock& clock, gpu_problem<T> const& what,
                               matrix_copies<T> const& a) {
    auto const handle = std::make_shared<cusparse_handle>(library, clock.executor());
    auto const wait = [handle] {
        COPSE_CUDA_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(handle->executor.stream())));
    };
    gpu_entrants all;
    for (auto const& variant : cusparse_variants(what.transpose)) {
        auto const of_set = std::make_shared<std::vector<cusparse_product<T>>>();
        auto const prepare = [=, &what, &a](race_record& r) {
            for (std::size_t set = 0; set < what.sets.size(); ++set) {
                auto const& copy = a.copies[set];
                auto slices = variant.is_sliced() ? slice<T>(handle->executor, a.a) : nullptr;
                of_set->emplace_back(
                    *handle, variant,
                    cusparse_operands<T>{copy.rows.view(), copy.row_indices.data(), copy.rows_of_transpose.view(),
                                         std::move(slices), what.sets[set].x, what.sets[set].y});
            }
            r.kept_bytes = of_set->front().kept_bytes();
            if (!of_set->front().has_to_prepare()) return;
            wait();
            r.prepare_seconds = seconds_of([&] {
                                    for (auto& one : *of_set) one.prepare();
                                    wait();
                                }) /
                                what.set_count();
        };
        all.push_back(std::make_unique<gpu_product<T>>(
            clock, describe_variant(what, variant, variant.is_sliced() ? sliced_bytes(a.a) : 0), what,
            [of_set](vector_set<T> const&, int set) -> std::optional<run_report> {
                (*of_set)[static_cast<std::size_t>(set)].run();
                return std::nullopt;
            },
            prepare));
    }
    return all;
}

template race_record describe_variant(gpu_problem<float> const&, cusparse_variant const&, std::int64_t);
template race_record describe_variant(gpu_problem<double> const&, cusparse_variant const&, std::int64_t);
template gpu_entrants cusparse_products(cusparse_library const&, gpu_clock&, gpu_problem<float> const&,
                                        matrix_copies<float> const&);
template gpu_entrants cusparse_products(cusparse_library const&, gpu_clock&, gpu_problem<double> const&,
                                        matrix_copies<double> const&);

}  // namespace copse::bench
