#include <algorithm>
#include <copse/algebra/spmv_plan.hpp>
#include <copse/formats/hisparse_edit.hpp>
#include <copse/formats/statistics.hpp>
#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/gpu_comparison/large_case.hpp"
#include "bench/gpu_comparison/product.hpp"

namespace copse::bench {
namespace {

constexpr int block_threads = 256;

template <class T>
__global__ void multiply_rows(device_csr_view<T> a, T const* x, T* y) {
    auto const row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= a.row_count) return;
    T sum = 0;
    for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k) sum += a.values[k] * x[a.column_indices[k]];
    y[row] = sum;
}

/// y: zeros
template <class T>
__global__ void scatter_rows(device_csr_view<T> a, T const* x, T* y) {
    auto const row = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= a.row_count) return;
    T const own = x[row];
    for (auto k = a.row_offsets[row]; k < a.row_offsets[row + 1]; ++k)
        atomicAdd(y + a.column_indices[k], a.values[k] * own);
}

template <class T>
void multiply_naively(gpu& executor, device_csr_view<T> const& a, bool transpose, vector_set<T> const& v) {
    auto const stream = static_cast<cudaStream_t>(executor.stream());
    auto const blocks = static_cast<unsigned>((a.row_count + block_threads - 1) / block_threads);
    if (transpose && v.y.bytes() > 0) COPSE_CUDA_TRY(cudaMemsetAsync(v.y.data(), 0, v.y.bytes(), stream));
    if (blocks == 0) return;
    if (transpose)
        scatter_rows<<<blocks, block_threads, 0, stream>>>(a, v.x.data(), v.y.data());
    else
        multiply_rows<<<blocks, block_threads, 0, stream>>>(a, v.x.data(), v.y.data());
    COPSE_CUDA_TRY(cudaGetLastError());
}

}  // namespace

template <class T>
std::unique_ptr<entrant> naive_product(gpu_clock& clock, gpu_problem<T> const& what,
                                       std::vector<csr_matrix<T>> const& copies) {
    auto const offsets = std::make_shared<std::vector<buffer<std::int32_t>>>();
    return std::make_unique<gpu_product<T>>(
        clock, describe(what, "naive", "thread for each row", "csr", csr_bytes(what.rows, what.entries, sizeof(T))),
        what,
        [=, transpose = what.transpose, &executor = clock.executor()](vector_set<T> const& v,
                                                                      int set) -> std::optional<run_report> {
            auto const i = static_cast<std::size_t>(set);
            multiply_naively(executor, borrow(copies[i], (*offsets)[i]), transpose, v);
            return std::nullopt;
        },
        [=, entries = what.entries, &executor = clock.executor()](race_record&) {
            if (auto const why = lack_of_width(entries); !why.empty()) throw refusal(why);
            for (auto const& a : copies) offsets->push_back(narrow_offsets(executor, a.content()->row_offsets));
        });
}

plan_way chosen_way() {
    return {.name = "plan"};
}

std::vector<plan_way> other_ways() {
    using namespace detail;
    plan_shape small_parts = replay_shape, streams = replay_shape;
    small_parts.join_entries = small_parts.most_entries = small_parts.most_in_item = 1024;
    streams.most_in_streamed_leaf = 32;
    plan_shape streams_of_all_lists = streams, streams_in_small_parts = small_parts;
    streams_of_all_lists.most_in_streamed_leaf = streams_in_small_parts.most_in_streamed_leaf = 1 << 20;
    streams_in_small_parts.most_entries = 2048;
    return {{.name = "plan, resident blocks", .choices = {.grid = plan_grid::resident}},
            {.name = "plan, not ahead", .choices = {.fetch_ahead = !replay_choices().fetch_ahead}},
            {.name = "plan, staged", .choices = {.staged = plan_staging::leaves}},
            {.name = "plan, staged with x", .choices = {.staged = plan_staging::leaves_and_x}},
            {.name = "plan, staged, resident blocks",
             .choices = {.grid = plan_grid::resident, .staged = plan_staging::leaves}},
            {.name = "plan, by blocks", .shape = block_shape, .choices = {.by_blocks = true}},
            {.name = "plan, small parts", .shape = small_parts},
            {.name = "streams", .shape = streams},
            {.name = "streams of all lists", .shape = streams_of_all_lists},
            {.name = "streams, small parts", .shape = streams_in_small_parts}};
}

