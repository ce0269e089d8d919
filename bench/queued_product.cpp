#include "bench/queued_product.hpp"

#include <copse/runtime/error.hpp>
#include <type_traits>
#include <utility>

namespace copse::bench {

#ifdef COPSE_HAS_CUDA

namespace {

template <class T>
class queued_product_on_gpu final : public measure::product<T> {
  public:
    queued_product_on_gpu(std::shared_ptr<gpu_clock> clock, queued_spmv<T> multiply, std::vector<T> const& x,
                          std::int64_t row_count)
        : clock_(std::move(clock)),
          multiply_(std::move(multiply)),
          x_(clock_->executor(), x),
          y_(clock_->executor(), row_count) {}

    void prepare() override { poison(clock_->executor(), y_.data(), y_.bytes()); }
    void run() override { time_run(); }
    double time_run() override {
        return clock_->time_queued([&] { multiply_(clock_->executor(), x_, y_); }).events;
    }
    std::vector<T> result() const override { return y_.to_host(); }

  private:
    std::shared_ptr<gpu_clock> clock_;
    queued_spmv<T> multiply_;
    buffer<T> x_;
    buffer<T> y_;
};

}  // namespace

std::shared_ptr<gpu_clock> clock_for(measure::target& where) {
    return where.with([]<class Executor>(Executor& executor) -> std::shared_ptr<gpu_clock> {
        if constexpr (std::is_same_v<Executor, gpu>)
            return std::make_shared<gpu_clock>(executor);
        else
            return nullptr;
    });
}

template <class T>
std::unique_ptr<measure::product<T>> queued_product(std::shared_ptr<gpu_clock> clock, queued_spmv<T> multiply,
                                                    std::vector<T> const& x, std::int64_t row_count) {
    return std::make_unique<queued_product_on_gpu<T>>(std::move(clock), std::move(multiply), x, row_count);
}

#else

std::shared_ptr<gpu_clock> clock_for(measure::target&) {
    return nullptr;
}

template <class T>
std::unique_ptr<measure::product<T>> queued_product(std::shared_ptr<gpu_clock>, queued_spmv<T>, std::vector<T> const&,
                                                    std::int64_t) {
    throw cuda_error("a product on a GPU: copse was built without a CUDA toolkit");
}

#endif

template std::unique_ptr<measure::product<float>> queued_product(std::shared_ptr<gpu_clock>, queued_spmv<float>,
                                                                 std::vector<float> const&, std::int64_t);
template std::unique_ptr<measure::product<double>> queued_product(std::shared_ptr<gpu_clock>, queued_spmv<double>,
                                                                  std::vector<double> const&, std::int64_t);

}  // namespace copse::bench
