#include "bench/harness/product.hpp"

#include <algorithm>
#include <copse/algebra/spmv.hpp>
#include <copse/cpu/csr_spmv.hpp>
#include <copse/cpu/reference.hpp>
#include <copse/cpu/shapes.hpp>
#include <span>
#include <utility>

#include "bench/harness/product_on.hpp"

namespace copse::bench::measure {
namespace {

template <class T>
class csr_product_on_cpu final : public product<T> {
  public:
    csr_product_on_cpu(int threads, csr<T> const& a, bool transposed, operands<T> const& v)
        : threads_(threads), a_(a), transposed_(transposed), v_(v), initial_y_(initial_y(v)), y_(v.y.size()) {}

    void prepare() override { std::copy(initial_y_.begin(), initial_y_.end(), y_.begin()); }
    void run() override {
        spmv<T>(threads_, v_.alpha, a_, transposed_, std::span<T const>(v_.x), v_.beta, std::span<T>(y_));
    }
    std::vector<T> result() const override { return y_; }

  private:
    int threads_;
    csr<T> const& a_;
    bool transposed_;
    operands<T> const& v_;
    std::vector<T> initial_y_;
    std::vector<T> y_;
};

}  // namespace

template <class T>
expectation<T> expect(csr<T> const& a, bool transposed, operands<T> const& v) {
    std::span<T const> const x(v.x);
    expectation<T> result{v.y, reference::spmv_error_bound<T>(v.alpha, a, transposed, x, v.beta, v.y)};
    reference::spmv<T>(v.alpha, a, transposed, x, v.beta, result.y);
    return result;
}

template <class T>
void run_in_turn(std::vector<competitor<T>>& competitors, expectation<T> const& expected, int repeats, checks which,
                 memory_probe const& probe) {
    std::vector<entrant> entrants;
    for (auto& c : competitors) {
        auto const error = [&expected, &what = *c.what] {
            return reference::max_error<T>(what.result(), expected.y, expected.bound);
        };
        entrants.push_back({c.record, *c.what, error});
    }
    take_turns(entrants, repeats, which, probe);
}

template <class T>
std::unique_ptr<product<T>> hisparse_product(target& where, hisparse<T> a, operands<T> const& v) {
    return make_product(where, std::move(a), v);
}

template <class T, class S>
std::unique_ptr<product<T>> plan_product(target& where, spmv_plan<S> plan, operands<T> const& v) {
    return make_product(where, std::move(plan), v);
}

template <class T>
std::unique_ptr<product<T>> csr_product(int threads, csr<T> const& a, bool transposed, operands<T> const& v) {
    check_product_shapes(a.row_count, a.column_count, transposed, v.x.size(), v.y.size());
    return std::make_unique<csr_product_on_cpu<T>>(threads, a, transposed, v);
}

template expectation<float> expect(csr<float> const&, bool, operands<float> const&);
template expectation<double> expect(csr<double> const&, bool, operands<double> const&);
template void run_in_turn(std::vector<competitor<float>>&, expectation<float> const&, int, checks, memory_probe const&);
template void run_in_turn(std::vector<competitor<double>>&, expectation<double> const&, int, checks,
                          memory_probe const&);
template std::unique_ptr<product<float>> hisparse_product(target&, hisparse<float>, operands<float> const&);
template std::unique_ptr<product<double>> hisparse_product(target&, hisparse<double>, operands<double> const&);
template std::unique_ptr<product<float>> plan_product(target&, spmv_plan<float>, operands<float> const&);
template std::unique_ptr<product<double>> plan_product(target&, spmv_plan<double>, operands<double> const&);
template std::unique_ptr<product<double>> plan_product(target&, spmv_plan<float>, operands<double> const&);
template std::unique_ptr<product<float>> csr_product(int, csr<float> const&, bool, operands<float> const&);
template std::unique_ptr<product<double>> csr_product(int, csr<double> const&, bool, operands<double> const&);

}  // namespace copse::bench::measure
