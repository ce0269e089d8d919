#include "bench/peers/products.hpp"

#include <fmt/format.h>

#include <copse/formats/statistics.hpp>
#include <copse/runtime/error.hpp>
#include <exception>

#include "bench/peers/peers.hpp"
#include "bench/harness/load.hpp"
#include "bench/harness/text.hpp"

namespace copse::bench {
namespace {

/// Another product, whose first exception is reported and ends it.
template <class T>
class guest final : public measure::product<T> {
  public:
    guest(std::unique_ptr<measure::product<T>> inner, std::size_t result_size, complaint complain)
        : inner_(std::move(inner)), result_size_(result_size), complain_(std::move(complain)) {}

    void prepare() override {
        attempt([&] { inner_->prepare(); });
    }
    void run() override {
        attempt([&] { inner_->run(); });
    }
    std::vector<T> result() const override {
        return has_failed_ ? std::vector<T>(result_size_, std::numeric_limits<T>::quiet_NaN()) : inner_->result();
    }
    bool has_failed() const noexcept { return has_failed_; }

  private:
    template <class Action>
    void attempt(Action const& action) {
        if (has_failed_) return;
        try {
            action();
        } catch (std::exception const& e) {
            has_failed_ = true;
            complain_(e.what());
        }
    }

    std::unique_ptr<measure::product<T>> inner_;
    std::size_t result_size_;
    complaint complain_;
    bool has_failed_ = false;
};

/// Converting takes the matrix and, in most libraries, a list of the entries beside it.
template <class T>
void check_memory_for(std::string const& name, measure::problem<T> const& what) {
    auto const bytes = csr_bytes(what.a.row_count, what.a.entry_count(), sizeof(T));
    measure::check_memory("converting '" + what.matrix + "' for " + name, 2.5 * static_cast<double>(bytes));
}

}  // namespace

template <class T>
std::vector<product_peer<T>> product_peers() {
    std::vector<product_peer<T>> all;
#ifdef COPSE_HAS_EIGEN
    all.push_back({"eigen", eigen_competitor<T>});
#endif
#ifdef COPSE_HAS_GRAPHBLAS
    all.push_back({"graphblas", graphblas_competitor<T>});
#endif
#ifdef COPSE_HAS_LIBRSB
    all.push_back({"librsb", librsb_competitor<T>});
    all.push_back({"librsb tuned", librsb_tuned_competitor<T>});
#endif
#ifdef COPSE_HAS_PETSC
    if constexpr (sizeof(T) == sizeof(double)) all.push_back({"petsc", petsc_competitor});
#endif
    if (mkl_version().has_value()) all.push_back({"mkl", mkl_competitor<T>});
    return all;
}

template <class T>
std::vector<measure::competitor<T>> invite(std::vector<product_peer<T>> const& peers, measure::problem<T> const& what,
                                           int threads, complaint const& complain) {
    if (what.v.alpha != 1 || what.v.beta != 0) throw argument_error("the peers multiply without factors");
    std::vector<measure::competitor<T>> guests;
    for (auto const& peer : peers) {
        auto const absent = [complain, who = fmt::format("{} takes no part in {} of {}", peer.name,
                                                         what.transpose ? "A^T x" : "A x", what.matrix)](
                                std::string const& why) { complain(measure::one_line(who + ": " + why)); };
        try {
            check_memory_for(peer.name, what);
            auto c = peer.make(what, threads);
            c.what = std::make_unique<guest<T>>(std::move(c.what), what.v.y.size(), absent);
            guests.push_back(std::move(c));
        } catch (std::exception const& e) {
            absent(e.what());
        }
    }
    return guests;
}

template <class T>
bool took_part(measure::competitor<T> const& c) {
    auto const* invited = dynamic_cast<guest<T> const*>(c.what.get());
    return invited == nullptr || !invited->has_failed();
}

template std::vector<product_peer<float>> product_peers();
template std::vector<product_peer<double>> product_peers();
template std::vector<measure::competitor<float>> invite(std::vector<product_peer<float>> const&,
                                                        measure::problem<float> const&, int, complaint const&);
template std::vector<measure::competitor<double>> invite(std::vector<product_peer<double>> const&,
                                                         measure::problem<double> const&, int, complaint const&);
template bool took_part(measure::competitor<float> const&);
template bool took_part(measure::competitor<double> const&);

}  // namespace copse::bench
