// cuSPARSE's products in the comparison on a GPU.
#include <copse/runtime/gpu/cuda_try.cuh>

#include "bench/gpu_comparison/cusparse_product.hpp"
#include "bench/gpu_comparison/product.hpp"
#include "bench/harness/timing.hpp"

namespace copse::bench {
namespace {

/// One of cuSPARSE's ways, with a product of its own for each set of inputs.
template <class T>
class cusparse_competitor final : public gpu_product<T> {
  public:
    cusparse_competitor(std::shared_ptr<cusparse_handle> handle, gpu_problem<T> const& problem,
                        cusparse_variant const& variant)
        : handle_(std::move(handle)), problem_(problem), variant_(variant) {}

    std::optional<double> prepare() override {
        for (std::size_t set = 0; set < problem_.sets.size(); ++set)
            products_.emplace_back(*handle_, variant_, operands_of(set));
        if (!products_.front().has_to_prepare()) return std::nullopt;
        wait();
        return measure::seconds_of([&] {
                   for (auto& product : products_) product.prepare();
                   wait();
               }) /
               problem_.set_count();
    }

    std::optional<run_report> run(int set) override {
        products_[static_cast<std::size_t>(set)].run();
        return std::nullopt;
    }

    std::int64_t kept_bytes() const override { return products_.front().kept_bytes(); }

  private:
    cusparse_operands<T> operands_of(std::size_t set) const {
        auto const& copy = problem_.matrix.copies[set];
        auto const& vectors = problem_.sets[set];
        return {copy.rows.view(),
                copy.row_indices.data(),
                copy.rows_of_transpose.view(),
                variant_.is_sliced() ? slice<T>(handle_->executor, problem_.matrix.a) : nullptr,
                vectors.x,
                vectors.y};
    }
    void wait() const { COPSE_CUDA_TRY(cudaStreamSynchronize(static_cast<cudaStream_t>(handle_->executor.stream()))); }

    std::shared_ptr<cusparse_handle> handle_;
    gpu_problem<T> const& problem_;
    cusparse_variant variant_;
    std::vector<cusparse_product<T>> products_;
};

/// Places of sliced ELL: each slice as wide as its longest row.
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
std::vector<gpu_competitor<T>> cusparse_on_gpu(cusparse_library const& library, gpu& executor,
                                               gpu_problem<T> const& problem) {
    auto const handle = std::make_shared<cusparse_handle>(library, executor);
    auto const& a = problem.matrix.a;
    std::vector<gpu_competitor<T>> competitors;
    for (auto const& variant : cusparse_variants(problem.transpose)) {
        auto r = describe(problem, "cusparse", variant.name,
                          bytes_read(variant, a.row_count, a.column_count, a.entry_count(), sizeof(T),
                                     variant.is_sliced() ? sliced_bytes(a) : 0));
        r.clock = "events";
        r.m.format = variant.format();
        r.keeps_transpose = variant.how == transposition::stored;
        competitors.push_back({std::move(r), std::make_unique<cusparse_competitor<T>>(handle, problem, variant)});
    }
    return competitors;
}

template std::vector<gpu_competitor<float>> cusparse_on_gpu(cusparse_library const&, gpu&, gpu_problem<float> const&);
template std::vector<gpu_competitor<double>> cusparse_on_gpu(cusparse_library const&, gpu&, gpu_problem<double> const&);

}  // namespace copse::bench
