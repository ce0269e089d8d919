#include "bench/queued_product.hpp"

#include <copse/runtime/error.hpp>
#include <type_traits>
#include <utility>

namespace copse::bench {

#ifdef COPSE_HAS_CUDA

namespace {

template <class T>
class queued_product_on_gpu final : public product<T> {
  public:
    queued_product_on_gpu(std::shared_ptr<gpu_clock> clock, problem<T> const& what, race_record r,
                          queued_spmv<T> multiply)
        : product<T>(std::move(r), what),
          clock_(std::move(clock)),
          multiply_(std::move(multiply)),
          x_(clock_->executor(), what.x),
          y_(clock_->executor(), std::ssize(what.expected.y)) {}

    void set_up(int) override { poison(clock_->executor(), y_.data(), y_.bytes()); }
    void multiply() override { run(0); }
    run_times run(int) override {
        return clock_->time_queued([&] { multiply_(clock_->executor(), x_, y_); });
    }
    std::vector<T> result() const override { return y_.to_host(); }

  private:
    std::shared_ptr<gpu_clock> clock_;
    queued_spmv<T> multiply_;
    buffer<T> x_, y_;
};

}  // namespace

std::shared_ptr<gpu_clock> clock_for(target& where) {
    return where.with([]<class Executor>(Executor& executor) -> std::shared_ptr<gpu_clock> {
        if constexpr (std::is_same_v<Executor, gpu>)
            return std::make_shared<gpu_clock>(executor);
        else
            return nullptr;
    });
}

template <class T>
std::unique_ptr<product<T>> queued_product(std::shared_ptr<gpu_clock> clock, problem<T> const& what, race_record r,
                                           queued_spmv<T> multiply) {
    return std::make_unique<queued_product_on_gpu<T>>(std::move(clock), what, std::move(r), std::move(multiply));
}

#else

std::shared_ptr<gpu_clock> clock_for(target&) {
    return nullptr;
}

template <class T>
std::unique_ptr<product<T>> queued_product(std::shared_ptr<gpu_clock>, problem<T> const&, race_record, queued_spmv<T>) {
    throw cuda_error("a product on a GPU: copse was built without a CUDA toolkit");
}

#endif

template std::unique_ptr<product<float>> queued_product(std::shared_ptr<gpu_clock>, problem<float> const&, race_record,
                                                        queued_spmv<float>);
template std::unique_ptr<product<double>> queued_product(std::shared_ptr<gpu_clock>, problem<double> const&,
                                                         race_record, queued_spmv<double>);

}  // namespace copse::bench