std::vector<plan_way> ways_of_twins() {
    using namespace detail;
    plan_shape by_distance = replay_shape;
    by_distance.by_distance = true;
    return {{.name = "twins"},
            {.name = "twins, not kept", .choices = {.keep_twins = false}},
            {.name = "twins, by distance", .shape = by_distance},
            {.name = "twins, by blocks", .shape = block_shape, .choices = {.by_blocks = true}},
            {.name = "twins, by blocks, parts of warps", .choices = {.by_blocks = true}}};
}

template <class T>
copies_of<hisparse<T>> with_twins(copies_of<hisparse<T>> const& trees) {
    copies_of<hisparse<T>> twins;
    twins.seconds = trees.seconds;
    for (auto const& tree : trees.of_set) {
        twins.of_set.push_back(compact(tree, {.share_transposed = true}));
        if (10 * twins.first().bytes() > 9 * trees.first().bytes()) return {};
    }
    return twins;
}

template <class T>
std::unique_ptr<entrant> hisparse_plan(gpu_clock& clock, gpu_problem<T> const& what,
                                       copies_of<hisparse<T>> const& trees, plan_way const& way) {
    auto r = describe_ours(what, "hisparse", way.name, trees);
    r.m.mode = "plan";
    auto const plans = std::make_shared<std::vector<spmv_plan<T>>>();
    auto const make = [=, &executor = clock.executor(), transpose = what.transpose](race_record& record) {
        executor.set_controller(controller_for_preparations);
        executor.release_workspace();  // what making a plan takes from it is to be counted
        double seconds = 0;
        std::int64_t peak_bytes = 0;
        for (auto const& tree : trees.of_set) {
            peak_bytes = std::max(peak_bytes, peak_bytes_of([&] {
                                      seconds += seconds_of([&] {
                                          plans->push_back(detail::plan_in_shape(
                                              executor, transpose ? tree.transposed() : tree, way.shape));
                                      });
                                  }));
        }
        record.prepare_seconds = seconds / static_cast<double>(plans->size());
        record.prepare_peak_bytes = peak_bytes;
        record.kept_bytes = plans->front().bytes();
        record.m.moved_bytes += plans->front().list_bytes();
    };
    return std::make_unique<gpu_product<T>>(
        clock, std::move(r), what,
        [plans, &executor = clock.executor(), choices = way.choices](vector_set<T> const& v,
                                                                     int set) -> std::optional<run_report> {
            detail::replay_on_gpu<T>(executor, 1, (*plans)[static_cast<std::size_t>(set)], v.x, 0, v.y, choices);
            return std::nullopt;
        },
        make);
}

template std::unique_ptr<entrant> naive_product(gpu_clock&, gpu_problem<float> const&,
                                                std::vector<csr_matrix<float>> const&);
template std::unique_ptr<entrant> naive_product(gpu_clock&, gpu_problem<double> const&,
                                                std::vector<csr_matrix<double>> const&);
template copies_of<hisparse<float>> with_twins(copies_of<hisparse<float>> const&);
template copies_of<hisparse<double>> with_twins(copies_of<hisparse<double>> const&);
template std::unique_ptr<entrant> hisparse_plan(gpu_clock&, gpu_problem<float> const&,
                                                copies_of<hisparse<float>> const&, plan_way const&);
template std::unique_ptr<entrant> hisparse_plan(gpu_clock&, gpu_problem<double> const&,
                                                copies_of<hisparse<double>> const&, plan_way const&);

}  // namespace copse::bench
